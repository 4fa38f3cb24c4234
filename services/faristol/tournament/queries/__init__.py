"""The queries of the pairing service."""
