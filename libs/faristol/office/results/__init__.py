"""The results of a round as people type them: read, doubted, and shown as they stand."""
