"""Callers: certificates, authorization of calls, actors, visitors and the audit log."""
