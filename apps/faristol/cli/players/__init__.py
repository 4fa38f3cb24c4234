"""`faristol player` and `faristol team`."""
