"""Fair play: the plays of finished games beside the best plays of their racks, with their statistics. Pure.

A figure is a signal and never a verdict. Three errors make such figures worthless, and the modules guard against them:

- A strong player agrees with the best play more often than a weak one. ``comparison`` compares players of similar
  ratings only, and says so if there are too few.
- Among many players, one is always the most unusual. ``comparison`` corrects for the number of all comparisons that
  could be made in the record, so that a field of honest players has a signal in at most one of a hundred reports.
- A few turns say little. ``figures`` gives each figure with its interval and its number of turns, and no signal is
  given below ``MIN_TURNS_COUNT``.

The best play is that of the highest score. A good player may choose another one for the tiles that it leaves or the
squares that it opens, so a low agreement is no sign of weakness, and a high one may have honest reasons.
"""
