from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.cases import case_id_of

CASES = st.tuples(st.sampled_from(["cup-r1-t1", "cup-r1-t11", "cup-r11-t1"]), st.integers(1, 200), st.booleans())
SEEDS = st.binary(min_size=32, max_size=32)


@given(st.sets(CASES, max_size=20), SEEDS)
def test_every_challenge_and_every_appeal_has_a_case_of_its_own(cases: set[tuple[str, int, bool]], seed: bytes) -> None:
    assert len({case_id_of(game, seed, number, appeal=appeal) for game, number, appeal in cases}) == len(cases)


@given(CASES, SEEDS, SEEDS)
def test_who_does_not_know_the_seed_cannot_tell_the_game(
    case: tuple[str, int, bool], seed: bytes, guess: bytes
) -> None:
    game, number, appeal = case
    case_id = case_id_of(game, seed, number, appeal=appeal)
    assert case_id == case_id_of(game, seed, number, appeal=appeal)
    assert game not in case_id
    assert (case_id_of(game, guess, number, appeal=appeal) == case_id) == (seed == guess)
