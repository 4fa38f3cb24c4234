"""The state of a duplicate game at the start of a case, and an earlier game that it plays again, as events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from google.protobuf.message import Message

from faristol.casebook.case import DuplicateCase
from faristol.casebook.forms import moment, play_of
from faristol.duplicate_game.game import written_play
from faristol.duplicate_game.preparation import duplicate_id
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, StreamEvent
from faristol.kernel.pins import Pin
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Board, Notation, Placement, Square, Tile, full_bag, without
from faristol.rules.board import BOARD_SIZE
from faristol.rules.draws.bag import commitment
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.notation import read_tiles
from faristol.rules.scoring import score_play


def turns_before(case: DuplicateCase) -> list[StreamEvent]:
    """Return the events of the turns before the first that is played.

    The first of them has every tile that is not in the bag, and lays all but the leftover; the others lay none. Tiles
    that the case does not place are on the bottom rows. Raises ``ValueError`` if that is impossible.
    """
    before = max(case.turn - 1, int(bool(case.board or case.leftover or case.bag is not None)))
    if not before:
        return []
    if case.turn < before + 1:
        raise ValueError("a game begins with an empty board and a full bag: say which `turn` it is")
    tile_set = case.ruleset.tile_set
    laid = _lay_plays(case)
    out = [tile.in_rack for _, tile in laid]
    rest = without(without(full_bag(tile_set), out), case.leftover)
    if case.bag is not None:
        bottom = _bottom(without(rest, case.bag), laid)
        laid, out = [*laid, *bottom], [*out, *(tile.in_rack for _, tile in bottom)]
    new_events: list[StreamEvent] = []
    for number in range(1, case.turn):
        rack = [*out, *case.leftover] if number == 1 else list(case.leftover)
        kept = 0 if number == 1 else len(rack)
        play = events.DuplicatePlay(across=True)
        for square, tile in laid if number == 1 else ():
            play.placements.add(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
        new_events += [(GAME_STREAM_NUMBER, event) for event in turn_by_hand(number, rack, kept, play)]
        for hall, players in enumerate(case.halls.values(), start=1):
            scores = [events.SlipScore(player_id=case.names.ids[player]) for player in players]
            new_events.append((hall, events.TurnScored(turn=number, scores=scores, occurred_at=moment(0))))
    return new_events


def turn_by_hand(
    number: int, rack: Sequence[str], kept: int, play: events.DuplicatePlay, bag_left: int = 0, tops: int = 0
) -> list[Message]:
    """Return the events of a turn with a rack taken by hand, ``kept`` tiles of it from the previous turn."""
    at = moment(0)
    return [
        events.RackCalled(turn=number, faces=rack, leftover=kept, by_hand=True, bag_left=bag_left, occurred_at=at),
        ticks.TurnTimerStarted(turn=number, milliseconds=0, occurred_at=at),
        ticks.TimeCalled(turn=number, occurred_at=at),
        events.MasterPlayChosen(turn=number, play=play, top=play.score, tops=tops, occurred_at=at),
        events.TurnCompleted(turn=number, occurred_at=at),
    ]


def _lay_plays(case: DuplicateCase) -> list[Placement]:
    """Return the tiles of the plays on the board."""
    board = Board()
    laid: list[Placement] = []
    for value in case.board:
        play = play_of(value, board, case.ruleset.tile_set)
        laid += play
        board = board.place(play)
    return laid


def _bottom(faces: Sequence[str], laid: Sequence[Placement]) -> list[Placement]:
    """Place tiles on the free squares from the bottom up; a blank stands for A."""
    taken = {square for square, _ in laid}
    free = (
        Square(row, col)
        for row in reversed(range(BOARD_SIZE))
        for col in reversed(range(BOARD_SIZE))
        if (row, col) not in taken
    )
    return [
        Placement(square, Tile("A", blank=True) if face == "?" else Tile(face))
        for square, face in zip(free, faces, strict=False)
    ]


EARLIER_TOURNAMENT_ID = "earlier"
EARLIER_ID = duplicate_id(EARLIER_TOURNAMENT_ID, 1)
"""The game that is played again."""
SEED = bytes(32)


def earlier_game(case: DuplicateCase, pins: tuple[Pin, Pin]) -> list[Message]:
    """Return the events of a game with the racks and master plays of a case, taken by hand.

    Raises ``CaseError`` for an impossible play, ``ValueError`` for tiles that do not exist.
    """
    opened = events.DuplicateOpened(
        game_id=EARLIER_ID,
        tournament_id=EARLIER_TOURNAMENT_ID,
        round=1,
        ruleset=pins[0].message(),
        lexicon=pins[1].message(),
        seed=SEED,
        commitment=commitment(SEED, EARLIER_ID),
        halls=[events.DuplicateHall(number=1)],
        occurred_at=moment(0),
    )
    new_events: list[Message] = [opened]
    board = Board()
    bag, leftover = full_bag(case.ruleset.tile_set), tuple[str, ...]()
    for number, value in enumerate(case.rerun, start=1):
        ((key, play),) = value.keys().items()
        rack = key.split()
        placements = play_of(play, board, case.ruleset.tile_set)
        coordinates, _, word = play.text().partition(" ")
        score = score_play(board, placements, case.ruleset).points
        master = Play(Notation.FISC.read(coordinates), read_tiles(word), placements, score)
        bag = without(bag, list((Counter(rack) - Counter(leftover)).elements()))
        new_events += turn_by_hand(number, rack, len(leftover), written_play(master), len(bag), tops=1)
        leftover = without(rack, [tile.in_rack for _, tile in placements])
        board = board.place(placements)
    ended = events.DuplicateEnded(
        end=events.DUPLICATE_END_AGREEMENT, turns=len(case.rerun), reason="as the case says", occurred_at=moment(0)
    )
    return [*new_events, ended]
