"""The faults of a run: their kinds and probabilities, drawn from its seed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from random import Random


def _rate(highest: float, *, often: float = 0.5) -> float:
    """Return a kind of fault; ``often`` is the share of runs with it, ``highest`` its largest probability."""
    value: float = field(default=0.0, metadata={"highest": highest, "often": often})
    return value


@dataclass(slots=True)
class Faults:
    """Probabilities, 0 where a run is free of that kind. Not every run has every kind, because some mask others."""

    crash_before_commit: float = _rate(0.02)
    """Of a process, with a commit asked for and not begun."""
    crash_in_commit: float = _rate(0.02)
    """Of a process, with the rows of a transaction written and the commit not begun."""
    crash_after_commit: float = _rate(0.02)
    """Of a process, after a commit and before its answer."""
    crash_anywhere: float = _rate(0.15)
    """Of a process, per second."""
    stop: float = _rate(0.05, often=0.3)
    """Of a process, per second: as a rolling update stops it."""
    freeze: float = _rate(0.1, often=0.4)
    """Of a process, per second: it freezes for some seconds, without noticing."""
    disk_refuses: float = _rate(0.002, often=0.3)
    """A statement or a commit fails, as on a full disk."""
    call_lost: float = _rate(0.03)
    """A call does not arrive."""
    call_twice: float = _rate(0.05)
    """A call arrives again, some time after."""
    answer_lost: float = _rate(0.1)
    """A call is carried out, and its answer does not arrive."""
    news_lost: float = _rate(0.2)
    """A message on its way to a consumer."""
    news_twice: float = _rate(0.2)
    news_late: float = _rate(0.3)
    """A message is overtaken by others."""
    publish_lost: float = _rate(0.02)
    """A message on its way to the stream."""
    publish_unanswered: float = _rate(0.02)
    """A message is stored, and its acknowledgement does not arrive."""
    ack_lost: float = _rate(0.3)
    """A consumer's acknowledgement."""
    stream_wiped: float = _rate(0.1, often=0.4)
    """Per second: NATS loses all that it has."""
    tail_lost: float = _rate(0.2, often=0.4)
    """Per second: NATS loses the last messages that it acknowledged, as without fsync."""
    bus_down: float = _rate(0.1, often=0.3)
    """Per second: NATS is away for a while."""
    rebuild: float = _rate(1.0, often=0.5)
    """Per second: a projection is rebuilt beside the live one."""
    rebuilds_contend: float = _rate(2.0, often=0.3)
    """Per second: a rebuild freezes for longer than its lease, and another one takes it."""
    reaction_fails: float = _rate(0.4, often=0.4)
    """A reaction fails at an event, as by a defect, and succeeds when it is retried."""
    skew: float = _rate(30.0, often=0.5)
    """Seconds that the clocks of two processes may be apart."""
    rebuild_pauses: float = _rate(0.6, often=0.7)
    """A rebuild freezes for a moment between two batches, before its switch, or before it drops the old tables."""
    disk_slow: float = _rate(0.2, often=0.6)
    """A statement waits for the disk."""

    @classmethod
    def draw(cls, luck: Random) -> Faults:
        """Return the faults of a run."""
        drawn = {}
        for kind in fields(cls):
            is_present = luck.random() < kind.metadata["often"]
            strength = luck.random() ** 2
            drawn[kind.name] = kind.metadata["highest"] * strength if is_present else 0.0
        return cls(**drawn)

    def end(self) -> None:
        """End all faults; clocks stay as they are."""
        for kind in fields(self):
            if kind.name != "skew":
                setattr(self, kind.name, 0.0)
