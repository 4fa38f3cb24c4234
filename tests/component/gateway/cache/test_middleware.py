from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator

import brotli
import httpx
import pytest
from tests.support.stage import Stage
from tests.support.synthetic import Championship, append

from faristol.gateway.pages.templating import asset
from faristol.personal_data.erasure import erase

pytestmark = pytest.mark.asyncio(loop_scope="module")

READ = (
    "/",
    "/tournaments/lliga",
    "/tournaments/lliga?part=live",
    "/tournaments/lliga/round/1",
    "/games/lliga-r1-t1",
    "/api/v1/tournaments/lliga/standings",
)


async def get(stage: Stage, path: str, **headers: str) -> httpx.Response:
    """Send a request that accepts cached answers."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await stage.http.get(path, headers={"Cache-Control": "max-age=0", **given})


async def raw(stage: Stage, path: str, accepted: str) -> tuple[httpx.Response, bytes]:
    """Return an answer, and its body as it came."""
    headers = {"Cache-Control": "max-age=0", "Accept-Encoding": accepted}
    async with stage.http.stream("GET", path, headers=headers) as answer:
        return answer, b"".join([part async for part in answer.aiter_raw()])


async def test_a_page_is_known_by_its_tag_until_it_is_another(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.first_round())
    for path in READ:
        first = await get(stage, path)
        assert first.status_code == 200
        again = await get(stage, path, If_None_Match=first.headers["etag"])
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"]), path
        assert "Accept-Encoding" in again.headers["vary"]
        head = await stage.http.head(path, headers={"If-None-Match": first.headers["etag"]})
        assert head.status_code == 304
    tag = (await get(stage, "/tournaments/lliga?part=live")).headers["etag"]
    position = await stage.add(*hall.second_round(), *hall.finish())
    changed = await get(stage, f"/tournaments/lliga?part=live&min_position={position}", If_None_Match=tag)
    assert (changed.status_code, "Final standings" in changed.text) == (200, True)


async def test_who_hears_news_and_asks_for_the_page_is_shown_what_it_tells(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    for step in [*hall.first_round(), *hall.second_round()]:
        before = await stage.record.last_position()
        await append(stage.record, step)
        if hall.stream not in step:
            continue
        await get(stage, "/tournaments/lliga?part=live")
        async with stage.http.stream("GET", f"/api/v1/tournaments/lliga/stream?after={before}") as news:
            assert [line async for line in taken_until_told(news)]
        kept = await get(stage, "/tournaments/lliga?part=live")
        assert kept.text == (await stage.http.get("/tournaments/lliga?part=live")).text


async def taken_until_told(news: httpx.Response) -> AsyncIterator[str]:
    """Yield the lines of a stream up to the first position."""
    async for line in news.aiter_lines():
        yield line
        if line.startswith("id: "):
            return


async def test_a_name_that_was_erased_is_gone_within_a_second(stage: Stage) -> None:
    await stage.add(*Championship().steps())
    paths = ("/tournaments/lliga", "/tournaments/lliga?part=live", "/api/v1/tournaments/lliga/players")
    for path in paths:
        assert "Biel" in (await get(stage, path)).text
    await erase(stage.record, "biel")
    await asyncio.sleep(1)
    for path in paths:
        assert "Biel" not in (await get(stage, path)).text


async def test_what_is_kept_is_the_same_however_it_is_encoded(finished_stage: Stage) -> None:
    for path in (*READ, asset("live.js"), asset("faristol.css")):
        plain, body = await raw(finished_stage, path, "identity")
        assert "content-encoding" not in plain.headers
        for accepted, encoding, decode in (
            ("gzip, deflate, br, zstd", "br", brotli.decompress),
            ("br;q=0.1, gzip;q=0.5", "gzip", gzip.decompress),
        ):
            packed, small = await raw(finished_stage, path, accepted)
            assert packed.headers["content-encoding"] == encoding, path
            assert (decode(small), int(packed.headers["content-length"])) == (body, len(small))
            assert plain.headers["etag"] != packed.headers["etag"]
            known = await get(finished_stage, path, Accept_Encoding="identity", If_None_Match=packed.headers["etag"])
            assert known.status_code == 304
    stream = finished_stage.http.stream("GET", "/api/v1/tournaments/lliga/stream", headers={"Accept-Encoding": "gzip"})
    async with stream as answer:
        assert "content-encoding" not in answer.headers


async def test_nothing_private_is_kept_and_nothing_kept_knows_who_asked(finished_stage: Stage) -> None:
    signed_in = {"Cookie": "faristol=somebody; lang=el"}
    for path in ("/sign-in", "/account", "/tournaments/lliga/access"):
        answer = await finished_stage.http.get(path, headers=signed_in)
        assert answer.status_code != 200 or "no-store" in answer.headers["cache-control"], path
        assert "etag" not in answer.headers
        assert "content-encoding" not in answer.headers
    greek = await get(finished_stage, "/tournaments/lliga/players", **signed_in)
    other = await get(finished_stage, "/tournaments/lliga/players?utm_source=x", Cookie="lang=el")
    assert (greek.headers["content-language"], other.text, other.headers["etag"]) == (
        "el",
        greek.text,
        greek.headers["etag"],
    )
    assert "utm_source" not in other.text
    assert "set-cookie" not in other.headers


async def test_nobody_has_a_page_rendered_anew_by_what_it_does_not_depend_on(finished_stage: Stage) -> None:
    path = "/tournaments/lliga/players"
    usual = await get(finished_stage, path, Accept_Language="ca")
    many = ", ".join(["ca", *(f"x{number}" for number in range(600))])
    for query, languages in ((f"?utm={'x' * 5_000}", "ca"), ("?" + "a=b&" * 2_000, "ca"), ("", many)):
        answer = await get(finished_stage, f"{path}{query}", Accept_Language=languages)
        assert (answer.text, answer.headers.get("etag")) == (usual.text, usual.headers["etag"])
    assert (await get(finished_stage, f"/api/v1/tournaments/lliga/players?x={'y' * 3_000}")).status_code == 400


async def test_whoever_keeps_answers_between_is_told_for_how_long(finished_stage: Stage) -> None:
    position = await finished_stage.record.last_position()
    whole = await get(finished_stage, "/tournaments/lliga")
    assert (whole.headers["cache-control"], whole.headers["vary"]) == (
        "no-cache",
        "Accept-Language, Cookie, Accept-Encoding, Origin",
    )
    part = await get(finished_stage, f"/tournaments/lliga?part=live&lang=ca&min_position={position}")
    assert part.headers["cache-control"] == "public, max-age=1, stale-while-revalidate=2"
    assert (part.headers["vary"], "set-cookie" in part.headers) == ("Accept-Encoding, Origin", False)
    ahead = await get(finished_stage, f"/tournaments/lliga?part=live&lang=ca&min_position={position + 1_000}")
    assert ahead.headers["cache-control"] == "no-cache"
    for name in ("live.js", "faristol.css", "icon.svg", "sign-in.js"):
        forever = await finished_stage.http.get(asset(name))
        assert forever.headers["cache-control"] == "public, max-age=31536000, immutable"
        other = await finished_stage.http.get(f"/static/{name}?v=other")
        assert (other.status_code, other.headers["cache-control"]) == (200, "no-cache")
    assert (await finished_stage.http.get("/static/none.js")).status_code == 404
