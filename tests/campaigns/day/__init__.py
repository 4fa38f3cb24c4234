"""A championship in one day: players with phones, one director with the forms of the console, and what it costs."""
