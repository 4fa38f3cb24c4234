"""Clients of the services, and the JSON proxy of their methods."""
