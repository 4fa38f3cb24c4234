"""Rulebook cases: tables as an arbiter writes them down, played by the services themselves, in memory."""
