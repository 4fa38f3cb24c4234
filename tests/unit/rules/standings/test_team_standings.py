from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.standings.naive_team_standings import Boards, Matches, lost_by_all

from faristol.rules import Bye, Result, RoundOutcome, Ruleset, SpreadAdjustment, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings import Match, TeamBoard, TeamBye, TeamRow, TeamScore, team_standings

FISE = load_ruleset("fise")
TEAMS = ["avila", "burgos", "cuenca", "deva", "elche"]
BOARD_COUNT = 3

Held = list[Match | TeamBye]

WON, LOST, DRAWN = (
    (RoundOutcome.WIN, RoundOutcome.LOSS),
    (RoundOutcome.LOSS, RoundOutcome.WIN),
    (RoundOutcome.DRAW, RoundOutcome.DRAW),
)


def everything(unplayed: str) -> Ruleset:
    """Return the rules with every tie-break that teams can have."""
    rules = with_options(FISE, {"unplayed": unplayed})
    law = dataclasses.replace(
        rules.championship,
        fide_edition="2024",
        tie_breaks=("head-to-head", "median-buchholz", "buchholz", "berger", "spread", "total"),
        buchholz_cut=1,
        buchholz_cut_long=2,
    )
    return dataclasses.replace(rules, championship=law)


@st.composite
def boards(draw: st.DrawFn) -> TeamBoard:
    kind = draw(st.sampled_from(["game", "game", "game", "forfeit", "double loss", "nobody"]))
    if kind == "game":
        return TeamBoard.of(Result.of_game(1, "x", "y", draw(st.integers(0, 3)), draw(st.integers(0, 3))))
    if kind == "forfeit":
        return TeamBoard.of(Result.forfeit(1, "x", "y"))
    if kind == "double loss":
        return TeamBoard.of(Result(1, "x", "y", 0, 0, (RoundOutcome.LOSS, RoundOutcome.LOSS)))
    return TeamBoard.without_opponent(first=draw(st.booleans()))


@st.composite
def championships(draw: st.DrawFn) -> Held:
    """Return up to four rounds of five teams: matches, byes of all kinds, and absent teams."""
    held: Held = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        order = draw(st.permutations(TEAMS))
        for first, second in ((order[0], order[1]), (order[2], order[3])):
            if draw(st.integers(0, 5)):
                match = tuple(draw(st.lists(boards(), min_size=1, max_size=BOARD_COUNT)))
                held.append(Match(number, first, second, match))
        if draw(st.booleans()):
            held.append(TeamBye(number, order[4], draw(st.integers(1, BOARD_COUNT)), draw(st.sampled_from(Bye))))
    return held


def match(number: int, first: str, second: str, *boards: tuple[RoundOutcome, RoundOutcome], score: int = 0) -> Match:
    return Match(number, first, second, tuple(TeamBoard(outcomes, score, 0) for outcomes in boards))


def matches(row: TeamRow) -> int:
    """Return matches in which a game was played."""
    return row.wins + row.draws + row.losses


def row(rows: tuple[TeamRow, ...], team: str) -> TeamRow:
    return next(row for row in rows if row.team == team)


@given(championships(), st.sampled_from(["fide-dummy", "fide-virtual", "own-score", "zero"]), st.sampled_from([4, 7]))
def test_teams_stand_as_the_words_of_the_rules_come_to(held: Held, unplayed: str, planned: int) -> None:
    ruleset = everything(unplayed)
    naive: dict[TeamScore, Matches] = {
        "match-points": Matches(held, TEAMS, ruleset, planned),
        "board-points": Boards(held, TEAMS, ruleset, planned, BOARD_COUNT),
    }
    for by, words in naive.items():
        rows = team_standings(held, TEAMS, ruleset, planned, by, BOARD_COUNT)
        found = [(row.rank, row.team, row.points, *(value.value for value in row.arithmetic.values())) for row in rows]
        assert found == [(line.rank, line.player, line.points, *line.tie_breaks.values()) for line in words.lines()]


@given(championships())
def test_points_of_the_boards_are_the_boards_won_and_drawn_and_each_match_not_lost_by_both_gives_one_point(
    held: Held,
) -> None:
    rows = team_standings(held, TEAMS, FISE, 4, "match-points", BOARD_COUNT)
    matches = [entry for entry in held if isinstance(entry, Match)]
    worth = {Bye.HALF_POINT: 0.5, Bye.ZERO_POINT: 0.0}
    byes = [(bye.boards, worth.get(bye.kind, 1.0)) for bye in held if isinstance(bye, TeamBye)]
    decided = [match for match in matches if not lost_by_all(match)]
    lost_by_both = sum(
        board.outcomes == (RoundOutcome.LOSS, RoundOutcome.LOSS) for match in matches for board in match.boards
    )
    games = sum(len(match.boards) for match in matches) - lost_by_both
    assert sum(row.board_points for row in rows) == games + sum(number * each for number, each in byes)
    assert sum(row.match_points for row in rows) == len(decided) + sum(each for _, each in byes)
    assert sum(row.spread for row in rows) == 0
    scores = [board.first_score + board.second_score for match in matches for board in match.boards]
    assert sum(row.total for row in rows) == sum(scores)
    played = [match for match in matches if any(board.played for board in match.boards)]
    assert sum(row.wins + row.draws + row.losses for row in rows) == 2 * len(played)


@given(championships())
def test_either_score_is_the_first_tie_break_of_the_other(held: Held) -> None:
    by_matches = {row.team: row for row in team_standings(held, TEAMS, FISE, 4, "match-points", BOARD_COUNT)}
    by_boards = {row.team: row for row in team_standings(held, TEAMS, FISE, 4, "board-points", BOARD_COUNT)}
    for team in TEAMS:
        matches, other = by_matches[team], by_boards[team]
        assert matches.points == matches.match_points == other.match_points == other.arithmetic["match-points"].value
        assert other.points == other.board_points == matches.board_points == matches.arithmetic["board-points"].value
        assert list(matches.arithmetic) == ["board-points", "spread", "total"]
        assert list(other.arithmetic) == ["match-points", "spread", "total"]


def test_a_match_is_won_on_boards_whatever_the_scores_and_drawn_on_equal_boards() -> None:
    boards = (TeamBoard(WON, 301, 300), TeamBoard(WON, 310, 300), TeamBoard(LOST, 100, 600))
    rows = team_standings([Match(1, "avila", "burgos", boards)], TEAMS[:2], FISE, 3, "match-points", BOARD_COUNT)
    avila, burgos = row(rows, "avila"), row(rows, "burgos")
    assert (avila.match_points, avila.board_points, avila.wins, avila.spread) == (1, 2, 1, -489)
    assert (burgos.match_points, burgos.board_points, burgos.losses, burgos.total) == (0, 1, 1, 1200)
    level = [match(1, "avila", "burgos", WON, LOST, DRAWN)]
    rows = team_standings(level, TEAMS[:2], FISE, 3, "match-points", BOARD_COUNT)
    assert [(line.rank, line.points, line.draws) for line in rows] == [(1, 0.5, 1), (1, 0.5, 1)]


def test_many_boards_or_many_matches_decide_as_the_organiser_chose() -> None:
    held = [
        match(1, "avila", "burgos", WON, WON, LOST),
        match(1, "cuenca", "deva", WON, WON, WON),
        match(2, "avila", "deva", WON, WON, LOST),
        match(2, "burgos", "cuenca", WON, WON, LOST),
    ]
    by_matches = team_standings(held, TEAMS[:4], FISE, 3, "match-points", BOARD_COUNT)
    assert [(line.team, line.match_points, line.board_points) for line in by_matches][:2] == [
        ("avila", 2, 4),
        ("cuenca", 1, 4),
    ]
    by_boards = team_standings(held, TEAMS[:4], FISE, 3, "board-points", BOARD_COUNT)
    assert [(line.rank, line.team) for line in by_boards] == [(1, "avila"), (2, "cuenca"), (3, "burgos"), (4, "deva")]
    held.append(match(3, "cuenca", "avila", WON, WON, LOST))
    assert team_standings(held, TEAMS[:4], FISE, 3, "board-points", BOARD_COUNT)[0].team == "cuenca"


def test_a_bye_gives_its_points_for_the_match_and_for_every_player_and_no_match() -> None:
    held: Held = [TeamBye(1, "avila", 3), TeamBye(1, "burgos", 2, Bye.HALF_POINT), match(1, "cuenca", "deva", WON)]
    rows = team_standings(held, TEAMS[:4], FISE, 3, "match-points", BOARD_COUNT)
    avila, burgos = row(rows, "avila"), row(rows, "burgos")
    assert (avila.match_points, avila.board_points, matches(avila), avila.spread) == (1, 3, 0, 0)
    assert (burgos.match_points, burgos.board_points) == (0.5, 1)


def test_a_board_that_only_one_team_has_somebody_for_is_won_and_a_match_of_such_boards_is_no_match_played() -> None:
    match = Match(1, "avila", "burgos", (TeamBoard(LOST, 300, 400), TeamBoard.without_opponent(first=True)))
    other = Match(1, "cuenca", "deva", (TeamBoard.without_opponent(first=False),))
    rows = team_standings([match, other], TEAMS[:4], FISE, 3, "match-points", 2)
    assert [(row(rows, team).match_points, matches(row(rows, team))) for team in TEAMS[:4]] == [
        (0.5, 1),
        (0.5, 1),
        (0, 0),
        (1, 0),
    ]


def test_a_match_being_played_adds_nothing_and_what_came_off_the_spread_of_a_player_comes_off_the_teams() -> None:
    held = [match(1, "avila", "burgos", WON, WON, score=10)]
    off = [SpreadAdjustment(1, "avila", -50), SpreadAdjustment(1, "burgos", -7, sanction=True)]
    rows = team_standings(
        held, TEAMS[:4], FISE, 3, "match-points", 2, pending={("cuenca", 1), ("deva", 1)}, adjustments=off
    )
    assert [(row.team, row.spread, row.total) for row in rows] == [
        ("avila", -30, 20),
        ("cuenca", 0, 0),
        ("deva", 0, 0),
        ("burgos", -27, -7),
    ]


def test_what_cannot_be_is_said_of_the_team() -> None:
    with pytest.raises(ValueError, match="avila has two results in round 1"):
        team_standings([match(1, "avila", "burgos", WON), TeamBye(1, "avila", 2)], TEAMS, FISE, 3, "match-points", 2)
    with pytest.raises(ValueError, match="zamora, not one of the players"):
        team_standings([match(1, "avila", "zamora", WON)], TEAMS, FISE, 3, "match-points", 2)
    with pytest.raises(ValueError, match="round 4 is not one of the 3 rounds"):
        team_standings([match(4, "avila", "burgos", WON)], TEAMS, FISE, 3, "match-points", 2)
