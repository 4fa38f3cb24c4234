"""`faristol table`, `faristol game`, `faristol draw` and `faristol gcg`."""
