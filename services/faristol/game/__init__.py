"""Games: plays, exchanges, passes, challenges, ends and scoresheets.

A game is decided as a part of its table, with the clock beside it (`libs/faristol/table`), and while a challenge is
pending with its case. What follows is written with what the players do, on both streams in one append.
"""
