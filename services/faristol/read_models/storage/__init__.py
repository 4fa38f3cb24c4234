"""Storage of the read models: rows, tables, lookups, names."""
