"""The results service over gRPC: queries, answers and the event tail."""
