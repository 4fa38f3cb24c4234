"""The championship that `faristol demo` plays: directors and players who know the public interfaces alone."""
