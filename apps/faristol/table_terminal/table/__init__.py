"""A table at a terminal: the grammar of what is typed, the journal, and what can be done next."""
