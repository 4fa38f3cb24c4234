"""The databases of an event store: SQLite and PostgreSQL, their tables, migrations and rights."""
