"""Results that are typed in a hall without a line: the hall keeps the commands, and the championship executes them."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from tests.component.processes import wait_until_serving
from tests.component.test_hall_cell import HALL, OTHER_HALL, TOURNAMENT, Scene, Site, carry, scene, until, words
from tests.support.access_cell import build_credential
from tests.support.plain_http import PLAIN

from faristol.access_control import keyring
from faristol.access_control.credential import Credential
from faristol.access_control.roles import DIRECTOR, PLAYER, SCORER
from faristol.access_control.tokens import issue
from faristol.client.credentials import build_interceptors
from faristol.event_store import AppendCommand, Decision, Metadata, Record, Recorded, Write
from faristol.event_store.append.extracts import extract
from faristol.event_store.integrity.verification import verify
from faristol.host.halls import wire
from faristol.host.halls.identity import load_key
from faristol.host.halls.kept import kept_stream
from faristol.host.rpc.channels import open_channel
from faristol.pb.game.v1.events_pb2 import FinalScore
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallSyncServiceStub
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb

__all__ = ["words"]

IS_REFUSED, IS_EXECUTED, IS_PENDING, IS_WITHDRAWN = (
    hall_pb2.KEPT_STATE_REFUSED,
    hall_pb2.KEPT_STATE_EXECUTED,
    hall_pb2.KEPT_STATE_PENDING,
    hall_pb2.KEPT_STATE_WITHDRAWN,
)


async def read_stream(site: Site, stream: str = f"tournament-{TOURNAMENT}") -> Sequence[Recorded]:
    """Return the events of a stream of a cell, in order."""
    record = await Record.open(f"sqlite:///{site.folder}/record.db", create=False)
    try:
        return await record.read_stream(stream)
    finally:
        await record.close()


async def let_players_report(at: Scene) -> None:
    """Let players enter and confirm results, and wait until the hall knows."""
    check = pb.SetResultCheckRequest(players=True, players_enter=True)
    await at.desk.direct(at.championship.api.pairing.SetResultCheck, check)

    async def knows() -> bool:
        return len(await read_stream(at.hall)) == len(await read_stream(at.championship))

    await until(knows, "the hall has the events of the tournament")


async def players_of(at: Scene, game_id: str) -> list[str]:
    listed = await at.hall.api.pairing.ListResults(pb.ListResultsRequest(tournament_id=TOURNAMENT))
    (table,) = [each for each in listed.tables if each.game_id == game_id]
    return [player.player_id for player in table.players]


def report(game_id: str, players: Sequence[str], player_id: str, scores: Sequence[int]) -> pb.ReportResultRequest:
    """Return the report of a player."""
    return pb.ReportResultRequest(
        command_id=str(uuid.uuid4()),
        tournament_id=TOURNAMENT,
        game_id=game_id,
        player_id=player_id,
        scores=[FinalScore(player_id=who, score=score) for who, score in zip(players, scores, strict=True)],
    )


async def list_kept(site: Site) -> Sequence[hall_pb2.KeptCommand]:
    answer = await site.sync.ListKeptCommands(hall_pb2.ListKeptCommandsRequest(tournament_id=TOURNAMENT))
    return list(answer.commands)


async def has_states(site: Site, *states: hall_pb2.KeptState.ValueType) -> bool:
    """Check whether the commands that the hall kept have these states, in order."""
    return [each.state for each in await list_kept(site)] == list(states)


async def get_page(site: Site, path: str) -> str:
    async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{site.http_port}") as web:
        return (await web.get(path)).text


def phone(site: Site, player_id: str) -> httpx.AsyncClient:
    """Return the browser of a player who has signed in at a cell."""
    return sign_in(site, build_credential(PLAYER, TOURNAMENT, player=player_id))


def sign_in(site: Site, credential: Credential) -> httpx.AsyncClient:
    """Return a browser that has signed in at a cell."""
    access, record = keyring.Keyring(site.folder / "access"), (site.folder / "access-record").read_text().strip()
    token = issue(credential, access.signer(), record)
    address = f"http://127.0.0.1:{site.http_port}"
    return httpx.AsyncClient(verify=PLAIN, base_url=address, cookies={"faristol": token}, timeout=20)


def find_results(recorded: Sequence[Recorded], game_id: str, kind: Any) -> list[Recorded]:
    return [each for each in recorded if isinstance(each.message, kind) and each.message.game_id == game_id]


async def test_a_result_that_two_players_type_without_a_line_is_in_the_tournament_once_when_the_line_is_back(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await let_players_report(at)
        ana, bel = players = await players_of(at, first)
        await at.line.cut()
        entry = report(first, players, ana, (400, 350))
        entered = await at.hall.api.pairing.ReportResult(entry)
        assert entered.effect == pb.REPORT_EFFECT_ENTERED
        assert await at.hall.api.pairing.ReportResult(entry) == entered
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await at.hall.api.pairing.ReportResult(report(first, players, "p99", (400, 350)))
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT

        at.hall.child.kill()
        at.hall.child.start()
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.hall.grpc_port}", at.hall.child, "gateway")

        command_id = str(uuid.uuid4())
        async with phone(at.hall, bel) as web:
            address = (await web.get(f"/tournaments/{TOURNAMENT}/round/1/results")).headers["location"]
            page = (await web.get(address)).text
            assert "kept here, not yet at the championship" in page
            assert "400" in page
            fields = {"act": "ReportResult", "command_id": command_id, "first": "400", "second": "350"}
            for _ in range(2):
                answer = await web.post(address, data=fields, headers={"Origin": str(web.base_url).rstrip("/")})
                assert answer.status_code == 303, answer.text
            assert "confirmed" in (await web.get(address)).text
        listed = await at.hall.api.pairing.ListResults(pb.ListResultsRequest(tournament_id=TOURNAMENT))
        (table,) = [each for each in listed.tables if each.game_id == first]
        assert table.kept
        assert table.check == pb.RESULT_CHECK_PHASE_CONFIRMED
        assert [each.score for each in table.scores] == [400, 350]
        assert "not yet at the championship" in await get_page(at.hall, f"/tournaments/{TOURNAMENT}")
        assert await has_states(at.hall, IS_PENDING, IS_PENDING)
        told = await asyncio.to_thread(carry, at.hall, "kept", TOURNAMENT)
        assert "(round 1, table 2), report of a player 400–350, " in told
        assert "not yet at the championship" in told
        assert not find_results(await read_stream(at.championship), first, events.ResultEntered)

        at.line.mend()
        for site in (at.championship, at.hall):
            await until(partial(has_states, site, IS_EXECUTED, IS_EXECUTED), "the commands are executed")
        assert await at.hall.api.pairing.ReportResult(entry) == entered
        there = await read_stream(at.championship)
        for kind, command in ((events.ResultEntered, entry), (events.ResultConfirmed, None)):
            (event,) = find_results(there, first, kind)
            assert event.metadata.correlation_id == (command.command_id if command else command_id)
            assert event.metadata.role == ("director" if command else "player")
        assert await at.championship.api.pairing.ReportResult(entry) == entered
        assert [each.hash for each in await read_stream(at.hall)] == [each.hash for each in there]
        at.games.remove(second)
        await until(at.are_final, "the result is in the tournament")
        await at.check_equal_of(first)

        async def shows_none() -> bool:
            return "not yet at the championship" not in await get_page(at.hall, f"/tournaments/{TOURNAMENT}")

        await until(shows_none, "the page of the hall shows the result as one of the tournament")


@pytest.mark.nightly
async def test_a_kept_result_that_the_director_had_entered_too_is_refused_and_shown_on_both_sides(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, _ = at.games
        await let_players_report(at)
        ana, _ = players = await players_of(at, first)
        await at.line.cut()
        await at.hall.api.pairing.ReportResult(report(first, players, ana, (400, 350)))
        phoned = pb.EnterResultRequest(game_id=first, arbiter_id="arbiter")
        for player_id, score in zip(players, (410, 340), strict=True):
            phoned.scores.add(player_id=player_id, score=score)
        await at.desk.direct(at.championship.api.pairing.EnterResult, phoned)
        at.line.mend()
        for site in (at.championship, at.hall):
            await until(partial(has_states, site, IS_REFUSED), "the command is refused")
            (kept,) = await list_kept(site)
            assert kept.text
            assert [each.score for each in kept.scores] == [400, 350]
        (entered,) = find_results(await read_stream(at.championship), first, events.ResultEntered)
        assert isinstance(entered.message, events.ResultEntered)
        assert entered.message.arbiter_id == "arbiter"
        listed = await at.hall.api.pairing.ListResults(pb.ListResultsRequest(tournament_id=TOURNAMENT))
        (table,) = [each for each in listed.tables if each.game_id == first]
        assert [each.score for each in table.scores] == [410, 340]
        assert not table.kept


async def test_a_command_that_was_sent_to_both_cells_is_executed_once_and_another_one_with_its_id_is_refused(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await let_players_report(at)
        ana, _ = players = await players_of(at, first)
        cleo, _ = others = await players_of(at, second)
        await at.line.cut()
        same, other = report(first, players, ana, (400, 350)), report(second, others, cleo, (310, 300))
        own = report(second, others, cleo, (320, 300))
        own.command_id = other.command_id
        for site, sent in ((at.championship, (same, other)), (at.hall, (same, own))):
            for request in sent:
                await site.api.pairing.ReportResult(request)
        at.line.mend()
        for site in (at.championship, at.hall):
            await until(partial(has_states, site, IS_EXECUTED, IS_REFUSED), "both commands have an outcome")
        kept = await list_kept(at.championship)
        assert kept[1].reason == "COMMAND_KNOWN"
        there = await read_stream(at.championship)
        for game_id, scores in ((first, [400, 350]), (second, [310, 300])):
            (entered,) = find_results(there, game_id, events.ResultRecorded)
            assert [each.score for each in entered.message.scores] == scores  # type: ignore[attr-defined] # a result
        assert [each.hash for each in await read_stream(at.hall)] == [each.hash for each in there]
        for site in (at.championship, at.hall):
            record = await Record.open(f"sqlite:///{site.folder}/record.db", create=False)
            assert (await verify(record)).wrong == ""
            await record.close()


@pytest.mark.nightly
async def test_a_correction_of_the_director_stands_when_the_hall_corrects_the_same_result_without_a_line(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await let_players_report(at)
        hall = replace(at.desk, api=at.hall.api)
        for game_id in (first, second):
            players = await players_of(at, game_id)
            entry = pb.EnterResultRequest(game_id=game_id, arbiter_id="arbiter")
            entry.scores.extend(report(game_id, players, players[0], (400, 350)).scores)
            await hall.direct(at.hall.api.pairing.EnterResult, entry)
        await until(partial(has_states, at.hall, IS_EXECUTED, IS_EXECUTED), "the results are in the tournament")
        await at.line.cut()

        def correct(game_id: str, players: Sequence[str], scores: Sequence[int]) -> pb.CorrectResultRequest:
            corrected = pb.CorrectResultRequest(game_id=game_id, arbiter_id="arbiter", player_ids=players)
            corrected.scores.extend(report(game_id, players, players[0], scores).scores)
            return corrected

        players, others = await players_of(at, first), await players_of(at, second)
        await at.desk.direct(at.championship.api.pairing.CorrectResult, correct(first, players, (410, 340)))
        for scores in ((420, 330), (430, 320)):
            await hall.direct(at.hall.api.pairing.CorrectResult, correct(first, players, scores))
        await hall.direct(at.hall.api.pairing.CorrectResult, correct(second, others, (405, 355)))
        at.line.mend()
        states = (IS_EXECUTED, IS_EXECUTED, IS_REFUSED, IS_REFUSED, IS_EXECUTED)
        for site in (at.championship, at.hall):
            await until(partial(has_states, site, *states), "each correction has an outcome")
            assert [each.reason for each in await list_kept(site)][2:4] == ["RESULT_CHANGED"] * 2
            listed = await site.api.pairing.ListResults(pb.ListResultsRequest(tournament_id=TOURNAMENT))
            found = {table.game_id: [each.score for each in table.scores] for table in listed.tables}
            assert (found[first], found[second]) == ([410, 340], [405, 355])


@pytest.mark.nightly
async def test_an_official_of_the_hall_enters_disputes_and_corrects_a_result_without_a_line(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, _ = at.games
        await let_players_report(at)
        ana, bel = players = await players_of(at, first)
        await at.line.cut()
        hall = replace(at.desk, api=at.hall.api)
        entry = pb.EnterResultRequest(game_id=first, arbiter_id="arbiter", note="read from the slip")
        entry.scores.extend(report(first, players, ana, (400, 350)).scores)
        await hall.direct(at.hall.api.pairing.EnterResult, entry)
        again = pb.EnterResultRequest(game_id=first, arbiter_id="arbiter", scores=entry.scores)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await hall.direct(at.hall.api.pairing.EnterResult, again)
        assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        await at.hall.api.pairing.ReportResult(report(first, players, bel, (390, 360)))
        decided = pb.DecideDisputeRequest(game_id=first, arbiter_id="arbiter", note="counted again")
        decided.scores.extend(report(first, players, bel, (390, 360)).scores)
        await hall.direct(at.hall.api.pairing.DecideDispute, decided)
        with pytest.raises(grpc.aio.AioRpcError, match="championship"):
            await hall.direct(at.hall.api.pairing.SetResultCheck, pb.SetResultCheckRequest(players=True))
        at.line.mend()
        await until(
            partial(has_states, at.championship, IS_EXECUTED, IS_EXECUTED, IS_EXECUTED), "the commands are executed"
        )
        listed = await at.championship.api.pairing.ListResults(pb.ListResultsRequest(tournament_id=TOURNAMENT))
        (table,) = [each for each in listed.tables if each.game_id == first]
        assert [each.score for each in table.scores] == [390, 360]
        assert table.check == pb.RESULT_CHECK_PHASE_CONFIRMED
        record = await Record.open(f"sqlite:///{at.championship.folder}/record.db", create=False)
        assert {"read from the slip", "counted again"} <= set(
            (await record.notes_of(f"tournament-{TOURNAMENT}")).values()
        )
        for event in await record.read(0, limit=100_000):
            assert b"read from the slip" not in event.payload
        await record.close()


async def test_a_hall_that_was_changed_by_an_attacker_executes_nothing_but_commands_on_its_own_results(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        await let_players_report(at)
        listed = await at.hall.api.pairing.ListResults(pb.ListResultsRequest(tournament_id=TOURNAMENT))
        other = next(table for table in listed.tables if table.hall == OTHER_HALL)
        players = [player.player_id for player in other.players]
        foreign = report(other.game_id, players, players[0], (400, 350))
        closing = pb.CloseRoundRequest(command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, round=1)
        key = load_key(at.hall.folder / "hall")
        forged = await Record.open(f"sqlite:///{tmp_path}/forged.db")
        name = kept_stream(TOURNAMENT, key.public_key().public_bytes_raw())
        requests: Sequence[Any] = (foreign, closing)
        for version, request in enumerate(requests):
            kept = hall_events.HallCommandKept(
                hall=HALL,
                command_id=request.command_id,
                type=request.DESCRIPTOR.full_name,
                request=request.SerializeToString(),
                game_id=other.game_id,
            )
            metadata = Metadata(actor="eve", role="director", command_id=request.command_id)
            decision = Decision([Write(name, version, [kept], TOURNAMENT)])
            await forged.append(decision, metadata, command=AppendCommand(request.command_id, lambda _: b""))
        found = await extract(forged, 0, lambda _: True)
        await forged.close()
        content = hall_pb2.HallBatch(
            tournament_id=TOURNAMENT,
            hall=HALL,
            events=wire.to_events(found.batch),
            answers=wire.to_answers(found.batch),
        ).SerializeToString()
        pushed = hall_pb2.PushEventsRequest(
            tournament_id=TOURNAMENT, hall=HALL, batch=content, signature=wire.sign(key, content)
        )
        token = (tmp_path / "token").read_text().strip()
        async with open_channel(
            f"127.0.0.1:{at.championship.grpc_port}", build_interceptors(lambda _: f"Bearer {token}")
        ) as channel:
            for _ in range(2):
                await HallSyncServiceStub(channel).PushEvents(pushed)
        await until(partial(has_states, at.championship, IS_REFUSED, IS_REFUSED), "the commands are refused")
        assert [each.reason for each in await list_kept(at.championship)] == ["TABLE_OF_CHAMPIONSHIP", "NOT_KEPT"]
        assert not find_results(await read_stream(at.championship), other.game_id, events.ResultEntered)


async def test_the_page_of_a_round_enters_and_confirms_results_of_the_hall_without_a_line(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        check = pb.SetResultCheckRequest(second_person=True)
        await at.desk.direct(at.championship.api.pairing.SetResultCheck, check)

        async def knows() -> bool:
            return len(await read_stream(at.hall)) == len(await read_stream(at.championship))

        await until(knows, "the hall has the events of the tournament")
        await at.line.cut()
        address = f"/tournaments/{TOURNAMENT}/round/1/results"
        origin = {"Origin": f"http://127.0.0.1:{at.hall.http_port}"}
        async with (
            sign_in(at.hall, build_credential(SCORER, TOURNAMENT)) as scorer,
            sign_in(at.hall, build_credential(DIRECTOR, TOURNAMENT)) as director,
        ):
            for table, points in (("2", ("400", "350")), ("3", ("412", "377")), ("1", ("390", "380"))):
                fields = {"act": "EnterResult", "command_id": str(uuid.uuid4()), "table": table}
                fields |= dict(zip(("first", "second"), points, strict=True))
                answer = await scorer.post(address, data=fields, headers=origin)
                assert answer.status_code == (409 if table == "1" else 303), answer.text
            assert "Table 1 is not one of the hall" in answer.text
            page = (await director.get(address)).text
            assert "2 of 2 tables finished" in page
            assert page.count("kept here, not yet at the championship") == 2
            seen = re.search(r'name="seen" value="([^"]*)"', page)
            assert seen
            fields = {"act": "ConfirmAll", "command_id": str(uuid.uuid4()), "seen": seen[1]}
            answer = await director.post(address, data=fields, headers=origin)
            assert answer.status_code == 303, answer.text
            assert "confirmed=2" in answer.headers["location"]
            assert "WithdrawKeptCommand" not in (await scorer.get(f"{address}/2")).text
            page = (await director.get(f"{address}/2")).text
            kept = re.search(r'name="kept_command_id" value="([^"]*)"', page)
            assert kept
            fields = {"act": "WithdrawKeptCommand", "command_id": str(uuid.uuid4()), "kept_command_id": kept[1]}
            answer = await director.post(f"{address}/2", data=fields, headers=origin)
            assert answer.status_code == 303, answer.text
            assert "WithdrawKeptCommand" not in (await director.get(f"{address}/2")).text
        at.line.mend()
        states = (IS_EXECUTED, IS_EXECUTED, IS_WITHDRAWN, IS_EXECUTED, IS_EXECUTED)
        await until(partial(has_states, at.championship, *states), "the commands are executed")
        listed = await at.championship.api.pairing.ListResults(pb.ListResultsRequest(tournament_id=TOURNAMENT))
        checks = {each.table: each.check for each in listed.tables if each.scores}
        assert checks == {2: pb.RESULT_CHECK_PHASE_OPEN, 3: pb.RESULT_CHECK_PHASE_CONFIRMED}
