"""Scorer's page: a table recorded by touch, with or without a network."""
