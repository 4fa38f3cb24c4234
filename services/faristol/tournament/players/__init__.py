"""Players of a tournament: registration, amendment, check-in, withdrawal and data requests. Pure."""
