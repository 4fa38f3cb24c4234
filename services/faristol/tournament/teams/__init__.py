"""Teams, and the tournament between them (FISE 4.4). Pure."""
