"""What officials read and write, at a terminal and on pages: lists of players, typed results, what was done."""
