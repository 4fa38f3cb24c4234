"""Entry of the results of a round at a terminal or from a file: `faristol enter`."""
