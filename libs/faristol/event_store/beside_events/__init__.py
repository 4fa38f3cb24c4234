"""Data stored beside the events, so that it can be erased: names, notes and their bindings."""
