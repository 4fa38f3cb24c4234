from __future__ import annotations

import re

import pytest
from tests.support.stage import Stage

from faristol.gateway.pages.spectators.replay import steps
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.game_view import words

pytestmark = pytest.mark.asyncio(loop_scope="module")

REPLAY = "/games/lliga-r1-t1/replay"


async def test_a_game_is_shown_move_by_move_until_it_is_as_it_ended(finished_stage: Stage) -> None:
    told = (await finished_stage.http.get("/api/v1/games/lliga-r1-t1")).json()
    last = len(told["entries"])
    first = (await finished_stage.http.get(REPLAY, params={"move": 0})).text
    assert "The board is empty." in first
    assert f"0 / {last}" in first
    tiles = []
    for move in range(last + 1):
        text = (await finished_stage.http.get(REPLAY, params={"move": move})).text
        tiles.append(text.count('<span class="tile'))
    assert f"1 / {last}" in (await finished_stage.http.get(REPLAY)).text
    end = (await finished_stage.http.get(REPLAY, params={"move": 9_999})).text
    assert f"{last} / {last}" in end
    scores = [int(score) for score in re.findall(r'<p class="score">([\d.,]+)</p>', end)]
    assert scores == [seat["score"] for seat in told["seats"]]
    assert tiles[-1] > tiles[0]
    assert f'href="{REPLAY}"' in (await finished_stage.http.get("/games/lliga-r1-t1")).text
    for wrong in ("move=-1", "move=x", "move=10001"):
        assert (await finished_stage.http.get(f"{REPLAY}?{wrong}")).status_code == 400, wrong


async def test_a_board_is_read_as_words_and_where_they_are(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/games/lliga-r1-t1")).text
    board = page[page.index('id="board-words"') :].partition("</div>")[0]
    assert 'id="board" aria-hidden="true"' in page
    assert re.search(r"<li>[A-O]\d+ (across|down): ", board)
    tiles = [game.Placement(row=7, column=7 + at, face=face, blank=face == "S") for at, face in enumerate("CASA")]
    tiles.append(game.Placement(row=8, column=8, face="L"))
    assert [(word.coordinates, word.across, word.text) for word in words(tiles)] == [
        ("H8", True, "CA(S)A"),
        ("H9", False, "AL"),
    ]


async def test_a_phony_lies_on_the_board_for_its_own_move_alone() -> None:
    def tile(column: int, face: str) -> game.Placement:
        return game.Placement(row=7, column=column, face=face)

    answer = pb.GetGameResponse(seats=[pb.Seat(player_id="a"), pb.Seat(player_id="b")], final=True)
    answer.entries.add(
        kind=pb.ENTRY_KIND_PLAY, turn=1, player_id="a", placements=[tile(7, "A")], total=4, complete=True
    )
    answer.entries.add(kind=pb.ENTRY_KIND_PHONY, turn=2, player_id="b", placements=[tile(8, "X")], complete=True)
    answer.entries.add(kind=pb.ENTRY_KIND_PASS, turn=3, player_id="a", total=4, complete=True)
    answer.board.append(tile(7, "A"))
    shown = steps(answer, {(1, "a"): ["A", "B"]})
    assert [sorted(tile.face for tile in step.tiles) for step in shown] == [[], ["A"], ["A", "X"], ["A"]]
    assert [dict(step.scores) for step in shown][-1] == {"a": 4, "b": 0}
    assert [step.rack for step in shown] == [None, ["A", "B"], None, None]


async def test_racks_are_told_by_nobody_where_the_draws_are_not_public(finished_stage: Stage) -> None:
    told = (await finished_stage.http.get("/api/v1/games/lliga-r1-t1/racks")).json()
    assert (told["public"], told["racks"]) == (False, [])
    assert 'class="held"' not in (await finished_stage.http.get(REPLAY)).text
    assert (await finished_stage.http.get("/api/v1/games/none/racks")).status_code == 404
