"""The client library: services, their refusals, a judge's work and results over HTTP. Import its modules."""
