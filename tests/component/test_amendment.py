"""Every page, answer and file shows the corrected name."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncConnection
from tests.support.stage import open_stage
from tests.support.synthetic import NAMES, TOURNAMENT, Championship

from faristol.event_store import Decision, Metadata, Write
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data import people

SHOWN = (
    "/api/v1/tournaments/lliga/players",
    "/api/v1/tournaments/lliga/standings",
    "/api/v1/tournaments/lliga/rounds/1/pairings",
    "/api/v1/tournaments/lliga/report.trf",
    "/api/v1/games/lliga-r1-t1",
    "/tournaments/lliga",
    "/tournaments/lliga/round/1",
    "/tournaments/lliga/players",
    "/games/lliga-r1-t1",
    "/players/anna",
)


async def test_pages_answers_and_files_show_the_name_that_was_put_right(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        hall = Championship()
        await stage.add(*hall.steps())
        before = {url: await stage.http.get(url) for url in SHOWN}
        old = NAMES["anna"][0]
        for url, page in before.items():
            assert old in page.text, url

        async def also(connection: AsyncConnection) -> str:
            return await people.amend(connection, "anna", {"name": "Aina Renom"})

        event = pairing.PlayerAmended(player_id="anna", parts=[pairing.ENTRY_PART_NAME], occurred_at=hall.at())
        version = len(await stage.record.read_stream(hall.stream))
        await stage.record.append(Decision([Write(hall.stream, version, [event], TOURNAMENT)], also=also), Metadata())
        await stage.caught_up()
        for url, page in before.items():
            now = await stage.http.get(url, headers={"If-None-Match": page.headers["etag"]})
            assert (now.status_code, "Aina Renom" in now.text, old in now.text) == (200, True, False), url
