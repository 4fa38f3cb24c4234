"""Fuzzing of the parsers that strangers reach, guided by coverage (``make fuzz``)."""
