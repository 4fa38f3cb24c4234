"""Duplicate games over gRPC."""
