"""A case: its state, and the decisions on it. Pure."""
