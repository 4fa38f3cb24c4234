"""Final state of a championship, without times, and its comparison with that of an undisturbed run."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import httpx
from google.protobuf.json_format import MessageToDict
from tests.campaigns.hall_cells.moves import SeededGame
from tests.component.test_hall_cell import TOURNAMENT, Site, prepare, site
from tests.support.plain_http import PLAIN

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.game.halls.model import halls_stream
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import events_pb2 as hall_events

MAX_EVENTS = 1_000_000

Content = Mapping[str, Any]
"""What a championship has, by name: the pages of its JSON, and its streams."""

_OF_TIME = re.compile(r"(_at|_ms|_since|_until|_position|position|version|hall_cells|cell_hall|at|time)$")
"""Names of values that differ between two runs, or that concern cells of halls."""
_OF_CELLS = frozenset(kind.DESCRIPTOR.name for kind in (game_events.TableHandedOver, game_events.TableReturned))
"""Events of tables of a hall that a championship without its cell does not have."""


def without_times(value: Any) -> Any:
    """Return a value without the times in it, at any depth."""
    if isinstance(value, Mapping):
        return {name: without_times(part) for name, part in value.items() if not _OF_TIME.search(name)}
    if isinstance(value, list):
        return [without_times(part) for part in value]
    return value


async def read_content(championship: Site, games: Collection[str], rounds: int) -> Content:
    """Read the standings, pairings and sheets of a championship, and the events of its record."""
    content: dict[str, Any] = {}
    record = await Record.open(f"sqlite:///{championship.folder}/record.db", create=False)
    try:
        last = await record.last_position()
        for event in await record.read(0, limit=MAX_EVENTS):
            kind = event.stream.partition("-")[0]
            if kind in {"game", "clock", "case", "tournament"} and event.name not in _OF_CELLS:
                message = without_times(MessageToDict(event.message, preserving_proto_field_name=True))
                content.setdefault(event.stream, []).append([event.name, message])
    finally:
        await record.close()
    # Results come in the order in which tables end, which depends on the time.
    content[f"tournament-{TOURNAMENT}"].sort(key=json.dumps)
    base = f"http://127.0.0.1:{championship.http_port}/api/v1"
    async with httpx.AsyncClient(verify=PLAIN, timeout=30) as web:
        of_tournament = ["standings", "crosstable", "players", *(f"rounds/{n + 1}/pairings" for n in range(rounds))]
        paths = [f"/tournaments/{TOURNAMENT}/{name}" for name in of_tournament]
        for path in [*paths, *(f"/games/{game_id}" for game_id in sorted(games))]:
            answer = await web.get(base + path, params={"min_position": last})
            assert answer.status_code == 200, (path, answer.text)
            content[path] = without_times(answer.json())
    return content


def list_differences(disturbed: Content, undisturbed: Content) -> list[str]:
    """Return where two championships differ."""
    return [
        f"{name}: {_find_difference(disturbed.get(name), undisturbed.get(name))}"
        for name in sorted(disturbed.keys() | undisturbed.keys())
        if disturbed.get(name) != undisturbed.get(name)
    ]


def _find_difference(one: Any, other: Any) -> str:
    """Return the first difference of two values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                return f"{name}: {_find_difference(one.get(name), other.get(name))}"
    if isinstance(one, list) and isinstance(other, list):
        for place, (mine, theirs) in enumerate(zip(one, other, strict=False)):
            if mine != theirs:
                return f"{place}: {_find_difference(mine, theirs)}"
        return f"{len(one)} instead of {len(other)}"
    return f"{str(one)[:200]} instead of {str(other)[:200]}"


async def read_salt(championship: Site) -> bytes:
    """Return the salt of the draws of a championship."""
    record = await Record.open(f"sqlite:///{championship.folder}/record.db", create=False)
    try:
        joined = await record.first_event(halls_stream(TOURNAMENT))
        assert isinstance(joined, hall_events.HallJoined)
        return joined.draw_salt
    finally:
        await record.close()


async def play_undisturbed(
    folder: Path, words: Path, seed: int, *, rounds: int, players: int, most_rounds: int, salt: bytes
) -> Content:
    """Play the same rounds in a championship without cells of halls, and return its content."""
    async with site(folder, words) as championship:
        desk = await prepare(championship, players=players, rounds=most_rounds)
        record = await Record.open(f"sqlite:///{folder}/record.db", create=False)
        joined = hall_events.HallJoined(hall="Elsewhere", key=bytes(32), draw_salt=salt)
        written = Write(halls_stream(TOURNAMENT), 0, [joined], TOURNAMENT)
        await record.append(Decision([written]), Metadata())
        await record.close()
        games: list[str] = []
        for number in range(1, rounds + 1):
            paired = await desk._start_round(number)
            new_games = [pairing.game_id for pairing in paired.pairings]
            games += new_games
            await asyncio.gather(*(SeededGame(desk, game_id, seed).play() for game_id in new_games))
            await desk._until_in(number)
            if number < rounds:
                await desk._close_round(number)
        return await read_content(championship, games, rounds)
