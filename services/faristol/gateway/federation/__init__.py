"""The pages of a federation: seasons, careers and rating lists as JSON and pages, and the consoles that change them."""
