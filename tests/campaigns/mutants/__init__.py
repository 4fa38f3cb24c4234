"""Mutation testing of pure code: small changes at random places, and the tests that run them."""
