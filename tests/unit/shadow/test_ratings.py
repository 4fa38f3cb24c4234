"""The ratings of another program after its rounds are computed again, or the shadow says why they are not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.unit.shadow.event import NAMES, NUM_ROUNDS, change, play_event
from tests.unit.shadow.test_replay import REAL_DIVISION

from faristol.rating.games import Rated, of_table
from faristol.rating.systems import NASPA_2
from faristol.rules.tournament_files import FileDivision, TournamentFile
from faristol.rules.tournament_files.tsh import read_tsh, write_tsh
from faristol.shadow.ratings import compare_ratings
from faristol.shadow.sentences import describe_difference


def rated_event(rounds: int = NUM_ROUNDS) -> FileDivision:
    """Return an event of weaker players with the ratings that NASPA's formula gives after each round."""
    division = play_event(rounds)
    players = [replace(player, rating=(player.rating or 0) - 400) for player in division.players]
    after: list[list[int]] = [[] for _ in players]
    for number in range(1, rounds + 1):
        games = [
            game
            for own, player in enumerate(players, 1)
            for cell in player.rounds[:number]
            if cell.is_played and cell.opponent > own
            for game in of_table(((str(own), cell.score or 0), (str(cell.opponent), cell.against or 0)))
        ]
        rated = [Rated(str(own), player.rating or 0) for own, player in enumerate(players, 1)]
        for place, each in enumerate(NASPA_2.rate(rated, games)):
            after[place].append(each.after)
    return FileDivision(
        "A", tuple(replace(player, ratings=tuple(told)) for player, told in zip(players, after, strict=True))
    )


def as_tsh(division: FileDivision, system: str = "naspa-csw", rounds: int = NUM_ROUNDS) -> TournamentFile:
    """Return the tournament of the folder that tsh writes, with its ratings and the setting of their system."""
    files = write_tsh(TournamentFile("Open", "", (division,), rounds, "tsh"))
    lines = zip(files["a.t"].splitlines(), division.players, strict=True)
    files["a.t"] = "\n".join(f"{line}; newr {' '.join(map(str, player.ratings))}" for line, player in lines)
    if system:
        files["config.tsh"] += f"config rating_system = '{system}'\n"
    return read_tsh(files)


def test_equal_ratings_are_no_difference_and_their_number_is_told() -> None:
    found = compare_ratings(as_tsh(rated_event()))

    assert (found.differences, found.system, found.left_out) == ((), "naspa-2", 0)
    assert found.compared == len(NAMES) * NUM_ROUNDS


def test_a_planted_rating_is_found_at_its_round_with_both_values() -> None:
    event = rated_event()
    true = event.players[2].ratings
    planted = change(event, 3, ratings=(*true[:3], (true[3] or 0) + 1, *true[4:]))

    (found,) = compare_ratings(as_tsh(planted)).differences

    assert (found.kind.value, found.round, found.name) == ("rating", 4, NAMES[2])
    told = describe_difference(found, "en")
    assert told == f"{NAMES[2]} has the rating {(true[3] or 0) + 1} after round 4 there, {true[3]} by naspa-2."


@pytest.mark.parametrize(
    ("system", "chosen", "told"),
    [
        ("absp", "", "this program does not have their system absp"),
        ("", "", "the source does not name their system"),
        ("naspa-csw", "none", "are not compared."),
        ("naspa-csw", "glicko2-1", "depend on earlier lists"),
    ],
)
def test_ratings_of_a_system_that_is_not_known_here_are_no_difference_and_the_reason_is_told(
    system: str, chosen: str, told: str
) -> None:
    event = rated_event()
    wrong = change(event, 1, ratings=(1,) * NUM_ROUNDS)

    found = compare_ratings(as_tsh(wrong, system), chosen)

    assert (found.differences, found.compared, found.system) == ((), 0, "")
    assert told in str(found.note.message).replace("{system}", system)
    assert len(compare_ratings(as_tsh(wrong, system), "naspa-2").differences) == NUM_ROUNDS


def test_values_that_an_unrated_player_moves_are_left_out_and_counted() -> None:
    event = rated_event(1)
    unrated = change(event, 1, rating=None, ratings=(1,))

    found = compare_ratings(as_tsh(unrated))

    assert found.differences == ()
    assert found.left_out == 2, "the player and the opponent"
    assert found.compared == len(NAMES) - 2


@pytest.mark.skipif(not REAL_DIVISION.exists(), reason="the real division is not beside the checkout")
def test_the_ratings_of_a_real_division_of_tsh_are_computed_here_after_each_of_its_rounds() -> None:
    known = json.loads(REAL_DIVISION.read_text())
    players = known["players"][1:]
    lines = [
        f"Player{chr(64 + each['id'])}, X {each['rating']} {' '.join(map(str, each['pairings']))}; "
        f"{' '.join(map(str, each['scores']))}; newr {' '.join(map(str, each['etc']['newr']))}"
        for each in players
    ]
    config = f"division b b.t\nconfig rating_system = '{known['rating_system']}'\nconfig max_rounds = {known['maxr']}\n"

    found = compare_ratings(read_tsh({"config.tsh": config, "b.t": "\n".join(lines)}))

    assert (found.differences, found.compared, found.left_out) == ((), 12 * 11, 0)
