"""A regular package, so that it is never confused with the `tests` that some dependencies install."""
