"""Commands on seasons and circuits. Owner of the stream ``seasons-cell``; ``faristol.seasons`` has their state."""
