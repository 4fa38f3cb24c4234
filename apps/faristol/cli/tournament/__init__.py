"""`faristol tournament`, `round`, `standings`, `prize`, `rating`, `webhook` and `enter`."""
