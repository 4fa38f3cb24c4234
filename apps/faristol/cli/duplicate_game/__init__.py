"""`faristol duplicate`."""
