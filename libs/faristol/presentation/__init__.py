"""Presentation for pages and terminals: labels, names, sentences, game views and scoresheets."""
