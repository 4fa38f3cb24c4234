"""The championship's side of its hall cells: they join, follow its events, and send those of their tables."""
