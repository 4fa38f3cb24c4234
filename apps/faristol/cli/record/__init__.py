"""`faristol record` and `faristol projection`."""
