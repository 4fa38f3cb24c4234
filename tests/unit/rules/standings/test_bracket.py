"""The bracket of a knock-out."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules.standings.bracket import (
    Bracket,
    DecidedBy,
    MatchFormat,
    arrange_seeds,
    count_levels,
    follow_bracket,
    most_rounds_of,
)
from faristol.rules.standings.results import Result

SEEDS = tuple("ABCDEFGH")


def play(
    slots: Sequence[str], form: MatchFormat, scores: Sequence[tuple[str, str, int, int]], left: Sequence[str] = ()
) -> Bracket:
    """Return the bracket after games, each in a round of its own."""
    results = [Result.of_game(number, *game) for number, game in enumerate(scores, 1)]
    return follow_bracket(slots, form, results, left)


def test_the_first_seeds_meet_as_late_as_possible_and_have_the_byes() -> None:
    assert arrange_seeds(SEEDS) == ("A", "H", "D", "E", "B", "G", "C", "F")
    assert arrange_seeds(SEEDS[:5]) == ("A", "", "D", "E", "B", "", "C", "")
    assert arrange_seeds(SEEDS[:1]) == ("A",)


def test_a_match_ends_as_soon_as_it_is_decided_and_the_next_level_waits_for_all() -> None:
    slots = arrange_seeds(SEEDS[:4])
    form = MatchFormat(games=3, placed=4)
    games = [("A", "D", 400, 300), ("B", "C", 400, 300), ("D", "A", 300, 400), ("C", "B", 400, 300)]
    bracket = play(slots, form, games)
    assert [match.players for match in bracket.open_matches] == [("B", "C")]
    assert bracket.matches[0].decided_by is DecidedBy.POINTS
    bracket = play(slots, form, [*games, ("B", "C", 350, 351)])
    assert [(match.players, match.first_place, match.last_place) for match in bracket.open_matches] == [
        (("A", "C"), 1, 2),
        (("D", "B"), 3, 4),
    ]
    assert bracket.places == {"A": (1, 2), "C": (1, 2), "D": (3, 4), "B": (3, 4)}


def test_players_that_are_out_share_their_places_unless_these_are_played_off() -> None:
    games = [("A", "D", 400, 300), ("B", "C", 400, 300), ("A", "B", 300, 400)]
    bracket = play(arrange_seeds(SEEDS[:4]), MatchFormat(), games)
    assert bracket.is_decided
    assert bracket.places == {"B": (1, 1), "A": (2, 2), "C": (3, 4), "D": (3, 4)}
    assert not play(arrange_seeds(SEEDS[:4]), MatchFormat(placed=4), games).is_decided


def test_the_final_can_be_longer_than_the_other_matches() -> None:
    form = MatchFormat(games=1, final_games=5)
    assert most_rounds_of(4, form) == 6
    games = [("A", "D", 400, 300), ("B", "C", 400, 300), *[("A", "B", 400, 300)] * 2]
    assert not play(arrange_seeds(SEEDS[:4]), form, games).is_decided
    bracket = play(arrange_seeds(SEEDS[:4]), form, [*games, ("A", "B", 400, 300)])
    assert (bracket.is_decided, bracket.matches[-1].winner) == (True, "A")


@pytest.mark.parametrize(("by_spread", "decided"), [(True, DecidedBy.SPREAD), (False, None)])
def test_equal_points_are_decided_by_the_spread_or_by_another_game(by_spread: bool, decided: DecidedBy | None) -> None:
    form = MatchFormat(games=2, by_spread=by_spread)
    games = [("A", "B", 400, 300), ("B", "A", 350, 300)]
    (match,) = play(("A", "B"), form, games).matches
    assert match.decided_by is decided
    (match,) = play(("A", "B"), form, [*games, ("A", "B", 300, 301)]).matches
    assert match.winner == ("A" if decided else "B")


def test_a_match_with_equal_points_and_spread_takes_games_until_one_is_won() -> None:
    games = [("A", "B", 400, 400)]
    assert not play(("A", "B"), MatchFormat(), games).is_decided
    assert not play(("A", "B"), MatchFormat(), [*games, ("A", "B", 1, 1)]).is_decided
    (match,) = play(("A", "B"), MatchFormat(), [*games, ("A", "B", 1, 2)]).matches
    assert (match.winner, match.decided_by) == ("B", DecidedBy.EXTRA_GAME)


def test_the_opponent_of_a_player_who_leaves_goes_on_but_a_decided_match_stays_decided() -> None:
    slots = arrange_seeds(SEEDS[:4])
    bracket = play(slots, MatchFormat(), [("A", "D", 400, 300)], left=["A", "B"])
    assert [(match.winner, match.decided_by) for match in bracket.matches] == [
        ("A", DecidedBy.POINTS),
        ("C", DecidedBy.WITHDRAWAL),
        ("C", DecidedBy.WITHDRAWAL),
    ]
    assert bracket.places["C"] == (1, 1)


def test_a_match_whose_players_have_both_left_has_no_winner() -> None:
    bracket = play(arrange_seeds(SEEDS[:4]), MatchFormat(placed=4), [], left=["A", "D"])
    assert [match.players for match in bracket.open_matches] == [("B", "C")]
    bracket = play(arrange_seeds(SEEDS[:4]), MatchFormat(placed=4), [("B", "C", 400, 300)], left=["A", "D"])
    assert bracket.is_decided
    assert bracket.places["B"] == (1, 1)


def test_the_number_of_slots_is_a_power_of_two() -> None:
    with pytest.raises(ValueError, match="1, 2, 4, 8"):
        follow_bracket(SEEDS[:3], MatchFormat(), [])


@given(
    players=st.integers(1, 20),
    games=st.sampled_from([1, 2, 3, 5]),
    placed=st.sampled_from([2, 4, 8, 32]),
    by_spread=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_every_bracket_ends_with_its_places_shared_out_once(
    players: int, games: int, placed: int, by_spread: bool, seed: int
) -> None:
    chance = random.Random(seed)
    seeds = [f"p{number:02}" for number in range(players)]
    form = MatchFormat(games, placed=placed, by_spread=by_spread)
    slots = arrange_seeds(seeds)
    results: list[Result] = []
    met: set[frozenset[str]] = set()
    rounds = 0
    while opened := follow_bracket(slots, form, results).open_matches:
        rounds += 1
        assert rounds < 500
        busy = [player for match in opened for player in match.players]
        assert len(busy) == len(set(busy)), "each player has one match at a time"
        met |= {frozenset(match.players) for match in opened}
        for match in opened:
            scores = chance.randrange(3), chance.randrange(3)
            results.append(Result.of_game(rounds, *match.players, *scores))
    bracket = follow_bracket(slots, form, results)
    assert bracket.is_decided
    assert sum(match.decided_by is not DecidedBy.BYE for match in bracket.matches) == len(met)
    by_place: dict[tuple[int, int], int] = {}
    for place in bracket.places.values():
        by_place[place] = by_place.get(place, 0) + 1
    taken = [place for (best, worst), count in by_place.items() for place in range(best, worst + 1)]
    assert sorted(taken) == list(range(1, players + 1))
    assert all(count == worst - best + 1 for (best, worst), count in by_place.items())
    assert bracket.levels == count_levels(players)
    if placed >= players:
        assert all(best == worst for best, worst in bracket.places.values())


def test_the_losers_of_a_level_play_for_a_second_way_in_and_go_on_behind_the_unbeaten() -> None:
    form = MatchFormat(repechage=1)
    first = [("A", "H", 400, 300), ("D", "E", 300, 400), ("B", "G", 400, 300), ("C", "F", 400, 300)]
    bracket = play(arrange_seeds(SEEDS), form, first)
    assert [(match.players, match.repechage) for match in bracket.open_matches] == [
        (("H", "D"), True),
        (("G", "F"), True),
    ]
    assert bracket.places["A"] == (1, 6)
    assert bracket.places["H"] == (1, 8)
    again = [*first, ("H", "D", 300, 400), ("G", "F", 400, 300)]
    bracket = play(arrange_seeds(SEEDS), form, again)
    assert [match.players for match in bracket.open_matches] == [("E", "D"), ("C", "G")], "A and B have the byes"
    assert (bracket.places["H"], bracket.places["F"], bracket.levels) == ((7, 8), (7, 8), 5)
    done = [*again, ("E", "D", 300, 400), ("C", "G", 400, 300), ("A", "D", 300, 400), ("B", "C", 400, 300)]
    bracket = play(arrange_seeds(SEEDS), form, [*done, ("D", "B", 400, 300)])
    assert bracket.is_decided
    assert (bracket.places["D"], bracket.places["B"]) == ((1, 1), (2, 2))


def test_a_second_match_of_two_players_has_only_the_games_after_the_first() -> None:
    form = MatchFormat(games=3, repechage=1)
    games = [*[("A", "B", 400, 300)] * 2]
    bracket = play(("A", "B"), form, games)
    assert [(match.players, match.level, len(match.games)) for match in bracket.matches] == [
        (("A", "B"), 1, 2),
        (("B", ""), 2, 0),
        (("A", "B"), 3, 0),
    ]
    bracket = play(("A", "B"), form, [*games, *[("A", "B", 300, 400)] * 2])
    assert (bracket.is_decided, bracket.places["B"]) == (True, (1, 1))


@given(
    players=st.integers(2, 20),
    games=st.sampled_from([1, 2, 3]),
    placed=st.sampled_from([2, 4, 32]),
    repechage=st.integers(0, 6),
    by_spread=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_every_bracket_with_a_repechage_ends_in_time_and_its_players_are_out_after_a_second_defeat(
    players: int, games: int, placed: int, repechage: int, by_spread: bool, seed: int
) -> None:
    chance = random.Random(seed)
    seeds = [f"p{number:02}" for number in range(players)]
    form = MatchFormat(games, placed=placed, by_spread=by_spread, repechage=repechage)
    slots = arrange_seeds(seeds)
    results: list[Result] = []
    rounds = 0
    while opened := follow_bracket(slots, form, results).open_matches:
        rounds += 1
        busy = [player for match in opened for player in match.players]
        assert len(busy) == len(set(busy)), "each player has one match at a time"
        results += [Result.of_game(rounds, *match.players, *chance.sample(range(9), 2)) for match in opened]
    assert rounds <= most_rounds_of(players, form) or not games % 2, "without drawn games an odd number decides"
    bracket = follow_bracket(slots, form, results)
    by_place: dict[tuple[int, int], int] = {}
    for place in bracket.places.values():
        by_place[place] = by_place.get(place, 0) + 1
    assert sorted(place for best, worst in by_place for place in range(best, worst + 1)) == list(range(1, players + 1))
    assert all(count == worst - best + 1 for (best, worst), count in by_place.items())
    assert len(bracket.matches) == len({(match.level, match.players) for match in bracket.matches})
    assert sum(len(match.games) for match in bracket.matches) == len(results)
    defeats = [match.loser for match in bracket.matches if match.level == repechage and match.loser]
    if defeats and max(match.level for match in bracket.matches) > repechage:
        saved = {match.winner for match in bracket.matches if match.repechage}
        assert len(saved) == (len(defeats) + 1) // 2
        assert saved <= set(defeats)
    champion = next(player for player, place in bracket.places.items() if place == (1, 1))
    lost = [match for match in bracket.matches if match.loser == champion]
    assert len(lost) <= (1 if repechage else 0)
