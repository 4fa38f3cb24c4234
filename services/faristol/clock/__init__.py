"""The clock service: the time that players use at a table, and the effects of its end (FISC I.11).

A clock is decided together with its game, as one table (`libs/faristol/table`). A press and its effect on the game are
appended together. The timer fires deadlines.
"""
