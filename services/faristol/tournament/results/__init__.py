"""Results: entry, confirmation, correction and postponement. Pure."""
