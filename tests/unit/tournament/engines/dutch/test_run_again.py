"""A round is paired and explained years later as before: a recorded version of the system does not change."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from tests.support.dutch_tournaments import Draw

from faristol.kernel.refusal import Refusal
from faristol.tournament.engines.dutch import pairing
from faristol.tournament.engines.dutch.impossible import choices
from faristol.tournament.engines.dutch.pairing import ALGORITHM, PairedRound, pair_round
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer, DutchRound
from faristol.tournament.pairing_explanations.dutch import BYE_NUMBER, why, why_not
from faristol.words.jit import IS_COMPILED


def rounds(seed: int, most_players: int) -> Iterator[tuple[DutchRound, PairedRound]]:
    """Yield the rounds of a tournament up to one that cannot be paired."""
    try:
        yield from Draw(seed, most_players).pair_rounds()
    except Refusal:
        return


def describe_round(a_round: DutchRound, paired: PairedRound, *, explained: bool) -> Iterator[str]:
    """Yield the outcome of a round, and why each player meets the opponent and no other player."""
    yield from (f"{board.white}-{board.black} {board.article}" for board in paired.boards)
    yield f"bye {paired.bye} of {paired.bye_points}"
    for outcome in paired.outcomes:
        yield f"{outcome.pairs} {outcome.floaters} {outcome.exchanges} {[found.name for found in outcome.criteria]}"
    if not explained:
        return
    numbers = [player.number for player in a_round.players]
    for number in numbers:
        yield f"{number}: {why(a_round, paired, number)}"
        yield from (f"{number}, {other}: {why_not(a_round, paired, number, other)}" for other in (*numbers, BYE_NUMBER))


def otherwise(a_round: DutchRound) -> Iterator[tuple[DutchRound, PairedRound]]:
    """Yield the same round without colours, with the other initial colour, and with pairs that an arbiter made or
    forbade.
    """
    numbers = [player.number for player in a_round.ranking()]
    for other in (
        replace(a_round, colours=False),
        replace(a_round, initial_colour=BLACK),
        replace(a_round, kept=((numbers[0], numbers[-1]),)),
        replace(a_round, forbidden=frozenset(map(frozenset, pairwise(numbers)))),
    ):
        with suppress(Refusal):
            yield other, pair_round(other)


def describe_refusal(seed: int) -> Iterator[str]:
    """Yield why a round of few players, most of whom have met, cannot be paired, and the arbiter's choices."""
    chance = random.Random(seed)
    numbers = range(1, chance.randint(3, 7) + 1)
    met: dict[int, set[int]] = {number: set() for number in numbers}
    apart = set()
    for pair in combinations(numbers, 2):
        kind = chance.random()
        if kind < 0.6:
            met[pair[0]].add(pair[1])
            met[pair[1]].add(pair[0])
        elif kind < 0.75:
            apart.add(frozenset(pair))
    colours = [(WHITE, WHITE), (BLACK, BLACK), (WHITE, BLACK)]
    players = (
        DutchPlayer(each, 10 * chance.randint(0, 2), frozenset(met[each]), chance.choice(colours), had_bye=each % 2 > 0)
        for each in numbers
    )
    a_round = DutchRound(tuple(players), number=3, forbidden=frozenset(apart))
    try:
        pair_round(a_round)
    except Refusal as refusal:
        yield f"{refusal.reason} {sorted(refusal.params.items())}"
    yield from (f"{choice.way.value} {choice.exceptions}" for choice in choices(a_round))


def digest_lines(lines: Iterator[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def by_seed(first: int, sums: str) -> dict[int, str]:
    """Return the outcome of each seed, from ``first`` on."""
    return dict(enumerate(sums.split(), first))


def test_what_the_version_of_the_record_paired_it_pairs_again() -> None:
    found = {
        seed: digest_lines(line for each in rounds(seed, 24) for line in describe_round(*each, explained=False))
        for seed in PAIRED
    }
    assert (ALGORITHM, found) == ("fide-dutch-2026-2", PAIRED)


def test_the_version_pairs_without_the_compiler_as_with_it() -> None:
    name = "test_a_round_is_paired_again_without_the_compiler"
    code = (
        f"import sys, pytest; sys.modules['numba'] = None; sys.exit(pytest.main(['-n0', '-k', {name!r}, {__file__!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(IS_COMPILED, reason="the test above runs it without numba")
def test_a_round_is_paired_again_without_the_compiler() -> None:
    found = {
        seed: digest_lines(line for each in rounds(seed, 24) for line in describe_round(*each, explained=False))
        for seed in list(PAIRED)[:10]
    }
    assert found == {seed: PAIRED[seed] for seed in found}


def test_what_the_version_made_of_wishes_of_an_arbiter_it_makes_again() -> None:
    found = {
        seed: digest_lines(
            line
            for a_round, _ in rounds(seed, 12)
            for each in otherwise(a_round)
            for line in describe_round(*each, explained=seed % 4 == 0)
        )
        for seed in OTHERWISE
    }
    assert found == OTHERWISE


def test_ways_out_of_a_round_that_cannot_be_paired_are_offered_alike() -> None:
    assert {seed: digest_lines(describe_refusal(seed)) for seed in REFUSED} == REFUSED


def test_what_was_explained_is_explained_alike() -> None:
    found = {
        seed: digest_lines(line for each in rounds(seed, 9) for line in describe_round(*each, explained=True))
        for seed in EXPLAINED
    }
    assert found == EXPLAINED


@pytest.mark.parametrize("seed", range(40, 60))
def test_a_great_field_is_paired_as_if_everybody_was_looked_at_together(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for a_round, paired in rounds(seed, 16):
        with monkeypatch.context() as patched:
            patched.setattr(pairing, "SMALL_FIELD_PLAYERS", 0)
            again = pair_round(a_round)
        assert (again.boards, again.bye) == (paired.boards, paired.bye)


def test_no_way_out_is_offered_of_a_round_that_can_be_paired() -> None:
    assert [choices(a_round) for a_round, _ in rounds(3, 8)] == [()] * sum(1 for _ in rounds(3, 8))


def test_the_bye_of_a_great_field_may_come_from_above_the_next_scoregroup(monkeypatch: pytest.MonkeyPatch) -> None:
    players = (
        *(DutchPlayer(number, 30) for number in (1, 2, 3)),
        *(DutchPlayer(number, 20, had_bye=True) for number in (4, 5)),
        *(DutchPlayer(number, 10, had_bye=True) for number in (6, 7, 8, 9)),
    )
    a_round = DutchRound(players, number=4)
    together = pair_round(a_round)
    monkeypatch.setattr(pairing, "SMALL_FIELD_PLAYERS", 0)
    apart = pair_round(a_round)
    assert (apart.boards, apart.bye, apart.bye_points) == (together.boards, together.bye, together.bye_points)
    assert apart.bye == 3


PAIRED = by_seed(
    0,
    "e24e5b13 8c2b9925 0067921f 683e1b4f 44088b62 a399152e 72861acf 813ccc4e eb5b8c0e c65af92a 108a3a54 a6e56ef2 "
    "66c5567c 8908f856 addb1997 4bdc095c 7ec731a2 d3a2654f 84ca44b6 0ceab8e8 37b8a590 8b90ba38 05ee27f2 b6b4b572 "
    "827d88a5 d685fe23 20bc8d10 3657b616 76ab0ece b6ed9688 cd0d9c4a 97cc72c7 68011544 99dbf598 4f53f5fe 99d21ba7 "
    "53841526 aa10be20 9d656009 71ff67f0",
)

OTHERWISE = by_seed(
    100,
    "0f1a010d 0dd4cc14 858f8a6f 919b551e 01a66c09 6283d57a a3aaf31d ed3f0397 24e60e0a 178546bf 4f03a496 9fcc0a5c "
    "dcbf0708 67165857 54c10cd4",
)

REFUSED = by_seed(
    0,
    "81b7a29f e3b0c442 51d3019a 8d4e65de 593e4924 f6822c14 fc01b68d bd490888 7f2ceee4 ffd9c74c 438aa586 7feea01c "
    "e8847a20 e3b0c442 e3b0c442 db464ed0 d02eaeea 8d29664b d0fd76b6 e18a89dc e3b0c442 0caa0e83 8c199f1c e5d0c0ae "
    "e3b0c442 e3b0c442 51d3019a e3b0c442 e8e61c6f 37f1b80f e3b0c442 e3b0c442 312116a3 79dad824 6ff743e7 79b7d7bb "
    "aff84233 e85ea083 870b0f53 db464ed0 6bdf772d e3b0c442 f6822c14 e3b0c442 2c25a524 d02eaeea f1887e52 51d3019a "
    "42d239c6 e3b0c442 2a2df6b0 e0493400 e3b0c442 27d2c4c2 8d4e65de f6822c14 9911bd89 e8e61c6f 413df49d d0fd76b6",
)

EXPLAINED = by_seed(
    60,
    "e7da7168 bb6a3e16 cfb92e36 8e38ae4f 90c76621 8c9144a8 56f37973 268849fd 37374810 a57c8ca6 d8918802 88490bc0 "
    "fbab1b0a b16b23db ad3cbf20 ff64faee e9256390 24166480 0f9088bf f0e89593 bca42230 7bff5ec9 b53f36b7 dcab7f7b "
    "9826b61d 56fb6b73 6913b1f6 f9232e4d 87e5470a 335800ec",
)
