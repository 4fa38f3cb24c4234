"""Messages of officials to everyone, to halls, tables and players. Pure."""
