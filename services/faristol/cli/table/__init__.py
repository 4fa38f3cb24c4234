"""`faristol table`: the tool of who keeps a table, in the words of the rulebook cases."""

from faristol.cli.table.command import table

__all__ = ["table"]
