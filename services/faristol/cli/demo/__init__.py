"""The championship that `faristol demo` plays: directors and players who know the public interfaces alone."""

from faristol.cli.demo.performance import Show, run
from faristol.cli.demo.plan import Plan
from faristol.cli.demo.readiness import options_of

__all__ = ["Plan", "Show", "options_of", "run"]
