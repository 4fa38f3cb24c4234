"""Columns without samples for the planner of PostgreSQL, where secrets and names would survive their erasure."""

from __future__ import annotations

from sqlalchemy import DDL, Table, event
from sqlalchemy.schema import ExecutableDDLElement


def format_no_samples(table: str, *columns: str) -> str:
    """Return the statement after which PostgreSQL takes no samples of some columns."""
    return f"ALTER TABLE {table} " + ", ".join(f"ALTER COLUMN {column} SET STATISTICS 0" for column in columns)


def omit_samples(table: Table, *columns: str) -> None:
    """Register the statement with which PostgreSQL creates ``table``, so that it takes no samples of some columns."""
    statement: ExecutableDDLElement = DDL(  # type: ignore[no-untyped-call] # untyped in SQLAlchemy
        format_no_samples(table.name, *columns)
    )
    event.listen(table, "after_create", statement.execute_if(dialect="postgresql"))
