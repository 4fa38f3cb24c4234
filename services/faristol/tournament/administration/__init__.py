"""A tournament: description, divisions, halls, announcements, prizes and publication. Pure."""
