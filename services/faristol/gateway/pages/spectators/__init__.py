"""Pages for spectators: players, search, seats, replays, screens, embedded boards."""
