from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.halls import FISC, Hall
from tests.support.refusals import refusal_of

from faristol.kernel.errors import Invalid
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rating.model import TournamentView, view
from faristol.rules import Ruleset, load_ruleset
from faristol.tournament.results.results import final_scores, record_result
from faristol.tournament.rounds.past import past_of
from faristol.tournament.state import TableRulings, watch

PES = load_ruleset("pes-2024")
GAME = "open-r1-t1"


def start_hall(ruleset: Ruleset = PES) -> Hall:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)}, ruleset=ruleset)
    hall.pair(1)
    hall.start(1)
    return hall


def forfeit(hall: Hall, *loser_ids: str, turns: int = 0, game: str = GAME) -> events.ResultRecorded:
    entered, recorded = hall.carry_out(
        pb.GiveForfeitRequest(game_id=game, loser_ids=loser_ids, arbiter_id="eleni", note="did not come"),
        turns={game: turns},
    )
    assert isinstance(entered, events.ResultEntered)
    assert isinstance(recorded, events.ResultRecorded)
    return recorded


def enter(
    hall: Hall, *scores: tuple[str, int], abandoned_by: Sequence[str] = (), winner_id: str = "", turns: int = 0
) -> events.ResultRecorded:
    entered, recorded = hall.carry_out(
        pb.EnterResultRequest(
            game_id=GAME,
            scores=final_scores(scores),
            abandoned_by=abandoned_by,
            winner_id=winner_id,
            arbiter_id="eleni",
        ),
        turns={GAME: turns},
    )
    assert isinstance(entered, events.ResultEntered)
    assert isinstance(recorded, events.ResultRecorded)
    return recorded


@pytest.mark.parametrize(("ruleset", "points"), [(PES, 150), (FISC, 0)])
def test_a_forfeit_has_the_points_of_the_book_and_is_no_game(ruleset: Ruleset, points: int) -> None:
    # PES ΣΤ; FISC I.5 says who wins and not with which score.
    hall = start_hall(ruleset)
    recorded = forfeit(hall, "p5")

    assert [(score.player_id, score.score) for score in recorded.scores] == [("p1", points), ("p5", 0)]
    assert (recorded.winner_id, list(recorded.loser_ids), recorded.unplayed) == ("p1", ["p5"], True)
    assert past_of(hall.state, ruleset, "p1", 2)[0].half_points == 2
    assert not past_of(hall.state, ruleset, "p1", 2)[0].played
    assert view(TournamentView(), hall.events).games == ()


def test_where_both_were_absent_both_lose() -> None:
    hall = start_hall()
    recorded = forfeit(hall, "p1", "p5")

    assert [score.score for score in recorded.scores] == [0, 0]
    assert recorded.lost_by_all
    assert [past_of(hall.state, PES, player_id, 2)[0].half_points for player_id in ("p1", "p5")] == [0, 0]


@pytest.mark.parametrize("losers", [(), ("p2",), ("p1", "p2")])
def test_only_players_of_the_game_lose_it(losers: Sequence[str]) -> None:
    hall = start_hall()

    with pytest.raises(Invalid, match="expected one or all of p1, p5"):
        forfeit(hall, *losers)


def test_a_game_is_decided_by_hand_before_its_first_turn_is_over_and_once() -> None:
    hall = start_hall()
    before = hall.state
    assert refusal_of(lambda: forfeit(hall, "p5", turns=1)).reason == "GAME_BEGUN"
    assert refusal_of(lambda: enter(hall, ("p1", 300), ("p5", 200), turns=3)).reason == "GAME_BEGUN"
    assert refusal_of(lambda: forfeit(hall, "p5", game="open-r9-t1")).reason == "GAME_NOT_PAIRED"
    assert hall.state == before

    forfeit(hall, "p5")
    known = refusal_of(lambda: forfeit(hall, "p5"))
    assert (known.reason, known.article) == ("RESULT_KNOWN", hall.ruleset.law.result_final)
    assert known.article
    assert refusal_of(lambda: enter(hall, ("p1", 300), ("p5", 200))).reason == "RESULT_KNOWN"


def test_a_table_that_is_given_up_has_the_result_of_its_signed_sheet() -> None:
    hall = start_hall()
    request = pb.EnterSignedSheetRequest(
        game_id=GAME, scores=final_scores([("p5", 398), ("p1", 401)]), arbiter_id="eleni", note="phone gone"
    )
    entered, recorded = hall.carry_out(request, turns={GAME: 8})

    assert isinstance(entered, events.ResultEntered)
    assert entered.turns_given_up == 8
    assert isinstance(recorded, events.ResultRecorded)
    assert [(score.player_id, score.score) for score in recorded.scores] == [("p1", 401), ("p5", 398)]
    assert past_of(hall.state, PES, "p1", 2)[0].half_points == 2
    assert refusal_of(lambda: hall.carry_out(request, turns={GAME: 8})).reason == "RESULT_KNOWN"


def correct_own(hall: Hall, person: str, first: int) -> object:
    scores = final_scores([("p1", first), ("p5", 300)])
    return hall.carry_out(pb.CorrectOwnResultRequest(game_id=GAME, scores=scores, arbiter_id=person))


def test_who_entered_a_result_corrects_it_until_somebody_else_has_confirmed_it() -> None:
    hall = start_hall(FISC)  # if a book does not allow changes of a signed result
    hall.carry_out(pb.SetResultCheckRequest(second_person=True))
    enter(hall, ("p1", 410), ("p5", 300))
    assert refusal_of(lambda: correct_own(hall, "nil", 401)).reason == "NOT_OWN_RESULT"
    correct_own(hall, "eleni", 401)
    assert hall.state.played[0].results[GAME] == (401, 300)
    scores = final_scores([("p1", 401), ("p5", 300)])
    hall.carry_out(pb.ConfirmResultRequest(game_id=GAME, scores=scores, arbiter_id="nil"))
    assert refusal_of(lambda: correct_own(hall, "eleni", 402)).reason == "CONFIRMED_ALREADY"


def test_nobody_corrects_as_their_own_what_came_from_a_table() -> None:
    hall = start_hall()
    hall.report(GAME, 401, 398)
    assert refusal_of(lambda: correct_own(hall, "eleni", 402)).reason == "NOT_OWN_RESULT"


def test_no_game_is_decided_before_its_round_is_started() -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)}, ruleset=PES)
    hall.pair(1)

    assert refusal_of(lambda: forfeit(hall, "p5")).reason == "ROUND_NOT_STARTED"


def test_a_result_that_is_entered_counts_as_one_of_a_table() -> None:
    hall = start_hall()
    recorded = enter(hall, ("p1", 310), ("p5", 412))

    assert (recorded.winner_id, recorded.unplayed) == ("p5", False)
    assert past_of(hall.state, PES, "p5", 2)[0].half_points == 2
    assert [game.half_points for game in view(TournamentView(), hall.events).games] == [0]


def test_who_left_does_not_win_with_more_points() -> None:
    hall = start_hall()
    recorded = enter(hall, ("p1", 310), ("p5", 412), abandoned_by=["p5"])

    assert (recorded.winner_id, list(recorded.loser_ids)) == ("p1", ["p5"])
    assert recorded.condition == game_events.END_CONDITION_ABANDONED


@pytest.mark.parametrize(
    ("ruleset", "given", "left", "scores"),
    [
        (FISC, (310, 280), ["p1"], [230, 280]),
        (FISC, (310, 280), ["p5"], [310, 280]),
        (FISC, (310, 280), ["p1", "p5"], [0, 0]),
        (PES, (200, 90), ["p1"], [0, 150]),
    ],
)
def test_a_game_that_was_left_comes_to_what_the_book_says(
    ruleset: Ruleset, given: tuple[int, int], left: list[str], scores: list[int]
) -> None:
    hall = start_hall(ruleset)
    recorded = enter(hall, ("p1", given[0]), ("p5", given[1]), abandoned_by=left)

    assert [score.score for score in recorded.scores] == scores
    assert recorded.lost_by_all == (len(left) == 2)
    assert recorded.winner_id == ("" if len(left) == 2 else "p5" if left == ["p1"] else "p1")


def test_scores_that_were_swapped_are_refused() -> None:
    hall = start_hall()
    before = hall.state

    refusal = refusal_of(lambda: enter(hall, ("p1", 412), ("p5", 310), winner_id="p5"))
    assert refusal.reason == "SCORES_SWAPPED"
    assert str(refusal) == "p5 did not win with p1 412, p5 310: are the scores swapped?"
    assert hall.state == before
    assert enter(hall, ("p1", 310), ("p5", 412), winner_id="p5").winner_id == "p5"


def test_scores_are_entered_in_any_order_and_stand_in_that_of_the_table() -> None:
    hall = start_hall()
    recorded = enter(hall, ("p5", 412), ("p1", 310))
    assert [(score.player_id, score.score) for score in recorded.scores] == [("p1", 310), ("p5", 412)]
    assert recorded.winner_id == "p5"


@pytest.mark.parametrize("names", [["p1"], ["p1", "p2"], ["p1", "p5", "p5"], ["p1", "p1"], []])
def test_scores_are_of_each_player_of_the_table_once(names: list[str]) -> None:
    hall = start_hall()
    found = f"of {', '.join(names)}" if names else "missing"
    told = f"scores: are {found}; expected those of p1, p5, each once"
    with pytest.raises(Invalid, match=told):
        enter(hall, *((name, 400) for name in names))


def test_turns_that_were_taken_back_are_not_over() -> None:
    new_events = [
        game_events.PlayCompleted(turn=1),
        game_events.TurnLost(turn=2),
        game_events.PlayCompleted(turn=3),
        game_events.EntriesTakenBack(turn=2),
    ]

    assert reduce(watch, new_events[:3], TableRulings()).turns == 3
    assert reduce(watch, new_events, TableRulings()).turns == 1


def test_a_table_that_ends_after_its_result_was_entered_changes_nothing() -> None:
    hall = start_hall()
    first, second = hall.state.played[0].pairings[0].player_ids
    enter(hall, (first, 400), (second, 300))
    late = record_result(
        hall.state,
        hall.ruleset,
        game=GAME,
        scores=[(first, 10), (second, 20)],
        occurred_at=events.RoundStarted().occurred_at,
    )
    assert late == []


def test_what_an_arbiter_entered_wrongly_is_put_right_under_every_book() -> None:
    hall = start_hall()
    first, second = hall.state.played[0].pairings[0].player_ids
    enter(hall, (first, 400), (second, 300))
    hall.report("open-r1-t2", 400, 300)

    def correct(game: str) -> list[Message]:
        players = next(table for table in hall.state.played[0].pairings if table.game_id == game).player_ids
        return hall.decide(
            pb.CorrectResultRequest(
                game_id=game,
                scores=final_scores(list(zip(players, (410, 300), strict=True))),
                winner_id="",
                lost_by_all=False,
                unplayed=False,
                player_ids=(),
                arbiter_id="eleni",
            )
        )

    (corrected,) = correct(GAME)
    assert isinstance(corrected, events.ResultCorrected)
    assert refusal_of(lambda: correct("open-r1-t2")).article == "PES Ε.α"


def test_a_forfeit_in_place_of_a_result_has_the_scores_of_the_book_where_none_are_given() -> None:
    hall = start_hall()
    first, second = hall.state.played[0].pairings[0].player_ids
    enter(hall, (first, 400), (second, 300))

    (corrected,) = hall.decide(
        pb.CorrectResultRequest(
            game_id=GAME,
            scores=final_scores(()),
            winner_id=second,
            lost_by_all=False,
            unplayed=True,
            player_ids=(),
            arbiter_id="eleni",
        )
    )

    assert isinstance(corrected, events.ResultCorrected)
    assert {score.player_id: score.score for score in corrected.scores} == {first: 0, second: 150}
    assert (corrected.winner_id, corrected.unplayed) == (second, True)


def test_a_turn_of_which_the_play_came_off_the_board_is_a_turn_that_was_played() -> None:
    new_events = [game_events.PlayPlaced(turn=1, player_id="p1", score=20), game_events.PlayWithdrawn(turn=1)]
    assert reduce(watch, new_events, TableRulings()).turns == 1


def gave_up(hall: Hall, player_id: str) -> None:
    given_up = pb.RUNNING_GAME_GIVEN_UP
    hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id, running_game=given_up))


@pytest.mark.parametrize("abandoned_by", [(), ("p1",)])
def test_who_gave_the_game_up_by_withdrawing_does_not_win_it_by_what_is_entered(abandoned_by: Sequence[str]) -> None:
    hall = start_hall()
    gave_up(hall, "p5")
    before = hall.state

    refusal = refusal_of(lambda: enter(hall, ("p1", 310), ("p5", 412), abandoned_by=abandoned_by))
    assert (refusal.reason, refusal.article) == ("GAME_GIVEN_UP", hall.ruleset.article("abandon.rule"))
    assert refusal.params == {"players": "p5", "game": GAME, "field": "abandoned_by"}
    assert refusal_of(lambda: forfeit(hall, "p1")).params["field"] == "loser_ids"
    assert hall.state == before

    assert enter(hall, ("p1", 310), ("p5", 412), abandoned_by=["p5"]).winner_id == "p1"


def test_who_gave_the_game_up_and_is_back_can_win_it() -> None:
    hall = start_hall()
    gave_up(hall, "p5")
    hall.carry_out(pb.ReinstatePlayerRequest(player_id="p5"))

    assert enter(hall, ("p1", 310), ("p5", 412)).winner_id == "p5"


@pytest.mark.parametrize("arbiter_id", ["p1", "p5"])
def test_nobody_of_the_table_is_arbiter_of_its_result(arbiter_id: str) -> None:
    hall = start_hall()
    entry = pb.EnterResultRequest(game_id=GAME, scores=final_scores([("p1", 310), ("p5", 412)]), arbiter_id=arbiter_id)
    refused = refusal_of(lambda: hall.decide(entry))
    assert (refused.reason, refused.params["officials"]) == ("OWN_GAME", arbiter_id)
    lost = pb.GiveForfeitRequest(game_id=GAME, loser_ids=["p1"], arbiter_id=arbiter_id)
    assert refusal_of(lambda: hall.decide(lost)).reason == "OWN_GAME"
    entry.arbiter_id = "p2"
    assert hall.decide(entry)


@pytest.mark.parametrize(
    "more",
    [
        {"scores": final_scores([("p1", 310), ("p5", 412)])},
        {"abandoned_by": ["p5"]},
        {"winner_id": "p1"},
    ],
    ids=str,
)
def test_a_forfeit_among_several_results_says_who_loses_and_nothing_else(more: dict[str, Any]) -> None:
    result = pb.GameResult(game_id=GAME, forfeited_by=["p5"], **more)
    with pytest.raises(Invalid) as problem:
        start_hall().decide(pb.EnterResultsRequest(results=[result], arbiter_id="eva"))
    assert problem.value.field == "results[0].forfeited_by"
