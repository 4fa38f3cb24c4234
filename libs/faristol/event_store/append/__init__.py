"""Appending: the decision of a caller, the groups of appends, and their commit."""
