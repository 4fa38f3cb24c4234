"""An earlier game that the game of a case plays again, as events."""

from __future__ import annotations

from collections import Counter

from google.protobuf.message import Message

from faristol.casebook.case import DuplicateCase
from faristol.casebook.duplicate_game.position import turn_by_hand
from faristol.casebook.forms import moment, play_of
from faristol.duplicate_game.game import written_play
from faristol.duplicate_game.preparation import duplicate_id
from faristol.kernel.pins import Pin
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Board, Notation, full_bag, without
from faristol.rules.draws.bag import commitment
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.notation import read_tiles
from faristol.rules.scoring import score_play

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
