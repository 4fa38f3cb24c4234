"""Measure the cost of the standings page: repeated requests, and those of a crowd after a result.

One process serves results and pages, another asks, on the same machine. ``python tests/benchmarks/pages.py`` prints the
figures alone. It runs on older code too, where it is put in its place, to compare with.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.figures import Figures
from tests.support.stage import open_stage
from tests.support.synthetic import Championship, Step, append

from faristol.gateway.pages import render as page
from faristol.gateway.pages import templating
from faristol.gateway.rpc import results
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data.people import store_player

PLAYER_COUNT = 64
ROUND_COUNT = 6
CONNECTION_COUNT = 32
LOAD_SECONDS = 5.0
READER_COUNT = 1_000
CHANGE_COUNT = 3
PATH = "/tournaments/lliga"


class Hall(Championship):
    """A large championship with only results on the record."""

    def __init__(self) -> None:
        super().__init__()
        self.people = [f"player-{number:02}" for number in range(PLAYER_COUNT)]
        self._chance = random.Random(PLAYER_COUNT)

    def steps(self) -> Iterator[Step]:
        """Yield all rounds but the last, and the last one begun."""
        setup = next(self.create(rounds=ROUND_COUNT))
        registered = [
            pairing.PlayerRegistered(player_id=player, rating=2000 - 10 * place, occurred_at=self.at())
            for place, player in enumerate(self.people)
        ]
        yield {**setup, self.stream: [*setup[self.stream], *registered]}
        for number in range(1, ROUND_COUNT + 1):
            self._chance.shuffle(self.people)
            yield {self.stream: [self._pair_round(number), pairing.RoundStarted(round=number, occurred_at=self.at())]}
            if number < ROUND_COUNT:
                results_ = [self.result(number, table) for table in range(1, PLAYER_COUNT // 2 + 1)]
                yield {self.stream: [*results_, pairing.RoundClosed(round=number, occurred_at=self.at())]}

    def _pair_round(self, number: int) -> pairing.RoundPaired:
        pairs = [
            pairing.Pairing(
                table=table,
                game_id=f"lliga-r{number}-t{table}",
                first_player_id=self.people[2 * table - 2],
                second_player_id=self.people[2 * table - 1],
            )
            for table in range(1, PLAYER_COUNT // 2 + 1)
        ]
        return pairing.RoundPaired(round=number, pairings=pairs, algorithm="swiss-1", occurred_at=self.at())

    def result(self, number: int, table: int) -> pairing.ResultRecorded:
        """Return a result."""
        scores = [
            game.FinalScore(player_id=player, score=self._chance.randint(250, 550))
            for player in self.people[2 * table - 2 : 2 * table]
        ]
        return pairing.ResultRecorded(
            round=number, game_id=f"lliga-r{number}-t{table}", scores=scores, occurred_at=self.at()
        )


def name_of(number: int) -> str:
    """Return a unique name, like those of people: similar names would compress too well."""
    chance = random.Random(number)
    words = ["".join(chance.choice("bcdfglmnprst") + chance.choice("aeiou") for _ in range(3)) for _ in range(3)]
    return " ".join(words).title()


async def serve(folder: Path) -> None:
    """Serve until the input ends. Each line of it is answered with one; ``result`` adds one."""
    made = {"pages": 0, "calls": 0}
    _count(made)
    hall = Hall()
    table = 0
    limits = {"http_requests_per_second": 0, "http_connections_per_address": 0}
    async with open_stage(folder, **limits, open=True) as stage:
        async with stage.record.writing() as connection:
            for number, player in enumerate(hall.people):
                await store_player(connection, player, name_of(number), "Club de Granollers")
        for step in hall.steps():
            position = await append(stage.record, step)
        await stage.caught_up()
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        say({"address": stage.running.http_address})
        while line := await reader.readline():
            if line == b"result\n":
                table += 1
                position = await append(stage.record, {hall.stream: [hall.result(ROUND_COUNT, table)]})
                await stage.caught_up()
            say({**made, "position": position, "processor": time.process_time()})


def _count(made: dict[str, int]) -> None:
    render, asked = templating.render, results.Results.ask

    def counting(name: str, language: str, part: str, values: dict[str, Any]) -> str:
        made["pages"] += 1
        return render(name, language, part, values)

    async def calling(self: Any, request: Any, *options: Any) -> Any:
        made["calls"] += 1
        return await asked(self, request, *options)

    page.render = counting  # type: ignore[attr-defined] # by this name it is called
    results.Results.ask = calling  # type: ignore[assignment,method-assign]


def say(what: dict[str, Any]) -> None:
    """Send one line to the process that measures."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Client:
    """A connection that requests a page repeatedly."""

    def __init__(self, host: str, port: int, headers: str) -> None:
        self._host, self._port = host, port
        self._headers = headers

    async def open(self) -> Client:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        return self

    async def get(self, path: str, more: str = "") -> tuple[int, dict[str, str], bytes]:
        """Return the status, headers and body."""
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{self._headers}{more}\r\n".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        return int(head[0].split()[1]), headers, await self._reader.readexactly(int(headers.get("content-length", 0)))

    def close(self) -> None:
        self._writer.close()


async def ask_all(clients: Sequence[Client], seconds: float, more: str = "") -> float:
    """Return the answers in a second."""
    done, end = 0, time.perf_counter() + seconds

    async def go_on(client: Client) -> None:
        nonlocal done
        while time.perf_counter() < end:
            await client.get(PATH, more)
            done += 1

    start = time.perf_counter()
    await asyncio.gather(*map(go_on, clients))
    return done / (time.perf_counter() - start)


async def page_figures() -> Figures:
    """Return the page of the standings of ``PLAYERS`` players, from one process that serves it and the results."""
    with tempfile.TemporaryDirectory(prefix="faristol-pages-") as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable, __file__, "--serve", folder, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdin
        try:
            return await _measure(process)
        finally:
            process.stdin.close()
            await process.wait()


async def _measure(process: asyncio.subprocess.Process) -> Figures:
    async def read_line(line: str = "") -> dict[str, Any]:
        assert process.stdin
        assert process.stdout
        if line:
            process.stdin.write(f"{line}\n".encode())
        found: dict[str, Any] = json.loads(await process.stdout.readline())
        return found

    host, _, port = (await read_line())["address"].removeprefix("http://").partition(":")

    async def clients(count: int) -> list[Client]:
        headers = "Accept-Encoding: gzip, br\r\nAccept-Language: ca\r\n"
        return list(await asyncio.gather(*(Client(host, int(port), headers).open() for _ in range(count))))

    some = await clients(CONNECTION_COUNT)
    _, headers, _ = await some[0].get(PATH)
    what = f"page of standings, {PLAYER_COUNT} players"
    size = int(headers["content-length"])
    found: Figures = [(f"{what}: on the wire", size / 1_000, "kB; to stay below 8")]
    await ask_all(some, 1.0)
    known = f"If-None-Match: {headers.get('etag', 'none')}\r\n"
    for who, more in (("asked for again", ""), ("asked for by who has it", known)):
        before = await read_line("status")
        speed = await ask_all(some, LOAD_SECONDS, more)
        taken = (await read_line("status"))["processor"] - before["processor"]
        found.append((f"{what}: {who}", speed, "per second; to reach 3,000"))
        found.append((f"{what}: {who}, processor time", taken / (speed * LOAD_SECONDS) * 1_000, "ms"))
    before = await read_line("status")
    taken = 0.0
    for _ in range(CHANGE_COUNT):
        many = await clients(READER_COUNT)
        changed = await read_line("result")
        start = time.perf_counter()
        await asyncio.gather(*(client.get(f"{PATH}?part=live&min_position={changed['position']}") for client in many))
        taken += time.perf_counter() - start
        for client in many:
            client.close()
    after = await read_line("status")
    for client in some:
        client.close()
    crowd = f"{what}, {READER_COUNT:,} readers after a result"
    return [
        *found,
        (f"{crowd}: renderings", (after["pages"] - before["pages"]) / CHANGE_COUNT, "; to be 1"),
        (f"{crowd}: calls of the results service", (after["calls"] - before["calls"]) / CHANGE_COUNT, ""),
        (f"{crowd}: all have it", taken / CHANGE_COUNT * 1_000, "ms"),
        (f"{crowd}: processor time", (after["processor"] - before["processor"]) / CHANGE_COUNT * 1_000, "ms"),
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(Path(sys.argv[2])))
    else:
        for name, figure, unit in asyncio.run(page_figures()):
            sys.stdout.write(f"{name:80} {figure:12,.2f} {unit}\n")
