"""Live updates: upstream events, subscriptions, server-sent events and broadcasting."""
