"""The game service: plays, exchanges, passes, challenges, ends and scoresheets.

A game is decided together with its clock, as one table (`libs/faristol/table`), and with the case of a pending
challenge. The consequences of a command are appended with it, to both streams at once.
"""
