"""Example requests of every command of a table, to be tried. Pure.

If a command is possible, one of its examples is accepted. A test plays random tables of every book and checks that
every accepted command was offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
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


Examples = Callable[[Any, Table, Instant, str], Iterator[Message]]
"""Requests of a kind for a table at a time; the last argument is the id of an arbiter, empty if absent."""

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


def _players(make: Any, table: Table, at: Instant, arbiter_id: str, **fields: Any) -> Iterator[Message]:
    """Yield a command of each player."""
    yield from (make(player_id=player, **fields) for player in table.game.player_ids)


def _arbiter(make: Any, table: Table, at: Instant, arbiter_id: str, **fields: Any) -> Iterator[Message]:
    """Yield a command of the arbiter about the table."""
    if arbiter_id:
        yield make(arbiter_id=arbiter_id, **fields)


def _about(make: Any, table: Table, at: Instant, arbiter_id: str, **fields: Any) -> Iterator[Message]:
    """Yield a command of the arbiter about each player."""
    for player in table.game.player_ids:
        yield from _arbiter(make, table, at, arbiter_id, player_id=player, **fields)


def _claims(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    """Yield claims of each player about the number of tiles on each rack."""
    for player in table.game.player_ids:
        yield from (make(player_id=player, drawer_id=drawer) for drawer in table.game.player_ids)


def _list_choices(make: Any, table: Table, at: Instant, arbiter_id: str, field: str) -> Iterator[Message]:
    """Yield a command of each player with each value of a field that is true or false."""
    for player in table.game.player_ids:
        yield from (make(player_id=player, **{field: choice}) for choice in (True, False))


def _counts(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    limit = exchange_limit(table.game.bag_left, table.ruleset)
    for player in table.game.player_ids:
        yield from (make(player_id=player, count=count) for count in range(1, limit + 1))


def _list_agreed(make: Any, table: Table, at: Instant, arbiter_id: str, **fields: Any) -> Iterator[Message]:
    """Yield a command agreed by all players, and one decided by the arbiter."""
    yield make(player_ids=table.game.player_ids, **fields)
    yield from _arbiter(make, table, at, arbiter_id, **fields)


def _plays_taken(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for turn, taken in enumerate(table.game.turns_taken, start=1):
        if taken.kind is TurnKind.PLAY:
            yield from _list_agreed(make, table, at, arbiter_id, turn=turn, score=taken.points)


def _totals(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for player in table.game.player_ids:
        yield from _list_agreed(make, table, at, arbiter_id, player_id=player, total=table.game.scores[player])


def _list_plays(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    player = table.game.mover
    try:
        check_on_turn(table, player, at)
    except (Refusal, Invalid):
        return
    for play in plays_of(table, player):
        placements = [
            events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
            for square, tile in play
        ]
        yield make(player_id=player, placements=placements)


def _exchanges(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    player = table.game.mover
    rack = rack_of(table, player)
    for count in range(1, len(rack) + 1):
        for done in (False, True):
            yield make(player_id=player, faces=rack[:count], done=done)


def _free_exchanges(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for player in table.game.player_ids:
        yield from (make(player_id=player, faces=rack) for rack in racks_of_a_kind(table, player))


def _challenges(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    if play := in_doubt(table.game, table.clock, table.ruleset):
        words = [scored.word for scored in play.words]
        for player in table.game.player_ids:
            yield make(player_id=player, words=words)
            yield from (make(player_id=player, words=[word]) for word in words)


def _fake_blanks(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    if play := in_doubt(table.game, table.clock, table.ruleset):
        face = next((face for face in unseen(table.game, table.ruleset) if face != "?"), "")
        for player in table.game.player_ids:
            for tile in play.placements:
                yield make(player_id=player, row=tile.row, column=tile.column, face=face)


def _blanks(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for (row, column), tile in table.game.board.items():
        if tile.blank:
            yield make(row=row, column=column)
            yield from _arbiter(make, table, at, arbiter_id, row=row, column=column, stated=tile.face, face=tile.face)


def _list_tiles_kept(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    found = table.game.interruption
    if isinstance(found, events.IllegalExchangeFound):
        yield from _players(make, table, at, arbiter_id, faces=[*found.from_rack, *found.bag][: found.keep])


def _surplus(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    found = table.game.interruption
    if isinstance(found, events.OverdrawFound):
        shown = found.shown if table.game.hosted else rack_of(table, found.player_id)
        yield from _players(make, table, at, arbiter_id, faces=shown[: found.choose])


def _list_overdraw_rulings(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    found = table.game.interruption
    if isinstance(found, events.OverdrawFound):
        faces = table.game.racks[found.player_id][: found.surplus]
        yield from _arbiter(make, table, at, arbiter_id, faces=faces)


def _list_tiles_found(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for face in unseen(table.game, table.ruleset)[:1]:
        yield from _players(make, table, at, arbiter_id, faces=[face])


def _racks(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    yield from (make(player_id=player, faces=rack_of(table, player)) for player in table.game.player_ids)


def _sanctions(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    least = max(1, table.ruleset.arbiter.sanction_points_min or 1)
    for player in table.game.player_ids:
        for sanction in sorted(SANCTION_KINDS):
            points = least if sanction == events.SANCTION_KIND_POINTS else 0
            yield from _arbiter(make, table, at, arbiter_id, player_id=player, kind=sanction, points=points)


def _words_asked(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    word = events.Word(faces=table.ruleset.tile_set.faces[:1])
    yield from _about(make, table, at, arbiter_id, word=word)


def _abandons(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    yield from (make(player_ids=[player]) for player in table.game.player_ids)


def _reopenings(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    yield from _arbiter(make, table, at, arbiter_id, player_ids=table.game.player_ids)


def _turns(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for turn in range(1, table.game.turn + 1):
        yield from _arbiter(make, table, at, arbiter_id, turn=turn)


def _appeals(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for valid in (True, False):
        yield from _arbiter(make, table, at, arbiter_id, valid=valid)


def _neutralisations(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for reason in clock_events.NeutralisationReason.values():
        yield from _arbiter(make, table, at, arbiter_id, reason=reason)


def _corrections(make: Any, table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    for player in table.game.player_ids:
        for reason in clock_events.CorrectionReason.values():
            yield from _arbiter(make, table, at, arbiter_id, player_id=player, reason=reason)


EXAMPLES: Mapping[type[Message], Examples] = {
    game_pb2.StateRackRequest: _racks,
    game_pb2.TakeBackEntriesRequest: _turns,
    game_pb2.LayTilesRequest: _list_plays,
    game_pb2.PlacePlayRequest: _list_plays,
    game_pb2.DecideOffCentreRequest: partial(_list_choices, field="accept"),
    game_pb2.SettleCountRequest: _list_agreed,
    game_pb2.CorrectPlayRequest: _plays_taken,
    game_pb2.CorrectTotalRequest: _totals,
    game_pb2.SettleBlankRequest: _blanks,
    game_pb2.AnnounceExchangeRequest: _counts,
    game_pb2.ExchangeRequest: _exchanges,
    game_pb2.KeepAfterExchangeRequest: _list_tiles_kept,
    game_pb2.FreeExchangeRequest: _free_exchanges,
    game_pb2.ChallengeRequest: _challenges,
    game_pb2.RuleAppealRequest: _appeals,
    game_pb2.ClaimFakeBlankRequest: _fake_blanks,
    game_pb2.ClaimOverdrawRequest: _claims,
    game_pb2.ChooseSurplusRequest: _surplus,
    game_pb2.ResolveOverdrawRequest: _list_overdraw_rulings,
    game_pb2.ClaimUnderdrawRequest: _claims,
    game_pb2.ReportTilesFoundRequest: _list_tiles_found,
    game_pb2.ImposeSanctionRequest: _sanctions,
    game_pb2.RecordWordAskedRequest: _words_asked,
    game_pb2.AbandonRequest: _abandons,
    game_pb2.ReopenGameRequest: _reopenings,
    clock_pb2.NeutraliseRequest: _neutralisations,
    clock_pb2.CorrectClockRequest: _corrections,
    clock_pb2.LeaveTableRequest: partial(_list_choices, field="told"),
}
"""The examples of commands that need more than their actor."""


def make_examples(kind: type[Message], table: Table, at: Instant, arbiter_id: str) -> Iterator[Message]:
    """Yield the examples of a command: by default one of each actor that the contract has a field for."""
    fields = kind.DESCRIPTOR.fields_by_name
    by_actor = _players if "arbiter_id" not in fields else _about if "player_id" in fields else _arbiter
    yield from EXAMPLES.get(kind, by_actor)(kind, table, at, arbiter_id)
