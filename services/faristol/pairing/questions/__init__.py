"""What the service answers about a tournament."""
