"""The pairing of the next round while results are missing."""

from __future__ import annotations

import pytest
from tests.support.halls import Hall, hall_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.results.results import final_scores
from faristol.tournament.rounds.preview import preview_round


def open_round(missing: int = 2) -> Hall:
    """Return a tournament whose first round has no results at its first tables."""
    hall = hall_of(8)
    hall.pair(1)
    hall.start(1)
    for table in hall.state.played[0].pairings[missing:]:
        hall.report(table.game_id, 400, 300)
    return hall


def assume_results(hall: Hall) -> list[pb.AssumedResult]:
    return [
        pb.AssumedResult(game_id=table.game_id, scores=final_scores(zip(table.player_ids, (350, 360), strict=True)))
        for table in hall.state.played[0].missing
    ]


def test_a_preview_is_the_pairing_of_the_same_results_later() -> None:
    hall = open_round()
    results = assume_results(hall)
    before = list(hall.events)
    _, previewed = preview_round(hall.state, hall.ruleset, results)
    assert hall.events == before
    for result in results:
        hall.report(result.game_id, 350, 360)
    hall.close(1)
    hall.pair(2)
    assert hall.state.played[1].pairings == previewed.pairings


def test_a_preview_of_a_winner_assumes_a_point_of_spread() -> None:
    hall = open_round(1)
    (table,) = hall.state.played[0].missing
    after, previewed = preview_round(
        hall.state, hall.ruleset, [pb.AssumedResult(game_id=table.game_id, winner_id=table.player_ids[1])]
    )
    assert after.played[0].results[table.game_id] == (0, 1)
    assert previewed.number == 2


def test_a_preview_names_the_games_that_still_have_no_result() -> None:
    hall = open_round()
    with pytest.raises(Refusal) as refused:
        preview_round(hall.state, hall.ruleset, assume_results(hall)[:1])
    assert "RESULT_MISSING" in {each.reason for each in (refused.value, *refused.value.others)}


def test_a_preview_takes_no_result_of_a_finished_or_unknown_game() -> None:
    hall = open_round(1)
    finished = hall.state.played[0].pairings[-1].game_id
    for game in (finished, "other-r1-t1", ""):
        with pytest.raises(Invalid):
            preview_round(hall.state, hall.ruleset, [pb.AssumedResult(game_id=game)])
    (table,) = hall.state.played[0].missing
    with pytest.raises(Invalid):
        preview_round(hall.state, hall.ruleset, [pb.AssumedResult(game_id=table.game_id, winner_id="p99")])
