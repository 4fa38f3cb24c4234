"""The handling of commands on a tournament: reads and writes."""
