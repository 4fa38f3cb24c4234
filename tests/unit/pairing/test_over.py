"""A tournament of which the final standings are published."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from tests.unit.pairing.halls import Hall, decided

from faristol.kernel.refusal import Refusal
from faristol.pairing.administration.results import final_scores
from faristol.pairing.office.office import COMMANDS
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset

FISE = load_ruleset("fise")
GAME = "open-r1-t1"
SCORES = final_scores([("p1", 400), ("p4", 300)])
WARNED = 10
"""The version of the fact that warns a player: it is created, pinned twice and entered by six before."""

REQUESTS: list[Message] = [
    pb.AllowPairRequest(player_ids=["p1", "p2"]),
    pb.AppointTribunalRequest(),
    pb.CancelPostponementRequest(game_id=GAME),
    pb.ChangeRoundsRequest(rounds=6),
    pb.CheckInPlayerRequest(player_id="p1"),
    pb.CheckOutPlayerRequest(player_id="p1"),
    pb.CloseRoundRequest(round=1),
    pb.CorrectResultRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.CorrectRulingRequest(game_id=GAME, turn=1, arbiter_id="eva"),
    pb.DecideAppealRequest(appeal=1, upheld=True),
    pb.EnterResultRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.EnterResultsRequest(results=[pb.GameResult(game_id=GAME, scores=SCORES)], arbiter_id="eva"),
    pb.ExpelPlayerRequest(player_id="p1", arbiter_id="eva", decided_by=["ona"]),
    pb.FixTableRequest(player_id="p1", table=1),
    pb.ForbidPairRequest(player_ids=["p1", "p2"]),
    pb.GiveForfeitRequest(game_id=GAME, loser_ids=["p1"], arbiter_id="eva"),
    pb.GrantByeRequest(player_id="p1", round=2, kind=events.BYE_KIND_HALF_POINT),
    pb.KeepPairRequest(player_ids=["p1", "p2"]),
    pb.LiftExpulsionRequest(player_id="p1", decided_by=["ona"]),
    pb.LiftSanctionRequest(version=WARNED, decided_by=["ona"]),
    pb.LodgeAppealRequest(player_id="p1", version=WARNED),
    pb.OfferPrizesRequest(),
    pb.PairRoundRequest(round=2),
    pb.PostponeGameRequest(game_id=GAME, arbiter_id="eva", scheduled_at=Timestamp(), postponed_to=Timestamp(seconds=1)),
    pb.PublishStandingsRequest(),
    pb.RegisterPlayerRequest(player_id="p7"),
    pb.ReinstatePlayerRequest(player_id="p1"),
    pb.ReleasePairRequest(player_ids=["p1", "p2"]),
    pb.ReleaseTableRequest(player_id="p1"),
    pb.RevokeByeRequest(player_id="p1", round=2),
    pb.SanctionPlayerRequest(
        player_id="p1", kind=events.SANCTION_KIND_ROUNDS, rounds=[2], arbiter_id="eva", decided_by=["ona"]
    ),
    pb.SetHallsRequest(),
    pb.StartPostponedGameRequest(game_id=GAME),
    pb.StartRoundRequest(round=1),
    pb.UnpairRoundRequest(round=1),
    pb.WarnPlayerRequest(player_id="p1", arbiter_id="eva"),
    pb.WithdrawPlayerRequest(player_id="p1"),
]


def kind(request: Message) -> str:
    return request.DESCRIPTOR.name


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_nothing_is_done_to_a_tournament_that_is_over(request_: Message) -> None:
    hall = Hall({f"p{number}": 2000 - number for number in range(1, 7)}, ruleset=FISE)
    hall.carry_out(pb.WarnPlayerRequest(player_id="p1", arbiter_id="eva"))
    hall.pair(1)

    with pytest.raises(Refusal) as refused:
        decided(replace(hall.state, over=True), request_, rules=FISE, facts=hall.facts)
    assert refused.value.reason == "TOURNAMENT_OVER"


def test_every_command_is_asked_but_those_of_teams_and_what_takes_something_back() -> None:
    asked = {kind(request) for request in REQUESTS} - {"RegisterPlayerRequest"}
    others = {"ReopenStandingsRequest", "WithdrawAppealRequest", "UndoActRequest"}
    teams = {"RegisterTeamRequest", "SetLineUpRequest", "WithdrawTeamRequest", "ReinstateTeamRequest"}

    assert asked | others | teams == {request.DESCRIPTOR.name for request in COMMANDS}
