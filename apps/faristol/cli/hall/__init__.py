"""Commands on the cells of halls."""
