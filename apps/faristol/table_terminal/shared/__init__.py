"""Common code of programs at a terminal: names, calls of services, and output."""
