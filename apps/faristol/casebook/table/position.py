"""The start position of a table: the events that lead to it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from google.protobuf.message import Message

from faristol.casebook.case import TOURNAMENT_ID, TableCase
from faristol.casebook.forms import moment, placements, play_of
from faristol.kernel.pins import Pin
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.pairing.v1.events_pb2 import Pairing
from faristol.rules import Board, Placement, Square, Tile, draw, full_bag, without
from faristol.rules.board import BOARD_SIZE, CENTRE
from faristol.rules.draws.bag import derive_seed, starting_draw
from faristol.rules.ruleset.options import format_value
from faristol.rules.tiles import BLANK
from faristol.table.start import open_table
from faristol.table.views import TableTournament

CASE_GAME_ID = "case"
MAX_SEED_TRIES = 200_000
"""Seeds tried to find a starting draw of certain tiles."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of every tile of the set at the start of a case."""

    laid: tuple[Placement, ...]
    """On the board: the plays of the case, and on the bottom rows all tiles that are nowhere else."""
    racks: dict[str, tuple[str, ...]]
    bag: tuple[str, ...]
    elsewhere: tuple[Placement, ...] = ()
    """Those of ``laid`` that no play of the case laid."""

    @property
    def description(self) -> str:
        """The description of the tiles that no play of the case laid; empty without such tiles."""
        places = ", ".join(f"{square} {tile.in_rack}" for square, tile in self.elsewhere)
        return f"{len(self.elsewhere)} tiles that are nowhere else lie on the board: {places}" if places else ""


@dataclass(frozen=True, slots=True)
class PriorTurn:
    """A turn before the case begins: player, result, and the time of the press."""

    player: str
    kind: str
    laid: tuple[Placement, ...]
    score: int
    at_ms: int
    used_ms: int


def lay_out(case: TableCase) -> Layout:
    """Return the tiles at the start of the case. Raises ``CaseError`` for tiles that the set does not have."""
    position, ruleset = case.position, case.ruleset
    left = full_bag(ruleset.tile_set)
    board = Board()
    for value in position.board:
        play = play_of(value, board, ruleset.tile_set)
        left = _take(case, left, [tile.in_rack for _, tile in play], "the board")
        board = board.place(play)
    racks = dict(position.racks)
    for player, rack in racks.items():
        left = _take(case, left, rack, f"the rack of {player}")
    if not isinstance(position.bag, int) and position.bag is not None:
        left = _take(case, left, position.bag, "the bag")
    seed = hashlib.sha256(case.seed.encode()).digest()
    for number, player in enumerate(player for player in case.players if player not in racks):
        racks[player] = _draw(case, left, ruleset.game.rack_size, seed, number)
        left = without(left, racks[player])
    laid = tuple(Placement(square, tile) for square, tile in board.items())
    if position.bag is None:
        return Layout(laid, racks, left)
    if isinstance(position.bag, int):
        bag = _draw(case, left, position.bag, seed, len(case.players))
        left = without(left, bag)
    else:
        bag = position.bag
    elsewhere = tuple(_elsewhere(board, left))
    if len(elsewhere) < len(left):
        raise case.place.wrong(
            f"{len(left)} tiles are nowhere else, and beside the plays of the board there is room for {len(elsewhere)}"
        )
    return Layout((*laid, *elsewhere), racks, bag, elsewhere)


def opening(case: TableCase, layout: Layout, first: str, at_ms: int, lexicon: Pin) -> list[Message]:
    """Return the events of the table until its game starts, with the tiles of the layout and ``first`` to begin.

    If the case names the tiles of the starting draw, that draw determines the first player.
    """
    ruleset, position = case.ruleset, case.position
    pin = Pin(ruleset.name, ruleset.digest)
    keeping = events.KEEPING_RECORDED if position.recorded else events.KEEPING_HOSTED
    drawn = {} if position.drawn_ms is None else {1: moment(at_ms - position.drawn_ms).ToNanoseconds()}
    tournament = TableTournament(TOURNAMENT_ID, _find_seed(case), pin, lexicon, keeping=keeping, drawn=drawn)
    pairing = Pairing(
        table=1,
        game_id=CASE_GAME_ID,
        first_player_id=case.players[0],
        second_player_id=case.players[1],
        player_ids=case.players,
    )
    new_events = open_table(tournament, 1, pairing, ruleset, moment(at_ms).ToNanoseconds())
    bag_left = sum(len(rack) for rack in layout.racks.values()) + len(layout.bag) + len(layout.laid)
    for event in new_events:
        match event:
            case events.GameOpened():
                if tuple(event.player_ids) != case.players:
                    raise case.place.wrong(f"a table seats {', '.join(event.player_ids)} of {', '.join(case.players)}")
                del event.ruleset.options[:]
                event.ruleset.options.extend(
                    events.ChosenOption(name=name, value=format_value(value))
                    for name, value in sorted(ruleset.chosen.items())
                )
            case events.TilesDrawn() if not position.recorded:
                del event.faces[:]
                event.faces.extend(layout.racks[event.player_id])
                bag_left -= len(event.faces)
                event.bag_left = bag_left
            case events.StartDecided() if not position.start_tiles:
                event.player_id = first
            case events.GameStarted() if not position.start_tiles:
                event.first_player_id = first
            case _:
                pass
    return new_events


def turns_before(case: TableCase, layout: Layout) -> list[PriorTurn]:
    """Return the turns before the position: one of each player for board, scores and clocks, then those of the case."""
    position = case.position
    kinds = position.turns
    if layout.laid or position.scores or position.used_ms:
        kinds = "L" * len(case.players) + kinds
    here = case.players.index(position.to_play)
    order = [case.players[(here + number) % len(case.players)] for number in range(-len(kinds), 0)]
    at_ms = -sum(position.used_ms.values())
    turns: list[PriorTurn] = []
    for player, kind in zip(order, kinds, strict=True):
        is_first = all(turn.player != player for turn in turns)
        used_ms = position.used_ms.get(player, 0)
        at_ms += used_ms if is_first else 0
        score = position.scores.get(player, 0) if is_first else 0
        turns.append(PriorTurn(player, kind, () if turns else layout.laid, score, at_ms, used_ms))
    return turns


def build_play_placed(turn: PriorTurn, number: int) -> events.PlayPlaced:
    """Return the play of a turn before the case, of one arbitrary word."""
    start = turn.laid[0].square if turn.laid else CENTRE
    word = events.Word(faces=[tile.face for _, tile in turn.laid[:1]])
    return events.PlayPlaced(
        turn=number,
        player_id=turn.player,
        placements=placements(turn.laid),
        words=[events.ScoredWord(word=word, row=start.row, column=start.col, across=True, score=turn.score)],
        score=turn.score,
        occurred_at=moment(turn.at_ms),
    )


def _take(case: TableCase, left: tuple[str, ...], faces: Sequence[str], where: str) -> tuple[str, ...]:
    missing = Counter(faces) - Counter(left)
    if missing:
        raise case.place.wrong(f"the set has fewer tiles {', '.join(sorted(missing))} than {where} requires")
    return without(left, faces)


def _draw(case: TableCase, left: tuple[str, ...], count: int, seed: bytes, number: int) -> tuple[str, ...]:
    if count > len(left):
        raise case.place.wrong(f"there are {len(left)} tiles left, but {count} are required")
    return draw(left, count, seed, number)


def _elsewhere(board: Board, faces: Sequence[str]) -> list[Placement]:
    """Place tiles on the bottom rows, apart from those on the board."""
    free = _free_squares(board)
    return [
        Placement(square, Tile("A", blank=True) if face == BLANK else Tile(face))
        for square, face in zip(free, faces, strict=False)
    ]


def _free_squares(board: Board) -> Iterator[Square]:
    """Yield squares from the bottom up that touch no tile."""
    for row in reversed(range(BOARD_SIZE)):
        for col in range(BOARD_SIZE):
            around = (Square(row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1))
            if not any(square in board for square in around):
                yield Square(row, col)


def _find_seed(case: TableCase) -> bytes:
    """Return the tournament's seed: derived from that of the case, or one that yields the starting draw requested."""
    wanted = [case.position.start_tiles.get(player) for player in case.players]
    for number in range(MAX_SEED_TRIES):
        seed = hashlib.sha256(f"{case.seed}{number}".encode()).digest()
        if not any(wanted) or _starts_with(case, wanted, seed):
            return seed
    raise case.place.wrong("no starting draw gives these tiles")


def _starts_with(case: TableCase, wanted: Iterable[str | None], seed: bytes) -> bool:
    table_seed = derive_seed(seed, CASE_GAME_ID)
    first, *_ = wanted
    if first and draw(full_bag(case.ruleset.tile_set), 1, table_seed, 0) != (first,):
        return False  # most seeds fail here, before the whole draw is made
    drawn = starting_draw(case.ruleset, case.players, table_seed)
    return all(tile.face == face for tile, face in zip(drawn.tiles, wanted, strict=False) if face)
