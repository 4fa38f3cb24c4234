"""The adjudication of challenges of a tournament: its mode, its judges and its layers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.kernel.likeness import read_shared_fields
from faristol.pb.lexicon.v1 import events_pb2 as events

JUDGE_LEASE_SECONDS = 30
ESCALATE_AFTER_SECONDS = 120


def stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament's adjudication."""
    return f"lexicon-{tournament_id}"


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge of a tournament."""

    judge_id: str
    languages: frozenset[str] = frozenset()
    """Languages of the cases that the judge takes, ISO 639-1."""
    director: bool = False


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The settings of the adjudication of a tournament. By default the lexicon rules."""

    mode: events.Mode.ValueType = events.MODE_AUTOMATIC
    panel: int = 0
    """Number of judges of a case, always odd; 0 if the lexicon rules."""
    lease_seconds: int = JUDGE_LEASE_SECONDS
    escalate_after_seconds: int = ESCALATE_AFTER_SECONDS
    judges: Mapping[str, Judge] = field(default_factory=dict)
    layers: tuple[str, ...] | None = None
    """Layers chosen after the tournament was created; None for those of the ruleset."""

    def able(self, language: str) -> frozenset[str]:
        """Return the judges who take cases in a language."""
        return frozenset(judge_id for judge_id, judge in self.judges.items() if language in judge.languages)

    @property
    def directors(self) -> frozenset[str]:
        """The judges who are directors."""
        return frozenset(judge_id for judge_id, judge in self.judges.items() if judge.director)


def evolve(state: Adjudication, event: Message) -> Adjudication:
    """Return the adjudication after ``event``. Raises ``TypeError`` for any other event."""
    match event:
        case events.AdjudicationSet():
            return replace(state, **read_shared_fields(event, Adjudication))
        case events.JudgeAppointed():
            judge = Judge(event.judge_id, frozenset(event.languages), event.director)
            return replace(state, judges=MappingProxyType({**state.judges, judge.judge_id: judge}))
        case events.JudgeDismissed():
            left = {judge_id: judge for judge_id, judge in state.judges.items() if judge_id != event.judge_id}
            return replace(state, judges=MappingProxyType(left))
        case events.LayersChosen():
            return replace(state, layers=tuple(event.layers))
        case _:
            raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of adjudication")
