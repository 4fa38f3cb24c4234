"""Values computed from the read models: standings, crosstable, prizes, explanations and reports."""
