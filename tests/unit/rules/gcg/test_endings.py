"""The tiles left are counted by the rules or the file, down to the last line."""

from __future__ import annotations

from random import Random

import pytest
from tests.unit.rules.gcg.games import ENGLISH, FESTA_MAJOR, FISC, INSTRUCTIONS, NaiveGame

from faristol.rules import Ruleset
from faristol.rules.conditions import EndCondition
from faristol.rules.gcg import Play, Replay, read_gcg, replay, write_gcg, write_rack
from faristol.rules.ruleset.with_options import with_options


def play_ending(ruleset: Ruleset) -> tuple[list[str], str, list[str]]:
    """Return a game that a player ended: its lines before the closing ones, the player, and the opponent's tiles."""
    for seed in range(100):
        naive = NaiveGame(ruleset, Random(seed))
        naive.close = lambda: None  # type: ignore[method-assign] # the closing lines are written by each test
        game = naive.play(200)
        if naive.recorder.end is EndCondition.OUT:
            out = "a" if not naive.racks["a"] else "b"
            left = naive.racks["b" if out == "a" else "a"]
            if sum(ruleset.tile_set.values[face] for face in left):
                return write_gcg(game).splitlines(), out, left
    raise AssertionError("nobody ever goes out")


class End:
    """Such a game, to which lines can be added."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.lines, self.out, left = play_ending(ruleset)
        self.loser = "b" if self.out == "a" else "a"
        self.tiles = write_rack(sorted(left, key=list(ruleset.tile_set.counts).index))
        self.value = sum(ruleset.tile_set.values[face] for face in left)
        self.totals = dict(replay(read_gcg("\n".join(self.lines)), ruleset).totals)

    def gains(self, points: int) -> str:
        return f">{self.out}: ({self.tiles}) {points:+} {self.totals[self.out] + points}"

    def loses(self, points: int) -> str:
        return f">{self.loser}: {self.tiles} ({self.tiles}) -{points} {self.totals[self.loser] - points}"

    def replay_lines(self, *lines: str) -> Replay:
        return replay(read_gcg("\n".join([*self.lines, *lines])), self.ruleset)

    def list_problems(self, *lines: str) -> tuple[tuple[int, str], ...]:
        """Return the problems: the number of the closing line, 0 for the last turn, and the reason."""
        return tuple((problem.line - len(self.lines), problem.reason) for problem in self.replay_lines(*lines).problems)


@pytest.fixture(scope="module")
def tournament() -> End:
    return End(ENGLISH)


@pytest.fixture(scope="module", params=[INSTRUCTIONS, FISC], ids=lambda rules: rules.name)
def instructions(request: pytest.FixtureRequest) -> End:
    return End(request.param)


def test_who_goes_out_gets_the_rack_twice_or_it_is_taken_off_as_well(tournament: End) -> None:
    value = tournament.value
    once = tournament.replay_lines(tournament.gains(2 * value))
    both = tournament.replay_lines(tournament.gains(value), tournament.loses(value))
    swapped = tournament.replay_lines(tournament.loses(value), tournament.gains(value))
    assert not once.problems
    assert not both.problems
    assert not swapped.problems
    spreads = {game.totals[tournament.out] - game.totals[tournament.loser] for game in (once, both, swapped)}
    assert len(spreads) == 1


def test_one_way_of_counting_is_kept(tournament: End) -> None:
    value = tournament.value
    assert tournament.list_problems(tournament.gains(value)) == ((1, "SCORE"),)
    assert tournament.list_problems(tournament.gains(2 * value), tournament.loses(value)) == ((1, "SCORE"),)
    assert tournament.list_problems(tournament.loses(value)) == ((1, "RACKS_MISSING"),)
    assert tournament.list_problems() == ((0, "RACKS_MISSING"),)
    assert tournament.list_problems("#incomplete") == ()


def test_a_book_that_takes_the_rack_off_wants_both_lines(instructions: End) -> None:
    value = instructions.value
    assert instructions.list_problems(instructions.gains(value), instructions.loses(value)) == ()
    assert instructions.list_problems(instructions.gains(2 * value), instructions.loses(value)) == ((1, "SCORE"),)
    assert instructions.list_problems(instructions.gains(value)) == ((1, "RACKS_MISSING"),)
    assert instructions.list_problems(instructions.gains(2 * value)) == ((1, "SCORE"), (1, "RACKS_MISSING"))
    missing = instructions.replay_lines(instructions.gains(value)).problems[0]
    assert f">{instructions.loser}: {instructions.tiles} ({instructions.tiles}) -n total" in missing.expected


def test_the_tiles_left_are_those_that_are_not_on_the_board(tournament: End) -> None:
    out, loser, total = tournament.out, tournament.loser, tournament.totals
    assert tournament.list_problems(f">{out}: ({tournament.tiles}E) +9 {total[out] + 9}") == ((1, "RACK_LEFT"),)
    assert tournament.list_problems(f">{loser}: ({tournament.tiles[1:] or 'E'}) -1 {total[loser] - 1}") == (
        (1, "RACK_LEFT"),
    )
    assert tournament.list_problems(f">{loser}: (AE) +4 {total[loser] + 4}") == ((1, "NOT_OUT"),)
    assert tournament.list_problems(f">{out}: (AE) -2 {total[out] - 2}") == ((1, "IS_OUT"),)


def test_overtime_is_taken_off_once_before_or_after_the_racks(tournament: End) -> None:
    out, total, value = tournament.out, tournament.totals[tournament.out], tournament.value
    before = f">{out}: (time) -10 {total - 10}"
    after = f">{out}: ({tournament.tiles}) +{2 * value} {total - 10 + 2 * value}"
    assert tournament.list_problems(before, after) == ()
    assert tournament.list_problems(before, f">{out}: (time) -10 {total - 20}") == ((2, "TWICE"),)
    assert tournament.list_problems(f">{out}: (time) +10 {total + 10}") == ((1, "TIME_POINTS"),)
    assert tournament.list_problems(f">{out}: (time) -0 {total}") == ((1, "TIME_POINTS"),)


def test_overtime_is_a_multiple_of_what_a_minute_costs_and_can_end_a_game() -> None:
    fisc = End(FISC)
    out, total = fisc.out, fisc.totals[fisc.out]
    assert fisc.list_problems(f">{out}: (time) -15 {total - 15}") == ((1, "TIME_POINTS"),)
    early = [line for line in fisc.lines[:6] if not line.startswith(">")]
    lines = [*early, ">a: AEINRT? - +0 0", ">b: (time) -100 -100"]
    over = replay(read_gcg("\n".join(lines)), FISC)
    assert (over.end, over.problems) == (EndCondition.OVERTIME, ())
    again = replay(read_gcg("\n".join([*lines, ">b: AEINRT? - +0 -100"])), FISC)
    assert [problem.reason for problem in again.problems] == ["AFTER_END"]
    less = replay(read_gcg("\n".join([*early, ">b: (time) -90 -90"])), FISC)
    assert [problem.reason for problem in less.problems] == ["BEFORE_END"]


def test_the_last_play_can_still_be_challenged(tournament: End) -> None:
    out, loser, total = tournament.out, tournament.loser, tournament.totals
    plus = 2 * tournament.value
    bonus = f">{out}: (challenge) +5 {total[out] + 5}"
    points = f">{out}: ({tournament.tiles}) +{plus} {total[out] + 5 + plus}"
    assert tournament.list_problems(bonus, points) == ()
    lost = f">{loser}: {tournament.tiles} - +0 {total[loser]}"
    assert tournament.list_problems(lost, tournament.gains(plus)) == ()
    assert tournament.list_problems(lost, lost) == ((2, "AFTER_END"),)
    assert tournament.list_problems(f">{out}: - +0 {total[out]}") == ((1, "AFTER_END"),)
    assert tournament.list_problems(tournament.gains(plus), bonus) == ((2, "NO_PLAY"),)
    last = tournament.replay_lines().steps[-1]
    back = f">{out}: -- -{last.score} {last.total - last.score}"
    assert tournament.list_problems(back) == ()
    assert tournament.replay_lines(back).end is None
    assert tournament.list_problems(back, tournament.gains(plus)) == ((2, "BEFORE_END"),)


def test_a_rack_is_no_larger_than_what_the_empty_bag_left(tournament: End) -> None:
    game = read_gcg("\n".join(tournament.lines))
    last = next(event for event in reversed(game.events) if isinstance(event, Play))
    before = tournament.lines[: last.line - 1]
    problem = replay(read_gcg("\n".join([*before, f">{last.nick}: EEEEEEE - +0 0"])), ENGLISH).problems[0]
    assert (problem.line, problem.reason) == (last.line, "RACK_TOO_LONG")
    assert "at most: the bag is empty" in problem.expected


def test_a_turn_that_cannot_be_passed_is_given_up_where_the_book_knows_that() -> None:
    naive = NaiveGame(FESTA_MAJOR, Random(3))
    nick = "a"
    while len(naive.bag) >= 7:
        naive.turn(nick)
        nick = "b" if nick == "a" else "a"
    written = write_gcg(naive.recorder.game()) + f">{nick}: - +0 {naive.recorder.totals[nick]}\n"
    assert not replay(read_gcg(written), FESTA_MAJOR).problems
    strict = with_options(FESTA_MAJOR, {"cannot_play": "false"})
    problems = replay(read_gcg(written), strict).problems
    assert [(problem.reason, problem.article) for problem in problems] == [("PASS_NOT_ALLOWED", "FM 7")]
