"""The championship of `faristol demo`: directors and players who use only the public interfaces."""
