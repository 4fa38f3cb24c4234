"""Hosts of cases: the services of a table in memory or on a cell, with their record and judges."""
