"""`faristol enter`: results of a round, table by table or from a file."""
