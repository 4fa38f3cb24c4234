"""Byes whose opponent is absent, and the states of games and tournaments, are part of the answers."""

from __future__ import annotations

import pytest

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.read_models.api import answers
from faristol.read_models.storage.rows import Bye, ByeKind, Game, Round, Tournament
from faristol.rules import load_ruleset


def bye(player_id: str, worth: int, team_id: str = "", match: int = 0) -> Bye:
    return Bye("cup", 1, ByeKind.REQUESTED, 0, player_id, team_id, worth, match)


@pytest.mark.parametrize(("algorithm", "gone"), [("berger-1", [True, False, False]), ("swiss-2", [False] * 3)])
def test_a_bye_of_a_point_in_a_round_robin_is_that_of_an_absent_opponent(algorithm: str, gone: list[bool]) -> None:
    byes = [bye("a", pairing.BYE_KIND_FULL_POINT), bye("b", pairing.BYE_KIND_HALF_POINT)]
    byes.append(bye("c", pairing.BYE_KIND_FULL_POINT, match=1))
    round_ = Round("cup", 1, pb.ROUND_PHASE_PAIRED, algorithm=algorithm, byes=byes)
    assert [each.opponent_gone for each in answers.pairings(round_, {}).requested_byes] == gone


def test_a_table_has_its_round_and_state() -> None:
    game = Game("cup-r2-t1", "cup", round=2, table=1)
    assert answers.table(game, pb.ROUND_PHASE_PAIRED).state == pb.GAME_STATE_PAIRED
    shown = answers.table(game, pb.ROUND_PHASE_STARTED)
    assert (shown.round, shown.state) == (2, pb.GAME_STATE_PLAYING)


@pytest.mark.parametrize(("rules", "games"), [("fisc-2023-duplicate", ["cup-r1"]), ("fisc-2023", [])])
def test_a_tournament_has_its_state_and_its_duplicate_games(rules: str, games: list[str]) -> None:
    of = Tournament("cup", ruleset=rules, ruleset_digest=load_ruleset(rules).digest)
    assert answers.tournament(of, [], ()).state == pb.TOURNAMENT_STATE_ANNOUNCED
    found = answers.tournament(of, [Round("cup", 1, pb.ROUND_PHASE_STARTED)], ())
    assert [each.game_id for each in found.duplicate_games] == games
    assert found.state == pb.TOURNAMENT_STATE_PLAYING
    of.over = True
    assert answers.tournament(of, [], ()).state == pb.TOURNAMENT_STATE_OVER
