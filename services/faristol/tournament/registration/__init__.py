"""The registration by a public form: entries, their acceptance, the waiting list, the entrants' links and messages."""
