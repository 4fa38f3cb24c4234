"""Seals are signed by a key that never leaves its token, and other work continues while the token is unavailable."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.component import contents
from tests.component.contents import fill, play
from tests.component.processes import faristol
from tests.support.chains import KEY

from faristol.bus import NatsServer
from faristol.event_store import Record
from faristol.event_store.integrity import keys, sealer, seals, token_key
from faristol.event_store.integrity.keys import KeyFileError, KeyUnavailable
from faristol.event_store.integrity.sealer import Sealer, seal
from faristol.event_store.integrity.token_key import TokenKey, open_key
from faristol.event_store.integrity.verification import verify
from faristol.event_store.tasks import cancel_tasks
from faristol.host import Settings
from faristol.launcher.processes import running

LIBRARIES = (
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
    "/usr/local/lib/softhsm/libsofthsm2.so",
)
PIN = "87150349"


class Token:
    """A token of SoftHSM, which can be taken away."""

    def __init__(self, folder: Path, library: str) -> None:
        self.pin = folder / "pin"
        self.pin.write_text(f"{PIN}\n")
        self._here, self._away = folder / "tokens", folder / "away"
        self._here.mkdir()
        self.uri = f"pkcs11:token=the%20cup;object=seal?module-path={library}&pin-source=file:{self.pin}"
        self.init()

    def init(self) -> None:
        made = ("softhsm2-util", "--init-token", "--free", "--label", "the cup", "--so-pin", "12345678", "--pin", PIN)
        subprocess.run(made, check=True, capture_output=True)

    def take_away(self) -> None:
        self._here.rename(self._away)

    def bring_back(self) -> None:
        self._away.rename(self._here)

    def wipe(self) -> None:
        shutil.rmtree(self._here)
        self._here.mkdir()
        self.init()


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Token:
    library = next((path for path in LIBRARIES if Path(path).exists()), "")
    if not library or not shutil.which("softhsm2-util"):
        pytest.skip("SoftHSM is not installed: `make token` does it")
    folder = tmp_path / "hsm"
    folder.mkdir()
    (folder / "conf").write_text(f"directories.tokendir = {folder}/tokens\nobjectstore.backend = file\n")
    monkeypatch.setenv("SOFTHSM2_CONF", str(folder / "conf"))
    return Token(folder, library)


@pytest.fixture
def key(token: Token) -> TokenKey:
    made = TokenKey(token.uri)
    assert made.make()
    return made


async def read_sealed_position(record: Record) -> int:
    async with record.reading() as connection:
        newest = await seals.last(connection)
    return newest.to_position if newest else 0


async def test_a_key_in_a_token_seals_and_its_public_half_verifies(record: Record, key: TokenKey, token: Token) -> None:
    last = await fill(record)
    made = await seal(record, key, events=10)
    public = keys.by_id([key.public_key()])
    verdict = await verify(record, keys=public)
    assert (verdict.wrong, verdict.sealed, verdict.seals) == ("", last, len(made))
    again = open_key(token.uri)
    assert keys.by_id([again.public_key()]).keys() == public.keys()
    assert not key.make(), "a key is not made over another"
    assert again.public_key().public_bytes_raw() == key.public_key().public_bytes_raw()


async def test_while_the_token_is_away_events_go_on_and_seals_wait(
    record: Record, key: TokenKey, token: Token, caplog: pytest.LogCaptureFixture
) -> None:
    work = asyncio.create_task(Sealer(record, key, events=1, seconds=0.2).run())
    await play(record, "game-cup-r0", "cup")

    async def all_sealed() -> bool:
        return await read_sealed_position(record) == await record.last_position()

    await contents.until(all_sealed)
    with caplog.at_level(logging.WARNING):
        token.take_away()
        last = await play(record, "game-cup-r0", "cup", 3)

        async def has_logged_wait() -> bool:
            return "sealing waits for its key: the token 'the cup' cannot be used" in caplog.text

        await contents.until(has_logged_wait)
        await asyncio.sleep(0.5)
        assert await play(record, "game-cup-r0", "cup") == last + 1
        assert await read_sealed_position(record) == 1
        token.bring_back()
        await contents.until(all_sealed)

        async def has_logged_return() -> bool:
            return "sealing continues, its key is available again" in caplog.text

        await contents.until(has_logged_return)
    await cancel_tasks([work])
    assert (await verify(record, keys=keys.by_id([key.public_key()]))).wrong == ""
    assert PIN not in caplog.text


async def test_one_whose_token_is_away_lets_another_seal(record: Record, key: TokenKey, token: Token) -> None:
    token.take_away()
    first = asyncio.create_task(Sealer(record, key, events=1, seconds=0.2).run())
    await play(record, "game-cup-r0", "cup")
    await asyncio.sleep(0.3)
    second = asyncio.create_task(Sealer(record, KEY, events=1, seconds=0.2).run())

    async def all_sealed() -> bool:
        return await read_sealed_position(record) == 1

    await contents.until(all_sealed)
    await cancel_tasks([first, second])


async def test_a_wrong_pin_is_tried_once_until_its_file_changes(token: Token, key: TokenKey) -> None:
    token.pin.write_text("11111111")
    other = TokenKey(token.uri)
    with pytest.raises(KeyUnavailable, match=r"refused the PIN in .*/pin$"):
        other.sign(b"")
    with pytest.raises(KeyUnavailable, match="it is not tried again") as told:
        other.sign(b"")
    assert "11111111" not in str(told.value)
    token.pin.unlink()
    with pytest.raises(KeyUnavailable, match=r"the PIN in .* cannot be read"):
        other.sign(b"")
    token.pin.write_text(PIN)
    assert len(other.sign(b"")) == 64


async def test_another_key_in_the_place_of_the_first_is_told(token: Token, key: TokenKey) -> None:
    assert len(key.sign(b"")) == 64
    token.wipe()
    with pytest.raises(KeyUnavailable):
        key.sign(b"")
    with pytest.raises(KeyUnavailable, match="there is no Ed25519 key 'seal' in the token 'the cup'"):
        key.sign(b"")
    assert TokenKey(token.uri).make()
    with pytest.raises(KeyUnavailable, match="the key 'seal' in the token 'the cup' has changed"):
        key.sign(b"")


async def test_nobody_waits_behind_a_token_that_hangs(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hanging:
        def public_key(self) -> object:
            return KEY.public_key()

        def sign(self, data: bytes, /) -> bytes:
            time.sleep(0.5)
            return KEY.sign(data)

    monkeypatch.setattr(sealer, "SIGNING_TIMEOUT_SECONDS", 0.1)
    await play(record, "game-cup-r0", "cup")
    with pytest.raises(KeyUnavailable, match=r"the key has not signed for 0\.1 seconds"):
        await seal(record, Hanging())  # type: ignore[arg-type]


def test_a_second_caller_is_told_at_once_that_the_token_is_busy(key: TokenKey) -> None:
    with key._turn, pytest.raises(KeyUnavailable, match="does not answer"):
        key.sign(b"")
    assert len(key.sign(b"")) == 64


@pytest.mark.parametrize(
    "uri",
    [
        "pkcs11:",
        "pkcs11:token=a;object=b?module-path=/x",
        "pkcs11:token=a;object=b?pin-source=file:/x",
        f"pkcs11:token=a;object=b?module-path=/x&pin-source=/x&pin-value={PIN}",
        f"pkcs11:token=%FF;object=b?module-path=/x&pin-source={PIN}",
        "pkcs11:token=a;object=b?module-path=/nowhere.so&pin-source=/x",
    ],
)
def test_what_is_no_address_of_a_key_is_refused_and_no_pin_repeated(uri: str) -> None:
    with pytest.raises(KeyFileError) as told:
        open_key(uri)
    assert PIN not in str(told.value)


async def test_a_process_seals_with_a_token_that_comes_later(
    token: Token, key: TokenKey, database_url: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    token.take_away()
    settings = Settings.model_validate(
        {
            "data": tmp_path / "data",
            "database_url": database_url,
            "nats_url": nats_server.url,
            "http_port": 0,
            "grace_seconds": 0.5,
            "seal_key": token.uri,
            "seal_events": 5,
            "seal_seconds": 0.4,
        }
    )
    async with running(settings, ("results", "gateway")) as process:
        last = await fill(process.runtime.record)
        await asyncio.sleep(0.5)
        assert await read_sealed_position(process.runtime.record) == 0
        token.bring_back()

        async def all_sealed() -> bool:
            return await read_sealed_position(process.runtime.record) == last

        await contents.until(all_sealed, 20)


def test_an_operator_makes_a_key_in_a_token_and_seals_with_it(token: Token, tmp_path: Path) -> None:
    async def prepare() -> int:
        record = await Record.open(f"sqlite:///{tmp_path}/data/record.db")
        last = await fill(record)
        await record.close()
        return last

    last = asyncio.run(prepare())
    data = ("--data", str(tmp_path / "data"))
    made = faristol("record", "key", token.uri)
    assert made.returncode == 0, made.stderr
    (tmp_path / "seal.pub").write_text(made.stdout)
    assert faristol("record", "key", token.uri).stdout == made.stdout
    assert f"over positions 1 to {last}" in faristol("record", "seal", *data, seal_key=token.uri).stdout
    right = faristol("record", "verify", *data, "--public-key", str(tmp_path / "seal.pub"))
    assert (right.returncode, "signatures are right" in right.stdout) == (0, True)
    token.take_away()
    away = faristol("record", "seal", *data, "--key", token.uri)
    assert (away.returncode, away.stdout) == (0, "everything is sealed already\n")
    away = faristol("record", "key", token.uri)
    assert (away.returncode, away.stderr.count("\n")) == (2, 1), away.stderr
    assert "the token 'the cup' cannot be used" in away.stderr


def test_without_the_library_for_tokens_a_key_in_one_is_refused_and_others_are_not(tmp_path: Path) -> None:
    keys.make(tmp_path / "key")
    code = (
        "import sys; sys.modules['pkcs11'] = None\n"
        "from faristol.event_store.integrity.token_key import open_key\n"
        f"open_key({str(tmp_path / 'key')!r})\n"
        "open_key('pkcs11:token=a;object=b?module-path=/x&pin-source=/x')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=False)
    assert "pip install 'faristol[pkcs11]'" in done.stderr.splitlines()[-1]


def test_a_token_key_is_loaded_by_who_needs_one_alone() -> None:
    code = "import faristol.event_store.integrity.token_key, sys; sys.exit('pkcs11' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert token_key.SCHEME == "pkcs11:"
