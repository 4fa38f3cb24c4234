"""What a table knows of other streams: its clock, its case, its tournament. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.kernel.pins import Pin
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.table.game import Instant, instant


@dataclass(frozen=True, slots=True)
class Clock:
    """The table's clock, folded from ``clock-<game_id>``."""

    pressed_turn: int = 0
    """The last turn that a press completed, from 1."""
    pressed_at: Instant = 0
    challenge: int = 0
    """Number of the last challenge that the clock was neutralised for."""
    exceeded_at: Instant | None = None
    """When a player went over the cap on overtime; None while nobody has."""
    held_turn: int = 0
    """The last turn in which the mover stopped the own clock before pressing it."""
    held_at: Instant = 0
    timed_out_turn: int = 0
    """The last turn whose time was over before it was taken."""
    timed_out_at: Instant = 0
    turn: int = 0
    """The turn that the clock is at, from 1; it follows that of the table."""
    turn_until: Instant | None = None
    """When the time of that turn is over; None where it is not limited or does not run."""
    last_turn: int | None = None
    """The last turn that is played, once the time of the round is over."""
    round_over_at: Instant = 0
    forfeited: tuple[str, ...] = ()
    """Who has lost the game by not being there."""
    forfeited_at: Instant = 0
    absent: frozenset[str] = frozenset()
    """Who was not there at the signal and has not arrived."""
    away: frozenset[str] = frozenset()
    """Who has left the table for a while."""
    missed: Mapping[str, int] = field(default_factory=dict)
    """The last turn that was completed while each player was away."""
    stopped: bool = False
    overtime_ms: Mapping[str, int] = field(default_factory=dict)
    """Each player's overtime, once the clock has stopped."""
    last_at: Instant = 0
    """The latest moment that any fact of the clock names."""

    def stood(self, turn: int) -> bool:
        """Whether the mover of ``turn`` has stopped the own clock in it, or pressed it."""
        return turn in (self.held_turn, self.pressed_turn)


Timing = (
    clock_events.ClockStarted
    | clock_events.ClockPressed
    | clock_events.ClockResumed
    | clock_events.ClockSwitched
    | clock_events.ClockCorrected
    | clock_events.RoundTimeExpired
)
"""Facts after which the time of a turn runs, or is another."""

STANDS = (clock_events.ClockHeldByMover, clock_events.ClockNeutralised, clock_events.TurnTimedOut)
"""Facts after which it does not run."""


def watch_clock(clock: Clock, message: Message) -> Clock:
    """``clock`` after a fact of its stream; facts that no table depends on only move the time."""
    if isinstance(message, Timing):
        until = instant(message.turn_until) if message.HasField("turn_until") else None
        clock = replace(clock, turn=_turn_after(clock, message), turn_until=until)
    elif isinstance(message, STANDS):
        clock = replace(clock, turn_until=None)
    match message:
        case clock_events.ClockStarted():
            clock = replace(clock, absent=frozenset())
        case clock_events.ClockPressed():
            clock = replace(clock, pressed_turn=message.turn, pressed_at=instant(message.occurred_at))
            if clock.away:
                missed = {**clock.missed, **dict.fromkeys(clock.away, message.turn)}
                clock = replace(clock, missed=MappingProxyType(missed))
        case clock_events.ClockNeutralised():
            clock = replace(clock, challenge=max(clock.challenge, message.challenge))
        case clock_events.ClockHeldByMover():
            clock = replace(clock, held_turn=message.turn, held_at=instant(message.occurred_at))
        case clock_events.TurnTimedOut():
            clock = replace(clock, timed_out_turn=message.turn, timed_out_at=instant(message.occurred_at))
        case clock_events.RoundTimeExpired():
            clock = replace(clock, last_turn=message.last_turn, round_over_at=instant(message.occurred_at))
        case clock_events.TimeForfeited():
            losers = (*clock.forfeited, message.player_id)
            clock = replace(clock, forfeited=losers, forfeited_at=instant(message.occurred_at))
        case clock_events.PlayerAbsent():
            clock = replace(clock, absent=clock.absent | {message.player_id})
        case clock_events.PlayerArrived():
            clock = replace(clock, absent=clock.absent - {message.player_id})
        case clock_events.PlayerLeft():
            clock = replace(clock, away=clock.away | {message.player_id})
        case clock_events.PlayerReturned():
            clock = replace(clock, away=clock.away - {message.player_id})
        case clock_events.OvertimeCapExceeded():
            clock = replace(clock, exceeded_at=instant(message.occurred_at))
        case clock_events.ClockStopped():
            overtime = {side.player_id: side.overtime_ms for side in message.times}
            clock = replace(clock, stopped=True, overtime_ms=MappingProxyType(overtime))
        case (
            clock_events.ClockOpened()
            | clock_events.ClockResumed()
            | clock_events.ClockSwitched()
            | clock_events.ClockCorrected()
        ):
            pass
        case _:
            raise TypeError(f"{message.DESCRIPTOR.full_name} is no fact of a clock")
    return replace(clock, last_at=max(clock.last_at, instant(message.occurred_at)))


def _turn_after(clock: Clock, message: Timing) -> int:
    """The turn that the clock is at after ``message``."""
    match message:
        case clock_events.ClockStarted():
            return 1
        case clock_events.ClockPressed() | clock_events.ClockSwitched():
            return message.turn + 1
        case clock_events.ClockResumed():
            return message.turn or clock.turn
    return clock.turn


@dataclass(frozen=True, slots=True)
class Ruling:
    """What players are told of a case: whether the play stands."""

    valid: bool
    at: Instant
    words: tuple[tuple[tuple[str, ...], bool], ...] = ()
    """Each word challenged, and whether it is one."""


def watch_case(ruling: Ruling | None, message: Message) -> Ruling | None:
    """The ruling after a fact of ``case-<case_id>``."""
    if isinstance(message, lexicon_events.CaseRuled):
        words = tuple((tuple(ruled.word.faces), ruled.valid) for ruled in message.words)
        return Ruling(message.valid, instant(message.occurred_at), words)
    return ruling


@dataclass(frozen=True, slots=True)
class Tournament:
    """What opening a table takes from its tournament, folded from ``tournament-<tournament_id>``."""

    tournament_id: str = ""
    seed: bytes = b""
    ruleset: Pin = field(default_factory=Pin)
    lexicon: Pin = field(default_factory=Pin)
    keeping: game_events.Keeping.ValueType = game_events.KEEPING_HOSTED
    """How its tables are kept."""
    pairings: Mapping[int, tuple[pairing_events.Pairing, ...]] = field(default_factory=dict)
    """The tables of each round."""
    drawn: Mapping[int, Instant] = field(default_factory=dict)
    """When each round was paired, where that is said."""
    players: frozenset[str] = frozenset()
    """Everybody who was registered."""
    postponed: frozenset[str] = frozenset()
    """Games that are played later than their round, and have not been started."""
    left: Mapping[str, str] = field(default_factory=dict)
    """Players who have withdrawn, with the game that each gave up by it, empty where there was none."""


def seated(pairing: pairing_events.Pairing) -> tuple[str, ...]:
    """Who plays at a table, in the order of turns."""
    return tuple(pairing.player_ids) or (pairing.first_player_id, pairing.second_player_id)


def watch_tournament(tournament: Tournament, message: Message) -> Tournament:
    """``tournament`` after a fact of its stream; facts that no table depends on pass by."""
    match message:
        case pairing_events.TournamentCreated():
            return replace(
                tournament,
                tournament_id=message.tournament_id,
                seed=message.seed,
                keeping=message.keeping or game_events.KEEPING_HOSTED,
            )
        case pairing_events.RulesetPinned():
            return replace(tournament, ruleset=Pin.of(message.ruleset))
        case pairing_events.LexiconPinned():
            return replace(tournament, lexicon=Pin.of(message.lexicon))
        case pairing_events.PlayerRegistered() | pairing_events.LateEntryAdmitted():
            return replace(tournament, players=tournament.players | {message.player_id})
        case pairing_events.RoundPaired():
            paired = {**tournament.pairings, message.round: tuple(message.pairings)}
            # Games of a round that is paired again have the ids of those before.
            postponed = tournament.postponed - {pairing.game_id for pairing in message.pairings}
            drawn = {**tournament.drawn}
            if message.HasField("occurred_at"):
                drawn[message.round] = instant(message.occurred_at)
            return replace(
                tournament, pairings=MappingProxyType(paired), postponed=postponed, drawn=MappingProxyType(drawn)
            )
        case pairing_events.GamePostponed():
            return replace(tournament, postponed=tournament.postponed | {message.game_id})
        case pairing_events.PostponementCancelled():
            return replace(tournament, postponed=tournament.postponed - {message.game_id})
        case pairing_events.PlayerWithdrawn():
            return replace(tournament, left=MappingProxyType({**tournament.left, message.player_id: message.game_id}))
        case pairing_events.PlayerReinstated():
            left = {player: game for player, game in tournament.left.items() if player != message.player_id}
            return replace(tournament, left=MappingProxyType(left))
    return tournament
