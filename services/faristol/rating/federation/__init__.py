"""Numbered rating lists of the federation. Owner of the stream ``ratinglists-cell``."""
