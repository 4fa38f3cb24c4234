"""The shadow of a tournament of another program: it is read again and again, replayed, and compared."""
