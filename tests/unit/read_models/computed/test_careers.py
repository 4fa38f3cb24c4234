"""Careers of players and the best results of seasons, from rows and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.careers import BESTS_LINES_COUNT, BestsTournament, build_bests, build_career
from faristol.read_models.computed.circuits import SeasonTournament
from faristol.read_models.storage.rows import Game, Line, Round, Seat, Tournament

CLOSED = results.ROUND_PHASE_CLOSED


def entry(tournament_id: str, place: int, *games: tuple[str, int, int], **fields: Any) -> results.PlayerTournament:
    """Return Anna in a tournament, with the opponent and both scores of each game."""
    made = results.PlayerTournament()
    made.tournament.tournament_id, made.tournament.name = tournament_id, tournament_id.title()
    made.tournament.rounds = fields.pop("rounds", len(games))
    made.standing.rank = place
    for number, (opponent, score, other) in enumerate(games, 1):
        made.tournament.played.add(round=number, phase=CLOSED)
        outcome = results.OUTCOME_DRAW
        if score != other:
            outcome = results.OUTCOME_WIN if score > other else results.OUTCOME_LOSS
        game = made.games.add(game_id=f"{tournament_id}-r{number}-t1", round=number, outcome=outcome)
        game.table.final, game.table.unplayed = True, fields.get("unplayed", False)
        game.table.seats.add(player_id=opponent, name=opponent.title(), score=other)
        game.table.seats.add(player_id="anna", name="Anna", score=score)
    return made


def anna(*entries: results.PlayerTournament) -> results.GetPlayerResponse:
    return results.GetPlayerResponse(player_id="anna", name="Anna", tournaments=entries, total=len(entries))


def test_a_career_adds_up_the_games_of_all_tournaments() -> None:
    found = build_career(
        anna(entry("copa", 2, ("biel", 400, 380), ("carla", 350, 350)), entry("lliga", 5, ("biel", 300, 410))), ""
    )
    assert (found.tournaments, found.wins, found.draws, found.losses) == (2, 1, 1, 1)
    assert (found.total, found.total_against) == (1050, 1140)
    assert (found.highest_game.game_id, found.highest_game.score) == ("copa-r1-t1", 400)
    assert found.highest_spread.game_id == "copa-r1-t1"
    assert [(each.opponent_id, each.wins, each.draws, each.losses, each.spread) for each in found.opponents] == [
        ("biel", 1, 0, 1, -90),
        ("carla", 0, 1, 0, 0),
    ]
    assert not any(each.games for each in found.opponents)


def test_the_games_against_one_opponent_are_listed_with_their_ids() -> None:
    found = build_career(
        anna(entry("copa", 2, ("biel", 400, 380), ("carla", 350, 350)), entry("lliga", 5, ("biel", 300, 410))), "biel"
    )
    (line,) = found.opponents
    assert [(game.game_id, game.score, game.opponent_score) for game in line.games] == [
        ("copa-r1-t1", 400, 380),
        ("lliga-r1-t1", 300, 410),
    ]
    assert (found.wins, found.draws, found.losses) == (1, 1, 1), "the totals are those of all games"


def test_medals_are_of_finished_tournaments() -> None:
    open_one = entry("copa", 1, ("biel", 400, 380), rounds=3)
    found = build_career(anna(open_one, entry("lliga", 3, ("biel", 400, 1)), entry("gran", 4, ("biel", 400, 1))), "")
    assert [(each.tournament_id, each.place) for each in found.medals] == [("lliga", 3)]


def test_forfeits_and_tables_of_several_players_are_no_games_of_a_career() -> None:
    several = entry("copa", 1, ("biel", 400, 380))
    several.games[0].table.seats.add(player_id="carla", score=300)
    found = build_career(anna(several, entry("lliga", 1, ("biel", 100, 0), unplayed=True)), "")
    assert (found.wins, len(found.opponents), found.HasField("highest_game")) == (0, 0, False)


def season(
    tournament_id: str, *games: Mapping[str, int], plays: tuple[Line, ...] = (), places: Mapping[str, int] | None = None
) -> BestsTournament:
    """Return a finished tournament with one table in each round, from the scores of its players."""
    rounds = []
    for number, scores in enumerate(games, 1):
        game = Game(f"{tournament_id}-r{number}-t1", tournament_id, number, final=True)
        game.seats = [
            Seat(game.game_id, place, tournament_id, number, player, score=score)
            for place, (player, score) in enumerate(scores.items())
        ]
        rounds.append(Round(tournament_id, number, CLOSED, games=[game]))
    head = Tournament(tournament_id, tournament_id.title(), rounds=len(games))
    return BestsTournament(SeasonTournament(head, {}, rounds, places or {}), plays)


def test_the_best_results_of_a_season_lead_to_their_games() -> None:
    play = Line("lliga-r1-t1", 5, "lliga", results.ENTRY_KIND_PLAY, 4, "biel", 140, complete=True)
    found = build_bests(
        [
            season("copa", {"anna": 400, "biel": 450}, {"anna": 510, "biel": 300}),
            season("lliga", {"anna": 420, "biel": 380}, plays=(play,)),
        ],
        min_games=3,
    )
    assert [(each.value, each.player_id, each.game_id) for each in found.games[:2]] == [
        (510, "anna", "copa-r2-t1"),
        (450, "biel", "copa-r1-t1"),
    ]
    assert [(each.value, each.game_id) for each in found.spreads] == [
        (210, "copa-r2-t1"),
        (50, "copa-r1-t1"),
        (40, "lliga-r1-t1"),
    ]
    assert [(each.value, each.player_id, each.game_id, each.turn) for each in found.plays] == [
        (140, "biel", "lliga-r1-t1", 4)
    ]
    assert [(each.player_id, each.games, each.total, each.average_hundredths) for each in found.averages] == [
        ("anna", 3, 1330, 44_333),
        ("biel", 3, 1130, 37_667),
    ], "half up to hundredths"


def test_values_equal_to_the_last_line_are_listed_too() -> None:
    games = [{"anna": 400, "biel": 399}] * (BESTS_LINES_COUNT + 2)
    found = build_bests([season("copa", *games)], min_games=1)
    assert [each.value for each in found.games] == [400] * (BESTS_LINES_COUNT + 2)


def test_an_average_requires_enough_games_and_medals_count_by_their_colour() -> None:
    found = build_bests(
        [
            season("copa", {"anna": 400, "biel": 450}, places={"anna": 2, "biel": 1, "carla": 3, "dora": 4}),
            season("lliga", {"anna": 420, "carla": 380}, places={"anna": 2, "carla": 1}),
        ],
        min_games=2,
    )
    assert [each.player_id for each in found.averages] == ["anna"]
    assert [
        (each.player_id, *map(len, (each.first_ids, each.second_ids, each.third_ids))) for each in found.medals
    ] == [
        ("carla", 1, 0, 1),
        ("biel", 1, 0, 0),
        ("anna", 0, 2, 0),
    ]


def test_a_play_at_a_table_that_was_paired_after_the_rounds_were_read_is_left_out() -> None:
    play = Line("copa-r9-t1", 5, "copa", results.ENTRY_KIND_PLAY, 4, "biel", 140, complete=True)
    assert not build_bests([season("copa", {"anna": 1, "biel": 2}, plays=(play,))], min_games=1).plays
