"""Chess clocks: who uses time at a table, how much, and what happens when there is none left (FISC I.11).

The clock follows the game's stream by itself; what a player does to it is to press it. It owns the streams
`clock-<game_id>`.
"""
