"""A tournament on other sites: in frames, over streams, in previews, feeds, calendars, on home screens."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from io import BytesIO
from urllib.parse import urlencode
from xml.etree import ElementTree

import httpx
import pytest
from PIL import Image
from tests.support.stage import Stage

from faristol.gateway.pages.spectators.feeds import calendar, news_of
from faristol.gateway.pages.spectators.pictures import HEIGHT, WIDTH, DrawnTile, PictureContent, picture
from faristol.pb.results.v1 import results_pb2 as pb

pytestmark = pytest.mark.asyncio(loop_scope="module")

GAME = "/games/lliga-r1-t1"


EMBEDS = (
    f"{GAME}/embed",
    "/tournaments/lliga/embed/standings",
    "/tournaments/lliga/embed/pairings",
    "/tournaments/lliga/embed/pairings?round=1",
    "/tournaments/lliga/embed/screen",
)


@pytest.mark.parametrize("path", EMBEDS)
async def test_other_sites_may_frame_pages_without_cookies_in_a_theme_and_a_language(
    finished_stage: Stage, path: str
) -> None:
    address = httpx.URL(path)
    for theme, shown in (("light", 'data-theme="light"'), ("dark", 'data-theme="dark"'), ("auto", ""), ("", "")):
        asked = address.copy_merge_params({"theme": theme, "lang": "ca"})
        # both as the application renders it and as the cache keeps it
        for control in ("no-cache", "max-age=0"):
            headers = {"Cookie": "lang=es", "Cache-Control": control}
            answer = await finished_stage.http.get(asked, headers=headers)
            assert answer.status_code == 200, answer.text
            assert "frame-ancestors *" in answer.headers["content-security-policy"]
            assert "set-cookie" not in answer.headers
            assert '<html lang="ca"' in answer.text
            assert shown in answer.text
            assert ("data-theme" in answer.text) == bool(shown)
            assert not re.search(r"<form|/account|/sign-", answer.text)
            assert "application/json+oembed" in answer.text
    by_browser = await finished_stage.http.get(path, headers={"Cookie": "lang=es", "Accept-Language": "el"})
    assert '<html lang="el"' in by_browser.text, "a cookie says nothing to a frame"
    assert (await finished_stage.http.get(address.copy_merge_params({"theme": "pink"}))).status_code == 400


async def test_no_other_page_may_be_framed(finished_stage: Stage) -> None:
    others = (
        "/games/lliga-r1-t1",
        f"{GAME}/replay",
        f"{GAME}/overlay",
        f"{GAME}/embed/x",
        "/tournaments/lliga",
        "/tournaments/lliga/round/1",
    )
    for path in (
        *others,
        "/sign-in",
        "/tournaments/lliga/screen",
        "/tournaments/lliga/embed/x",
        "/tournaments/lliga/embed",
        "/oembed",
    ):
        found = await finished_stage.http.get(path)
        assert "frame-ancestors 'none'" in found.headers["content-security-policy"], path
        assert "data-theme" not in found.text


async def test_an_embedded_round_is_the_one_of_the_address_or_the_latest(finished_stage: Stage) -> None:
    told = (await finished_stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]
    latest = max(each["round"] for each in told["played"])
    assert latest > 1
    first = (await finished_stage.http.get("/tournaments/lliga/embed/pairings?round=1")).text
    assert 'id="pairings-title">Round 1 ' in first
    assert 'data-round="1"' in first
    now = (await finished_stage.http.get("/tournaments/lliga/embed/pairings")).text
    assert f'id="pairings-title">Round {latest} ' in now
    assert "data-round" not in now
    assert (await finished_stage.http.get("/tournaments/lliga/embed/pairings?round=99")).status_code == 404


async def test_a_link_is_described_for_programs_that_make_a_frame_of_it(finished_stage: Stage) -> None:
    site = finished_stage.running.http_address
    framed = {
        "/tournaments/lliga": "/tournaments/lliga/embed/standings",
        "/tournaments/lliga?utm_source=x": "/tournaments/lliga/embed/standings",
        "/tournaments/lliga/round/1": "/tournaments/lliga/embed/pairings?round=1",
        "/tournaments/lliga/embed/pairings": "/tournaments/lliga/embed/pairings",
        "/tournaments/lliga/screen?hall=Sala+Gran": "/tournaments/lliga/embed/screen?hall=Sala+Gran",
        "/tournaments/lliga/embed/screen": "/tournaments/lliga/embed/screen",
        "/games/lliga-r1-t1": f"{GAME}/embed",
        f"{GAME}/replay?move=3": f"{GAME}/embed",
        f"{GAME}/embed": f"{GAME}/embed",
        "/t/lliga/r/1": "/tournaments/lliga/embed/pairings?round=1",
        "/g/lliga-r1-t1": f"{GAME}/embed",
    }
    for path, frame in framed.items():
        page = (await finished_stage.http.get(path, follow_redirects=True)).text
        (described,) = re.findall(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)"', page)
        for asked in (unescape(described), f"/oembed?{urlencode({'url': site + path, 'format': 'json', 'dnt': 1})}"):
            found = (await finished_stage.http.get(asked)).json()
            assert (found["version"], found["type"], found["provider_name"]) == ("1.0", "rich", "Faristol")
            (source,) = re.findall(r'<iframe src="([^"]+)"', found["html"])
            assert unescape(source) == site + frame, path
        assert (await finished_stage.http.get(unescape(source))).status_code == 200
    themed = {"url": f"{site}/tournaments/lliga?lang=ca&theme=dark&utm_source=x"}
    found = (await finished_stage.http.get("/oembed", params=themed)).json()
    assert "/embed/standings?theme=dark&amp;lang=ca" in found["html"]
    small: dict[str, str | int] = {"url": f"{site}/tournaments/lliga", "maxwidth": 300, "maxheight": 90_000}
    found = (await finished_stage.http.get("/oembed", params=small)).json()
    assert (found["width"], found["height"]) == (300, 640)
    assert 'width="300" height="640"' in found["html"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"url": "SITE/tournaments/none"}, 404),
        ({"url": "SITE/games/none"}, 404),
        ({"url": "SITE/account"}, 404),
        ({"url": "https://elsewhere.example/tournaments/lliga"}, 404),
        ({"url": "http://[/tournaments/lliga"}, 404),
        ({"url": "javascript:alert(1)"}, 404),
        ({"url": "SITE/tournaments/lliga", "format": "xml"}, 501),
        ({"url": "SITE/tournaments/lliga", "maxwidth": "0"}, 400),
        ({}, 400),
    ],
)
async def test_what_cannot_be_embedded_is_a_problem(finished_stage: Stage, query: dict[str, str], status: int) -> None:
    asked = {name: value.replace("SITE", finished_stage.running.http_address) for name, value in query.items()}
    answer = await finished_stage.http.get("/oembed", params=asked)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["reason"]


async def test_an_overlay_has_names_scores_and_the_last_line_alone(finished_stage: Stage) -> None:
    text = (await finished_stage.http.get(f"{GAME}/overlay")).text
    told = (await finished_stage.http.get("/api/v1/games/lliga-r1-t1")).json()
    for seat in told["seats"]:
        assert seat["name"] in text
    assert 'id="over-play"' in text
    assert 'id="board"' not in text


async def test_a_link_to_a_game_has_a_picture_of_its_board(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/games/lliga-r1-t1")).text
    (address,) = re.findall(r'<meta property="og:image" content="([^"]+)"', page)
    assert address.startswith(finished_stage.running.http_address)
    answer = await finished_stage.http.get(address)
    assert answer.headers["content-type"] == "image/png"
    image = Image.open(BytesIO(answer.content))
    assert image.size == (WIDTH, HEIGHT)
    assert len(answer.content) < 120_000
    again = await finished_stage.http.get(address, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    for path in ("/games/none/board.png", "/games/none/embed", "/games/none/overlay", "/games/none/replay"):
        assert (await finished_stage.http.get(path)).status_code == 404, path


async def test_a_picture_has_room_for_any_name_and_every_kind_of_tile() -> None:
    tiles = (DrawnTile(7, 7, "L·L", False, 10), DrawnTile(7, 8, "Ω", False, 10), DrawnTile(7, 9, "Ñ", True, 0))
    one = picture(
        PictureContent("Т" * 200, "Ronda 1", (("Ñ" * 200, "1000"), ("", "−5"), ("c", "0"), ("d", "0")), tiles)
    )
    other = picture(
        PictureContent("Т" * 200, "Ronda 1", (("Ñ" * 200, "1000"), ("", "−5"), ("c", "0"), ("d", "0")), tiles[:2])
    )
    assert one != other
    assert Image.open(BytesIO(one)).size == (WIDTH, HEIGHT)


async def test_a_feed_tells_what_happened_to_the_rounds_the_latest_first(finished_stage: Stage) -> None:
    answer = await finished_stage.http.get("/tournaments/lliga/feed.atom", headers={"Accept-Language": "ca"})
    assert answer.headers["content-type"].startswith("application/atom+xml")
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(answer.text)
    entries = feed.findall(f"{atom}entry")
    titles = [entry.findtext(f"{atom}title") for entry in entries]
    times = [entry.findtext(f"{atom}updated") or "" for entry in entries]
    assert "Ha començat la ronda 1" in titles
    assert times == sorted(times, reverse=True)
    assert feed.findtext(f"{atom}updated") == times[0]
    assert len({entry.findtext(f"{atom}id") for entry in entries}) == len(entries)
    for entry in entries:
        link = entry.find(f"{atom}link")
        assert link is not None
        assert (await finished_stage.http.get(link.attrib["href"])).status_code == 200


async def test_a_calendar_has_the_rounds_that_have_a_time(finished_stage: Stage) -> None:
    answer = await finished_stage.http.get("/tournaments/lliga/rounds.ics")
    assert answer.headers["content-type"].startswith("text/calendar")
    lines = answer.text.split("\r\n")
    assert (lines[0], lines[-2], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR", "")
    head = (await finished_stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]
    started = [round_ for round_ in head["played"] if round_["started_at"]]
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == len(started) > 0


async def test_a_calendar_writes_any_name_in_lines_that_calendars_read() -> None:
    tournament = pb.Tournament(tournament_id="t", name="Ç;ñ, \\" + "ω" * 120, time_zone="Europe/Madrid")
    tournament.halls.add(name="Sala, gran")
    round_ = tournament.played.add(round=1)
    round_.started_at.FromDatetime(datetime(2026, 3, 7, 10, 0, tzinfo=UTC))
    text = calendar(tournament, "el", "https://example.org")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    whole = text.replace("\r\n ", "")
    assert "SUMMARY:Ç\\;ñ\\, \\\\" + "ω" * 120 + ": Γύρος 1" in whole
    assert "DTEND:20260307T110000Z" in whole
    assert "LOCATION:Sala\\, gran" in whole
    assert [each.key for each in news_of(tournament, "en")] == ["1-started_at"]


async def test_a_calendar_has_the_rounds_to_come_for_which_a_time_was_announced() -> None:
    tournament = pb.Tournament(tournament_id="t", name="Copa", rounds=3)
    at = datetime(2026, 3, 7, 10, 0, tzinfo=UTC)
    tournament.played.add(round=1).started_at.FromDatetime(at + timedelta(minutes=7))
    for number in (1, 2, 4):
        each = tournament.announced.add(round=number)
        each.starts_at.FromDatetime(at + timedelta(hours=2 * number - 2))
        each.ends_at.FromDatetime(at + timedelta(hours=2 * number - 1))
        each.announced_at.FromDatetime(at - timedelta(days=9))
    text = calendar(tournament, "en", "https://example.org")
    events = [dict(line.split(":", 1) for line in event.split("\r\n") if ":" in line) for event in text.split("VEVENT")]
    told = {each["UID"]: (each["DTSTART"], each["DTEND"], each["DTSTAMP"]) for each in events if "UID" in each}
    assert told == {
        "t-r1@faristol": ("20260307T100700Z", "20260307T110700Z", "20260307T100700Z"),
        "t-r2@faristol": ("20260307T120000Z", "20260307T130000Z", "20260226T100000Z"),
    }
    assert "URL:https://example.org/tournaments/t\r\n" in text


async def test_the_pages_can_be_installed(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/")).text
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page
    answer = await finished_stage.http.get("/manifest.webmanifest")
    assert answer.headers["content-type"].startswith("application/manifest+json")
    for icon in answer.json()["icons"]:
        found = await finished_stage.http.get(icon["src"])
        size = Image.open(BytesIO(found.content)).size
        assert f"{size[0]}x{size[1]}" == icon["sizes"]
    worker = await finished_stage.http.get("/worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
