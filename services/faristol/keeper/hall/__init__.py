"""A hall of a duplicate game at a terminal, with the line to the services or without it."""
