"""`faristol access` and `faristol data-request`."""
