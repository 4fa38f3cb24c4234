"""`faristol judge`, `faristol adjudication` and `faristol ruling`."""
