"""Public pages: routes, rendering and templating."""
