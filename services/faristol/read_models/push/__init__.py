"""Web Push: subscriptions, the choice of their messages, and the delivery."""
