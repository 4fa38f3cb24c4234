"""Each adversary of docs/security.md attacks a running cell with a real credential: what held, call by call."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
import pytest_asyncio
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential, cell

from faristol.client.problems import reason_of
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2 as pb

__all__ = ["cell"]

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.nightly]

PAIRING = "/faristol.pairing.v1.PairingService/"
GAME = f"{OWN}-r1-t1"
DENIED, UNKNOWN = grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED
REFUSED = grpc.StatusCode.FAILED_PRECONDITION


def command(kind: Any, tournament: str = OWN, **fields: Any) -> Any:
    return kind(command_id=str(uuid.uuid4()), tournament_id=tournament, **fields)


class Attacks:
    """The calls of a closed round whose corrections need a second official."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.scores: list[game_events.FinalScore] = []

    def token(self, role: needs.Role.ValueType, **more: Any) -> str:
        return self.cell.token(build_credential(role, **more))

    async def call(self, request: Any, token: str) -> Any:
        name = type(request).__name__.removesuffix("Request")
        return await self.cell.call(f"{PAIRING}{name}", request, token)

    async def close_round(self) -> None:
        director = self.token(needs.ROLE_DIRECTOR)
        await self.call(command(pb.SetSecondOfficialRequest, required=True), director)
        shown = await self.call(pb.GetTournamentRequest(tournament_id=OWN), director)
        for seat in shown.played[0].pairings:
            players = (seat.first_player_id, seat.second_player_id)
            scores = [
                game_events.FinalScore(player_id=who, score=points)
                for who, points in zip(players, (400, 300), strict=True)
            ]
            await self.call(
                command(pb.EnterResultRequest, game_id=seat.game_id, scores=scores, arbiter_id="the-director"), director
            )
        await self.call(command(pb.CloseRoundRequest, round=1), director)
        self.scores = [
            game_events.FinalScore(player_id=who, score=points)
            for who, points in zip(self.cell.players[OWN], (300, 410), strict=True)
        ]

    def correction(self, tournament: str = OWN, **more: Any) -> pb.CorrectResultRequest:
        game = f"{tournament}-r1-t1"
        corrected: pb.CorrectResultRequest = command(
            pb.CorrectResultRequest, tournament, game_id=game, scores=self.scores, **more
        )
        return corrected

    async def refusal(self, request: Any, token: str) -> tuple[grpc.StatusCode, str]:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await self.call(request, token)
        return refused.value.code(), reason_of(refused.value)

    async def result(self) -> tuple[int, ...]:
        listed = await self.call(pb.ListResultsRequest(tournament_id=OWN, round=1), self.token(needs.ROLE_DIRECTOR))
        table = next(each for each in listed.tables if each.game_id == GAME)
        return tuple(score.score for score in table.scores)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def attacks(cell: Cell) -> AsyncIterator[Attacks]:
    made = Attacks(cell)
    await made.close_round()
    yield made


async def test_a_spectator_reads_no_history_and_changes_no_result(attacks: Attacks) -> None:
    requests = [attacks.correction(), pb.ListActsRequest(tournament_id=OWN), pb.ListProposalsRequest(tournament_id=OWN)]
    for request in requests:
        assert (await attacks.refusal(request, ""))[0] is UNKNOWN
    assert (await attacks.refusal(attacks.correction(), "made.up.token"))[0] is UNKNOWN


async def test_a_player_acts_for_no_other_person_and_answers_no_proposal(attacks: Attacks) -> None:
    token = attacks.token(needs.ROLE_PLAYER)
    report = command(pb.ReportResultRequest, game_id=GAME, player_id=f"{OWN}-2", scores=attacks.scores)
    late = command(pb.ReportResultRequest, game_id=GAME, player_id=f"{OWN}-1", scores=attacks.scores)
    late.occurred_at.CopyFrom(to_timestamp(datetime.now(UTC) - timedelta(hours=1)))
    answer = command(pb.AnswerProposalRequest, proposal=1, confirmed=True)
    for request in (report, late, answer, attacks.correction(), pb.ListActsRequest(tournament_id=OWN)):
        assert (await attacks.refusal(request, token))[0] is DENIED
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await attacks.cell.call(
            "/faristol.game.v1.GameService/GetGame",
            game_pb2.GetGameRequest(game_id=f"{FOREIGN}-r1-t1", player_id=attacks.cell.players[FOREIGN][0]),
            token,
        )
    assert refused.value.code() is DENIED


async def test_a_scorer_corrects_no_closed_round_and_grants_no_higher_role(attacks: Attacks) -> None:
    token = attacks.token(needs.ROLE_SCORER)
    elsewhere = command(pb.EnterResultRequest, FOREIGN, game_id=f"{FOREIGN}-r1-t1", scores=attacks.scores)
    assert (await attacks.refusal(attacks.correction(), token))[0] is DENIED
    assert (await attacks.refusal(elsewhere, token))[0] is DENIED
    own = command(pb.CorrectOwnResultRequest, game_id=GAME, scores=attacks.scores)
    assert (await attacks.refusal(own, token))[0] is REFUSED
    wanted = access.GrantCredentialRequest(
        command_id=str(uuid.uuid4()),
        role=needs.ROLE_DIRECTOR,
        form=access_events.FORM_LINK,
        name="Eva",
        lifetime_seconds=600,
        scope=access_events.Scope(tournament_ids=[OWN]),
    )
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await attacks.cell.call("/faristol.access.v1.AccessService/GrantCredential", wanted, token)
    assert refused.value.code() is DENIED


async def test_an_arbiter_corrects_a_closed_round_only_with_a_second_person(attacks: Attacks) -> None:
    first = attacks.token(needs.ROLE_ARBITER)
    second = attacks.token(needs.ROLE_ARBITER)  # another device of the same person
    before = await attacks.result()
    assert (await attacks.refusal(attacks.correction(arbiter_id="the-director"), first))[0] is DENIED
    assert (await attacks.refusal(command(pb.SetSecondOfficialRequest), first))[0] is DENIED
    number = (await attacks.call(attacks.correction(), first)).proposal
    assert number
    for token in (first, second):
        confirm = command(pb.AnswerProposalRequest, proposal=number, confirmed=True)
        assert await attacks.refusal(confirm, token) == (REFUSED, "SAME_PERSON")
    assert (await attacks.refusal(attacks.correction(FOREIGN), first))[0] is DENIED
    assert await attacks.result() == before
    refused = command(pb.AnswerProposalRequest, proposal=number, refused=True)
    await attacks.call(refused, attacks.token(needs.ROLE_DIRECTOR))


async def test_a_director_alone_switches_no_rule_off_and_reaches_no_other_tournament(attacks: Attacks) -> None:
    token = attacks.token(needs.ROLE_DIRECTOR)
    number = (await attacks.call(command(pb.SetSecondOfficialRequest), token)).proposal
    assert number
    confirm = command(pb.AnswerProposalRequest, proposal=number, confirmed=True)
    assert await attacks.refusal(confirm, token) == (REFUSED, "SAME_PERSON")
    history = await attacks.call(pb.ListActsRequest(tournament_id=OWN, types=["SecondOfficialSet"]), token)
    undone = await attacks.call(command(pb.UndoActRequest, version=history.acts[0].version), token)
    assert undone.proposal
    assert (await attacks.call(pb.ListProposalsRequest(tournament_id=OWN), token)).required
    assert (await attacks.refusal(command(pb.CloseRoundRequest, FOREIGN, round=1), token))[0] is DENIED
    for pending in (number, undone.proposal):
        await attacks.call(command(pb.WithdrawProposalRequest, proposal=pending), token)


async def test_a_federation_and_an_operator_decide_at_no_table(attacks: Attacks) -> None:
    answer = command(pb.AnswerProposalRequest, proposal=1, confirmed=True)
    for role in (needs.ROLE_FEDERATION, needs.ROLE_OPERATOR):
        token = attacks.token(role, tournament="")
        for request in (attacks.correction(), answer, command(pb.CloseRoundRequest, round=1)):
            assert (await attacks.refusal(request, token))[0] is DENIED


async def test_a_thief_has_no_use_of_expired_foreign_or_altered_tokens(attacks: Attacks) -> None:
    now = datetime.now(UTC)
    given = build_credential(needs.ROLE_DIRECTOR)
    old = replace(given, issued_at=now - timedelta(hours=3), expires_at=now - timedelta(hours=1))
    valid = attacks.token(needs.ROLE_DIRECTOR)
    head, _, signature = valid.rpartition(".")
    altered = f"{head}.{signature[::-1]}"
    for token in (attacks.cell.token(old), altered, head):
        assert (await attacks.refusal(attacks.correction(), token))[0] is UNKNOWN
