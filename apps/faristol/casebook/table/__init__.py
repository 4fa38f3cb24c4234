"""Cases of tables: one game from a position on."""
