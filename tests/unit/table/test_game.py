from __future__ import annotations

import pytest
from google.protobuf.message import Message
from tests.support.table_games import START_NS, after, kinds_of, open_game, start_game, tiles

from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board, TurnKind
from faristol.table.clock import Clock
from faristol.table.clock import evolve as evolve_clock
from faristol.table.game.evolution import evolve, fold
from faristol.table.game.state import Game, LastDraw, Phase

PLACED = events.PlayPlaced(
    turn=1,
    player_id="anna",
    placements=[
        events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
        for square, tile in tiles("H8 C A S A")
    ],
    score=10,
    occurred_at=timestamp(after(30)),
)


def test_a_table_is_what_its_events_say_from_the_first_to_the_last() -> None:
    game = fold(Game(), open_game())
    assert (game.player_ids, game.mover, game.phase, game.turn) == (("anna", "biel"), "anna", Phase.TURN, 1)
    assert game.racks["anna"] == ("C", "A", "S", "A", "R", "T", "I")
    assert game.scores == {"anna": 0, "biel": 0}
    assert (game.bag_left, game.next_draw, game.last_at) == (86, 4, START_NS)
    assert not game.over


def test_a_play_withdrawn_leaves_board_and_rack_as_they_were_and_costs_the_turn() -> None:
    before = start_game()
    placed = evolve(before, PLACED)
    assert (placed.phase, placed.racks["anna"], len(placed.board)) == (Phase.PLACED, ("R", "T", "I"), 4)
    withdrawn = evolve(placed, events.PlayWithdrawn(turn=1, player_id="anna", occurred_at=timestamp(after(60))))
    assert withdrawn.board == Board()
    assert sorted(withdrawn.racks["anna"]) == sorted(before.racks["anna"])
    assert (withdrawn.mover, withdrawn.turn, withdrawn.phase) == ("biel", 2, Phase.TURN)
    assert (kinds_of(withdrawn), withdrawn.pending) == ((TurnKind.WITHDRAWN,), None)


@pytest.mark.parametrize(
    ("again", "drawn"),
    [
        (events.TilesDrawn(player_id="anna", faces=["T"], draw=5), LastDraw(1, ("M", "E", "N", "T"), for_play=True)),
        (events.Passed(turn=1, player_id="anna"), LastDraw(1, ("M", "E", "N"), for_play=True)),
    ],
)
def test_tiles_that_were_missing_belong_to_the_draw_for_the_play(again: Message, drawn: LastDraw) -> None:
    game = fold(start_game(), [PLACED, events.TilesDrawn(player_id="anna", faces=["M", "E", "N"], draw=4)])
    assert game.phase is Phase.DRAWN
    assert evolve(game, again).drawn["anna"] == drawn


def test_tiles_drawn_in_another_turn_are_another_draw_and_none_for_a_play() -> None:
    drawn = events.TilesDrawn(player_id="anna", faces=["M", "E", "N"], draw=4)
    game = fold(start_game(), [PLACED, drawn, events.PlayCompleted(turn=1, player_id="anna", score=10, total=10)])
    later = evolve(game, events.TilesDrawn(player_id="anna", faces=["T"], draw=5))
    assert later.drawn["anna"] == LastDraw(2, ("T",))
    again = evolve(later, events.TilesDrawn(player_id="anna", faces=["S"], draw=6))
    assert again.drawn["anna"] == LastDraw(2, ("S",))


def test_a_state_does_not_change_when_another_follows_from_it() -> None:
    before = start_game()
    evolve(before, PLACED)
    assert before == start_game()
    with pytest.raises(TypeError):
        before.racks["anna"] = ()  # type: ignore[index]


def test_events_of_other_streams_are_not_taken_for_events_of_a_table() -> None:
    with pytest.raises(TypeError, match=r"faristol\.clock\.v1\.ClockStopped is not an event of a game"):
        evolve(start_game(), clock_events.ClockStopped())
    with pytest.raises(TypeError, match=r"faristol\.game\.v1\.Passed is not an event of a clock"):
        evolve_clock(Clock(), events.Passed())
