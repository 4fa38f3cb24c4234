"""Adjudication: its policy, appointments, judges and cases."""
