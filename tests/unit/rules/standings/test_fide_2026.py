"""The differences of FIDE's tie-breaks of March 2026 (C.07) from the earlier reading."""

from __future__ import annotations

import dataclasses
from typing import Literal

import pytest

from faristol.rules import Bye, Result, Ruleset, StandingsRow, load_ruleset, standings
from faristol.rules.ruleset.pins import read_content
from faristol.rules.ruleset.sections import TieBreak
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings import LeftOut

FISC = load_ruleset("fisc-2023")


def rules(system: str = "dutch", edition: Literal["2024", "2026"] = "2026", *names: TieBreak) -> Ruleset:
    law = dataclasses.replace(
        FISC.championship,
        system=system,  # type: ignore[arg-type] # one of them
        fide_edition=edition,
        tie_breaks=names or ("buchholz", "berger"),
    )
    return dataclasses.replace(FISC, championship=law)


def win(number: int, winner: str, loser: str) -> Result:
    return Result.of_game(number, winner, loser, 400, 300)


def draw(number: int, one: str, other: str) -> Result:
    return Result.of_game(number, one, other, 300, 300)


def line(results: list[Result], players: str, player: str, ruleset: Ruleset, planned: int) -> StandingsRow:
    return next(row for row in standings(results, list(players), ruleset, planned) if row.player == player)


def order(results: list[Result], players: str, ruleset: Ruleset, planned: int) -> list[tuple[int, str]]:
    return [(row.rank, row.player) for row in standings(results, list(players), ruleset, planned)]


LEFT = [win(1, "a", "b"), win(1, "c", "d"), win(2, "a", "c"), win(2, "d", "x"), win(3, "x", "c"), draw(4, "d", "x")]


@pytest.mark.parametrize(
    ("later", "edition", "worth"),
    [
        # b lost, and was away in the rounds after it: two draws, for any forfeit between or after them (16.2.5).
        ([Result.forfeit(3, "a", "b"), Result.forfeit(4, "a", "b")], "2026", 0.5),
        ([Result.bye(3, "b", Bye.ZERO_POINT), Result.forfeit(4, "a", "b")], "2026", 1.0),
        ([Result.bye(3, "b", Bye.HALF_POINT), Result.forfeit(4, "a", "b")], "2026", 1.0),
        # the winner of a forfeit was there, and earlier missed rounds count as awarded (16.2.3)
        ([Result.bye(3, "b", Bye.ZERO_POINT), Result.forfeit(4, "b", "a")], "2026", 1.0),
        ([Result.forfeit(3, "a", "b"), Result.forfeit(4, "a", "b")], "2024", 0.0),
        ([Result.bye(3, "b", Bye.ZERO_POINT), Result.forfeit(4, "a", "b")], "2024", 0.0),
    ],
)
def test_an_absence_that_only_absences_and_forfeit_losses_follow_is_one_to_the_end(
    later: list[Result], edition: Literal["2024", "2026"], worth: float
) -> None:
    terms = line([*LEFT, *later], "abcdx", "a", rules("dutch", edition), 4).arithmetic["buchholz"].terms
    assert next(term.worth for term in terms if term.round == 1) == worth


def test_forfeits_are_games_where_all_meet_all() -> None:
    results = [win(1, "a", "b"), win(1, "c", "d"), win(2, "a", "c"), win(2, "b", "d"), Result.forfeit(3, "d", "a")]
    results += [win(3, "c", "b")]
    swiss, robin = (line(results, "abcd", "d", rules(system), 3) for system in ("dutch", "round-robin"))
    # d has a point, a has two: a dummy has no more than d, the opponent of a table of rounds has his own (15.2).
    assert (swiss.tie_breaks["berger"], robin.tie_breaks["berger"]) == (1.0, 2.0)
    # And between two on two points it is a game that was lost (6.1.1).
    pair = [win(1, "a", "b"), win(2, "a", "c"), Result.forfeit(3, "b", "a"), win(1, "c", "d"), win(2, "b", "d")]
    pair += [win(3, "c", "d")]
    by = rules("round-robin", "2026", "head-to-head")
    assert line(pair, "abcd", "a", by, 3).points == line(pair, "abcd", "b", by, 3).points == 2


def test_a_rest_in_a_round_robin_is_no_win_on_the_way() -> None:
    results = [win(1, "a", "b"), Result.bye(1, "c"), draw(2, "b", "c"), Result.bye(2, "a")]
    rows = standings(results, ["a", "b", "c"], rules("round-robin"), 3)
    assert {row.player: (row.points, row.tie_breaks["berger"]) for row in rows} == {
        "a": (1.0, 0.5),
        "b": (0.5, 0.25),
        "c": (0.5, 0.25),
    }
    assert {row.points for row in standings(results, ["a", "b", "c"], rules("dutch"), 3)} == {2.0, 0.5, 1.5}


def test_equals_who_beat_each_other_in_a_circle_stay_equal() -> None:
    by = rules("dutch", "2026", "head-to-head")
    results = [win(1, "a", "c"), win(2, "c", "b"), win(3, "b", "a")]
    assert order(results, "abc", by, 3) == [(1, "a"), (1, "b"), (1, "c")]


def test_of_four_who_are_equal_two_stay_equal_and_their_game_parts_them() -> None:
    by = rules("round-robin", "2026", "head-to-head")
    once = rules("round-robin", "2024", "head-to-head")
    results = [
        win(1, "a", "b"),
        win(1, "c", "d"),
        win(2, "a", "c"),
        win(2, "b", "d"),
        win(3, "d", "a"),
        win(3, "b", "c"),
    ]
    # a 2, b 2, c 1, d 1: a beat b and c beat d.
    assert order(results, "abcd", by, 3) == order(results, "abcd", once, 3) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    level = [*results, win(4, "c", "w"), win(4, "d", "x"), win(4, "y", "a"), win(4, "z", "b")]
    assert order(level, "abcdwxyz", once, 4)[:4] == [(1, "a"), (1, "b"), (3, "c"), (3, "d")]
    assert order(level, "abcdwxyz", by, 4)[:4] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    counted = [
        (term.opponent, term.left_out) for term in line(level, "abcdwxyz", "a", by, 4).arithmetic["head-to-head"].terms
    ]
    assert counted == [("b", None), ("c", LeftOut.PARTED), ("d", LeftOut.PARTED)]


def test_in_a_swiss_tournament_who_is_first_whatever_the_missing_games_come_to_is_ranked() -> None:
    results = [win(1, "a", "b"), win(2, "a", "c"), win(3, "x", "a"), win(3, "b", "y"), win(1, "c", "z")]
    results += [win(2, "b", "x"), win(3, "c", "w")]
    by = rules("dutch", "2026", "head-to-head")
    # b and c have not met: a, who beat both, is first, and they stay equal (6.3).
    assert order(results, "abcxyzw", by, 3)[:3] == [(1, "a"), (2, "b"), (2, "c")]
    robin = rules("round-robin", "2026", "head-to-head")
    assert order(results, "abcxyzw", robin, 3)[:3] == [(1, "a"), (1, "b"), (1, "c")]


def test_a_forfeit_in_a_swiss_tournament_is_no_meeting() -> None:
    results = [Result.forfeit(1, "a", "b"), win(1, "c", "x"), win(2, "b", "c"), win(2, "x", "a")]
    by = rules("dutch", "2026", "head-to-head")
    assert order(results, "abcx", by, 2) == [(1, "a"), (1, "b"), (1, "c"), (1, "x")]


def test_of_several_games_between_two_the_mean_counts() -> None:
    results = [
        win(1, "a", "b"),
        win(2, "a", "b"),
        win(3, "b", "c"),
        win(4, "b", "c"),
        win(5, "c", "a"),
        win(6, "x", "a"),
    ]
    results += [win(6, "y", "b"), win(6, "c", "z")]
    by = rules("double-round-robin", "2026", "head-to-head")
    row = line(results, "abcxyz", "a", by, 6)
    # Twice 1 against b is 1, and once 0 against c is 0.
    assert (row.points, row.tie_breaks["head-to-head"]) == (2.0, 1.0)
    assert row.arithmetic["head-to-head"].divisor == 2


def test_what_is_pinned_from_before_editions_keeps_its_meaning() -> None:
    old = FISC.canonical.replace(b'"fide_edition":"2026",', b"").replace(b'"rest":"nothing",', b"")
    assert b'fide_edition":' not in old.replace(b"championship.fide_edition", b"")
    kept = read_content(old, {})
    assert (kept.championship.fide_edition, kept.championship.rest) == ("2024", "bye")
    assert kept.digest != FISC.digest
    assert with_options(FISC, {}).digest == FISC.digest
