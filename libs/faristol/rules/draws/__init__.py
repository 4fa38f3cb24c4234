"""Draws of tiles: the bag, the starting draw, surplus tiles, and draw logs."""
