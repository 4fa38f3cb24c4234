"""Pages of messages of officials: for the tournament in the director's console, for a hall with the arbiter."""
