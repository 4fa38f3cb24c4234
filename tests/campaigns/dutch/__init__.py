"""Random tournaments, paired by this program and by others, round by round (FIDE C.04.A)."""
