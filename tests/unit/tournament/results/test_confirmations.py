"""Results that a second person confirms: permissions, effects, and dependent commands."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.undo import undone_by
from faristol.tournament.results.confirmations import list_unconfirmed_tables
from faristol.tournament.results.results import final_scores

GAME = "open-r1-t1"


def enter_result(*, second_person: bool = True, players: bool = False) -> tuple[Hall, list[str]]:
    """Return a round that is over except for one table, whose result eva entered, and the players of that table."""
    hall = Hall({f"p{number}": 1500 - number for number in range(1, 7)})
    hall.carry_out(pb.SetResultCheckRequest(second_person=second_person, players=players))
    hall.pair(1)
    hall.start(1)
    seated = list(hall.state.played[0].pairings[0].player_ids)
    scores = final_scores(zip(seated, (400, 350), strict=True))
    hall.carry_out(pb.EnterResultRequest(game_id=GAME, scores=scores, arbiter_id="eva"), turns={GAME: 0})
    for pairing in hall.state.played[0].pairings[1:]:
        hall.report(pairing.game_id, 400, 300)
    return hall, seated


def say(hall: Hall, seated: list[str], by: str, points: tuple[int, int] = (400, 350), **more: Any) -> Any:
    scores = final_scores(zip(seated, points, strict=True))
    who: dict[str, Any] = {"player_id": by} if by in seated else {"arbiter_id": by}
    (event,) = hall.carry_out(pb.ConfirmResultRequest(game_id=GAME, scores=scores, **who, **more))
    return event


def refusal(hall: Hall, seated: list[str], by: str, points: tuple[int, int] = (400, 350)) -> str:
    with pytest.raises(Refusal) as refused:
        say(hall, seated, by, points)
    return refused.value.reason


def is_open(hall: Hall) -> bool:
    return bool(list_unconfirmed_tables(hall.state, hall.state.played[0]))


def test_a_round_is_closed_once_a_second_person_has_confirmed_every_result() -> None:
    hall, seated = enter_result()
    with pytest.raises(Refusal) as refused:
        hall.carry_out(pb.CloseRoundRequest(round=1))
    assert refused.value.reason == "RESULTS_UNCONFIRMED"
    assert refusal(hall, seated, "eva") == "SAME_PERSON"
    assert isinstance(say(hall, seated, "ona"), events.ResultConfirmed)
    assert not is_open(hall)
    assert isinstance(hall.carry_out(pb.CloseRoundRequest(round=1))[0], events.RoundClosed)


def test_the_director_confirms_the_own_late_entry_by_the_signed_slip_with_a_reason() -> None:
    hall, seated = enter_result(second_person=False, players=True)
    with pytest.raises(Invalid, match="expected the reason"):
        say(hall, seated, "eva", on_paper=True)
    for more in ({"disputed": True}, {"player_id": seated[0]}):
        with pytest.raises(Invalid, match="only for the confirmation by an official"):
            say(hall, seated, "eva", on_paper=True, note="slip", **more)
    assert refusal(hall, seated, "eva") == "SAME_PERSON"
    confirmed = say(hall, seated, "eva", on_paper=True, note="both signed slip 1")
    assert (confirmed.person_id, confirmed.on_paper, confirmed.note) == ("eva", True, "both signed slip 1")
    assert isinstance(hall.carry_out(pb.CloseRoundRequest(round=1))[0], events.RoundClosed)


def test_who_saw_other_scores_confirms_nothing() -> None:
    hall, seated = enter_result()
    assert refusal(hall, seated, "ona", (401, 350)) == "RESULT_CHANGED"
    with pytest.raises(Invalid):
        say(hall, [*seated[:1], "p9"], "ona")


def test_a_corrected_result_is_confirmed_again_by_another_than_who_corrected_it() -> None:
    hall, seated = enter_result()
    say(hall, seated, "ona")
    scores = final_scores(zip(seated, (410, 350), strict=True))
    hall.carry_out(pb.CorrectResultRequest(game_id=GAME, scores=scores, arbiter_id="ona"))
    assert is_open(hall)
    assert refusal(hall, seated, "ona", (410, 350)) == "SAME_PERSON"
    say(hall, seated, "eva", (410, 350))
    assert not is_open(hall)


def test_an_entry_that_is_put_right_before_it_is_confirmed_is_said_to_be_that() -> None:
    def correct(points: int) -> events.ResultCorrected:
        scores = final_scores(zip(seated, (points, 350), strict=True))
        (event,) = hall.carry_out(pb.CorrectResultRequest(game_id=GAME, scores=scores, arbiter_id="eva"))
        assert isinstance(event, events.ResultCorrected)
        return event

    hall, seated = enter_result()
    assert correct(410).before_confirmation
    say(hall, seated, "ona", (410, 350))
    assert not correct(420).before_confirmation
    hall.carry_out(pb.SetResultCheckRequest())
    assert not correct(430).before_confirmation
    hall.carry_out(pb.CloseRoundRequest(round=1))
    hall.carry_out(pb.SetResultCheckRequest(second_person=True))
    assert not correct(440).before_confirmation


def test_a_disputed_result_waits_until_somebody_confirms_it_and_every_version_stays() -> None:
    hall, seated = enter_result()
    disputed = say(hall, seated, "ona", disputed=True, note="the slip says 405")
    assert isinstance(disputed, events.ResultDisputed)
    assert disputed.note == "the slip says 405"
    assert GAME in hall.state.played[0].disputed
    assert is_open(hall)
    say(hall, seated, "ona")
    assert not is_open(hall)
    assert hall.state.played[0].results[GAME] == (400, 350)


def test_players_confirm_where_the_organiser_allows_it_and_only_all_of_them_together() -> None:
    hall, seated = enter_result(second_person=False, players=True)
    say(hall, seated, seated[0])
    assert is_open(hall)
    assert refusal(hall, seated, seated[0]) == "CONFIRMED_ALREADY"
    say(hall, seated, seated[1])
    assert not is_open(hall)
    hall, seated = enter_result()
    assert refusal(hall, seated, seated[0]) == "PLAYERS_DO_NOT_CONFIRM"


def test_results_are_confirmed_together_all_or_none() -> None:
    hall = Hall({f"p{number}": 2000 - number for number in range(1, 7)})
    hall.carry_out(pb.SetResultCheckRequest(second_person=True))
    hall.pair(1)
    hall.start(1)
    shown = []
    for place, pairing in enumerate(hall.state.played[0].pairings):
        scores = final_scores(zip(pairing.player_ids, (400 + place, 350), strict=True))
        entry = pb.EnterResultRequest(game_id=pairing.game_id, scores=scores, arbiter_id="eva")
        hall.carry_out(entry, turns={pairing.game_id: 0})
        shown.append(pb.ShownResult(game_id=pairing.game_id, scores=scores))
    own = pb.ConfirmResultsRequest(results=shown, arbiter_id="eva")
    with pytest.raises(Refusal) as same:
        hall.decide(own)
    assert [each.reason for each in (same.value, *same.value.others)] == ["SAME_PERSON"] * len(shown)
    changed = pb.ConfirmResultsRequest(results=shown, arbiter_id="ona")
    changed.results[1].scores[0].score += 1
    with pytest.raises(Refusal) as outdated:
        hall.decide(changed)
    assert outdated.value.subject == f"games/{shown[1].game_id}", "no other result is confirmed either"
    confirmed = hall.carry_out(pb.ConfirmResultsRequest(results=shown, arbiter_id="ona"))
    assert [type(event) for event in confirmed] == [events.ResultConfirmed] * len(shown)
    assert not list_unconfirmed_tables(hall.state, hall.state.played[0])
    with pytest.raises(Invalid, match="expected 1 to"):
        hall.decide(pb.ConfirmResultsRequest(arbiter_id="ona"))


def test_a_round_keeps_who_confirmed_its_own_results() -> None:
    hall, seated = enter_result(players=True)
    say(hall, seated, "ona")
    hall.carry_out(pb.CloseRoundRequest(round=1))
    hall.pair(2)
    hall.start(2)
    pairing = hall.state.played[1].pairings[0]
    scores = final_scores(zip(pairing.player_ids, (380, 360), strict=True))
    hall.carry_out(
        pb.EnterResultRequest(game_id=pairing.game_id, scores=scores, arbiter_id="eva"), turns={pairing.game_id: 0}
    )
    for player in pairing.player_ids:
        hall.carry_out(pb.ConfirmResultRequest(game_id=pairing.game_id, scores=scores, player_id=player))
    assert hall.state.played[0].confirmed_by == {GAME: ("ona",)}
    assert hall.state.played[1].confirmed_by == {pairing.game_id: tuple(pairing.player_ids)}


def test_nothing_is_confirmed_where_the_organiser_has_not_chosen_it() -> None:
    hall, seated = enter_result(second_person=False)
    assert not is_open(hall)
    assert refusal(hall, seated, "ona") == "NO_RESULT_CHECK"


@pytest.mark.parametrize("reported", [False, True])
def test_a_result_that_came_from_its_table_or_not_at_all_is_nobodys_to_confirm(reported: bool) -> None:
    hall = Hall({f"p{number}": 1500 - number for number in range(1, 7)})
    hall.carry_out(pb.SetResultCheckRequest(second_person=True, players=True))
    hall.pair(1)
    hall.start(1)
    if reported:
        hall.report(GAME, 400, 350)
    seated = list(hall.state.played[0].pairings[0].player_ids)
    for by in ("ona", seated[0]):
        assert refusal(hall, seated, by) == "NO_RESULT_ENTERED"
    assert not is_open(hall)


def test_only_who_plays_in_a_game_confirms_its_result_as_a_player() -> None:
    hall, seated = enter_result(players=True)
    scores = final_scores(zip(seated, (400, 350), strict=True))
    with pytest.raises(Invalid) as invalid:
        hall.carry_out(pb.ConfirmResultRequest(game_id=GAME, scores=scores, player_id="p9"))
    assert invalid.value.field == "player_id"


def test_who_entered_a_result_may_say_that_it_is_wrong() -> None:
    hall, seated = enter_result()
    assert isinstance(say(hall, seated, "eva", disputed=True), events.ResultDisputed)
    assert is_open(hall)


def test_the_choice_of_each_time_is_undone_by_the_last_before_it() -> None:
    hall, _ = enter_result()
    chosen = events.ResultCheckSet(second_person=True)
    assert undone_by(chosen, ()) == "SetResultCheck"
    hall.carry_out(pb.SetResultCheckRequest(second_person=True, players=True))
    hall.carry_out(pb.SetResultCheckRequest(players=True))
    hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert (hall.state.result_check.second_person, hall.state.result_check.players) == (True, True)
