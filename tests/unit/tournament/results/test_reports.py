"""Results that players report on their phones, and disputes that an arbiter decides."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.results.confirmations import list_unconfirmed_tables
from faristol.tournament.results.results import final_scores
from faristol.tournament.state import Pairing

GAME = "open-r1-t1"


def start_round(*, players_enter: bool = True) -> tuple[Hall, str, str]:
    """Return a round that runs, and the two players of its first table."""
    hall = Hall({f"p{number}": 1500 - number for number in range(1, 7)})
    hall.carry_out(pb.SetResultCheckRequest(players=True, players_enter=players_enter))
    hall.pair(1)
    hall.start(1)
    first, second = table_of(hall).player_ids
    return hall, first, second


def table_of(hall: Hall) -> Pairing:
    return hall.state.played[0].pairings[0]


def report(hall: Hall, by: str, first: int, second: int, turns: int = 0) -> list[str]:
    scores = final_scores(zip(table_of(hall).player_ids, (first, second), strict=True))
    request = pb.ReportResultRequest(game_id=GAME, player_id=by, scores=scores)
    return names(hall.carry_out(request, turns={GAME: turns}))


def decide(hall: Hall, first: int, second: int, arbiter: str = "eva") -> list[str]:
    scores = final_scores(zip(table_of(hall).player_ids, (first, second), strict=True))
    return names(hall.carry_out(pb.DecideDisputeRequest(game_id=GAME, scores=scores, arbiter_id=arbiter)))


def names(new_events: Any) -> list[str]:
    return [event.DESCRIPTOR.name for event in new_events]


def is_unconfirmed(hall: Hall) -> bool:
    return table_of(hall) in list_unconfirmed_tables(hall.state, hall.state.played[0])


def reason_of(hall: Hall, by: str, first: int, second: int, **more: Any) -> str:
    with pytest.raises(Refusal) as refused:
        report(hall, by, first, second, **more)
    return refused.value.reason


def test_the_winner_enters_and_the_loser_confirms() -> None:
    hall, winner, loser = start_round()
    assert report(hall, winner, 400, 350) == ["ResultEntered", "ResultRecorded"]
    assert is_unconfirmed(hall)
    assert report(hall, loser, 400, 350) == ["ResultConfirmed"]
    assert not is_unconfirmed(hall)


def test_a_different_report_disputes_with_the_version_of_its_player() -> None:
    hall, winner, loser = start_round()
    report(hall, winner, 400, 350)
    assert report(hall, loser, 340, 350) == ["ResultDisputed"]
    dispute: Any = hall.events[-1]
    assert [score.score for score in dispute.scores_claimed] == [340, 350]
    assert is_unconfirmed(hall)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((400, 350), ["ResultConfirmed"]),
        ((340, 350), ["ResultCorrected", "ResultConfirmed"]),
        ((399, 350), ["ResultCorrected", "ResultConfirmed"]),
    ],
)
def test_an_arbiter_decides_a_dispute_by_one_command(scores: tuple[int, int], expected: list[str]) -> None:
    hall, winner, loser = start_round()
    report(hall, winner, 400, 350)
    report(hall, loser, 340, 350)
    assert decide(hall, *scores) == expected
    assert hall.state.played[0].results[GAME] == scores
    assert not is_unconfirmed(hall)
    with pytest.raises(Refusal):
        decide(hall, *scores)


def test_the_player_who_disputed_accepts_the_result_after_all() -> None:
    hall, winner, loser = start_round()
    report(hall, winner, 400, 350)
    report(hall, loser, 340, 350)
    assert report(hall, loser, 400, 350) == ["ResultConfirmed"]
    assert not is_unconfirmed(hall)


def test_a_player_corrects_the_own_entry_until_another_confirms_it() -> None:
    hall, winner, loser = start_round()
    report(hall, winner, 40, 350)
    assert report(hall, winner, 400, 350) == ["ResultCorrected"]
    corrected: Any = hall.events[-1]
    assert corrected.before_confirmation
    assert is_unconfirmed(hall)
    assert report(hall, loser, 400, 350) == ["ResultConfirmed"]
    assert reason_of(hall, winner, 410, 350) == "CONFIRMED_ALREADY"


def test_the_own_entry_is_not_a_confirmation_by_another() -> None:
    hall, winner, _ = start_round()
    report(hall, winner, 400, 350)
    assert reason_of(hall, winner, 400, 350) == "SAME_PERSON"


def test_players_report_their_own_games_if_the_organiser_lets_them() -> None:
    hall, winner, _ = start_round(players_enter=False)
    assert reason_of(hall, winner, 400, 350) == "PLAYERS_DO_NOT_ENTER"
    hall, winner, _ = start_round()
    with pytest.raises(Invalid):
        report(hall, "p9", 400, 350)
    assert reason_of(hall, winner, 400, 350, turns=3) == "GAME_BEGUN"
    with pytest.raises(Invalid):
        hall.carry_out(pb.SetResultCheckRequest(players_enter=True))


def test_an_arbiter_does_not_decide_on_the_own_game() -> None:
    hall, winner, loser = start_round()
    report(hall, winner, 400, 350)
    report(hall, loser, 340, 350)
    with pytest.raises(Refusal):
        decide(hall, 340, 350, arbiter=loser)


def test_an_official_confirms_what_a_player_entered() -> None:
    hall, winner, _ = start_round()
    report(hall, winner, 400, 350)
    scores = final_scores(zip(table_of(hall).player_ids, (400, 350), strict=True))
    new_events: list[Message] = list(
        hall.carry_out(pb.ConfirmResultRequest(game_id=GAME, scores=scores, arbiter_id="eva"))
    )
    assert isinstance(new_events[0], events.ResultConfirmed)
    assert not is_unconfirmed(hall)
