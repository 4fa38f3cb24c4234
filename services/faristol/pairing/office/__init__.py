"""How a command on a tournament is carried out: what is read for it, and what is written."""
