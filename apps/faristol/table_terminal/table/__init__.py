"""A table at a terminal: the grammar of typed steps, the journal, and the possible next steps."""
