"""Values and refusals that pure code needs: no I/O, no framework. Import from the modules."""
