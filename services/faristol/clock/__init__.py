"""Chess clocks: who uses time at a table, how much, and what happens when there is none left (FISC I.11).

A clock is decided as a part of its table, with the game beside it (`libs/faristol/table`): a press is written with what
it means for the game, in one append. What comes by itself, when a time is over, is the timer's.
"""
