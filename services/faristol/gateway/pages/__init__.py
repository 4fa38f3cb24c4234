"""Public pages: routes, templating, labels and views."""
