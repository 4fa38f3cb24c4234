"""The requirements of every command: the tournament, its players and its officials."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from tests.support.halls import Hall, decide_command

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.tournament.command_handling.handler import COMMANDS
from faristol.tournament.results.results import final_scores

FISE = load_ruleset("fise")
GAME = "open-r1-t1"
SCORES = final_scores([("p1", 400), ("p4", 300)])
WARNING_VERSION = 10
"""The version of the event that warns a player, after the creation, two pins and six entries."""

REQUESTS: list[Message] = [
    pb.AllowPairRequest(player_ids=["p1", "p2"]),
    pb.AnnounceRoundsRequest(),
    pb.SetSecondOfficialRequest(required=True),
    pb.AnswerPlayerRequestRequest(request=1, granted=True),
    pb.AppointTribunalRequest(),
    pb.CancelPublicationRequest(round=2),
    pb.CancelPostponementRequest(game_id=GAME),
    pb.ChangeRoundsRequest(rounds=6),
    pb.CheckInPlayerRequest(player_id="p1"),
    pb.CheckInPlayersRequest(),
    pb.CheckOutPlayerRequest(player_id="p1"),
    pb.CloseRoundRequest(round=1),
    pb.ConfirmPresenceRequest(player_id="p1"),
    pb.ConfirmResultRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.ConfirmResultsRequest(results=[pb.ShownResult(game_id=GAME, scores=SCORES)], arbiter_id="eva"),
    pb.CorrectResultRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.CorrectOwnResultRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.CorrectRulingRequest(game_id=GAME, turn=1, arbiter_id="eva"),
    pb.DecideDisputeRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.DecideAppealRequest(appeal=1, upheld=True),
    pb.EnterResultRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.EnterResultsRequest(results=[pb.GameResult(game_id=GAME, scores=SCORES)], arbiter_id="eva"),
    pb.EnterSignedSheetRequest(game_id=GAME, scores=SCORES, arbiter_id="eva"),
    pb.ExpelPlayerRequest(player_id="p1", arbiter_id="eva", decided_by=["ona"]),
    pb.FixTableRequest(player_id="p1", table=1),
    pb.ForbidPairRequest(player_ids=["p1", "p2"]),
    pb.GiveForfeitRequest(game_id=GAME, loser_ids=["p1"], arbiter_id="eva"),
    pb.GrantByeRequest(player_id="p1", round=2, kind=events.BYE_KIND_HALF_POINT),
    pb.GrantLicenceExceptionRequest(player_id="p1", note="Sent by post."),
    pb.KeepPairRequest(player_ids=["p1", "p2"]),
    pb.LiftExpulsionRequest(player_id="p1", decided_by=["ona"]),
    pb.LiftSanctionRequest(version=WARNING_VERSION, decided_by=["ona"]),
    pb.LodgeAppealRequest(player_id="p1", version=WARNING_VERSION),
    pb.LodgePlayerRequestRequest(player_id="p1", kind=events.PLAYER_REQUEST_KIND_BYE, round=2),
    pb.MovePairingRequest(round=2, table=1, to_table=9),
    pb.OfferPrizesRequest(),
    pb.OpenCheckInRequest(),
    pb.PairRoundRequest(round=2),
    pb.PostponeGameRequest(game_id=GAME, arbiter_id="eva", scheduled_at=Timestamp(), postponed_to=Timestamp(seconds=1)),
    pb.PublishRoundRequest(round=2),
    pb.PublishStandingsRequest(),
    pb.RegisterPlayerRequest(player_id="p7"),
    pb.ReinstatePlayerRequest(player_id="p1"),
    pb.RequireLicenceRequest(required=True),
    pb.RevokeLicenceExceptionRequest(player_id="p1"),
    pb.ReleasePairRequest(player_ids=["p1", "p2"]),
    pb.ReleaseTableRequest(player_id="p1"),
    pb.RemovePrizeListRequest(list=1),
    pb.RevokeByeRequest(player_id="p1", round=2),
    pb.ReportResultRequest(game_id=GAME, scores=SCORES),
    pb.SanctionPlayerRequest(
        player_id="p1", kind=events.SANCTION_KIND_ROUNDS, rounds=[2], arbiter_id="eva", decided_by=["ona"]
    ),
    pb.SetHallsRequest(),
    pb.SetPlayerActsRequest(most_byes=1),
    pb.SetPrizeListRequest(name="Final standings", amounts=[100]),
    pb.SetPrizeRulesRequest(sharing=events.PRIZE_SHARING_NONE, limit=events.PRIZE_LIMIT_SEVERAL, currency="EUR"),
    pb.SchedulePublicationRequest(round=2, publish_at=Timestamp(seconds=4_000_000_000)),
    pb.SetPairingPublicationRequest(publication=events.PAIRING_PUBLICATION_DRAFT),
    pb.SetResultCheckRequest(second_person=True),
    pb.SettleAbsencesRequest(player_ids=["p1"], treatment=pb.ABSENCE_TREATMENT_LEAVE_OUT, arbiter_id="eva"),
    pb.StartPostponedGameRequest(game_id=GAME),
    pb.StartRoundRequest(round=1),
    pb.SwapPlayersRequest(round=2),
    pb.UnpairRoundRequest(round=1),
    pb.TakeBackPlayerRequestRequest(player_id="p1", request=1),
    pb.UnpublishRoundRequest(round=1),
    pb.WarnPlayerRequest(player_id="p1", arbiter_id="eva"),
    pb.WithdrawPlayerRequest(player_id="p1"),
]


def kind(request: Message) -> str:
    return request.DESCRIPTOR.name


def pair_hall() -> Hall:
    """Return a tournament whose first round is paired, and of which a player was warned."""
    hall = Hall({f"p{number}": 2000 - number for number in range(1, 7)}, ruleset=FISE)
    hall.carry_out(pb.WarnPlayerRequest(player_id="p1", arbiter_id="eva"))
    hall.pair(1)
    return hall


def with_field(field: str, *without: type[Message]) -> pytest.MarkDecorator:
    """Return the requests that set a field."""
    commands = [
        request
        for request in REQUESTS
        if any(known.name == field for known, _ in request.ListFields()) and type(request) not in without
    ]
    assert commands
    return pytest.mark.parametrize("request_", commands, ids=kind)


def answer(request: Message, **changed: Any) -> tuple[str, str]:
    """Return the objection to a request with another value in a field: the reason, or the malformed field."""
    other: Any = type(request)()
    other.CopyFrom(request)
    for field, value in changed.items():
        other.ClearField(field)
        if isinstance(value, list):
            getattr(other, field).extend(value)
        else:
            setattr(other, field, value)
    with pytest.raises((Refusal, Invalid)) as problem:
        pair_hall().decide(other)
    against: Any = problem.value
    return (against.reason, "") if isinstance(against, Refusal) else ("", against.field)


@with_field("player_id", pb.LodgeAppealRequest, pb.RegisterPlayerRequest)
def test_who_is_not_registered_is_in_no_act(request_: Message) -> None:
    assert answer(request_, player_id="nobody") == ("NOT_REGISTERED", "")


@with_field("player_ids", pb.SettleAbsencesRequest)
def test_a_pair_is_of_two_who_are_registered(request_: Message) -> None:
    assert answer(request_, player_ids=["p1", "nobody"]) == ("NOT_REGISTERED", "")
    assert answer(request_, player_ids=["p1", "p1"]) == ("", "player_ids")
    assert answer(request_, player_ids=["p1"]) == ("", "player_ids")


@with_field("arbiter_id")
def test_an_arbiter_is_said_and_is_not_concerned(request_: Message) -> None:
    assert answer(request_, arbiter_id="p1") == ("OWN_GAME", "")
    assert answer(request_, arbiter_id="") == ("", "arbiter_id")
    assert answer(request_, arbiter_id="Not an id") == ("", "arbiter_id")


@with_field("decided_by")
def test_who_decides_on_a_sanction_is_said_and_is_not_concerned(request_: Message) -> None:
    assert answer(request_, decided_by=["ona", "p1"]) == ("OWN_GAME", "")
    assert answer(request_, decided_by=[]) == ("", "decided_by")
    assert answer(request_, decided_by=["ona", "Not an id"]) == ("", "decided_by")


@with_field("game_id")
def test_a_game_is_one_that_was_paired(request_: Message) -> None:
    assert answer(request_, game_id="open-r9-t1") == ("GAME_NOT_PAIRED", "")


@with_field("version")
def test_an_act_is_said_by_its_number(request_: Message) -> None:
    assert answer(request_, version=0) == ("", "version")


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_nothing_is_done_to_a_tournament_that_is_over(request_: Message) -> None:
    hall = pair_hall()

    with pytest.raises(Refusal) as refused:
        decide_command(replace(hall.state, over=True), request_, rules=FISE, events=hall.events)
    assert refused.value.reason == "TOURNAMENT_OVER"


def test_every_command_is_asked_but_those_of_teams_of_the_whole_and_what_takes_something_back() -> None:
    asked = {kind(request) for request in REQUESTS} - {"RegisterPlayerRequest"}
    others = {"ImportRoundsRequest"}  # it is of whole rounds
    others |= {"AnswerProposalRequest", "WithdrawProposalRequest"}  # a proposal can be refused after the end
    others |= {"ReportShadowRequest"}  # results are compared after the end, too
    others |= {"ReopenStandingsRequest", "FinaliseTournamentRequest", "WithdrawAppealRequest", "UndoActRequest"}
    others |= {"LodgeDataRequestRequest"}  # it is also possible after the end of a tournament
    others |= {"SendMessageRequest", "WithdrawMessageRequest"}  # as are messages, such as about the ceremony
    others |= {f"{act}Request" for act in ("SetScreen", "RemoveScreen", "AddPicture", "RemovePicture")}
    others |= {
        f"{act}Request" for act in ("PointSlot", "RemoveSlot", "ClaimTable", "ReleaseClaim", "SetBroadcastDelay")
    }
    as_a_whole = {f"{act}TournamentRequest" for act in ("Describe", "Archive", "Remove", "Restore")}
    teams = {"RegisterTeamRequest", "SetLineUpRequest", "WithdrawTeamRequest", "ReinstateTeamRequest"}

    assert asked | others | as_a_whole | teams == {request.DESCRIPTOR.name for request in COMMANDS}
