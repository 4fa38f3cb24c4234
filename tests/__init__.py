"""A regular package, so that the `tests` that some dependencies install is never taken for it."""
