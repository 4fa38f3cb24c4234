"""The race of a tournament: its points, its tables without a result, and the rounds to come."""

from __future__ import annotations

import pytest
from tests.unit.read_models.computed.test_ranking import PLAYERS, TOURNAMENT, rank, tournament

from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.prospects import add_goals, build_race, list_goals, list_prospects
from faristol.read_models.storage.rows import Bye, ByeKind, Game, Player, Round, Seat, Tournament
from faristol.rules import load_ruleset
from faristol.rules.standings.prospects import Race

FISC = load_ruleset("fisc-2023")


def table(number: int, first: str, second: str, *scores: int) -> Game:
    """Return a table; final with scores."""
    of = [Seat("g", place, player_id=player) for place, player in enumerate((first, second))]
    for seat, score in zip(of, scores, strict=False):
        seat.score = score
    winner = "" if not scores or scores[0] == scores[1] else (first, second)[scores[1] > scores[0]]
    game = f"lliga-r{number}-{first}"
    return Game(game, "lliga", number, 1, 1, final=bool(scores), winner_id=winner, seats=of)


def bye(number: int, player: str) -> Bye:
    return Bye("lliga", number, ByeKind.ALLOCATED, 0, player)


ROUNDS = [
    Round(
        "lliga", 1, tables=2, finished=2, byes=[bye(1, "eloi")],
        games=[table(1, "anna", "biel", 400, 300), table(1, "carme", "dolors", 350, 350)],
    ),
    Round(
        "lliga", 2, tables=2, finished=1, byes=[bye(2, "biel")],
        games=[table(2, "anna", "eloi", 400, 300), table(2, "carme", "dolors")],
    ),
]  # fmt: skip


def race(of: Tournament = TOURNAMENT, players: list[Player] = PLAYERS, rounds: list[Round] = ROUNDS) -> Race:
    return build_race(of, FISC, {each.player_id: each for each in players}, rounds, rank(of, players, rounds))


def test_a_race_has_the_points_the_bye_of_the_round_the_open_table_and_the_rounds_to_come() -> None:
    found = race()
    assert dict(found.points) == {"anna": 4, "biel": 2, "carme": 1, "dolors": 1, "eloi": 2}
    assert found.tables == [("carme", "dolors")]
    assert [*found.postponed] == []
    assert found.rounds == [frozenset(found.points)] * 3
    assert found.is_exact


def test_an_open_table_of_an_earlier_round_is_postponed_and_one_who_left_plays_no_more() -> None:
    left = [Player("lliga", each.player_id, entered_round=0) for each in PLAYERS]
    left[1].withdrawn_round = 3
    later = Round("lliga", 3, tables=2, finished=0, games=[table(3, "anna", "carme"), table(3, "dolors", "eloi")])
    found = race(players=left, rounds=[*ROUNDS, later])
    assert found.postponed == [("carme", "dolors")]
    assert found.tables == [("anna", "carme"), ("dolors", "eloi")]
    assert found.rounds == [frozenset({"anna", "carme", "dolors", "eloi"})] * 2
    assert not found.is_exact


def test_lines_are_in_the_order_of_the_standings_and_one_player_is_shown_with_the_others() -> None:
    lines = rank(TOURNAMENT, PLAYERS, ROUNDS)
    shown = list_prospects(race(), lines, 1)
    assert [line.player_id for line in shown] == [line.player_id for line in lines]
    assert {line.chance for line in shown} == {results.CHANCE_ALIVE}
    (own,) = list_prospects(race(), lines, 1, "eloi")
    assert (own.half_points, own.most_half_points, own.least_half_points) == (2, 8, 2)
    assert own.best == 1 + len(own.above_ids) == 1
    assert own.worst == 1 + len(own.reaching_ids) == 5


def test_after_the_last_game_the_places_are_the_ranks() -> None:
    of = Tournament("lliga", rounds=1, ruleset=FISC.name, ruleset_digest=FISC.digest)
    lines = rank(of, PLAYERS, ROUNDS[:1])
    shown = list_prospects(race(of, PLAYERS, ROUNDS[:1]), lines, 2)
    assert [(line.best, line.worst) for line in shown] == [(line.rank, line.rank) for line in lines]
    assert [line.chance for line in shown] == [
        results.CHANCE_SAFE if line.rank <= 2 else results.CHANCE_OUT for line in lines
    ]


def test_a_tournament_of_total_scores_or_of_teams_is_refused() -> None:
    festa = load_ruleset("festa-major")
    with pytest.raises(Refusal, match="points of its games"):
        build_race(tournament(festa), festa, {}, [], [])
    with pytest.raises(Refusal, match="points of its games"):
        build_race(TOURNAMENT, FISC, {"anna": Player("lliga", "anna", team_id="valls")}, [], [])


def test_prizes_for_all_and_later_stages_are_goals_and_limited_prizes_are_none() -> None:
    lists = [
        pairing.PrizeListSet(name="Final standings", criterion=pairing.PRIZE_CRITERION_PLACE, amounts=[300, 200, 100]),
        pairing.PrizeListSet(name="Best woman", criterion=pairing.PRIZE_CRITERION_PLACE, category="W", amounts=[50]),
        pairing.PrizeListSet(name="Highest game", criterion=pairing.PRIZE_CRITERION_HIGH_GAME, amounts=[50]),
    ]
    stages = [
        Tournament("final", division="Final", stage_sources=("lliga",), stage_first_place=1, stage_last_place=2),
        Tournament("other", division="B", stage_sources=("copa",), stage_first_place=1, stage_last_place=2),
    ]
    found = list_goals(1, lists, stages, "lliga")
    assert [(goal.name, goal.first_place, goal.last_place) for goal in found] == [
        ("", 1, 1),
        ("Final standings", 1, 3),
        ("Final", 1, 2),
    ]


def test_each_goal_is_safe_possible_or_out_of_reach_with_the_count_that_shows_it() -> None:
    points = {"anna": 12, "biel": 8, "carme": 6, "dolors": 2, "eloi": 1}
    lines = [
        results.Standing(player_id=player, rank=rank_, half_points=halves)
        for rank_, (player, halves) in enumerate(points.items(), 1)
    ]
    of = Race(points, [], [("anna", "dolors"), ("biel", "carme")])
    shown = list_prospects(of, lines, 1)
    stage = Tournament("final", division="Final", stage_sources=("lliga",), stage_first_place=2, stage_last_place=3)
    goals = list_goals(1, [], [stage], "lliga")
    add_goals(shown, lines, of, {"eloi"}, goals, "en")
    chances = {line.player_id: [each.chance for each in line.goals] for line in shown}
    safe, alive, out = results.CHANCE_SAFE, results.CHANCE_ALIVE, results.CHANCE_OUT
    assert chances == {
        "anna": [safe, out],
        "biel": [out, safe],
        "carme": [out, safe],
        "dolors": [out, out],
        "eloi": [out, out],
    }
    texts = {line.player_id: [each.text for each in line.goals] for line in shown}
    assert texts["anna"][0].startswith("Even with a loss in every game, place 1 at worst: at most 0 others")
    assert texts["anna"][1].endswith("which is before these places.")
    assert texts["dolors"][1].startswith("Even with a win in every game, place 4 at best: at least 3 others")
    assert texts["eloi"][1] == "Has withdrawn, and so does not qualify."
    assert alive not in chances["anna"]


def test_a_player_that_has_withdrawn_takes_no_place_that_qualifies() -> None:
    points = {"anna": 12, "biel": 8, "carme": 6, "dolors": 2}
    lines = [results.Standing(player_id=player, rank=rank_) for rank_, player in enumerate(points, 1)]
    of = Race(points, [], [("carme", "dolors")])
    stage = Tournament("final", division="Final", stage_sources=("lliga",), stage_first_place=1, stage_last_place=2)
    shown = list_prospects(of, lines, 1)
    add_goals(shown, lines, of, {"anna"}, list_goals(1, [], [stage], "lliga"), "en")
    assert [line.goals[1].chance for line in shown] == [
        results.CHANCE_OUT,
        results.CHANCE_SAFE,
        results.CHANCE_SAFE,
        results.CHANCE_OUT,
    ]
