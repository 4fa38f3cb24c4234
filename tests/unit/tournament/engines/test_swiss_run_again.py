"""A repeated pairing of a Swiss round is the same, and the bounds that shorten the search are correct."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from tests.support.examples import scale_examples
from tests.unit.tournament.engines.test_foresight import PETERSEN, graph_of
from tests.unit.tournament.engines.test_swiss import SEED, Championship, every_pairing, standings_of_few

from faristol.kernel.refusal import Refusal
from faristol.tournament.engines import foresight, swiss
from faristol.tournament.engines.swiss import ALGORITHM, Entrant, Paired, pair_next


class Kept(Championship):
    """A championship that stores its pairings."""

    def __init__(self, players: int, rounds: int, luck: random.Random) -> None:
        super().__init__(players, rounds, luck)
        self.paired: list[Paired] = []

    def note(self, paired: Paired) -> None:
        self.paired.append(paired)
        super().note(paired)


def few(seed: int) -> Iterator[str]:
    """Yield the outcome for few players, most of whom have met, with rounds to come."""
    chance = random.Random(seed)
    names = "abcdefg"[: chance.randint(2, 7)]
    met = {pair for pair in combinations(names, 2) if chance.random() < 0.4}
    apart = {pair for pair in combinations(names, 2) if chance.random() < 0.1}
    points = sorted((chance.randint(0, 6) for _ in names), reverse=True)
    standing = [
        Entrant(
            name,
            half_points,
            frozenset(other for pair in met if name in pair for other in pair if other != name),
            chance.random() < 0.4,
            frozenset(other for pair in apart if name in pair for other in pair if other != name),
        )
        for name, half_points in zip(names, points, strict=True)
    ]
    for rounds_after in range(3):
        try:
            yield str(pair_next(standing, SEED, rounds_after=rounds_after))
        except Refusal as refusal:
            yield f"{refusal.reason} {refusal.article} {refusal.params}"
    try:
        yield str(swiss.pair_first(standing))
    except Refusal as refusal:
        yield f"{refusal.reason} {refusal.article} {refusal.params}"


def digest_lines(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def test_what_the_version_of_the_record_paired_it_pairs_again() -> None:
    played = []
    for players, rounds in ((9, 8), (10, 9), (23, 7), (40, 6), (61, 5)):
        championship = Kept(players, rounds, random.Random(players))
        championship.play()
        played.append(digest_lines([str(paired) for paired in championship.paired]))
    assert (ALGORITHM, played) == ("swiss-distance-1", PLAYED)


def test_few_players_are_paired_again_as_they_were_or_refused_alike() -> None:
    assert digest_lines([line for seed in range(150) for line in few(seed)]) == FEW_PLAYERS


def test_what_a_pair_costs_can_be_computed_by_anybody() -> None:
    # Points have priority over places, and places over the draw, for any sums.
    standing = [Entrant("a", 5), Entrant("b", 4), Entrant("c", 2)]
    costs = dict(swiss._costs(standing, combinations(range(3), 2), SEED))
    for (high, low), cost in costs.items():
        first, other = standing[high], standing[low]
        lot = hmac.digest(SEED, f"{first.player_id} {other.player_id}".encode(), "sha256")[:6]
        points, places = (first.half_points - other.half_points) ** 2, (low - high) ** 2
        assert cost == ((points * 27 + places) * 3 << 48) + int.from_bytes(lot, "big")


@pytest.mark.parametrize(
    ("groups", "least"),
    [
        # size of each score group, half points, whether its players have all met each other
        ([(2, 4, False), (2, 2, False)], 0),
        ([(3, 4, False), (3, 2, False)], 4),
        ([(3, 5, False), (2, 4, False), (1, 2, False)], 1 + 4),
        ([(2, 6, True), (4, 3, False)], 2 * 9),
        ([(4, 6, False), (2, 3, True), (4, 1, False)], 2 * 4),
        ([(4, 6, False), (2, 5, True), (4, 1, False)], 2 * 1),
        ([(4, 6, False), (2, 3, True)], 2 * 9),
        ([(2, 6, True), (2, 3, True)], 2 * 9),
        ([(2, 6, True), (2, 3, True), (2, 1, True)], 2 * 9 + 2 * 4),
        ([(3, 6, False), (2, 3, True), (3, 1, False)], 9 + 4),
        ([(2, 6, True)], 0),
        ([(24, 6, True), (2, 3, False)], 2 * 9),
        ([(26, 6, True), (2, 3, False)], 0),
        ([(1, 6, False), (1, 3, False)], 9),
    ],
)
def test_a_pairing_costs_at_least_the_boundaries_between_scores_that_somebody_crosses(
    groups: list[tuple[int, int, bool]], least: int
) -> None:
    standing: list[Entrant] = []
    for size, half_points, have_met in groups:
        names = [f"p{len(standing) + place:02}" for place in range(size)]
        standing += [
            Entrant(name, half_points, frozenset({*names} - {name}) if have_met else frozenset()) for name in names
        ]
    assert swiss._least_points(standing, range(len(standing))) == least


@settings(max_examples=scale_examples(150), deadline=None)
@given(standings_of_few())
def test_no_pairing_costs_less_in_points_than_the_least(standing: list[Entrant]) -> None:
    least = swiss._least_points(standing, range(len(standing)))
    for pairing in every_pairing(standing) if len(standing) % 2 == 0 else ():
        assert sum((first.half_points - other.half_points) ** 2 for first, other in pairing) >= least


def test_players_within_reach_are_so_many_places_apart_and_no_more() -> None:
    assert list(swiss.within_reach([0, 1, 3, 4], 2)) == [(0, 1), (1, 3), (3, 4)]
    assert list(swiss.within_reach([0, 1, 3, 4], 3)) == [(0, 1), (0, 3), (1, 3), (1, 4), (3, 4)]


def test_the_squared_distance_in_points_is_that_of_all_pairs_together() -> None:
    standing = [Entrant("a", 6), Entrant("b", 4), Entrant("c", 3), Entrant("d", 0)]
    assert swiss._points(standing, ((0, 1), (2, 3))) == 4 + 9


def test_leaders_who_have_met_are_paired_among_their_neighbours_across_a_whole_point() -> None:
    leaders = [Entrant("a", 6, frozenset("b")), Entrant("b", 6, frozenset("a"))]
    standing = [*leaders, *(Entrant(f"p{number:02}", 4) for number in range(40))]
    assert swiss._nearest(standing, range(len(standing)), SEED) is not None


def steps(graph: foresight.Graph, rounds: int) -> int:
    """Return the number of steps of the search."""
    left = iter(range(foresight.MAX_SEARCH_STEPS))
    foresight._search(graph, rounds, left)
    return foresight.MAX_SEARCH_STEPS - len(list(left))


def test_rounds_to_come_are_looked_for_only_where_it_is_not_plain_that_there_are_some() -> None:
    whole = graph_of(10, list(combinations(range(10), 2)))
    assert [steps(whole, rounds) > 0 for rounds in range(11)] == [False] * 6 + [True] * 4 + [False]
    assert steps((), 3) == 0


@pytest.mark.parametrize(("rounds", "taken"), [(1, 6), (2, 58), (3, 13)])
def test_the_search_for_rounds_to_come_takes_few_steps(rounds: int, taken: int) -> None:
    assert steps(graph_of(10, PETERSEN), rounds) == taken


def test_a_search_that_takes_too_long_takes_the_rounds_to_be_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    petersen = graph_of(10, PETERSEN)
    needed = steps(petersen, 3)
    for allowed, found in ((needed - 1, True), (needed, False)):
        monkeypatch.setattr(foresight, "MAX_SEARCH_STEPS", allowed)
        assert foresight.can_go_on(petersen, 3) is found


PLAYED = ["2ba81d8c", "0cac4e72", "8357fb56", "b2f3b6ae", "a7bdaf73"]
FEW_PLAYERS = "700df07b"
