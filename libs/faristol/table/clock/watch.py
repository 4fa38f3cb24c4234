"""What the facts of a game mean to its clock. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.pins import Pin
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules.ruleset import Neutraliser
from faristol.table.clock import Instant, instant
from faristol.table.clock.seen import Interruption, Kind, Phase, Signal, Table

__all__ = [
    "ENDS",
    "ENDS_TURN",
    "INTERRUPTS",
    "LEAVES",
    "RETAKES",
    "SETTLES",
    "TAKES",
    "WRITES",
    "Interruption",
    "Kind",
    "Phase",
    "Signal",
    "Table",
    "watch_game",
]

INTERRUPTS: Mapping[str, Neutraliser] = MappingProxyType(
    {
        "ChallengeRaised": "challenge",
        "AppealRaised": "challenge",
        "CountDisputed": "count-dispute",
        "OverdrawFound": "overdraw",
        "ArbiterCalled": "arbiter-call",
    }
)
"""Facts that begin an interruption, and its reason. Each book says which of the reasons stop the clocks."""

SETTLES: Mapping[str, Neutraliser] = MappingProxyType(
    {
        "ChallengeRuled": "challenge",
        "AppealRuled": "challenge",
        "CountSettled": "count-dispute",
        "OverdrawResolved": "overdraw",
        "ArbiterLeft": "arbiter-call",
    }
)
"""Facts that end the interruption of that reason. A ruling against a play does so when the play is withdrawn."""

TAKES = frozenset({"PlayPlaced", "Exchanged", "Passed", "CannotPlay"})
"""Facts by which the turn is taken."""

RETAKES = frozenset({"TilesTakenBack", "EntriesTakenBack"})
"""Facts after which the turn is to be taken again."""

LEAVES = frozenset({"Abandoned", "SanctionImposed"})
"""Facts by which a player may be out of the game."""

WRITES = frozenset({"ScoreWritten", "TilesDrawn"})
"""Facts by which a play is not in doubt any more."""

RETURNS = frozenset({"Exchanged", "FreeExchanged", "OverdrawResolved", "TilesReturned"})
"""Facts by which tiles go from a rack into the bag."""

ENDS_TURN = frozenset({"PlayWithdrawn", "PlayCompleted", "TurnLost"})
"""Facts by which the turn that they name is over. A play can be withdrawn when its turn is over already (FM)."""

ENDS = frozenset({"GameEnded", "TableClosed"})
"""Facts by which the game is over."""

UNTAKEN: Mapping[str, Any] = MappingProxyType({"written": frozenset(), "exchanged": False, "to_keep": ""})
"""What a table knows of a turn in which nothing was done."""


def watch_game(table: Table, message: Message) -> Table:
    """``table`` after ``message``, a fact of the game. Facts that no clock depends on only move the time."""
    match message:
        case events.GameOpened():
            table = Table(
                game_id=message.game_id,
                tournament_id=message.tournament_id,
                player_ids=tuple(message.player_ids),
                ruleset=Pin.of(message.ruleset),
                recorded=message.keeping == events.KEEPING_RECORDED,
                opened_at=instant(message.occurred_at),
                drawn_at=instant(message.drawn_at) if message.HasField("drawn_at") else None,
                racks=MappingProxyType(dict.fromkeys(message.player_ids, 0)),
            )
        case events.GameStarted():
            table = replace(
                table,
                first_player=message.first_player_id,
                started_at=instant(message.occurred_at),
                phase=Phase.TURN,
                turn=1,
                mover=message.first_player_id,
                began=table.racks,
            )
        case events.Abandoned():
            table = _gone(table, message.player_ids, _named(message))
        case events.SanctionImposed() if message.kind == events.SANCTION_KIND_GAME:
            table = _gone(table, [message.player_id], _named(message))
        case events.PlayPlaced():
            table = replace(table, phase=Phase.PLACED, laid=len(message.placements), refilled=False)
            table = _held(table, message.player_id, -table.laid)
        case events.PlayWithdrawn():
            table = _held(table, message.player_id, table.laid - len(message.returned))
        case events.TilesDrawn():
            if table.phase is Phase.PLACED:
                table = replace(table, phase=Phase.DRAWN, refilled=True)
            table = _held(table, message.player_id, len(message.faces))
        case events.Exchanged() | events.Passed() | events.CannotPlay():
            table = replace(table, phase=Phase.DRAWN, exchanged=isinstance(message, events.Exchanged))
        case events.ScoreWritten() if message.turn == table.turn:
            table = replace(table, written=table.written | {message.player_id})
        case events.IllegalExchangeFound():
            table = replace(table, to_keep=message.player_id)
        case events.IllegalExchangeResolved():
            table = replace(table, to_keep="")
        case events.EntriesTakenBack() if message.turn < table.turn or table.ahead:
            table = _entered_again(table, message)
        case events.TilesTakenBack() | events.EntriesTakenBack():
            if table.phase in (Phase.PLACED, Phase.CHALLENGED) and not table.refilled:
                table = _held(table, table.mover, table.laid)
            table = replace(table, phase=Phase.TURN, **UNTAKEN)
        case events.ChallengeRaised() if message.turn == table.turn:
            table = replace(table, phase=Phase.CHALLENGED)
        case events.ChallengeRuled() if message.turn == table.turn:
            # Where a play can be challenged until the press, its mover may have drawn before (UF 23).
            table = replace(table, phase=Phase.DRAWN if table.refilled else Phase.PLACED)
    if message.DESCRIPTOR.name in RETURNS:
        table = _held(table, getattr(message, "player_id", ""), -len(getattr(message, "faces", ())))
    table = _signalled(table, message)
    bag_left = _of(message, "bag_left", otherwise=table.bag_left)
    if isinstance(message, events.PlayWithdrawn) and not message.returned:
        bag_left = table.bag_left
    return replace(table, bag_left=bag_left, last_at=max(table.last_at, _named(message)))


def _signalled(table: Table, message: Message) -> Table:
    """``table`` with the signal that ``message`` is, if it is one."""
    name, at = message.DESCRIPTOR.name, _named(message)
    if name in INTERRUPTS:
        return _interrupted(table, message, INTERRUPTS[name])
    if name in SETTLES and _of(message, "valid", otherwise=True):
        return _over(table, Kind.SETTLED, at, SETTLES[name])
    if table.ahead and name in ENDS_TURN:
        return _next_turn(replace(table, ahead=0))
    if table.ahead and name not in ENDS:
        return table  # the clock has all that it takes from the turn that is entered again
    if name in RETAKES:
        return _retaken(table, at)
    if name in TAKES:
        taken = Signal(Kind.TAKEN, at, table.turn, last=_goes_out(table))
        return replace(table, signals=(*table.signals, taken))
    if name in WRITES:
        by = getattr(message, "player_id", "")
        written = Signal(Kind.WRITTEN, at, table.turn, player_id=by, last=_goes_out(table))
        return replace(table, signals=(*table.signals, written))
    if name in ENDS_TURN:
        if _of(message, "turn", otherwise=table.turn) != table.turn:
            return _over(table, Kind.SETTLED, at, "challenge")
        over = _over(table, Kind.TURN_OVER, at, "challenge")
        return _next_turn(over)
    if name in ENDS:
        ended = Signal(Kind.GAME_OVER, at, table.ahead or table.turn)
        return replace(table, phase=Phase.ENDED, mover="", ahead=0, signals=(*table.signals, ended))
    return table


def _next_turn(table: Table) -> Table:
    """With the turn over."""
    return replace(
        table,
        phase=Phase.TURN,
        turn=table.turn + 1,
        mover=table.after(table.mover),
        before=table.began,
        began=table.racks,
        **UNTAKEN,
    )


def _entered_again(table: Table, message: events.EntriesTakenBack) -> Table:
    """With the turn begun again for which the clock was pressed: it stays at the next one."""
    ahead = table.ahead or table.turn
    racks = table.began if message.turn == table.turn else table.before
    again = replace(table, phase=Phase.TURN, turn=message.turn, mover=message.player_id, ahead=ahead, **UNTAKEN)
    return replace(again, racks=racks, began=racks)


def _held(table: Table, player_id: str, tiles: int) -> Table:
    """With so many tiles more on the rack of a player."""
    return replace(table, racks=MappingProxyType({**table.racks, player_id: table.racks.get(player_id, 0) + tiles}))


def _gone(table: Table, player_ids: Iterable[str], at: Instant) -> Table:
    """With players who are out of the game since ``at``."""
    return replace(table, gone=MappingProxyType({**table.gone, **dict.fromkeys(player_ids, at)}))


def _goes_out(table: Table) -> bool:
    """Whether the mover has no tile left, nor has the bag."""
    return table.laid > 0 and table.bag_left == 0 and table.racks.get(table.mover) == 0


def _interrupted(table: Table, message: Message, reason: Neutraliser) -> Table:
    """With an interruption more, unless one for this reason lasts: an appeal may go on where a challenge began."""
    if _lasting(table, reason):
        return table
    number = len(table.interruptions) + 1
    begun = Interruption(number, reason, _of(message, "challenge", otherwise=0))
    signal = Signal(Kind.INTERRUPTED, _named(message), table.ahead or table.turn, number)
    return replace(table, signals=(*table.signals, signal), interruptions=(*table.interruptions, begun))


def _lasting(table: Table, reason: Neutraliser) -> Interruption | None:
    """The interruption for ``reason`` that is not over."""
    return next((one for one in reversed(table.interruptions) if one.reason == reason and one.ended_by is None), None)


def _of(message: Message, field: str, *, otherwise: int) -> int:
    """A number or a truth that ``message`` may say."""
    return int(getattr(message, field, otherwise))


def _over(table: Table, kind: Kind, at: Instant, reason: Neutraliser) -> Table:
    """With a signal of this kind that also ends the interruption for ``reason``, if one lasts."""
    lasting = _lasting(table, reason)
    number = lasting.number if lasting else 0
    return replace(
        table,
        signals=(*table.signals, Signal(kind, at, table.ahead or table.turn, number)),
        interruptions=tuple(
            replace(one, ended_by=len(table.signals)) if one.number == number else one for one in table.interruptions
        ),
    )


def _retaken(table: Table, at: Instant) -> Table:
    """With the turn not taken, and nothing going on for which the clocks stand."""
    back = Signal(Kind.TAKEN_BACK, at, table.turn)
    done = (Kind.TAKEN, Kind.WRITTEN)
    signals = [back if one.turn == table.turn and one.kind in done else one for one in table.signals]
    table = replace(table, signals=tuple(signals))
    for lasting in [one for one in table.interruptions if one.ended_by is None]:
        table = _over(table, Kind.SETTLED, at, lasting.reason)
    return table


def _named(message: Message) -> Instant:
    """The moment that ``message`` names, 0 when it names none (a penalty does not)."""
    if "occurred_at" not in message.DESCRIPTOR.fields_by_name:
        return 0
    occurred_at = message.occurred_at  # type: ignore[attr-defined]
    return instant(occurred_at) if isinstance(occurred_at, Timestamp) else 0
