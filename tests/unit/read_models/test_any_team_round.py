"""Standings of teams from any rounds, against plain code that knows only the published JSON."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.component.recomputation import recomputed_teams

from faristol.gateway.api.contract_json import to_json
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.computed.teams import rank_teams, show_matches
from faristol.read_models.storage.rows import (
    Adjustment,
    Bye,
    ByeKind,
    Game,
    Match,
    Option,
    Round,
    Seat,
    Team,
    Tournament,
)
from faristol.rules import load_ruleset
from faristol.rules.ruleset.options import format_value
from faristol.rules.ruleset.with_options import with_options

BOARD_COUNT = 2
TEAMS = ("avila", "burgos", "cuenca", "deva", "elche")
RULES = with_options(load_ruleset("fise"), {"teams": BOARD_COUNT, "tie_breaks": "spread"})
TOURNAMENT = Tournament(
    "lliga",
    rounds=5,
    team_boards=BOARD_COUNT,
    ruleset=RULES.name,
    ruleset_digest=RULES.digest,
    ruleset_options=tuple(Option(name, format_value(value)) for name, value in RULES.chosen.items()),
)
LISTED = {each: Team("lliga", each, number, each.title()) for number, each in enumerate(TEAMS)}


def seat(team: str, place: int, board: int, score: int) -> Seat:
    return Seat("", place, player_id=f"{team}-{board}", team_id=team, score=score)


@st.composite
def tables(draw: st.DrawFn, match: int, board: int, teams: tuple[str, str]) -> Game:
    """Return a result of any kind: by points, by decision, lost by all, by forfeit; with corrections of the spread."""
    seats = [seat(team, place, board, draw(st.integers(0, 3))) for place, team in enumerate(teams)]
    table = Game("", "lliga", seats=seats, match=match, board=board, final=True, unplayed=draw(st.booleans()))
    table.winner_id = draw(st.sampled_from(["", "", seats[0].player_id, seats[1].player_id]))
    table.lost_by_all = not table.winner_id and draw(st.integers(0, 4)) == 0
    if draw(st.integers(0, 4)) == 0:
        table.spread_adjustments = (Adjustment(seats[0].player_id, -2, "", sanction=draw(st.booleans())),)
    return table


@st.composite
def rounds(draw: st.DrawFn) -> list[Round]:
    """Return rounds of two matches, a team with a bye, and boards at which one team has no player."""
    found = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        round_ = Round("lliga", number, results.ROUND_PHASE_CLOSED)

        def add_bye(team: str, board: int, worth: int, match: int = 0, to: Round = round_) -> None:
            place = len(to.byes)
            to.byes.append(
                Bye("lliga", to.round, ByeKind.REQUESTED, place, f"{team}-{board}", team, worth, match, board)
            )

        order = draw(st.permutations(TEAMS))
        for match, teams in enumerate((order[:2], order[2:4]), 1):
            first, second = teams
            round_.matches.append(Match("lliga", number, match, first, second))
            for board in range(1, BOARD_COUNT + 1):
                if draw(st.integers(0, 4)):
                    round_.games.append(draw(tables(match, board, (first, second))))
                else:
                    add_bye(draw(st.sampled_from(teams)), board, pairing.BYE_KIND_FULL_POINT, match)
        kind = draw(st.sampled_from(sorted(pairing.ByeKind.values())))
        round_.byes.append(Bye("lliga", number, ByeKind.TEAM, 0, team_id=order[4], worth=kind))
        for board in range(1, draw(st.integers(1, BOARD_COUNT)) + 1):
            add_bye(order[4], board, kind or pairing.BYE_KIND_FULL_POINT)
        found.append(round_)
    return found


def to_pairings(round_: Round) -> results.GetPairingsResponse:
    """Return a round as it is published."""
    answer = answers.pairings(round_, LISTED)
    show_matches(answer, round_, RULES)
    return answer


@given(rounds())
def test_anybody_comes_to_the_standings_of_teams_from_the_published_pairings(
    played: list[Round],
) -> None:
    lines = rank_teams(TOURNAMENT, LISTED.values(), played)
    told: dict[str, Any] = {
        "tournament": {"team_boards": BOARD_COUNT},
        "teams": [{"team_id": team, "withdrawn_round": 0, "entered_round": 1} for team in TEAMS],
        "rounds": [to_json(to_pairings(each)) for each in played],
    }
    found = [
        (
            line.rank,
            line.team_id,
            line.match_half_points / 2,
            line.board_half_points / 2,
            line.spread,
            line.total,
        )
        for line in lines
    ]
    assert found == recomputed_teams(told)
    for line in lines:
        assert sum(round_.board_half_points for round_ in line.rounds) == line.board_half_points
        assert [round_.final for round_ in line.rounds] == [True] * len(played)


@given(rounds())
def test_the_points_that_the_matches_show_are_those_of_the_standings(
    played: list[Round],
) -> None:
    lines = {line.team_id: line for line in rank_teams(TOURNAMENT, LISTED.values(), played)}
    for round_ in played:
        for match in to_pairings(round_).matches:
            first, second = (
                lines[team.team_id].rounds[round_.round - 1] for team in (match.first_team, match.second_team)
            )
            assert (first.board_half_points, first.against_half_points) == (
                match.first_team.board_half_points,
                match.second_team.board_half_points,
            )
            assert (second.board_half_points, second.against_half_points) == (
                first.against_half_points,
                first.board_half_points,
            )
            won = {match.first_team.team_id: first, match.second_team.team_id: second}
            assert {team for team, each in won.items() if each.outcome == results.OUTCOME_WIN} == (
                {match.winner_team_id} if match.winner_team_id else set()
            )
            lost = [each for each in won.values() if each.outcome == results.OUTCOME_LOSS]
            assert match.lost_by_all == (len(lost) == 2)
