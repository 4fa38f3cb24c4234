"""Planted bugs: defects of concurrency and recovery, each of which the simulation has to find."""
