"""The log over HTTP, and proofs of a championship, with the platform and its witnesses as processes."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.component.processes import faristol, free_port
from tests.support.plain_http import PLAIN
from tests.support.synthetic import TOURNAMENT, Championship, append, game_id
from tests.support.witnesses import WitnessProcess, running_witness

from faristol.bus import NatsServer
from faristol.event_store import Record
from faristol.event_store.integrity import keys, merkle
from faristol.event_store.transparency import log_store
from faristol.event_store.transparency.log_writer import LogWriter
from faristol.event_store.transparency.policy import TrustPolicy, load_policy, parse_policy
from faristol.event_store.transparency.signed_note import (
    COSIGNATURE_TYPE_ID,
    ED25519_TYPE_ID,
    LogCheckpoint,
    SignedNote,
    VerifierKey,
)
from faristol.event_store.transparency.tiles import TileName, TileSource, format_tile_number, list_tiles
from faristol.host import Settings
from faristol.launcher.processes import running

ORIGIN = "cup.example.org/log"
VERIFIER = Path(__file__).parents[2] / "var/tlog/verifier"
FOREIGN = Path(__file__).parents[2] / "var/tlog/python/bin"
PUBLISH_SECONDS = 30


@dataclass
class LoggedCell:
    """A platform with a log, two witnesses and a policy that requires both."""

    http: httpx.AsyncClient
    address: str
    record: Record
    key: VerifierKey
    witnesses: list[WitnessProcess]
    policy_file: Path
    last: int = 0
    """Position of the last event."""

    @property
    def policy(self) -> TrustPolicy:
        """The policy of a reader."""
        return load_policy(self.policy_file)

    async def append_steps(self) -> None:
        """Append a whole championship."""
        for step in Championship().steps():
            self.last = await append(self.record, step)

    async def wait_for_checkpoint(self) -> SignedNote:
        """Return the checkpoint over HTTP when it covers all events."""
        async with asyncio.timeout(PUBLISH_SECONDS):
            while True:
                answer = await self.http.get("/log/checkpoint")
                if answer.status_code == 200:
                    note = SignedNote.parse(answer.content)
                    if LogCheckpoint.parse(note.text).size == self.last:
                        return note
                await asyncio.sleep(0.1)

    async def proof_file(self, path: str, folder: Path) -> Path:
        """Download a proof."""
        answer = await self.http.get(path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-disposition"].endswith('.tlog-proof"')
        file = folder / f"{path.replace('/', '_')}.tlog-proof"
        file.write_bytes(answer.content)
        return file


@contextmanager
def two_witnesses(folder: Path, key: VerifierKey) -> Iterator[list[WitnessProcess]]:
    with (
        running_witness(folder / "a", "a.example", [key]) as first,
        running_witness(folder / "b", "b.example/cup", [key]) as second,
    ):
        yield [first, second]


@asynccontextmanager
async def logged_cell(folder: Path, database_url: str, nats_url: str) -> AsyncIterator[LoggedCell]:
    key = VerifierKey(ORIGIN, ED25519_TYPE_ID, keys.make(folder / "key").public_key())
    with two_witnesses(folder, key) as witnesses:
        policy = folder / "policy"
        lines = "".join(each.policy_line(each.name) for each in witnesses)
        names = " ".join(each.name for each in witnesses)
        policy.write_text(f"log {key}\n{lines}group all-witnesses all {names}\nquorum all-witnesses\n")
        settings = {
            "data": folder / "data",
            "database_url": database_url,
            "nats_url": nats_url,
            "http_port": 0,
            "grace_seconds": 0.5,
            "seal_key": folder / "key",
            "transparency_origin": ORIGIN,
            "transparency_policy": policy,
            "transparency_seconds": 0.5,
        }
        async with (
            running(Settings.model_validate(settings), ("results", "gateway")) as process,
            httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=20) as http,
        ):
            yield LoggedCell(http, process.http_address, process.runtime.record, key, witnesses, policy)


async def test_the_log_is_served_as_static_tiles_and_proofs_are_verified_offline(
    database_url: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    async with logged_cell(tmp_path, database_url, nats_server.url) as cell:
        assert (await cell.http.get("/log/checkpoint")).status_code == 404
        await cell.append_steps()
        note = await cell.wait_for_checkpoint()
        checkpoint, times = cell.policy.check(note)
        assert len(times) == 2

        tiles: dict[TileName, bytes] = {}
        for tile in list_tiles(checkpoint.size):
            width = tile.width_at(checkpoint.size)
            path = format_tile_number(tile.number) + (f".p/{width}" if width < 256 else "")
            answer = await cell.http.get(f"/log/tile/{tile.level}/{path}")
            assert answer.status_code == 200
            assert "immutable" in answer.headers["cache-control"]
            assert answer.headers["content-type"] == "application/octet-stream"
            tiles[tile] = answer.content
            if tile.level == 0:
                bundle = (await cell.http.get(f"/log/tile/entries/{path}")).content
                entries = [bundle[at + 2 : at + 34] for at in range(0, len(bundle), 34)]
                assert b"".join(map(merkle.leaf, entries)) == answer.content
        assert TileSource(tiles.__getitem__).root(checkpoint.size) == checkpoint.root
        width = checkpoint.size % 256
        for wrong in (f"0/000.p/{width + 1}", "0/000", "0/001", "1/000", "64/000", "0/0", "0/000.p/0", "x/000"):
            status = (await cell.http.get(f"/log/tile/{wrong}")).status_code
            assert status in (400, 404, 422), wrong

        proofs = {
            f"/api/v1/games/{game_id(1, 1)}/proof": "faristol.game",
            f"/api/v1/tournaments/{TOURNAMENT}/rounds/2/proof": "faristol.pairing.v1.RoundClosed",
            f"/api/v1/tournaments/{TOURNAMENT}/proof": "faristol.pairing.v1.StandingsPublished",
        }
        for path, kind in proofs.items():
            file = await cell.proof_file(path, tmp_path)
            done = await asyncio.to_thread(
                faristol, "proof", "verify", str(file), "--policy", str(cell.policy_file), "--json"
            )
            assert done.returncode == 0, done.stdout + done.stderr
            shown = json.loads(done.stdout)
            assert shown["type"].startswith(kind)
            assert shown["witnesses"].keys() == {"a.example", "b.example/cup"}
            assert shown["proven_at"] == max(shown["witnesses"].values())
            content = file.read_bytes()
            for changed in (content.replace(b"index ", b"index 1", 1), content.replace(b"extra ", b"extra A", 1)):
                file.write_bytes(changed)
                done = await asyncio.to_thread(
                    faristol, "proof", "verify", str(file), "--policy", str(cell.policy_file), "--json"
                )
                assert done.returncode == 1
                assert not json.loads(done.stdout)["valid"]
        assert (await cell.http.get(f"/api/v1/tournaments/{TOURNAMENT}/rounds/3/proof")).status_code == 404
        assert (await cell.http.get("/api/v1/games/none/proof")).status_code == 404

        page = await cell.http.get(f"/tournaments/{TOURNAMENT}/proof", params={"game": game_id(1, 1), "lang": "en"})
        assert page.status_code == 200
        assert "a.example" in page.text
        assert f"/api/v1/games/{game_id(1, 1)}/proof" in page.text
        status = (await cell.http.get("/api/v1/status")).json()
        assert {"log", "log-witness:a.example", "log-witness:b.example/cup"} <= {
            each["name"] for each in status["consumers"]
        }


def test_a_quorum_of_witnesses_without_addresses_is_refused_at_the_start(tmp_path: Path) -> None:
    key = VerifierKey(ORIGIN, ED25519_TYPE_ID, keys.make(tmp_path / "key").public_key())
    witness = VerifierKey("a.example", COSIGNATURE_TYPE_ID, keys.make(tmp_path / "a").public_key())
    (tmp_path / "policy").write_text(f"log {key}\nwitness a {witness}\nquorum a\n")
    done = faristol(
        "up", "--data", str(tmp_path / "data"), "--http", "0", "--grpc", "0",
        seal_key=tmp_path / "key", transparency_policy=tmp_path / "policy",
    )  # fmt: skip
    assert done.returncode == 2
    assert "the quorum 'a' cannot be met" in done.stderr


async def test_a_reader_finds_that_a_log_shows_two_histories(
    database_url: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    """The owner signs another history and shows it to another reader; its witnesses cosign only the first one."""
    async with logged_cell(tmp_path, database_url, nats_server.url) as cell:
        await cell.append_steps()
        note = await cell.wait_for_checkpoint()
        assert cell.policy.check(note)
        file = await cell.proof_file(f"/api/v1/tournaments/{TOURNAMENT}/proof", tmp_path)
        other = await Record.open(f"sqlite:///{tmp_path}/other.db")
        for step in Championship().steps():
            await append(other, step)
        await other.close()
        done = await asyncio.to_thread(
            faristol, "record", "checkpoint", "--database-url", f"sqlite:///{tmp_path}/other.db", "--key",
            str(tmp_path / "key"), "--origin", ORIGIN, "--json",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        forged = json.loads(done.stdout)["note"]
        content = file.read_bytes().partition(b"\n\n")[0] + b"\n\n" + forged.encode()
        file.write_bytes(content)
        done = await asyncio.to_thread(faristol, "proof", "verify", str(file), "--policy", str(cell.policy_file))
        assert done.returncode == 1
        assert "0 of 2 witnesses" in done.stdout


async def test_a_reader_without_witnesses_finds_a_fork_by_an_older_checkpoint(
    nats_server: NatsServer, tmp_path: Path
) -> None:
    """Two cells of one owner have the same key and name, and show two histories."""
    key = VerifierKey(ORIGIN, ED25519_TYPE_ID, keys.make(tmp_path / "key").public_key())
    policy, state = tmp_path / "policy", tmp_path / "seen"
    policy.write_text(f"log {key}\nquorum none\n")

    async def compare(address: str) -> tuple[int, str]:
        done = await asyncio.to_thread(
            faristol, "proof", "compare", f"{address}/log", "--policy", str(policy), "--state", str(state)
        )
        return done.returncode, done.stdout + done.stderr

    async def serve(folder: Path, stack: AsyncExitStack) -> tuple[str, Record]:
        settings = {
            "data": folder,
            "nats_url": nats_server.url,
            "http_port": 0,
            "grace_seconds": 0.5,
            "seal_key": tmp_path / "key",
            "transparency_origin": ORIGIN,
            "transparency_seconds": 0.2,
        }
        process = await stack.enter_async_context(running(Settings.model_validate(settings), ("results", "gateway")))
        return process.http_address, process.runtime.record

    async def until(address: str, size: int) -> None:
        async with asyncio.timeout(PUBLISH_SECONDS), httpx.AsyncClient(verify=PLAIN, base_url=address) as http:
            while True:
                answer = await http.get("/log/checkpoint")
                if answer.status_code == 200 and answer.text.split("\n")[1] == str(size):
                    return
                await asyncio.sleep(0.1)

    async with AsyncExitStack() as stack:
        steps = list(Championship().steps())
        address, record = await serve(tmp_path / "first", stack)
        for step in steps[:30]:
            size = await append(record, step)
        await until(address, size)
        assert (await compare(address))[0] == 0
        for step in steps[30:]:
            last = await append(record, step)
        await until(address, last)
        assert await compare(address) == (0, f"{ORIGIN}: {last} events, in one history with the {size} seen before\n")
        address, record = await serve(tmp_path / "second", stack)
        for step in steps:
            last = await append(record, step)
        await append(record, next(Championship().close(3)))
        await until(address, last + 1)
        code, shown = await compare(address)
        assert code == 1
        assert "shows another history" in shown
        assert (tmp_path / f"seen.{last + 1}.fork").exists()


@contextmanager
def foreign_witness(folder: Path, key: VerifierKey) -> Iterator[tuple[str, str]]:
    """Run the witness of another author, and return its key and its address."""
    folder.mkdir()
    program = str(FOREIGN / "aics-witness")
    address = f"127.0.0.1:{free_port()}"
    environment = {**os.environ, "AICS_WITNESS_CONFIG": str(folder / "witness.json")}

    def run(*arguments: str) -> str:
        done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    vkey = run("init", "--name", "other.example.org/w1")
    run("add-log", "--origin", key.name, "--vkey", str(key))
    process = subprocess.Popen([program, "serve", "--listen", address], env=environment, stderr=subprocess.DEVNULL)
    try:
        yield vkey, f"http://{address}"
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.nightly
async def test_a_witness_of_another_author_cosigns_the_log_and_refuses_a_fork(tmp_path: Path) -> None:
    """Their verifier accepts our checkpoint with the cosignatures of both witnesses."""
    if not (FOREIGN / "aics-witness").exists():
        pytest.skip("no witness of another author: run `make tlog`")
    private = keys.make(tmp_path / "key")
    key = VerifierKey(ORIGIN, ED25519_TYPE_ID, private.public_key())
    record = await Record.open(f"sqlite:///{tmp_path}/record.db")
    other = await Record.open(f"sqlite:///{tmp_path}/other.db")
    with (
        foreign_witness(tmp_path / "foreign", key) as (vkey, address),
        running_witness(tmp_path / "own", "own.example", [key]) as own,
    ):
        lines = f"log {key}\nwitness foreign {vkey} {address}\n{own.policy_line('own')}"
        policy = parse_policy(f"{lines}group both all foreign own\nquorum both\n".encode())
        writer = LogWriter(record, private, ORIGIN, policy, seconds=1e-6)
        async with asyncio.timeout(PUBLISH_SECONDS):
            for step in Championship().steps():
                last = await append(record, step)
                published = None
                while published is None or published.checkpoint.size < last:
                    await writer.step()
                    async with record.reading() as connection:
                        published = await log_store.newest_checkpoint(connection, is_published=True)
                    await asyncio.sleep(0.02)
        assert published is not None
        assert policy.check(published.note)[1].keys() == {"foreign", "own"}
        file = tmp_path / "checkpoint"
        file.write_text(str(published.note))
        done = await asyncio.to_thread(
            subprocess.run,
            [str(FOREIGN / "aics-tlog"), "verify-checkpoint", "--note", str(file), "--log-key", str(key),
             "--witness-key", vkey, "--witness-key", own.key, "--quorum", "2", "--origin", ORIGIN],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        for step in Championship().steps():
            await append(other, step)
        await append(other, next(Championship().close(3)))
        await LogWriter(other, private, ORIGIN, policy, seconds=1e-6).step()
        async with other.reading() as connection:
            forked = await log_store.newest_checkpoint(connection)
        assert forked is not None
        assert policy.find_times(forked.note) == {}
    await record.close()
    await other.close()


@pytest.mark.nightly
async def test_an_outside_verifier_verifies_the_log_and_its_proofs(
    database_url: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    """The program is of Go's own libraries and knows only the standards and docs/transparency.md."""
    if not VERIFIER.exists() or not shutil.which("go"):
        pytest.skip("no outside verifier: run `make tlog`")
    async with logged_cell(tmp_path, database_url, nats_server.url) as cell:
        older = []
        for number, step in enumerate(Championship().steps()):
            cell.last = await append(cell.record, step)
            if number % 20 == 19:
                old = tmp_path / f"old-{number}"
                old.write_text(str(await cell.wait_for_checkpoint()))
                older.append(old)
        await cell.wait_for_checkpoint()
        paths = (
            f"/api/v1/games/{game_id(1, 1)}/proof",
            f"/api/v1/tournaments/{TOURNAMENT}/rounds/1/proof",
            f"/api/v1/tournaments/{TOURNAMENT}/proof",
        )
        proofs = [await cell.proof_file(path, tmp_path) for path in paths]
        arguments = ["-log", f"{cell.address}/log", "-key", str(cell.key), "-quorum", "2"]
        for witness in cell.witnesses:
            arguments += ["-witness", witness.key]
        for file in older:
            arguments += ["-old", str(file)]
        for file in proofs:
            arguments += ["-proof", str(file)]
        done = await asyncio.to_thread(
            subprocess.run, [str(VERIFIER), *arguments], capture_output=True, text=True, env={**os.environ}, check=False
        )
        assert done.returncode == 0, done.stderr
        assert f"{cell.last} entries in the log {ORIGIN}, with 2 witnesses or more" in done.stdout
        assert done.stdout.count("is the beginning of it") == len(older) > 1
        assert "faristol.pairing.v1.StandingsPublished is entry" in done.stdout
        proofs[0].write_bytes(proofs[0].read_bytes().replace(b"index ", b"index 1", 1))
        done = await asyncio.to_thread(
            subprocess.run, [str(VERIFIER), *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
