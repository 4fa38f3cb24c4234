from __future__ import annotations

from functools import reduce

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.decide import changes, choose, publish
from faristol.rating.model import RatingList, TournamentView, evolve, view
from faristol.rating.systems import SYSTEMS_BY_NAME

FIVE = {"anna": 1500, "biel": 1500, "cinta": 1500, "dolors": 1500, "enric": None}
AT = Timestamp(seconds=1_700_000_000)


def build_view(hall: Hall) -> TournamentView:
    return view(TournamentView(), hall.events)


def test_there_is_no_list_while_a_round_is_left() -> None:
    hall = Hall(FIVE)
    for number in range(1, 5):
        hall.play(number)

    assert publish(RatingList(), build_view(hall), tournament_id="open", occurred_at=AT) == []


def test_everybody_registered_gets_a_line_and_byes_are_not_rated() -> None:
    hall = Hall(FIVE)
    for number in range(1, 6):
        hall.play(number)

    published, *lines = publish(RatingList(), build_view(hall), tournament_id="open", occurred_at=AT)

    assert published == events.RatingListPublished(tournament_id="open", system="elo-1", occurred_at=AT)
    updates = [line for line in lines if isinstance(line, events.RatingUpdated)]
    assert {line.player_id for line in updates} == set(FIVE)
    # Five players, five rounds: each meets the four others and has one bye.
    assert [line.games for line in updates] == [4] * 5
    # The higher player always won; enric won all games, and leads after the bye of the first round.
    assert {line.player_id: line.half_points for line in updates}["enric"] == 8
    assert sum(line.half_points for line in updates) == 20
    assert [(-line.after, line.player_id) for line in updates] == sorted(
        (-line.after, line.player_id) for line in updates
    )


def test_who_withdrew_before_the_first_round_and_never_played_is_on_no_list() -> None:
    gone = [pairing_events.PlayerWithdrawn(player_id=player, round=1) for player in ("enric", "anna", "biel")]
    back = pairing_events.PlayerReinstated(player_id="anna", round=1)
    hall = Hall(FIVE)
    before = view(build_view(hall), [*gone, back])
    hall.play(1)
    played = view(view(TournamentView(), hall.events), [*gone, back])

    assert {change.player_id for change in changes(RatingList(), before)} == {"anna", "cinta", "dolors"}
    met = {player for game in played.games for player in (game.first, game.second)}
    assert {change.player_id for change in changes(RatingList(), played)} == met | {"anna", "cinta", "dolors"}


@pytest.mark.parametrize(("left", "rated"), [(2, False), (3, False), (4, True)])
def test_a_late_entry_who_withdrew_before_their_first_round_is_on_no_list(left: int, rated: bool) -> None:
    late = [
        pairing_events.LateEntryAdmitted(player_id="late", rating=1500, round=3),
        pairing_events.PlayerWithdrawn(player_id="late", round=left),
    ]
    seen_late = view(build_view(Hall(FIVE)), late[:1])
    assert ("late" in {change.player_id for change in changes(RatingList(), view(seen_late, late[1:]))}) is rated
    back = pairing_events.PlayerReinstated(player_id="late", round=left)
    assert "late" in {change.player_id for change in changes(RatingList(), view(seen_late, [late[1], back]))}


def test_a_list_is_published_once() -> None:
    hall = Hall(FIVE)
    for number in range(1, 6):
        hall.play(number)
    new_events = publish(RatingList(), build_view(hall), tournament_id="open", occurred_at=AT)

    state = reduce(evolve, new_events, RatingList())

    assert len(state.lines) == 5
    assert publish(state, build_view(hall), tournament_id="open", occurred_at=AT) == []


def test_a_tournament_is_rated_by_the_system_that_it_chose() -> None:
    hall = Hall(FIVE)
    for number in range(1, 6):
        hall.play(number)
    chosen = reduce(evolve, choose(RatingList(), tournament_id="open", system="naspa-1", occurred_at=AT), RatingList())

    published, *lines = publish(chosen, build_view(hall), tournament_id="open", occurred_at=AT)

    assert published == events.RatingListPublished(tournament_id="open", system="naspa-1", occurred_at=AT)
    assert lines != publish(RatingList(), build_view(hall), tournament_id="open", occurred_at=AT)[1:]
    state = reduce(evolve, [published, *lines], chosen)
    with pytest.raises(Refusal) as refused:
        choose(state, tournament_id="open", system="elo-1", occurred_at=AT)
    assert refused.value.reason == "LIST_PUBLISHED"


def test_the_system_that_was_chosen_already_and_one_that_there_is_not_are_refused() -> None:
    chosen = reduce(evolve, choose(RatingList(), tournament_id="open", system="naspa-1", occurred_at=AT), RatingList())
    with pytest.raises(Refusal) as refused:
        choose(chosen, tournament_id="open", system="naspa-1", occurred_at=AT)
    assert refused.value.reason == "SAME_SYSTEM"
    with pytest.raises(Invalid, match="elo-1, naspa-1"):
        choose(chosen, tournament_id="open", system="glicko", occurred_at=AT)


def test_estimates_follow_the_results_so_far_and_end_as_the_list() -> None:
    hall = Hall(FIVE)
    before = changes(RatingList(), build_view(hall))
    assert [change.before for change in before] == [change.after for change in before]
    hall.play(1)
    assert sum(change.games for change in changes(RatingList(), build_view(hall))) == 4
    for number in range(2, 6):
        hall.play(number)

    _, *lines = publish(RatingList(), build_view(hall), tournament_id="open", occurred_at=AT)
    assert [(line.player_id, line.after) for line in lines if isinstance(line, events.RatingUpdated)] == [
        (change.player_id, change.after) for change in changes(RatingList(), build_view(hall))
    ]


def test_a_table_of_more_than_two_is_rated() -> None:
    state = view(
        TournamentView(),
        [
            *(pairing_events.PlayerRegistered(player_id=name, rating=1500) for name in "abc"),
            pairing_events.ResultRecorded(
                round=1,
                game_id="g",
                scores=[
                    game_events.FinalScore(player_id=name, score=score)
                    for name, score in zip("abc", (3, 2, 1), strict=True)
                ],
                winner_id="a",
            ),
        ],
    )
    assert [(change.player_id, change.after) for change in changes(RatingList(), state)] == [
        ("a", 1510),
        ("b", 1500),
        ("c", 1490),
    ]


@pytest.mark.parametrize("system", sorted(SYSTEMS_BY_NAME))
@pytest.mark.parametrize("winner", ["giant", "dwarfs"])
def test_a_list_keeps_to_the_ratings_that_there_are_whatever_the_results(system: str, winner: str) -> None:
    dwarfs = [f"p{number}" for number in range(99)]
    state = view(
        TournamentView(),
        [
            pairing_events.PlayerRegistered(player_id="giant", rating=9999),
            *(pairing_events.PlayerRegistered(player_id=name, rating=0) for name in dwarfs),
            *(
                pairing_events.ResultRecorded(
                    round=number,
                    game_id=f"g{number}",
                    scores=[
                        game_events.FinalScore(player_id="giant", score=2 if winner == "giant" else 1),
                        game_events.FinalScore(player_id=name, score=1 if winner == "giant" else 2),
                    ],
                    winner_id="giant" if winner == "giant" else name,
                )
                for number, name in enumerate(dwarfs, 1)
            ),
        ],
    )
    _, *lines = publish(RatingList(system=system), state, tournament_id="open", occurred_at=AT)
    assert len(lines) == 100
    assert all(isinstance(line, events.RatingUpdated) and 0 <= line.after <= 9999 for line in lines)
