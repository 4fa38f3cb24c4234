"""What follows at a table by itself. Pure."""
