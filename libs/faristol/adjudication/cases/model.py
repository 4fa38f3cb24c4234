"""A case of adjudication. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.likeness import read_shared_fields
from faristol.kernel.pins import UNPINNED, Pin
from faristol.kernel.times import to_datetime
from faristol.pb.lexicon.v1 import events_pb2 as events

Word = tuple[str, ...]
"""A word as faces."""

DIRECTOR_SEAT_NUMBER = 0
"""The seat of a director who rules without a panel."""


def stream(case_id: str) -> str:
    """Return the name of the stream of a case."""
    return f"case-{case_id}"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling on one word."""

    word: Word
    valid: bool
    reason: str = ""
    source: str = ""
    """The dictionary, list or grammar that supports it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A judge's seat on a case, while the judge holds it."""

    judge_id: str
    seat: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """The rulings of one judge on the words."""

    judge_id: str
    seat: int
    rulings: tuple[Ruling, ...]
    given_at: Timestamp


@dataclass(frozen=True, slots=True)
class Case:
    """A challenge or an appeal that is ruled on; without ``opened_at`` it is not open yet."""

    case_id: str = ""
    game_id: str = ""
    tournament_id: str = ""
    turn: int = 0
    challenge: int = 0
    words: tuple[Word, ...] = ()
    language: str = ""
    lexicon: Pin = UNPINNED
    layers: tuple[str, ...] = ()
    article: str = ""
    by_word: bool = False
    """Whether players are notified of each word."""
    mode: events.Mode.ValueType = events.MODE_UNSPECIFIED
    panel: int = 0
    appeal: bool = False
    barred: frozenset[str] = frozenset()
    """Judges who may not rule on it."""
    lease_seconds: int = 0
    escalate_after_seconds: int = 0
    opened_at: Timestamp | None = None
    queued_at: Timestamp | None = None
    claims: tuple[Claim, ...] = ()
    """Claims in the order of seats."""
    opinions: tuple[Opinion, ...] = ()
    """Opinions in the order of seats."""
    returned: int = 0
    """Number of returns to the queue."""
    escalated: bool = False
    withdrawn: bool = False
    rulings: tuple[Ruling, ...] = ()
    valid: bool = False
    """Whether every word is valid; meaningful only for a case that is ruled."""
    ruled_by: tuple[str, ...] = ()
    by_director: bool = False
    """Whether a director ruled without a panel."""
    ruled_at: Timestamp | None = None
    last_at: Timestamp | None = None
    """The moment of the last event."""

    @property
    def open(self) -> bool:
        """Whether the case is open."""
        return self.opened_at is not None

    @property
    def ruled(self) -> bool:
        """Whether a ruling was made."""
        return self.ruled_at is not None

    @property
    def waiting(self) -> bool:
        """Whether the case is in the queue: open, not ruled, not withdrawn."""
        return self.open and not self.ruled and not self.withdrawn

    @property
    def free_seats(self) -> tuple[int, ...]:
        """Seats without a claim or an opinion, except the director's."""
        taken = {claim.seat for claim in self.claims} | {opinion.seat for opinion in self.opinions}
        return tuple(seat for seat in range(1, self.panel + 1) if seat not in taken)

    @property
    def held_by(self) -> tuple[str, ...]:
        """The judges who hold it, in the order of seats."""
        return tuple(claim.judge_id for claim in self.claims)

    def claim_of(self, judge_id: str) -> Claim | None:
        """Return the claim of a judge, or None."""
        return next((claim for claim in self.claims if claim.judge_id == judge_id), None)

    def escalates_at(self) -> datetime | None:
        """Return the moment of escalation to a director; None if no judge rules."""
        if not self.panel or self.queued_at is None:
            return None
        return to_datetime(self.queued_at) + timedelta(seconds=self.escalate_after_seconds)

    def escalates(self, now: datetime) -> bool:
        """Check whether the escalation is due and has not happened yet."""
        due = self.escalates_at()
        return not self.escalated and due is not None and now >= due


def evolve(case: Case, event: Message) -> Case:
    """Return the case after ``event``. Raises ``TypeError`` for an event that is not of a case."""
    match event:
        case events.CaseOpened():
            return _build_case(event)
        case events.CaseClaimed():
            case = replace(case, claims=_sort_by_seat([*case.claims, Claim(event.judge_id, event.seat)]))
        case events.CaseReturned():
            case = replace(case, claims=_without(case.claims, event.seat), returned=case.returned + 1)
        case events.OpinionGiven():
            opinion = Opinion(event.judge_id, event.seat, _rulings(event.words), event.occurred_at)
            opinions = (*(opinion for opinion in case.opinions if opinion.seat != event.seat), opinion)
            ordered = tuple(sorted(opinions, key=lambda opinion: opinion.seat))
            case = replace(case, claims=_without(case.claims, event.seat), opinions=ordered)
        case events.CaseEscalated():
            case = replace(case, escalated=True)
        case events.CaseWithdrawn():
            case = replace(case, withdrawn=True, claims=())
        case events.CaseRuled():
            case = replace(
                case,
                claims=(),
                rulings=_rulings(event.words),
                valid=event.valid,
                ruled_by=tuple(event.judge_ids),
                by_director=event.director,
                ruled_at=event.occurred_at,
            )
        case _:
            raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of a case")
    return replace(case, last_at=event.occurred_at)


def _build_case(event: events.CaseOpened) -> Case:
    return Case(
        **read_shared_fields(event, Case),
        words=tuple(tuple(word.faces) for word in event.words),
        lexicon=Pin.of(event.lexicon),
        barred=frozenset(event.barred_judge_ids),
        opened_at=event.occurred_at,
        queued_at=event.queued_at if event.HasField("queued_at") else event.occurred_at,
        last_at=event.occurred_at,
    )


def _rulings(words: Iterable[events.WordRuling]) -> tuple[Ruling, ...]:
    return tuple(Ruling(tuple(word.word.faces), word.valid, word.reason, word.source) for word in words)


def _sort_by_seat(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(sorted(claims, key=lambda claim: claim.seat))


def _without(claims: Iterable[Claim], seat: int) -> tuple[Claim, ...]:
    return tuple(claim for claim in claims if claim.seat != seat)
