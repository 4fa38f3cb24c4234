"""Resources of the JSON API, as models and functions that make them."""
