from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce

import pytest
from tests.support.halls import FISC, NOON, Hall
from tests.support.refusals import refusal_of

from faristol.kernel.errors import Invalid
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rating.model import TournamentView, view
from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.results.results import final_scores, record_result
from faristol.tournament.rounds.past import past_of
from faristol.tournament.state import GameDecision, TableRulings, watch

PES = load_ruleset("pes-2024")
FISE = load_ruleset("fise")
UF = with_options(load_ruleset("uf-2007"), {"minutes": 30})
GAME = "open-r1-t1"


def hall_of(name: str = "uf-2007", rounds: int = 5) -> Hall:
    ruleset = {"uf-2007": UF, "fise": FISE, "pes-2024": PES, "fisc-2023": FISC}[name]
    return Hall({f"p{place}": 2000 - place for place in range(1, 9)}, rounds, ruleset)


def correct(
    hall: Hall,
    *scores: tuple[str, int],
    game: str = GAME,
    player_ids: Sequence[str] = (),
    arbiter_id: str = "maria",
    winner_id: str = "",
    unplayed: bool = False,
) -> None:
    hall.carry_out(
        pb.CorrectResultRequest(
            game_id=game,
            scores=final_scores(scores),
            winner_id=winner_id,
            lost_by_all=False,
            unplayed=unplayed,
            player_ids=player_ids,
            arbiter_id=arbiter_id,
            note="added up wrongly",
        )
    )


@pytest.mark.parametrize(("name", "article"), [("fisc-2023", "FISC I.8"), ("pes-2024", "PES Ε.α")])
def test_where_the_book_says_that_a_result_is_final_it_is_not_touched(name: str, article: str) -> None:
    hall = hall_of(name)
    hall.play(1)
    before = hall.state

    refusal = refusal_of(lambda: correct(hall, ("p1", 300), ("p5", 400), player_ids=["p1", "p5"]))

    assert (refusal.reason, refusal.article) == ("RESULT_FINAL", article)
    assert hall.state == before


def test_under_fise_all_its_players_ask_and_the_points_follow() -> None:
    hall = hall_of("fise")
    hall.play(1)
    game = hall.state.played[0].pairings[0]
    first, second = game.player_ids
    scores = ((first, 300), (second, 400))

    refusal = refusal_of(lambda: correct(hall, *scores, game=game.game_id, player_ids=[first]))
    assert (refusal.reason, refusal.article) == ("REOPENING_NOT_AGREED", "FISE 44")

    correct(hall, *scores, game=game.game_id, player_ids=[first, second])
    assert past_of(hall.state, hall.ruleset, first, 2)[0].half_points == 0
    assert past_of(hall.state, hall.ruleset, second, 2)[0].half_points == 2


def test_a_rating_list_rests_on_the_corrected_result() -> None:
    hall = hall_of("fise")
    hall.play(1)
    game = hall.state.played[0].pairings[0]
    first, second = game.player_ids
    correct(hall, (first, 300), (second, 400), game=game.game_id, player_ids=[first, second])

    assert view(TournamentView(), hall.events).games[0].half_points == 0


def forfeit_game(hall: Hall) -> None:
    """Decide a game of round 1 by forfeit: p5 was absent from the first table."""
    hall.pair(1)
    hall.start(1)
    decided = GameDecision("p1", condition=game_events.END_CONDITION_FORFEIT, losers=("p5",), unplayed=True)
    hall.do(
        record_result(
            hall.state,
            hall.ruleset,
            game=GAME,
            scores=[("p1", 0), ("p5", 0)],
            occurred_at=to_timestamp(hall.now),
            decided=decided,
        )
    )


def test_a_forfeit_that_is_corrected_was_a_game_unless_that_is_denied() -> None:
    hall = hall_of()
    forfeit_game(hall)
    correct(hall, ("p1", 310), ("p5", 290))

    assert past_of(hall.state, UF, "p1", 2)[0].opponent == "p5"
    assert hall.state.played[0].decided[GAME] == GameDecision("p1")
    assert [game.half_points for game in view(TournamentView(), hall.events).games] == [2]

    correct(hall, ("p1", 0), ("p5", 0), winner_id="p5", unplayed=True)
    after = hall.state.played[0].decided[GAME]
    assert (after.condition, after.losers, after.unplayed) == (game_events.END_CONDITION_FORFEIT, ("p1",), True)
    assert not past_of(hall.state, UF, "p1", 2)[0].played
    assert view(TournamentView(), hall.events).games == ()


def abandon_game(hall: Hall, *losers: str) -> None:
    """Let ``losers`` leave the game of the first table in round 1."""
    hall.pair(1)
    hall.start(1)
    hall.carry_out(
        pb.EnterResultRequest(
            game_id=GAME,
            scores=final_scores([("p1", 210), ("p5", 280)]),
            abandoned_by=losers,
            winner_id="",
            arbiter_id="maria",
        )
    )


def test_who_left_a_game_goes_on_losing_it_when_its_scores_are_corrected() -> None:
    hall = hall_of()
    abandon_game(hall, "p5")
    correct(hall, ("p1", 210), ("p5", 290))
    kept = hall.state.played[0].decided[GAME]

    assert (kept.winner_id, kept.losers, kept.condition) == ("p1", ("p5",), game_events.END_CONDITION_ABANDONED)

    correct(hall, ("p1", 210), ("p5", 290), winner_id="p5")
    assert hall.state.played[0].decided[GAME].winner_id == "p5"
    assert not hall.state.played[0].decided[GAME].losers


def test_a_correction_by_whose_scores_another_wins_than_is_said_is_refused() -> None:
    hall = hall_of()
    hall.play(1)
    before = hall.state
    refusal = refusal_of(lambda: correct(hall, ("p1", 410), ("p5", 290), winner_id="p5"))
    assert refusal.reason == "SCORES_SWAPPED"
    refusal = refusal_of(lambda: correct(hall, ("p1", 300), ("p5", 300), winner_id="p5"))
    assert str(refusal) == "p5 did not win with p1 300, p5 300: are the scores swapped?"
    assert hall.state == before
    correct(hall, ("p1", 290), ("p5", 410), winner_id="p5")
    assert hall.state.played[0].decided[GAME].winner_id == "p5"
    # the scores of a forfeit have no meaning
    correct(hall, ("p1", 0), ("p5", 0), winner_id="p1", unplayed=True)
    assert hall.state.played[0].decided[GAME].winner_id == "p1"


def test_where_all_left_a_correction_says_who_wins_or_that_all_lose() -> None:
    hall = hall_of()
    abandon_game(hall, "p1", "p5")
    before = hall.state

    assert refusal_of(lambda: correct(hall, ("p1", 210), ("p5", 290))).reason == "WINNER_NOT_SAID"
    assert hall.state == before


def test_a_correction_from_before_it_said_whether_there_was_a_game_leaves_that_as_it_was() -> None:
    hall = hall_of()
    forfeit_game(hall)
    before = hall.state.played[0].decided[GAME]
    scores = [game_events.FinalScore(player_id=player_id, score=100) for player_id in ("p1", "p5")]
    hall.do([events.ResultCorrected(round=1, game_id=GAME, scores=scores, winner_id="p5")])

    assert hall.state.played[0].decided[GAME] == replace(before, winner_id="p5")
    assert view(TournamentView(), hall.events).games == ()


def test_nobody_draws_a_game_that_was_not_played() -> None:
    hall = hall_of()
    hall.play(1)

    with pytest.raises(Invalid, match="unplayed"):
        correct(hall, ("p1", 0), ("p5", 0), unplayed=True)


def test_scores_are_corrected_in_any_order_and_those_of_others_and_other_games_are_refused() -> None:
    hall = hall_of("fise")
    hall.play(1)
    game = hall.state.played[0].pairings[0]
    first, second = game.player_ids

    correct(hall, (second, 310), (first, 400), game=game.game_id, player_ids=[first, second])
    assert hall.state.played[0].results[game.game_id] == (400, 310)
    with pytest.raises(Invalid, match=f"scores: are of {first}, {first}; expected those of {first}, {second}, each on"):
        correct(hall, (first, 300), (first, 400), game=game.game_id, player_ids=[first, second])
    with pytest.raises(Invalid, match="arbiter_id"):
        correct(hall, (first, 1), (second, 2), game=game.game_id, arbiter_id="")
    assert refusal_of(lambda: correct(hall, (first, 1), (second, 2), game="nowhere")).reason == "GAME_NOT_PAIRED"


def test_a_game_without_a_result_has_nothing_to_correct() -> None:
    hall = hall_of("fise")
    hall.pair(1)
    game = hall.state.played[0].pairings[0]

    refusal = refusal_of(lambda: correct(hall, *((player_id, 1) for player_id in game.player_ids), game=game.game_id))

    assert refusal.reason == "NO_RESULT"


def build_rulings(points: int, *, valid: bool, at: datetime = NOON) -> TableRulings:
    new_events = [
        game_events.PlayPlaced(turn=3, player_id="p1", score=points),
        game_events.ChallengeRuled(turn=3, challenge=1, valid=valid, occurred_at=to_timestamp(at)),
    ]
    return reduce(watch, new_events, TableRulings())


def adjust(
    hall: Hall, rulings: TableRulings, at: datetime | None = None, arbiter_id: str = "eleni"
) -> events.SpreadAdjusted:
    (event,) = hall.carry_out(
        pb.CorrectRulingRequest(game_id=GAME, turn=3, arbiter_id=arbiter_id), at=at, tables={GAME: rulings}
    )
    assert isinstance(event, events.SpreadAdjusted)
    return event


@pytest.mark.parametrize(("points", "valid", "spread"), [(34, False, 64), (22, True, -52)])
def test_a_wrong_ruling_found_on_the_same_day_changes_the_spread_and_not_the_result(
    points: int, valid: bool, spread: int
) -> None:
    # PES Δ.ε.
    hall = hall_of("pes-2024")
    hall.play(1)
    before = hall.state.played[0].results

    event = adjust(hall, build_rulings(points, valid=valid))

    assert (event.player_id, event.points, event.article) == ("p1", spread, "PES Δ.ε")
    assert hall.state.played[0].results == before
    assert refusal_of(lambda: adjust(hall, build_rulings(points, valid=valid))).reason == "RULING_CORRECTED"


def test_a_correction_that_was_a_slip_is_undone_and_the_ruling_can_be_corrected_again() -> None:
    # PES Δ.ε.
    hall = hall_of("pes-2024")
    hall.play(1)
    adjust(hall, build_rulings(34, valid=False))
    (undone,) = hall.carry_out(pb.UndoActRequest(version=len(hall.events), note="another turn"))
    assert isinstance(undone, events.SpreadAdjusted)
    assert (undone.player_id, undone.points, undone.note) == ("p1", -64, "another turn")
    again = pb.UndoActRequest(version=len(hall.events) - 1)
    assert refusal_of(lambda: hall.decide(again)).reason == "NOT_UNDONE"
    assert adjust(hall, build_rulings(34, valid=False)).points == 64


def test_who_corrects_a_ruling_without_its_turn_is_asked_for_it() -> None:
    hall = hall_of("pes-2024")
    hall.play(1)
    rulings = build_rulings(34, valid=False)
    with pytest.raises(Invalid, match="expected the turn of a play with a ruling; in this game: 3"):
        hall.decide(pb.CorrectRulingRequest(game_id=GAME, turn=0, arbiter_id="eleni"), tables={GAME: rulings})


def test_a_wrong_ruling_stands_on_the_next_day_and_under_other_books() -> None:
    # PES Δ.ε.
    hall = hall_of("pes-2024")
    hall.play(1)
    late = refusal_of(lambda: adjust(hall, build_rulings(34, valid=False), NOON + timedelta(days=1)))
    assert (late.reason, late.article) == ("CORRECTION_TOO_LATE", "PES Δ.ε")
    assert refusal_of(lambda: adjust(hall, TableRulings())).reason == "NOT_RULED"

    other = hall_of("fisc-2023")
    other.play(1)
    assert refusal_of(lambda: adjust(other, build_rulings(34, valid=False))).reason == "RULING_FINAL"


@pytest.mark.parametrize(("zone", "same_day"), [("UTC", True), ("Europe/Athens", False), ("America/New_York", True)])
def test_the_day_of_a_ruling_is_that_of_the_halls(zone: str, same_day: bool) -> None:
    # 20:30 and 22:30 of UTC are one evening there, and two days in Athens.
    hall = hall_of("pes-2024")
    created = events.TournamentCreated.FromString(hall.events[0].SerializeToString())
    created.time_zone = zone
    hall.events[0] = created
    hall.play(1)
    evening = build_rulings(34, valid=False, at=NOON + timedelta(hours=8, minutes=30))

    if same_day:
        assert adjust(hall, evening, NOON + timedelta(hours=10, minutes=30)).points == 64
    else:
        refusal = refusal_of(lambda: adjust(hall, evening, NOON + timedelta(hours=10, minutes=30)))
        assert refusal.reason == "CORRECTION_TOO_LATE"


def test_a_ruling_is_put_right_after_the_game_and_not_while_it_is_played() -> None:
    hall = hall_of("pes-2024")
    hall.pair(1)
    hall.start(1)

    early = refusal_of(lambda: adjust(hall, build_rulings(34, valid=False)))
    assert (early.reason, early.article) == ("GAME_NOT_OVER", "PES Δ.ε")

    hall.report(GAME, 400, 300)
    adjust(hall, build_rulings(34, valid=False))


def test_a_ruling_that_was_taken_back_at_the_table_is_none() -> None:
    hall = hall_of("pes-2024")
    hall.play(1)
    taken_back = watch(build_rulings(34, valid=False), game_events.EntriesTakenBack(turn=3))

    assert refusal_of(lambda: adjust(hall, taken_back)).reason == "NOT_RULED"
    adjust(hall, watch(build_rulings(34, valid=False), game_events.EntriesTakenBack(turn=4)))


def postpone(hall: Hall, minutes_before: int, player_ids: Sequence[str] = ("p1", "p5")) -> None:
    due = hall.now + timedelta(minutes=minutes_before)
    hall.carry_out(
        pb.PostponeGameRequest(
            game_id=GAME,
            player_ids=player_ids,
            scheduled_at=to_timestamp(due),
            postponed_to=to_timestamp(due + timedelta(days=1)),
            arbiter_id="eleni",
        )
    )


def test_a_game_is_postponed_when_all_agree_two_hours_before_and_not_later() -> None:
    # PES Γ.β.
    hall = hall_of("pes-2024")
    hall.pair(1)

    late = refusal_of(lambda: postpone(hall, 119))
    assert (late.reason, late.article) == ("POSTPONEMENT_TOO_LATE", "PES Γ.β")
    alone = refusal_of(lambda: postpone(hall, 120, ["p1"]))
    assert (alone.reason, alone.article) == ("POSTPONEMENT_NOT_AGREED", "PES Γ.β")

    postpone(hall, 120)
    assert hall.state.played[0].postponed == {GAME}


def test_a_postponed_game_is_started_once_its_round_is_and_the_round_waits_for_it() -> None:
    hall = hall_of("pes-2024")
    hall.pair(1)
    postpone(hall, 180)

    def start() -> None:
        hall.carry_out(pb.StartPostponedGameRequest(game_id=GAME))

    assert refusal_of(start).reason == "ROUND_NOT_STARTED"
    hall.start(1)
    for table in hall.state.played[0].pairings[1:]:
        hall.report(table.game_id, 400, 300)
    assert refusal_of(lambda: hall.close(1)).reason == "RESULTS_MISSING"
    start()
    assert refusal_of(start).reason == "NOT_POSTPONED"
    hall.report(GAME, 400, 300)
    hall.close(1)


def test_a_postponed_game_that_was_played_without_its_table_is_entered_and_is_not_started_any_more() -> None:
    hall = hall_of("pes-2024")
    hall.pair(1)
    postpone(hall, 180)
    hall.start(1)
    for table in hall.state.played[0].pairings[1:]:
        hall.report(table.game_id, 400, 300)
    hall.carry_out(
        pb.EnterResultRequest(
            game_id=GAME,
            scores=final_scores([("p1", 380), ("p5", 390)]),
            abandoned_by=(),
            winner_id="p5",
            arbiter_id="eleni",
        )
    )
    known = refusal_of(lambda: hall.decide(pb.StartPostponedGameRequest(game_id=GAME)))
    assert (known.reason, known.article, hall.state.played[0].postponed) == ("RESULT_KNOWN", "PES Ε.α", frozenset())
    hall.close(1)


def test_no_game_is_postponed_where_the_book_does_not_know_it() -> None:
    hall = hall_of("fisc-2023")
    hall.pair(1)

    assert refusal_of(lambda: postpone(hall, 600)).reason == "NO_POSTPONEMENT"


def test_where_the_book_is_silent_the_arbiter_decides_alone() -> None:
    hall = hall_of("uf-2007")
    hall.play(1)
    correct(hall, ("p1", 350), ("p5", 350))

    assert past_of(hall.state, UF, "p1", 2)[0].half_points == 1


def test_nobody_of_the_table_puts_its_result_or_a_ruling_right() -> None:
    hall = hall_of("pes-2024")
    hall.play(1)
    before = hall.state

    assert refusal_of(lambda: correct(hall, ("p1", 300), ("p5", 400), arbiter_id="p5")).reason == "OWN_GAME"
    ruling = build_rulings(34, valid=False)
    assert refusal_of(lambda: adjust(hall, ruling, arbiter_id="p1")).reason == "OWN_GAME"
    assert hall.state == before
