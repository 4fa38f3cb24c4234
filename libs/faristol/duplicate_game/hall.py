"""A hall of a duplicate game, folded from its stream: its players, their slips, and the scores. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from typing import Any, NamedTuple

from google.protobuf.message import Message

from faristol.duplicate_game.game import Timer, Turn
from faristol.kernel.event_types import find_fold, folds_in
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, instant
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.slips import Handed, WrittenSlip

HANDED_BY_VALUE: Mapping[int, Handed] = {
    events.HANDED_UNSPECIFIED: Handed.IN_TIME,
    **{events.Handed.Value(f"HANDED_{handed.name}"): handed for handed in Handed},
}

ON_THE_WAY = 10_000 * NANOSECONDS_PER_MS
"""Nanoseconds after the end within which a slip saved in time by a phone counts without an arbiter: the network is slow
if a whole hall sends at once.
"""


IsSame = Callable[[WrittenSlip, WrittenSlip], bool]
"""Whether two slips describe the same play."""


class WaitingReason(StrEnum):
    """The reason that a slip waits for an arbiter."""

    TWO_SLIPS = "two-slips"
    """The player submitted two, or one on paper and another on a phone."""
    TYPED_OTHERWISE = "typed-otherwise"
    """Two collectors typed the same paper differently."""
    AFTER_CLOSE = "after-close"
    """It arrived after the hall had closed the turn."""
    SENT_LATER = "sent-later"
    """The player's own phone saved it in time and sent it after the end, with a play other than the one received
    before.
    """


@dataclass(frozen=True, slots=True)
class SlipEntry:
    """A slip as received."""

    slip: events.Slip
    source: events.SlipSource.ValueType
    collector_id: str
    after_close: bool
    arrived_at: Instant
    began_at: Instant | None = None
    """The start of the turn in a hall that played on by itself."""

    @property
    def is_own(self) -> bool:
        """Whether it came from the player's own phone: only its clock vouches for the time."""
        return self.source == events.SLIP_SOURCE_PHONE and self.collector_id == self.slip.player_id

    @property
    def written_at(self) -> Instant:
        """The time of writing if stated; otherwise the time of arrival."""
        return instant(self.slip.written_at) if self.slip.HasField("written_at") else self.arrived_at

    def is_sent_later(self, timer: Timer) -> bool:
        """Check whether only the player's own phone says that a late arrival was written before the end."""
        end = timer.ends_at
        return end is not None and self.is_own and not is_late(self, timer) and self.arrived_at > end + ON_THE_WAY


@dataclass(frozen=True, slots=True)
class Counting:
    """The slip of a player that counts."""

    slip: WrittenSlip
    written: events.Slip
    """The same as written."""
    waits: WaitingReason | None = None
    entries: tuple[SlipEntry, ...] = ()
    """The slips from which an arbiter has to choose, while it waits."""


class Ruling(NamedTuple):
    """A slip that an arbiter ruled to count."""

    slip: events.Slip
    at: Instant
    began_at: Instant | None = None
    """The start of the turn in a hall that called its rack itself."""


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """A turn whose sealed rack a hall has called by itself."""

    rack: tuple[str, ...]
    began_at: Instant | None = None
    """The start of its time; None before."""
    whole_ms: int = 0

    def timer(self, at: Instant = 0) -> Timer | None:
        """Return its timer in the hall, over if its end is not after ``at``; None before the start."""
        if self.began_at is None:
            return None
        timer = Timer(self.began_at, self.began_at, self.whole_ms, self.whole_ms)
        ends_at = self.began_at + self.whole_ms * NANOSECONDS_PER_MS
        return replace(timer, called_at=ends_at) if ends_at <= at else timer


@dataclass(frozen=True, slots=True)
class HallTurn:
    """The slips of a hall for a turn."""

    entries: Mapping[str, tuple[SlipEntry, ...]] = field(default_factory=dict)
    closed_at: Instant | None = None
    closed_began_at: Instant | None = None
    """The start of the turn that was closed, in a hall that called its rack itself."""
    own: OwnTurn | None = None
    """The turn as the hall called it by itself; None if it plays with all halls."""
    ruled: Mapping[str, Ruling] = field(default_factory=dict)
    """The rulings by player."""
    scores: Mapping[str, events.SlipScore] = field(default_factory=dict)
    """The score of each player's slip. Not to be changed."""
    corrected: Mapping[str, events.Slip] = field(default_factory=dict)
    """The content of slips corrected since."""

    def is_closed(self, timer: Timer) -> bool:
        """Check whether the hall has closed this attempt at the turn."""
        return self.closed_at is not None and self._is_of(self.closed_at, self.closed_began_at, timer)

    def of_attempt(self, player_id: str, timer: Timer) -> tuple[SlipEntry, ...]:
        """Return the slips of a player in this attempt at the turn, in order."""
        entries = self.entries.get(player_id, ())
        return tuple(entry for entry in entries if self._is_of(entry.arrived_at, entry.began_at, timer))

    def ruling(self, player_id: str, timer: Timer) -> Ruling | None:
        """Return the ruling on the slip of a player in this attempt at the turn; None without one."""
        ruled = self.ruled.get(player_id)
        return ruled if ruled is not None and self._is_of(ruled.at, ruled.began_at, timer) else None

    def _is_of(self, at: Instant, began_at: Instant | None, timer: Timer) -> bool:
        """Check whether an event at a time belongs to this attempt at the turn, by all halls or by this hall only."""
        if at < timer.first_at or self.own is None:
            return at >= timer.first_at
        return began_at == timer.first_at if began_at is not None else self.own.began_at != timer.first_at

    def counting(self, player_id: str, timer: Timer, is_same: IsSame) -> Counting:
        """Return the slip of a player that counts. Slips before this attempt at the turn are void.

        ``is_same`` compares slips that were typed or saved more than once.
        """
        if player_id in self.corrected:
            corrected = self.corrected[player_id]
            return Counting(written_slip(corrected), corrected)
        if (ruled := self.ruling(player_id, timer)) is not None:
            return Counting(written_slip(ruled.slip), ruled.slip)
        return _counting(player_id, self.of_attempt(player_id, timer), timer, is_same)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a player."""

    claim_id: str
    turn: int
    player_id: str
    raised_at: Instant = 0
    raised_by: int = 0
    """The version of the event that raised it: the player's text is stored beside it."""
    decided: bool = False
    accepted: bool = False
    """Whether the slip was corrected."""
    decided_at: Instant = 0
    about: str = ""
    """The player whose slip is contested."""
    decided_by: int = 0
    """The version of the event that decided it: the reason is stored beside it."""


@dataclass(frozen=True, slots=True)
class Hall:
    """A hall."""

    number: int = 0
    name: str = ""
    seats: Mapping[str, int] = field(default_factory=dict)
    """The slip number of each player."""
    turns: Mapping[int, HallTurn] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    version: int = 0
    """Of its stream: the number of its events."""
    owner_key: bytes = b""
    """Public key of the hall cell that writes the stream; empty if the championship does."""
    owner_hall: str = ""
    """Name of the hall to which it was handed over."""
    epoch: int = 0
    """Number of changes of the writer."""
    handed_at: Instant = 0
    """Time at which it was last handed over to a hall cell; 0 if it never was."""

    def turn(self, number: int) -> HallTurn:
        """Return the state of a turn in this hall."""
        return self.turns.get(number) or HallTurn()

    def apply_own_time(self, turn: Turn) -> Turn:
        """Return a turn of the game with its time in this hall, which may have called the rack by itself."""
        timer = self.find_own_timer(turn)
        return turn if timer is None or turn.timer == timer else replace(turn, timer=timer)

    def find_own_timer(self, turn: Turn) -> Timer | None:
        """Return the timer of a turn that this hall started by itself; None for another rack than that of the game."""
        own = self.turn(turn.number).own
        if own is None or not turn.sealed or own.rack != turn.rack:
            return None
        is_played = turn.timer is not None and turn.timer.first_at == own.began_at
        return turn.timer if is_played else own.timer()


def evolve(hall: Hall, event: Message) -> Hall:
    """Return ``hall`` after an event of its stream. Raises ``TypeError`` for another one."""
    fold = find_fold(_HALL_FOLDS, event, "a hall of a duplicate game")
    return replace(fold(hall, event), version=hall.version + 1)


def written_slip(slip: events.Slip, handed: Handed | None = None) -> WrittenSlip:
    """Convert a slip to the value of the rules."""
    return WrittenSlip(
        coordinates=slip.coordinates,
        word=slip.word,
        score=slip.score,
        handed=handed or HANDED_BY_VALUE[slip.handed],
        coordinates_illegible=slip.coordinates_illegible,
        word_illegible=slip.word_illegible,
    )


def is_late(entry: SlipEntry, timer: Timer) -> bool:
    """Check whether a slip that states its time was written after the end, to the millisecond (FISC II.5).

    In a hall that began the turn separately, the end is relative to its own start.
    """
    ends_at = timer.ends_at if entry.began_at is None else entry.began_at + timer.whole_ms * NANOSECONDS_PER_MS
    if not entry.slip.HasField("written_at") or ends_at is None:
        return False
    return (instant(entry.slip.written_at) - ends_at) // NANOSECONDS_PER_MS >= 1


def _counting(player_id: str, entries: tuple[SlipEntry, ...], timer: Timer, is_same: IsSame) -> Counting:
    if not entries:
        nothing = events.Slip(player_id=player_id, handed=events.HANDED_NOT_AT_ALL)
        return Counting(written_slip(nothing), nothing)
    found: list[Counting] = []
    phone = sorted(
        (entry for entry in entries if entry.source == events.SLIP_SOURCE_PHONE), key=lambda entry: entry.written_at
    )
    in_time = [entry for entry in phone if not is_late(entry, timer)]
    if phone:
        entry = in_time[-1] if in_time else phone[-1]
        found.append(_of(entry, timer))
    typed = {entry.collector_id: entry for entry in entries if entry.source == events.SLIP_SOURCE_PAPER}
    found += [_of(entry, timer) for entry in typed.values()]
    last = found[-1]
    if any(entry.after_close for entry in entries):
        return replace(last, waits=WaitingReason.AFTER_CLOSE, entries=entries)
    if not _agree(found[bool(phone) :], is_same):
        return replace(last, waits=WaitingReason.TYPED_OTHERWISE, entries=entries)
    if not _agree(found, is_same) or any(each.slip.handed is Handed.TWICE for each in found):
        return replace(last, waits=WaitingReason.TWO_SLIPS, entries=entries)
    if _differs_sent_later(in_time, timer, is_same):
        return replace(last, waits=WaitingReason.SENT_LATER, entries=entries)
    return last


def _agree(found: Sequence[Counting], is_same: IsSame) -> bool:
    return all(is_same(one.slip, other.slip) for one, other in combinations(found, 2))


def _differs_sent_later(in_time: list[SlipEntry], timer: Timer, is_same: IsSame) -> bool:
    """Check whether the counting slip of a phone was sent after the end and differs from those before."""
    if not in_time or not in_time[-1].is_sent_later(timer):
        return False
    before = [entry for entry in in_time if not entry.is_sent_later(timer)]
    return not before or not is_same(written_slip(before[-1].slip), written_slip(in_time[-1].slip))


def _of(entry: SlipEntry, timer: Timer) -> Counting:
    late = is_late(entry, timer)
    return Counting(written_slip(entry.slip, Handed.LATE if late else None), entry.slip)


def _apply_hall_seated(hall: Hall, event: events.HallSeated) -> Hall:
    seats = {**hall.seats, **{seat.player_id: seat.number for seat in event.seats}}
    return replace(hall, number=event.hall.number, name=event.hall.name, seats=seats)


def _apply_slips_taken(hall: Hall, event: events.SlipsTaken) -> Hall:
    turn = hall.turn(event.turn)
    entries = dict(turn.entries)
    at = instant(event.occurred_at)
    began_at = _began_at(event)
    for slip in event.slips:
        entry = SlipEntry(slip, event.source, event.collector_id, event.after_close, at, began_at)
        entries[slip.player_id] = (*entries.get(slip.player_id, ()), entry)
    return _with(hall, event.turn, replace(turn, entries=entries))


def _apply_hall_closed(hall: Hall, event: events.HallClosed) -> Hall:
    turn = replace(hall.turn(event.turn), closed_at=instant(event.occurred_at), closed_began_at=_began_at(event))
    return _with(hall, event.turn, turn)


def _apply_slip_ruled(hall: Hall, event: events.SlipRuled) -> Hall:
    turn = hall.turn(event.turn)
    ruling = Ruling(event.slip, instant(event.occurred_at), _began_at(event))
    return _with(hall, event.turn, replace(turn, ruled={**turn.ruled, event.slip.player_id: ruling}))


def _apply_hall_rack_called(hall: Hall, event: events.HallRackCalled) -> Hall:
    return _with(hall, event.turn, replace(hall.turn(event.turn), own=OwnTurn(tuple(event.faces))))


def _apply_hall_turn_started(hall: Hall, event: events.HallTurnStarted) -> Hall:
    turn = hall.turn(event.turn)
    assert turn.own is not None
    own = replace(turn.own, began_at=instant(event.occurred_at), whole_ms=event.milliseconds)
    return _with(hall, event.turn, replace(turn, own=own))


def _began_at(event: events.SlipsTaken | events.HallClosed | events.SlipRuled) -> Instant | None:
    """Return the start of the turn in a hall that played on by itself; None if it is that of the game."""
    return instant(event.began_at) if event.HasField("began_at") else None


def _apply_turn_scored(hall: Hall, event: events.TurnScored) -> Hall:
    turn = hall.turn(event.turn)
    scores = {**turn.scores, **{score.player_id: score for score in event.scores}}
    return _with(hall, event.turn, replace(turn, scores=scores))


def _apply_slip_corrected(hall: Hall, event: events.SlipCorrected) -> Hall:
    turn = hall.turn(event.turn)
    player = event.slip.player_id
    scores = {**turn.scores, player: event.score}
    corrected = {**turn.corrected, player: event.slip}
    return _with(hall, event.turn, replace(turn, scores=scores, corrected=corrected))


def _apply_claim_raised(hall: Hall, event: events.ClaimRaised) -> Hall:
    about = event.about_player_id or event.player_id
    claim = Claim(
        event.claim_id, event.turn, event.player_id, instant(event.occurred_at), hall.version + 1, about=about
    )
    return replace(hall, claims={**hall.claims, claim.claim_id: claim})


def _apply_claim_decided(hall: Hall, event: events.ClaimDecided) -> Hall:
    claim = replace(
        hall.claims[event.claim_id],
        decided=True,
        accepted=event.accepted,
        decided_at=instant(event.occurred_at),
        decided_by=hall.version + 1,
    )
    return replace(hall, claims={**hall.claims, claim.claim_id: claim})


def _apply_slips_handed_over(hall: Hall, event: events.SlipsHandedOver) -> Hall:
    at = instant(event.occurred_at)
    return replace(hall, owner_key=event.key, owner_hall=event.hall, epoch=event.epoch, handed_at=at)


def _apply_slips_taken_back(hall: Hall, event: events.SlipsTakenBack) -> Hall:
    return replace(hall, owner_key=b"", owner_hall="", epoch=event.epoch)


def _with(hall: Hall, number: int, turn: HallTurn) -> Hall:
    return replace(hall, turns={**hall.turns, number: turn})


_HALL_FOLDS: Mapping[type[Message], Callable[[Hall, Any], Hall]] = folds_in(__name__)
