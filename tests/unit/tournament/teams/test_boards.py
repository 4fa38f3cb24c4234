"""The invariants of every tournament of teams, for any arrivals, withdrawals and results."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.halls import Hall

from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Bye, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.state import RoundState
from faristol.tournament.teams.boards import there
from faristol.tournament.teams.tournament import match_of

FISE = load_ruleset("fise")
ROUND_COUNT = 3


def tournament(teams: int, boards: int, system: str, score: str, chance: random.Random) -> Hall:
    """Return teams with line-ups of one player to two more than there are boards."""
    sizes = [chance.randint(1, boards + 2) for _ in range(teams)]
    players = {f"t{team}p{place}": chance.choice([None, *range(800, 2200, 7)])
               for team, size in enumerate(sizes) for place in range(size)}  # fmt: skip
    rounds = ROUND_COUNT if system in {"swiss", "dutch"} else teams - 1 + teams % 2
    hall = Hall(players, rounds, with_options(FISE, {"teams": boards, "pairing": system, "team_score": score}))
    for team, size in enumerate(sizes):
        line_up = [f"t{team}p{place}" for place in range(size)]
        chance.shuffle(line_up)
        hall.carry_out(pb.RegisterTeamRequest(team_id=f"t{team}", name=f"Team {team}", player_ids=line_up))  # fmt: skip
    return hall


def change_something(hall: Hall, number: int, chance: random.Random) -> None:
    """Reverse some line-ups, and withdraw some players; every team keeps a player."""
    for team in hall.state.teams:
        turned = team.line_up[::-1]
        if len(turned) > 1 and chance.random() < 0.3:
            hall.carry_out(pb.SetLineUpRequest(team_id=team.team_id, player_ids=turned))
        playing = there(hall.state, team.team_id, number)
        if len(playing) > 1 and chance.random() < 0.3:
            leaving = chance.choice(playing)
            hall.carry_out(pb.WithdrawPlayerRequest(player_id=leaving))


def play(hall: Hall, number: int, chance: random.Random) -> RoundState:
    line_ups = {team.team_id: there(hall.state, team.team_id, number) for team in hall.state.teams}
    hall.pair(number)
    check_boards(hall, hall.state.played[number - 1], line_ups)
    # After an undo and a repetition, the round is the same.
    before = hall.state
    for _ in range(2):
        undone = hall.decide(pb.UndoActRequest(version=len(hall.events)))
        hall.do(undone)
    assert hall.state.played == before.played
    hall.start(number)
    for table in hall.state.played[number - 1].pairings:
        hall.report(table.game_id, chance.choice([300, 400]), chance.choice([300, 400]))
    hall.close(number)
    return hall.state.played[number - 1]


def check_boards(hall: Hall, played: RoundState, line_ups: dict[str, tuple[str, ...]]) -> None:
    boards = hall.ruleset.championship.team_boards
    assert boards is not None
    teams = [team for match in played.matches for team in match.team_ids] + [*played.team_byes]
    assert Counter([*teams, *filter(None, [played.team_bye])]) == Counter(line_ups.keys())
    seats = Counter(player for table in played.pairings for player in table.player_ids)
    seats.update(played.requested.keys())
    assert set(seats.values()) <= {1}
    assert [table.table for table in played.pairings] == list(range(1, len(played.pairings) + 1))
    assert [table.match for table in played.pairings] == sorted(table.match for table in played.pairings)
    for match in played.matches:
        first, second = (line_ups[team][:boards] for team in match.team_ids)
        games = {table.board: table.pair for table in played.pairings if table.match == match.number}
        both = min(len(first), len(second))
        assert games == {board + 1: (first[board], second[board]) for board in range(both)}
        alone = {bye.board: player for player, bye in played.board_byes.items() if bye.match == match.number}
        assert alone == dict(enumerate(first[both:] or second[both:], both + 1))
        tables = [table.table for table in played.pairings if table.match == match.number]
        assert all(other == table + 1 for table, other in pairwise(tables))
    for team in filter(None, [played.team_bye]):
        assert {player for player, bye in played.board_byes.items() if bye.team_id == team} == {
            *line_ups[team][:boards]
        }
        rest = Bye.ZERO_POINT if "robin" in hall.ruleset.championship.system else Bye.FULL_POINT
        assert {played.requested[player] for player in line_ups[team][:boards]} == {rest}


@pytest.mark.parametrize("system", ["swiss", "dutch", "round-robin"])
@given(
    teams=st.integers(5, 7),
    boards=st.integers(2, 3),
    score=st.sampled_from(["match-points", "board-points"]),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=4)
def test_no_two_teams_meet_twice_and_line_ups_say_who_sits_where(
    system: str, teams: int, boards: int, score: str, seed: int
) -> None:
    chance = random.Random(seed)
    hall = tournament(teams, boards, system, score, chance)
    rounds = []
    for number in range(1, hall.state.rounds + 1):
        change_something(hall, number, chance)
        rounds.append(play(hall, number, chance))
    pairs = Counter(frozenset(match.team_ids) for played in rounds for match in played.matches)
    assert set(pairs.values()) == {1}
    byes = Counter(played.team_bye for played in rounds if played.team_bye)
    assert set(byes.values()) <= {1}
    assert bool(byes) == bool(teams % 2)
    if system == "round-robin":
        assert len(pairs) == teams * (teams - 1) // 2
    for played in rounds:
        for match in played.matches:
            found = match_of(played, match)
            assert found is not None
            used = [table for table in played.pairings if table.match == match.number]
            alone = [bye for bye in played.board_byes.values() if bye.match == match.number]
            assert sum(found.board_points(hall.ruleset)) == len(used) + len(alone)
            assert found.result(hall.ruleset).played == bool(used)
