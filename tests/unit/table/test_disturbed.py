"""Commands that are refused while an arbiter is awaited, from other players, or after the end of the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.unit.table.hall import Hall, rules

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.table.decide import CLOCK_COMMANDS, GAME_COMMANDS

RACKS = ["C A S A L E S", "B O N A T E R"]


def fisc() -> Hall:
    """Return a hall in which Anna begins."""
    return Hall(rules("fisc-2023"), racks=RACKS)


def fise() -> Hall:
    return Hall(rules("fise"), racks=RACKS)


def festa_major() -> Hall:
    return Hall(rules("festa-major"), players=3, racks=["A E I O U A E", "B O N A T E R", "B O N A T E R"])


def place_play(hall: Hall) -> Hall:
    """Lay a play of Anna that can still be challenged."""
    hall.play("H8 C A S A")
    return hall


def possible() -> Iterator[tuple[str, Hall, Message]]:
    """Yield the possible commands of a player at tables with few events."""
    hall = fisc()
    yield "play", hall, pb.PlacePlayRequest(player_id="anna", placements=hall.tiles("H8 C A S A"))
    yield "lay tiles", fisc(), pb.LayTilesRequest(player_id="anna", placements=hall.tiles("H8 C A S A"))
    yield "pass", fisc(), pb.PassRequest(player_id="anna")
    yield "announce an exchange", fisc(), pb.AnnounceExchangeRequest(player_id="anna", count=1)
    yield "exchange", fisc(), pb.ExchangeRequest(player_id="anna", faces=["L"], done=True)
    hall = fise()
    hall.do(pb.LayTilesRequest(player_id="anna", placements=hall.tiles("H8 C A S A")))
    yield "take tiles back", hall, pb.TakeBackTilesRequest(player_id="anna")
    yield "free exchange", festa_major(), pb.FreeExchangeRequest(player_id="anna", faces="AEIOUAE")
    yield "draw", place_play(fisc()), pb.DrawTilesRequest(player_id="anna")
    yield "write their own play", place_play(fisc()), pb.WriteScoreRequest(player_id="anna")
    yield "write a play", place_play(fisc()), pb.WriteScoreRequest(player_id="biel")
    yield "dispute a count", place_play(fisc()), pb.DisputeCountRequest(player_id="biel")
    hall = place_play(fisc())
    assert hall.game.pending is not None
    words = [word.word for word in hall.game.pending.words]
    yield "challenge", hall, pb.ChallengeRequest(player_id="biel", words=words)
    hall = fise()
    hall.play("A1 C A S A")
    yield "decide off the centre", hall, pb.DecideOffCentreRequest(player_id="biel", accept=True)


POSSIBLE = list(possible())


@pytest.mark.parametrize(("hall", "request_"), [case[1:] for case in POSSIBLE], ids=[case[0] for case in POSSIBLE])
def test_what_a_player_may_do_now(hall: Hall, request_: Any) -> None:
    assert hall.decide(request_)

    stranger = type(request_)()
    stranger.CopyFrom(request_)
    stranger.player_id = "carla-of-another-table"
    with pytest.raises(Refusal) as refused:
        hall.decide(stranger)
    assert refused.value.reason == "NOT_AT_TABLE"

    hall.do(pb.CallArbiterRequest(player_id="biel"))
    with pytest.raises(Refusal) as refused:
        hall.decide(request_)
    assert refused.value.reason == "ARBITER_AWAITED"

    hall.do(pb.AssignArbiterRequest(arbiter_id="eleni"))
    hall.do(pb.AbandonRequest(player_ids=hall.players))
    with pytest.raises(Refusal) as refused:
        hall.decide(request_)
    assert refused.value.reason in ("GAME_OVER", "NOT_AT_TABLE"), "who has left is not at the table any more"


COMMANDS = {**GAME_COMMANDS, **CLOCK_COMMANDS}
NAMES_PLAYER = [kind for kind in COMMANDS if "player_id" in kind.DESCRIPTOR.fields_by_name]
NEEDS_ARBITER = [kind for kind in COMMANDS if "arbiter_id" in kind.DESCRIPTOR.fields_by_name]
BY_PLAYERS = (pb.SettleCountRequest, pb.CorrectPlayRequest, pb.CorrectTotalRequest, pb.SettleBlankRequest)
"""Commands that need the agreement of all players."""

AT_ANY_TIME = frozenset(
    (
        pb.CorrectPlayRequest,
        pb.CorrectTotalRequest,
        pb.ImposeSanctionRequest,
        pb.RecordOverholdingRequest,
        pb.SettleBlankRequest,
        pb.SignSheetRequest,
    )
)
"""Commands after the end of a game: signatures, notes, corrections."""

SAID_OF_WHAT_IS_OVER: Mapping[type[Message], str] = {
    **dict.fromkeys((pb.StartGameRequest, pb.StateRackRequest, pb.TakeBackEntriesRequest), "TABLE_HOSTED"),
    **dict.fromkeys((pb.CancelPlayRequest, pb.ChallengeRequest, pb.ClaimFakeBlankRequest), "NOT_AT_TABLE"),
    pb.ReopenGameRequest: "NOT_FINAL",
    clock_pb2.ClaimTimeRequest: "NO_TIME_OVER",
    clock_pb2.ExpireRoundTimeRequest: "NO_ROUND_TIME",
    clock_pb2.RecordArrivalRequest: "NOT_ABSENT",
    clock_pb2.ReturnToTableRequest: "NOT_AWAY",
}
"""Where another reason says more than that the game is over."""

ALLOWED: Mapping[type[Message], Mapping[str, Any]] = {
    clock_pb2.CorrectClockRequest: {"reason": 1},
    clock_pb2.NeutraliseRequest: {"reason": 1},
    pb.ImposeSanctionRequest: {"kind": events.SANCTION_KIND_WARNING},
}
"""Fields without which a command makes no sense."""


def build_request(kind: type[Message], **given: Any) -> Message:
    names = kind.DESCRIPTOR.fields_by_name
    fields = {"arbiter_id": "eleni", **ALLOWED.get(kind, {}), **given}
    return kind(**{name: value for name, value in fields.items() if name in names})


def name_of(kind: type[Message]) -> str:
    return kind.DESCRIPTOR.name


@pytest.mark.parametrize("kind", NAMES_PLAYER, ids=name_of)
def test_nothing_is_done_by_or_to_who_does_not_play_at_the_table(kind: type[Message]) -> None:
    with pytest.raises(Refusal) as refused:
        Hall(rules("pes-2024")).decide(build_request(kind, player_id="dolors"))
    assert refused.value.reason == "NOT_AT_TABLE"


@pytest.mark.parametrize("kind", [kind for kind in NEEDS_ARBITER if kind not in BY_PLAYERS], ids=name_of)
def test_what_an_arbiter_does_nobody_of_the_table_does(kind: type[Message]) -> None:
    hall = Hall(rules("pes-2024"))
    with pytest.raises(Refusal) as refused:
        hall.decide(build_request(kind, arbiter_id="anna", player_id="anna"))
    assert refused.value.reason == "OWN_GAME"
    with pytest.raises(Invalid) as problem:
        hall.decide(build_request(kind, arbiter_id="", player_id="anna"))
    assert problem.value.field == "arbiter_id"


@pytest.mark.parametrize("kind", [kind for kind in COMMANDS if kind not in AT_ANY_TIME], ids=name_of)
def test_a_game_that_all_have_left_goes_on_by_nothing(kind: type[Message]) -> None:
    hall = Hall(rules("pes-2024"))
    hall.do(pb.AbandonRequest(player_ids=hall.players))
    with pytest.raises(Refusal) as refused:
        hall.decide(build_request(kind, player_id="anna"))
    assert refused.value.reason == SAID_OF_WHAT_IS_OVER.get(kind, "GAME_OVER")
