"""A witness of transparency logs: its command and its HTTP server."""
