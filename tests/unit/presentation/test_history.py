"""What is said of an act of a director that wrote several facts."""

from __future__ import annotations

import pytest

from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.history import describe_done, describe_history
from faristol.presentation.names import Roster

HEAD = pairing.GetTournamentResponse(
    tournament_id="open",
    players=[pairing.Player(player_id=each, name=each.capitalize()) for each in ("anna", "blai", "cesc")],
    played=[
        pairing.Round(
            round=1,
            pairings=[
                events.Pairing(game_id="open-r1-t1", table=1, first_player_id="anna", second_player_id="blai"),
            ],
        )
    ],
)


def acts(*given: pairing.Act) -> list[pairing.Act]:
    for position, act in enumerate(given, 1):
        act.version = act.position = position
    return list(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            acts(*(pairing.Act(type="PlayerCheckedIn", player_ids=[each]) for each in ("anna", "blai", "cesc"))),
            "Checked in: 3 players.",
        ),
        (acts(pairing.Act(type="PlayerCheckedIn", player_ids=["anna"])), "Anna is checked in."),
        (
            acts(
                pairing.Act(type="RoundPaired", round=1),
                pairing.Act(type="ByeAwarded", round=1, player_ids=["cesc"]),
            ),
            "Round 1 is paired: 1 game. Cesc sits round 1 out: a point.",
        ),
        (
            acts(
                pairing.Act(type="PlayerSanctioned", player_ids=["anna"], details=["kind: points", "points: 20"]),
                pairing.Act(type="SpreadAdjusted", player_ids=["anna"], details=["points: -20"]),
            ),
            "Anna is sanctioned. Points taken off: 20.",
        ),
        ([], ""),
    ],
)
def test_the_notice_names_the_act_and_how_many_it_concerned(given: list[pairing.Act], said: str) -> None:
    roster = Roster(HEAD)
    answer = pairing.ListActsResponse(acts=given)
    assert describe_done(list(describe_history(answer, roster, "en")), roster, "en").startswith(said)
