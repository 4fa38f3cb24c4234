"""The race of a tournament: its points, its tables without a result, and the rounds to come."""

from __future__ import annotations

import pytest
from tests.unit.read_models.computed.test_ranking import PLAYERS, TOURNAMENT, rank, tournament

from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.prospects import build_race, list_prospects
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
