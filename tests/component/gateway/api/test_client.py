"""The client in Python: it returns the answers of the gateway, whole, in order, and once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.support.stage import Stage

from faristol.client import results as client
from faristol.client.models import Model
from faristol.client.results import Malformed, NotAllowed, NotFound, Problem, Results, Unreachable

pytestmark = pytest.mark.asyncio(loop_scope="module")


def address(stage: Stage) -> str:
    return str(stage.http.base_url).rstrip("/")


async def every(lines: AsyncIterator[Model]) -> list[dict[str, Any]]:
    return [line.model_dump(mode="json") async for line in lines]


async def test_answers_are_given_whole_with_the_fields_that_they_have(finished_stage: Stage) -> None:
    async def raw(path: str) -> Any:
        return (await finished_stage.http.get(f"/api/v1/{path}")).json()

    at = "tournaments/lliga"
    async with Results(address(finished_stage)) as results:
        assert (await results.tournament("lliga")).model_dump(mode="json") == (await raw(at))["tournament"]
        assert (await results.pairings("lliga", 1)).model_dump(mode="json") == await raw(f"{at}/rounds/1/pairings")
        assert (await results.game("lliga-r1-t1")).model_dump(mode="json") == await raw("games/lliga-r1-t1")
        assert await every(results.tournaments()) == (await raw("tournaments"))["tournaments"]
        assert await every(results.standings("lliga")) == (await raw(f"{at}/standings"))["standings"]
        assert await every(results.players("lliga")) == (await raw(f"{at}/players"))["players"]
        assert await every(results.games("lliga", player="anna")) == (await raw(f"{at}/games?player=anna"))["games"]
        assert (await results.gcg("lliga-r1-t1")).startswith("#character-encoding")
        every_gcg = await results.gcgs("lliga", player="anna", racks=True)
        assert list(every_gcg) == ["lliga-r1-t1", "lliga-r2-t2"]
        assert every_gcg["lliga-r1-t1"] == await results.gcg("lliga-r1-t1", racks=True)
        assert await results.racks("lliga-r1-t1") is None
        assert await every(results.people("sabadell")) == (await raw("players?search=sabadell"))["players"]
        (own,) = await every(results.player("biel"))
        assert [own] == (await raw("players/biel"))["tournaments"]
        position = (await raw(at))["position"]
        assert (
            await every(results.standings("lliga", 1, position)) == (await raw(f"{at}/standings?round=1"))["standings"]
        )


async def test_long_lists_come_page_by_page(finished_stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Results(address(finished_stage)) as results:
        whole = [await every(each("lliga")) for each in (results.standings, results.players, results.games)]
        monkeypatch.setattr(client, "REQUEST_PAGE_LINES", 2)
        paged = [await every(each("lliga")) for each in (results.standings, results.players, results.games)]
    assert paged == whole
    assert min(map(len, whole)) > 2


async def test_what_is_refused_is_an_exception_that_says_what_and_why(finished_stage: Stage) -> None:
    async with Results(address(finished_stage), language="ca", patience=0.01) as results:
        with pytest.raises(NotFound) as missing:
            await results.tournament("nowhere")
        assert (missing.value.status, missing.value.reason, missing.value.body["kind"]) == (
            404,
            "NOT_FOUND",
            "tournament",
        )
        for odd in ("", "..", "a/b", "lliga/players"):
            with pytest.raises(NotFound):
                await results.tournament(odd)
        for odd in ("lliga?round=1", "ll%69ga", "lliga#x"):
            with pytest.raises(NotFound):
                await results.tournament(odd)
        with pytest.raises(NotFound):
            await anext(results.follow("nowhere"))
        with pytest.raises(Malformed) as wrong:
            await every(results.games("lliga", state="won"))
        assert wrong.value.body["errors"][0]["field"] == "state"
        with pytest.raises(Malformed):
            await every(results.standings("lliga", min_position=10**9))
    async with Results(address(finished_stage), token="x") as signed_in:
        with pytest.raises(NotAllowed):
            await signed_in.act("pairing", "StartRound", {"tournament_id": "lliga"})


async def test_a_gateway_that_is_away_is_asked_again_and_then_said_to_be_away() -> None:
    async with Results("http://127.0.0.1:1", patience=0.01) as results:
        with pytest.raises(Unreachable) as away:
            await results.tournament("lliga")
        assert isinstance(away.value, Problem)
        assert "127.0.0.1:1" in away.value.detail


@asynccontextmanager
async def cut(port: int, after: int) -> AsyncIterator[tuple[str, list[int]]]:
    """Yield a connection to a port that breaks after this number of bytes, each time; and the number of connections."""
    taken: list[int] = []

    async def forward(source: asyncio.StreamReader, sink: asyncio.StreamWriter, most: int | None) -> None:
        passed = 0
        with suppress(OSError):
            while (part := await source.read(64)) and (most is None or passed < most):
                passed += len(part)
                sink.write(part)
                await sink.drain()
        sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.append(1)
        far_reader, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(forward(reader, back, None), forward(far_reader, writer, after))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", taken


async def test_a_stream_that_breaks_anywhere_is_taken_up_without_a_gap_and_without_a_piece_twice(
    finished_stage: Stage,
) -> None:
    async def read_positions(at: str) -> list[int]:
        found: list[int] = []
        async with Results(at, patience=0.001) as results, asyncio.timeout(60):
            async for news in results.follow("lliga"):
                found.append(news.position)
                if news.type == "StandingsPublished":
                    return found
        raise AssertionError(found)

    whole = await read_positions(address(finished_stage))
    assert len(whole) > 50
    assert whole == sorted(set(whole))
    async with cut(finished_stage.http.base_url.port or 0, 3_000) as (at, taken):
        assert await read_positions(at) == whole
        assert len(taken) > 3


async def test_filters_of_the_stream_let_through_what_they_name(finished_stage: Stage) -> None:
    async with Results(address(finished_stage)) as results, asyncio.timeout(60):
        news = results.follow("lliga", rounds=[2], tables=[1], types=["ResultRecorded"])
        first = await anext(news)
        assert (first.type, first.round, first.table) == ("ResultRecorded", 2, 1)
