"""Players of a tournament: registration, amendment, check-in, byes, withdrawal and data requests. Pure."""
