"""The scorer's page: a table kept by touch, with and without a network."""
