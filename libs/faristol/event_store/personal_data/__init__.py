"""Personal data beside the events: names, notes, their bindings and their erasure."""
