"""The result of a campaign, as a file for programs and a line for people."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.campaigns.simulation.run import Outcome


@dataclass(frozen=True, slots=True)
class Failure:
    """A seed with an error."""

    seed: int
    problems: list[str]
    trace: str
    """Path of its trace."""
    command: str
    """The command that repeats it separately."""


@dataclass
class Report:
    """Of many runs."""

    seeds: int = 0
    events: int = 0
    """In all records together."""
    steps: int = 0
    """Handles that the loops ran."""
    world_seconds: float = 0.0
    """Seconds that passed in the worlds."""
    cpu_seconds: float = 0.0
    happened: dict[str, int] = field(default_factory=dict)
    """How often each kind of thing happened, in all runs together."""
    reached: dict[str, int] = field(default_factory=dict)
    """Number of runs that reached each situation of the program; 0 for one that no run reached."""
    failures: list[Failure] = field(default_factory=list)

    def add(self, outcome: Outcome, cpu_seconds: float, folder: Path) -> None:
        """Count a run; the trace of a failed one is written into ``folder``."""
        self.seeds += 1
        self.events += outcome.events
        self.steps += outcome.steps
        self.world_seconds = round(self.world_seconds + outcome.seconds, 1)
        self.cpu_seconds = round(self.cpu_seconds + cpu_seconds, 1)
        for kind, times in outcome.counts.items():
            self.happened[kind] = self.happened.get(kind, 0) + times
        for situation, times in outcome.reached.items():
            self.reached[situation] = self.reached.get(situation, 0) + bool(times)
        if outcome.problems:
            trace = folder / f"seed-{outcome.seed}.txt"
            trace.parent.mkdir(parents=True, exist_ok=True)
            trace.write_text("\n".join([*outcome.lines, *outcome.problems, outcome.digest, ""]))
            command = shlex.join(["make", "simulate", f"SEEDS={outcome.seed}"])
            self.failures.append(Failure(outcome.seed, outcome.problems, str(trace), command))

    def write(self, path: Path) -> None:
        """Write the report as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.failures.sort(key=lambda failure: failure.seed)
        self.happened = dict(sorted(self.happened.items()))
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n")
