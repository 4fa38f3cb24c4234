"""Storage of the read models: rows, tables, units of work and lookups."""
