"""The feed of webhooks: their registration, and the events that each of them gets, in order."""
