"""Queries of the read models: each is a function of them and its request."""
