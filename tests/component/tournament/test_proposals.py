"""Proposals over gRPC: two confirmations at once, one person with two ids, a reopened table, and names in history."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from tests.component.consumers import consuming
from tests.component.tournament.test_results import EVA, NIL, enter, list_results, result, start_round
from tests.component.tournament.test_service import command, names_on_stream
from tests.support.pairing_service import PairingService

from faristol.bus import NatsServer
from faristol.event_store import Decision, Metadata, Write
from faristol.event_store.integrity.verification import verify
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.presentation.history import describe_history
from faristol.presentation.names import Roster
from faristol.tournament.reactions import results

ONA = (("faristol-actor-name-bin", b"Ona Vidal"),)


def confirmation() -> pb.AnswerProposalRequest:
    return pb.AnswerProposalRequest(command_id=command(), tournament_id="open", proposal=1, confirmed=True)


async def require_second_official(service: PairingService) -> None:
    """Switch the rule on as Eva."""
    request = pb.SetSecondOfficialRequest(command_id=command(), tournament_id="open", required=True)
    await service.stub.SetSecondOfficial(request, metadata=EVA)


async def propose(service: PairingService) -> pb.CorrectResultResponse:
    """Close a round under the rule, and correct a result of it as Eva."""
    await require_second_official(service)
    tables = (await list_results(service)).tables
    await enter(service, [result(table, 400, 300) for table in tables])
    await service.stub.CloseRound(pb.CloseRoundRequest(command_id=command(), tournament_id="open", round=1))
    corrected = pb.CorrectResultRequest(
        command_id=command(),
        tournament_id="open",
        game_id=tables[0].game_id,
        scores=result(tables[0], 400, 410).scores,
        player_ids=[player.player_id for player in tables[0].players],
        note="The slip says 410",
    )
    return await service.stub.CorrectResult(corrected, metadata=EVA)


async def list_proposals(service: PairingService) -> list[pb.Proposal]:
    return list((await service.stub.ListProposals(pb.ListProposalsRequest(tournament_id="open"))).proposals)


async def test_one_of_two_confirmations_at_once_takes_effect_and_the_history_says_both_names(
    service: PairingService,
) -> None:
    await start_round(service)
    assert (await propose(service)).proposal == 1
    (pending,) = await list_proposals(service)
    assert (pending.act.actor_name, pending.act.note) == ("Eva Soler", "The slip says 410")
    assert [act.type for act in pending.act.proposed] == ["ResultCorrected"]
    assert "ResultCorrected" not in await names_on_stream(service)

    found = await asyncio.gather(
        *(service.stub.AnswerProposal(confirmation(), metadata=who) for who in (NIL, ONA)), return_exceptions=True
    )

    refused = [each for each in found if isinstance(each, grpc.aio.AioRpcError)]
    assert [each.code() for each in refused] == [grpc.StatusCode.FAILED_PRECONDITION]
    assert (await names_on_stream(service)).count("ResultCorrected") == 1
    history = await service.stub.ListActs(pb.ListActsRequest(tournament_id="open"))
    shown = await service.stub.GetTournament(pb.GetTournamentRequest(tournament_id="open"))
    said = {each.act.type: each for each in describe_history(history, Roster(shown), "en")}
    assert said["ChangeProposed"].also["by"] == "By Eva Soler."
    assert "410" in said["ChangeProposed"].said
    assert said["ProposalAnswered"].also["by"] in ("By Nil Camps.", "By Ona Vidal.")
    assert said["ResultCorrected"].act.note == "The slip says 410"
    assert not (await verify(service.record)).wrong


@pytest.mark.parametrize("who", [EVA, (("faristol-actor", "eva-2"),)], ids=["the same id", "another id of the name"])
async def test_a_proposer_cannot_confirm_by_another_device(
    service: PairingService, who: tuple[tuple[str, bytes], ...]
) -> None:
    await start_round(service)
    await propose(service)
    async with service.record.writing() as connection:
        await people.store_player(connection, "eva-2", "Eva SOLER", "")

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await service.stub.AnswerProposal(confirmation(), metadata=who)

    assert "SAME_PERSON" in str(refused.value.trailing_metadata())
    assert "ResultCorrected" not in await names_on_stream(service)


async def test_a_result_of_a_reopened_table_waits_for_a_second_official(
    service: PairingService, nats_server: NatsServer
) -> None:
    await start_round(service)
    await require_second_official(service)
    eva = (await service.record.read_stream("tournament-open"))[-1].metadata
    tables = (await list_results(service)).tables
    reaction = results(service.record)
    async with consuming(service.record, nats_server.url, reaction) as progress:

        async def end(table: pb.TableResult, version: int, *points: int, actor: str = "") -> None:
            """Write the final result of a table, which is reopened if it had one, and wait for the reaction."""
            scores = list(result(table, *points).scores)
            best = max(scores, key=lambda score: score.score).player_id
            final = game.ResultFinal(scores=scores, winner_id=best, revision=version)
            reopened = game.GameReopened(player_ids=[score.player_id for score in scores], arbiter_id="official-eva")
            write = Write(f"game-{table.game_id}", version, [reopened, final] if version else [final], "open")
            appended = await service.record.append(Decision([write]), Metadata(actor=actor))
            assert await progress.wait_until_reached(appended.position, 20)

        for table in tables:
            await end(table, 0, 400, 300)
        await service.stub.CloseRound(pb.CloseRoundRequest(command_id=command(), tournament_id="open", round=1))
        await end(tables[0], 1, 400, 410, actor=eva.actor)
    (pending,) = await list_proposals(service)
    assert (pending.act.actor_name, [act.type for act in pending.act.proposed]) == ("Eva Soler", ["ResultRecorded"])
    first = (await list_results(service)).tables[0]
    assert [score.score for score in first.scores] == [400, 300]

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await service.stub.AnswerProposal(confirmation(), metadata=EVA)
    assert "SAME_PERSON" in str(refused.value.trailing_metadata())

    await service.stub.AnswerProposal(confirmation(), metadata=NIL)
    first = (await list_results(service)).tables[0]
    assert [score.score for score in first.scores] == [400, 410]
