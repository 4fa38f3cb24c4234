"""The pauses of a championship between its looks for events of a hall."""

from __future__ import annotations

from itertools import accumulate

from faristol.game.halls.following import FOLLOW_PAUSE_SECONDS, MAX_FOLLOW_PAUSE_SECONDS, compute_pause, compute_spread


def test_many_events_come_in_fewer_responses_and_the_first_one_after_a_silence_comes_at_once() -> None:
    looks = [False, True, True, False, *[True] * 20, False]
    pauses = [*accumulate(looks, lambda last, found: compute_pause(last, found=found), initial=0.0)][1:]
    assert pauses[0] == pauses[3] == pauses[-1] == FOLLOW_PAUSE_SECONDS
    assert FOLLOW_PAUSE_SECONDS < pauses[1] < pauses[2]
    assert pauses[4:-1] == sorted(pauses[4:-1])
    assert pauses[-2] == MAX_FOLLOW_PAUSE_SECONDS


def test_halls_do_not_look_at_the_same_moments() -> None:
    spreads = sorted(compute_spread(f"Hall {number:02}") for number in range(1, 13))
    assert 0.6 <= spreads[0] < 0.8
    assert 1.2 < spreads[-1] <= 1.4
    assert len({round(spread, 2) for spread in spreads}) >= 9
