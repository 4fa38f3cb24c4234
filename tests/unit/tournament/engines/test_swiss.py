from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples

from faristol.kernel.refusal import Refusal
from faristol.tournament.engines import swiss
from faristol.tournament.engines.matchings import cheapest
from faristol.tournament.engines.swiss import Entrant, Paired, pair_first, pair_next

SEED = bytes(range(32))


class Championship:
    """Plays a whole championship with random results, and checks every round."""

    def __init__(self, players: int, rounds: int, luck: random.Random) -> None:
        self.rounds = rounds
        self.luck = luck
        self.met: dict[str, set[str]] = {f"p{number:03}": set() for number in range(1, players + 1)}
        self.half_points = dict.fromkeys(self.met, 0)
        self.rested: list[str] = []

    def standing(self) -> list[Entrant]:
        order = sorted(self.met, key=lambda name: (-self.half_points[name], name))
        return [Entrant(name, self.half_points[name], frozenset(self.met[name]), name in self.rested) for name in order]

    def play(self) -> None:
        for number in range(1, self.rounds + 1):
            standing = self.standing()
            paired = (
                pair_first(standing) if number == 1 else pair_next(standing, SEED, rounds_after=self.rounds - number)
            )
            self.check(standing, paired)
            self.note(paired)

    def check(self, standing: Sequence[Entrant], paired: Paired) -> None:
        seated = [name for pair in paired.pairs for name in pair]
        assert sorted([*seated, *([paired.bye] if paired.bye else [])]) == sorted(self.met), "everybody once"
        assert (paired.bye is not None) == (len(self.met) % 2 == 1)
        assert paired.bye not in self.rested, "nobody rests twice"
        rank = [entrant.player_id for entrant in standing]
        for first, second in paired.pairs:
            assert second not in self.met[first], "no rematch"
            assert rank.index(first) < rank.index(second), "the higher-ranked one is first"

    def note(self, paired: Paired) -> None:
        if paired.bye:
            self.rested.append(paired.bye)
            self.half_points[paired.bye] += 2
        for first, second in paired.pairs:
            self.met[first].add(second)
            self.met[second].add(first)
            won = self.luck.choice((0, 1, 2, 2))
            self.half_points[first] += won
            self.half_points[second] += 2 - won


def every_pairing(players: Sequence[Entrant]) -> Iterator[list[tuple[Entrant, Entrant]]]:
    """Yield every complete pairing without a rematch, by brute force."""
    if not players:
        yield []
        return
    first, *others = players
    for other in others:
        if other.player_id not in first.opponents:
            for rest in every_pairing([left for left in others if left is not other]):
                yield [(first, other), *rest]


@st.composite
def standings_of_few(draw: st.DrawFn) -> list[Entrant]:
    """Return up to 8 players with any previous meetings, best first."""
    count = draw(st.integers(2, 8))
    names = "abcdefgh"[:count]
    met = draw(st.sets(st.sampled_from(list(combinations(names, 2)))))
    points = sorted(draw(st.lists(st.integers(0, 8), min_size=count, max_size=count)), reverse=True)
    byes = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    return [
        Entrant(
            name,
            points[place],
            frozenset(other for pair in met if name in pair for other in pair if other != name),
            byes[place],
        )
        for place, name in enumerate(names)
    ]


def test_round_1_pairs_the_top_half_with_the_bottom_half() -> None:
    # FISC I.1: ratings 1 to 8 give 1–5, 2–6, 3–7, 4–8.
    paired = pair_first([Entrant(str(place)) for place in range(1, 9)])

    assert paired == Paired((("1", "5"), ("2", "6"), ("3", "7"), ("4", "8")), bye=None)


def test_round_1_of_an_odd_number_rests_the_last_and_halves_the_others() -> None:
    paired = pair_first([Entrant(str(place)) for place in range(1, 8)])

    assert paired == Paired((("1", "4"), ("2", "5"), ("3", "6")), bye="7")


def test_12_players_never_meet_twice_in_7_rounds() -> None:
    # FISC I.1.A.
    for seed in range(20):
        Championship(12, 7, random.Random(seed)).play()


@settings(max_examples=scale_examples(150), deadline=None)
@given(rounds=st.integers(5, 11), more=st.integers(0, 30), luck=st.randoms(use_true_random=False))
def test_every_championship_can_be_played_to_its_end(rounds: int, more: int, luck: random.Random) -> None:
    """From a round robin, where the last rounds leave no choice, to fields where there is always one."""
    fewest = rounds if rounds % 2 else rounds + 1
    Championship(fewest + more, rounds, luck).play()


@settings(max_examples=scale_examples(300), deadline=None)
@given(standing=standings_of_few())
def test_a_pairing_is_found_exactly_when_there_is_one(standing: list[Entrant]) -> None:
    odd = len(standing) % 2 == 1
    resting = [entrant for entrant in reversed(standing) if not entrant.had_bye] if odd else [None]
    possible = [
        (rest, pairing)
        for rest in resting
        for pairing in every_pairing([other for other in standing if other is not rest])
    ]

    if not possible:
        with pytest.raises(Refusal) as refused:
            pair_next(standing, SEED)
        assert refused.value.reason in {"NO_BYE_LEFT", "NO_OPPONENT_LEFT", "NO_PAIRING"}
        return

    paired = pair_next(standing, SEED)
    lowest = possible[0][0]
    assert paired.bye == (lowest.player_id if lowest else None), "the lowest who can rest"
    place = {entrant.player_id: number for number, entrant in enumerate(standing)}
    points = {entrant.player_id: entrant.half_points for entrant in standing}

    def distance(pairing: Sequence[tuple[str, str]]) -> tuple[int, int]:
        return (
            sum((points[a] - points[b]) ** 2 for a, b in pairing),
            sum((place[a] - place[b]) ** 2 for a, b in pairing),
        )

    allowed = [[(a.player_id, b.player_id) for a, b in pairing] for rest, pairing in possible if rest is lowest]
    assert distance(paired.pairs) == min(map(distance, allowed))


def test_score_groups_stay_together_where_they_can() -> None:
    # a and b lead and have met; c and d follow, e and f come last; neither of the last two meets a leader
    standing = [
        Entrant("a", 4, frozenset("b")),
        Entrant("b", 4, frozenset("a")),
        Entrant("c", 2),
        Entrant("d", 2),
        Entrant("e", 0),
        Entrant("f", 0),
    ]

    assert pair_next(standing, SEED).pairs == (("a", "c"), ("b", "d"), ("e", "f"))


def test_three_equal_floats_are_better_than_one_that_is_longer() -> None:
    # Both ways are 9 half points of distance: 3 + 3 + 3, or 3 + 4 + 2 for a–d b–f c–e.
    met = {"a": "bc", "b": "ace", "c": "abd", "d": "c", "e": "bf", "f": "e"}
    points = {"a": 5, "b": 5, "c": 4, "d": 2, "e": 2, "f": 1}
    standing = [Entrant(name, points[name], frozenset(met[name])) for name in "abcdef"]

    for number in range(20):
        assert set(pair_next(standing, bytes([number]) * 32).pairs) == {("a", "e"), ("b", "d"), ("c", "f")}, "no lot"


def test_the_bye_goes_to_the_lowest_who_has_had_none() -> None:
    standing = [
        Entrant("a", 4),
        Entrant("b", 2),
        Entrant("c", 2),
        Entrant("d", 2, had_bye=True),
        Entrant("e", 0, had_bye=True),
    ]

    assert pair_next(standing, SEED).bye == "c"


def test_the_bye_moves_up_when_the_others_could_not_be_paired() -> None:
    # Without c, a and b would be left, who have met.
    standing = [Entrant("a", 2, frozenset("b")), Entrant("b", 1, frozenset("a")), Entrant("c", 0)]

    assert pair_next(standing, SEED) == Paired((("a", "c"),), bye="b")


def test_a_pairing_that_would_block_the_last_round_gives_way() -> None:
    """Six players, two rounds played: the nearest pairing of the third leaves two trios, who cannot be paired."""
    played = [("a", "d"), ("b", "e"), ("c", "f"), ("a", "e"), ("b", "f"), ("c", "d")]
    met: dict[str, set[str]] = {name: set() for name in "abcdef"}
    for first, other in played:
        met[first].add(other)
        met[other].add(first)
    standing = [Entrant(name, 0, frozenset(met[name])) for name in "afbdce"]

    blind = pair_next(standing, SEED)
    left = [
        pair
        for pair in combinations("abcdef", 2)
        if pair[1] not in met[pair[0]] and pair not in {tuple(sorted(blind_pair)) for blind_pair in blind.pairs}
    ]
    assert sorted(left) == sorted([*combinations("abc", 2), *combinations("def", 2)]), "two trios are left"

    paired = pair_next(standing, SEED, rounds_after=2)

    assert {tuple(sorted(pair)) for pair in paired.pairs} != {tuple(sorted(pair)) for pair in blind.pairs}


def test_tables_follow_the_score_groups() -> None:
    # The first leader has met the two others and floats down: the pair of leaders still sits at table 1.
    standing = [
        Entrant("a", 4, frozenset("bc")),
        Entrant("b", 4, frozenset("a")),
        Entrant("c", 4, frozenset("a")),
        Entrant("d", 2),
        Entrant("e", 0),
        Entrant("f", 0),
    ]

    assert pair_next(standing, SEED).pairs == (("b", "c"), ("a", "d"), ("e", "f"))


def test_equal_pairings_are_decided_by_lot_and_the_lot_can_be_drawn_again() -> None:
    # c and d have met: a–b c–e d–f and its mirror image a–c b–d e–f are equally short.
    met = {"c": "d", "d": "c"}
    standing = [Entrant(name, 0, frozenset(met.get(name, ""))) for name in "abcdef"]
    seeds = [bytes([number]) * 32 for number in range(20)]

    drawn = [pair_next(standing, seed).pairs for seed in seeds]

    assert set(drawn) == {(("a", "b"), ("c", "e"), ("d", "f")), (("a", "c"), ("b", "d"), ("e", "f"))}
    assert drawn == [pair_next(standing, seed).pairs for seed in seeds]


@pytest.mark.parametrize("players", [199, 200])
def test_200_players_are_paired_well_within_a_second(players: int) -> None:
    championship = Championship(players, 11, random.Random(7))
    started = time.process_time()
    championship.play()

    assert (time.process_time() - started) / 11 < 0.5


def test_who_has_met_everybody_is_named() -> None:
    standing = [Entrant("a", 2, frozenset("bcd")), *(Entrant(name, 0, frozenset("a")) for name in "bcd")]

    with pytest.raises(Refusal, match="a has met every other player") as refused:
        pair_next(standing, SEED)

    assert refused.value.article == "FIDE C.04.1 1.9.3"


def test_two_trios_cannot_be_paired() -> None:
    standing = [Entrant(name, 0, frozenset(set("abcdef") - set(trio))) for trio in ("abc", "def") for name in trio]

    with pytest.raises(Refusal, match="6 players cannot all be paired"):
        pair_next(standing, SEED)


def test_when_everybody_has_rested_nobody_may_rest() -> None:
    standing = [Entrant(name, 2, had_bye=True) for name in "abc"]

    with pytest.raises(Refusal, match="each has already had a bye") as refused:
        pair_next(standing, SEED)

    assert refused.value.reason == "NO_BYE_LEFT"


def test_two_leaders_who_have_met_are_paired_among_their_neighbours_and_not_among_all() -> None:
    leaders = [Entrant("a", 5, frozenset("b")), Entrant("b", 5, frozenset("a"))]
    standing = [*leaders, *(Entrant(f"p{number:02}", 4) for number in range(40))]
    nodes = list(range(len(standing)))
    near = swiss._nearest(standing, nodes, SEED)
    assert near is not None
    assert near == cheapest(nodes, dict(swiss._costs(standing, combinations(nodes, 2), SEED)))


@settings(max_examples=scale_examples(60), deadline=None)
@given(st.integers(2, 34), st.integers(1, 7), st.randoms(use_true_random=False))
def test_looking_at_neighbours_alone_finds_the_pairing_of_least_distance(
    size: int, held: int, chance: random.Random
) -> None:
    half_points = dict.fromkeys(range(size), 0)
    met: dict[int, set[int]] = {player: set() for player in range(size)}
    for number in range(held):
        order = sorted(range(size), key=lambda player: (-half_points[player], player))
        standing = [
            Entrant(f"p{player:02}", half_points[player], frozenset(f"p{other:02}" for other in met[player]))
            for player in order
        ]
        nodes = list(range(size))
        if size % 2:
            nodes.remove(chance.randrange(size))
        seed = bytes([number]) * 32
        best = cheapest(nodes, dict(swiss._costs(standing, combinations(range(size), 2), seed)))
        near = swiss._nearest(standing, nodes, seed)
        assert near in (None, best)
        assert next(swiss._by_distance(standing, nodes, seed), None) == best
        for high, low in best or ():
            higher, other = order[high], order[low]
            met[higher].add(other)
            met[other].add(higher)
            won = chance.randrange(3)
            half_points[higher] += won
            half_points[other] += 2 - won
