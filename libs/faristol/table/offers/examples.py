"""Example requests of every command of a table, to be tried. Pure.

If a command is possible, one of its examples is accepted. A test plays random tables of every book and checks that
every accepted command was offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import CENTRE, Direction, Placement, Square, Tile, TurnKind
from faristol.rules.board import BOARD_SIZE
from faristol.rules.tiles import BLANK
from faristol.rules.turns import exchange_limit
from faristol.table import Table
from faristol.table.decide.checks import check_on_turn, in_doubt
from faristol.table.decide.draws import unseen
from faristol.table.decide.officials import SANCTION_KINDS
from faristol.table.game.state import UNENTERED_TILE


def rack_of(table: Table, player_id: str) -> tuple[str, ...]:
    """Return a possible rack of the player: the known tiles, and unseen ones for those not entered."""
    rack = table.game.racks.get(player_id, ())
    known = [face for face in rack if face != UNENTERED_TILE]
    hidden = len(rack) - len(known)
    return (*known, *(unseen(table.game, table.ruleset)[:hidden] if hidden else ()))


def racks_of_a_kind(table: Table, player_id: str) -> Iterator[tuple[str, ...]]:
    """Yield the rack if it is known; otherwise possible racks of only vowels and of only consonants."""
    rack = table.game.racks.get(player_id, ())
    known = [face for face in rack if face != UNENTERED_TILE]
    if len(known) == len(rack):
        yield tuple(rack)
        return
    vowels = table.ruleset.tile_set.vowels
    others = unseen(table.game, table.ruleset)
    for is_vowel in (True, False):
        alike = [face for face in others if face != BLANK and (face in vowels) is is_vowel]
        yield (*known, *alike[: len(rack) - len(known)])
    yield rack_of(table, player_id)


def plays_of(table: Table, player_id: str) -> Iterator[list[Placement]]:
    """Yield plays of few tiles on allowed squares, and those that complete the tiles laid in this turn.

    A tile beside another is a play in any book, and so is a word through the centre. Words are not validated.
    """
    laid = table.game.course.laid
    rack = [face for face in rack_of(table, player_id) if face]
    tiles = _as_laid(table, rack)
    for row, col in _places(table):
        for direction in Direction:
            for ordered in (tiles, tiles[::-1]):
                yield from _through(table, Square(row, col), direction, ordered)
    if laid:
        yield from _completions(table, laid, tiles)


def _as_laid(table: Table, rack: Sequence[str]) -> list[Tile]:
    """Return the tiles of a rack as they can be laid: blanks last, with letters already stated in the turn."""
    stated = table.game.course.said
    tiles = [Tile(face) for face in rack if face != BLANK]
    letters = [*stated, *table.ruleset.tile_set.faces[:1] * len(rack)]
    blanks = [face for face in rack if face == BLANK]
    return [*tiles, *(Tile(letter, blank=True) for letter, _ in zip(letters, blanks, strict=False))]


def _places(table: Table) -> Iterator[Square]:
    """Yield empty squares for the start of a play: the centre, or the neighbours of tiles."""
    board = table.game.board
    if not board:
        yield CENTRE
        return
    for square in board:
        for direction in Direction:
            for step in (1, -1):
                beside = square.step(direction, step)
                if beside.on_board and beside not in board:
                    yield beside


def _through(table: Table, start: Square, direction: Direction, tiles: Sequence[Tile]) -> Iterator[list[Placement]]:
    board, least = table.game.board, table.ruleset.first_move.tiles_min
    count = least if not board else 1
    if len(tiles) >= count:
        yield [Placement(start.step(direction, place), tiles[place]) for place in range(count)]


def _completions(table: Table, laid: Sequence[Placement], tiles: Sequence[Tile]) -> Iterator[list[Placement]]:
    """Yield plays in one line with the tiles already laid in place, and as many others as the rack has."""
    board, there = table.game.board, dict(laid)
    rest = list(tiles)
    for _, tile in laid:
        found = next((each for each in rest if each.in_rack == tile.in_rack), None)
        if found is None:
            return
        rest.remove(found)
    first = min(there)
    for direction in Direction:
        line = [_square(first, direction, place) for place in range(BOARD_SIZE)]
        if not set(there) <= set(line):
            continue
        free = [square for square in line if square not in board]
        own = sorted(free.index(square) for square in there)
        for size in range(len(laid), len(laid) + len(rest) + 1):
            for begin in range(max(0, own[-1] - size + 1), min(own[0], len(free) - size) + 1):
                others = iter(rest)
                yield [Placement(square, there.get(square) or next(others)) for square in free[begin : begin + size]]


def _square(through: Square, direction: Direction, place: int) -> Square:
    return Square(through.row, place) if direction is Direction.ACROSS else Square(place, through.col)


Actor = Mapping[str, Any]
"""The fields of a request that name its actor, and the player that it is about."""

Examples = Callable[[Table, Instant, Actor], Iterable[Mapping[str, Any]]]
"""The further fields of the requests of an actor at a time."""

CHOSEN: Mapping[type[Message], str] = {
    game_pb2.AnnounceExchangeRequest: "count",
    game_pb2.DecideOffCentreRequest: "accept",
    game_pb2.ClaimFakeBlankRequest: "square",
    game_pb2.SettleBlankRequest: "square",
    game_pb2.CorrectPlayRequest: "turn",
    game_pb2.ImposeSanctionRequest: "kind",
    game_pb2.TakeBackEntriesRequest: "turn",
    game_pb2.RuleAppealRequest: "valid",
    clock_pb2.NeutraliseRequest: "reason",
    clock_pb2.CorrectClockRequest: "reason",
    clock_pb2.LeaveTableRequest: "told",
}
"""The field of a command whose values are tried one by one. ``square`` is row and column in one: 15 × row + column."""


def _list_actors(kind: type[Message], table: Table, arbiter_id: str) -> Iterator[Actor]:
    """Yield the actors of a command that the contract has fields for: players, all of them together, an arbiter."""
    fields, players = kind.DESCRIPTOR.fields_by_name, table.game.player_ids
    if kind is game_pb2.SettleBlankRequest:
        yield {}
    for about in [{"player_id": player} for player in players] if "player_id" in fields else [{}]:
        if "arbiter_id" not in fields:
            yield about
            continue
        if "player_ids" in fields:
            yield {"player_ids": players, **about}
        if arbiter_id:
            yield {"arbiter_id": arbiter_id, **about}


def _each(field: str, list_values: Callable[[Table], Iterable[Any]]) -> Examples:
    """Return examples with each value of a field, for any actor."""
    return lambda table, at, actor: ({field: value} for value in list_values(table))


def _both(_: Table) -> Iterable[bool]:
    return True, False


def _list_plays_taken(table: Table, at: Instant, actor: Actor) -> Iterator[Mapping[str, Any]]:
    for turn, taken in enumerate(table.game.turns_taken, start=1):
        if taken.kind is TurnKind.PLAY:
            yield {"turn": turn, "score": taken.points}


def _list_plays(table: Table, at: Instant, actor: Actor) -> Iterator[Mapping[str, Any]]:
    if (player := actor["player_id"]) != table.game.mover:
        return
    try:
        check_on_turn(table, player, at)
    except (Refusal, Invalid):
        return
    for play in plays_of(table, player):
        placements = [
            events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
            for square, tile in play
        ]
        yield {"placements": placements}


def _list_exchanges(table: Table, at: Instant, actor: Actor) -> Iterator[Mapping[str, Any]]:
    rack = rack_of(table, actor["player_id"]) if actor["player_id"] == table.game.mover else ()
    for count in range(1, len(rack) + 1):
        yield from ({"faces": rack[:count], "done": done} for done in (False, True))


def _list_challenges(table: Table) -> Iterator[Sequence[events.Word]]:
    """Yield the words of the play in doubt, together and one by one."""
    if play := in_doubt(table.game, table.clock, table.ruleset):
        words = [scored.word for scored in play.words]
        yield words
        yield from ([word] for word in words)


def _list_fake_blanks(table: Table, at: Instant, actor: Actor) -> Iterator[Mapping[str, Any]]:
    if play := in_doubt(table.game, table.clock, table.ruleset):
        face = next((face for face in unseen(table.game, table.ruleset) if face != "?"), "")
        yield from ({"row": tile.row, "column": tile.column, "face": face} for tile in play.placements)


def _list_blanks(table: Table, at: Instant, actor: Actor) -> Iterator[Mapping[str, Any]]:
    for (row, column), tile in table.game.board.items():
        if tile.blank:
            yield {"row": row, "column": column, **({"stated": tile.face, "face": tile.face} if actor else {})}


def _list_tiles_kept(table: Table) -> Iterator[Sequence[str]]:
    if isinstance(found := table.game.interruption, events.IllegalExchangeFound):
        yield [*found.from_rack, *found.bag][: found.keep]


def _list_surplus(table: Table) -> Iterator[Sequence[str]]:
    if isinstance(found := table.game.interruption, events.OverdrawFound):
        yield (found.shown if table.game.hosted else rack_of(table, found.player_id))[: found.choose]


def _list_overdraw_rulings(table: Table) -> Iterator[Sequence[str]]:
    if isinstance(found := table.game.interruption, events.OverdrawFound):
        yield table.game.racks[found.player_id][: found.surplus]


def _list_sanctions(table: Table, at: Instant, actor: Actor) -> Iterator[Mapping[str, Any]]:
    least = max(1, table.ruleset.arbiter.sanction_points_min or 1)
    for sanction in sorted(SANCTION_KINDS):
        yield {"kind": sanction, "points": least if sanction == events.SANCTION_KIND_POINTS else 0}


EXAMPLES: Mapping[type[Message], Examples] = {
    game_pb2.StateRackRequest: lambda table, at, actor: [{"faces": rack_of(table, actor["player_id"])}],
    game_pb2.TakeBackEntriesRequest: _each("turn", lambda table: range(1, table.game.turn + 1)),
    game_pb2.LayTilesRequest: _list_plays,
    game_pb2.PlacePlayRequest: _list_plays,
    game_pb2.DecideOffCentreRequest: _each("accept", _both),
    game_pb2.CorrectPlayRequest: _list_plays_taken,
    game_pb2.CorrectTotalRequest: lambda table, at, actor: [{"total": table.game.scores[actor["player_id"]]}],
    game_pb2.SettleBlankRequest: _list_blanks,
    game_pb2.AnnounceExchangeRequest: _each(
        "count", lambda table: range(1, exchange_limit(table.game.bag_left, table.ruleset) + 1)
    ),
    game_pb2.ExchangeRequest: _list_exchanges,
    game_pb2.KeepAfterExchangeRequest: _each("faces", _list_tiles_kept),
    game_pb2.FreeExchangeRequest: lambda table, at, actor: (
        {"faces": rack} for rack in racks_of_a_kind(table, actor["player_id"])
    ),
    game_pb2.ChallengeRequest: _each("words", _list_challenges),
    game_pb2.RuleAppealRequest: _each("valid", _both),
    game_pb2.ClaimFakeBlankRequest: _list_fake_blanks,
    game_pb2.ClaimOverdrawRequest: _each("drawer_id", lambda table: table.game.player_ids),
    game_pb2.ChooseSurplusRequest: _each("faces", _list_surplus),
    game_pb2.ResolveOverdrawRequest: _each("faces", _list_overdraw_rulings),
    game_pb2.ClaimUnderdrawRequest: _each("drawer_id", lambda table: table.game.player_ids),
    game_pb2.ReportTilesFoundRequest: _each(
        "faces", lambda table: [[face] for face in unseen(table.game, table.ruleset)[:1]]
    ),
    game_pb2.ImposeSanctionRequest: _list_sanctions,
    game_pb2.RecordWordAskedRequest: _each("word", lambda table: [events.Word(faces=table.ruleset.tile_set.faces[:1])]),
    game_pb2.AbandonRequest: _each("player_ids", lambda table: ([player] for player in table.game.player_ids)),
    game_pb2.ReopenGameRequest: _each("player_ids", lambda table: [table.game.player_ids]),
    clock_pb2.NeutraliseRequest: _each("reason", lambda _: clock_events.NeutralisationReason.values()),
    clock_pb2.CorrectClockRequest: _each("reason", lambda _: clock_events.CorrectionReason.values()),
    clock_pb2.LeaveTableRequest: _each("told", _both),
}
"""The examples of commands that need more than their actor."""


def make_examples(kind: type[Message], table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    """Yield the examples of a command: by default one of each actor."""
    list_fields = EXAMPLES.get(kind)
    for actor in _list_actors(kind, table, arbiter_id):
        for fields in list_fields(table, at, actor) if list_fields else [{}]:
            yield kind(**{**actor, **fields})
