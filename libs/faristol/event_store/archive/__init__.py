"""Archives: export, restoration and retention."""
