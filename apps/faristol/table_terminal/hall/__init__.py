"""A hall of a duplicate game at a terminal, online or offline."""
