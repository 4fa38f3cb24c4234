"""`faristol table keep`: the tool of who keeps a table, in the words of the rulebook cases."""
