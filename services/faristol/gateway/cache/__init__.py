"""The response cache: stored representations, the events that invalidate them, and its middleware."""
