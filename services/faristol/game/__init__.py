"""Tables: plays, exchanges, passes, challenges, ends and scoresheets. It owns the streams `game-<game_id>`.

A table is decided against its clock and, while a challenge is pending, its case. What follows from those it
settles by itself; the rest is what the two players do.
"""
