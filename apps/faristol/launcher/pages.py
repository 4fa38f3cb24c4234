"""The gateway as a child process, so that many spectators do not slow down the officials."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping

from faristol.bus.server import build_parent_death_prefix, kill_on_failure, stop_process
from faristol.event_store.tasks import cancel_tasks
from faristol.host import SERVICES, Settings, StartError
from faristol.host.services import to_reachable_address

START_SECONDS = 60.0
RESTART_SECONDS = 0.5
"""Delay between its end and its restart."""
STOP_SECONDS = 30.0
"""Timeout before it is killed. It ends streams and calls within the grace period of the settings."""
GATEWAY = "gateway"

_COMMAND = "from faristol.cli.main import main; main()"
_log = logging.getLogger(__name__)


class PagesProcess:
    """A gateway process that calls the services of this process, and ends with it.

    It has no database, no bus and no key. If it exits or is killed, it is restarted at the same address.
    """

    def __init__(self, environment: Mapping[str, str], process: Process, http_port: int) -> None:
        self.http_port = http_port
        """The port that it listens on."""
        self._environment = {**environment, "FARISTOL_HTTP_PORT": str(http_port)}
        self._process = process
        self._watching = asyncio.create_task(self._watch(), name=GATEWAY)

    @classmethod
    async def start(cls, settings: Settings, grpc_address: str) -> PagesProcess:
        """Start it with these settings, for the services at ``grpc_address`` (HOST:PORT).

        Raises ``StartError`` if it does not start; its standard error, that of this process, has the reason.
        """
        environment = _environment(settings, grpc_address)
        process, http_port = await _launch(environment)
        return cls(environment, process, http_port)

    async def stop(self) -> None:
        """Stop it after its streams have ended."""
        await cancel_tasks([self._watching])
        await stop_process(self._process, STOP_SECONDS)

    async def _watch(self) -> None:
        while True:
            code = await self._process.wait()
            _log.warning("the process of the pages exited with code %d: it is restarted", code)
            while self._process.returncode is not None:
                await asyncio.sleep(RESTART_SECONDS)
                try:
                    self._process, _ = await _launch(self._environment)
                except StartError as error:
                    _log.error("%s", error)


def _environment(settings: Settings, grpc_address: str) -> dict[str, str]:
    """Return the environment of the process: the settings of this one, without those it does not need.

    Its certificate is that of this process, as its client certificate if the services require one.
    """
    own = {
        "grpc_host": "127.0.0.1",
        "grpc_port": 0,
        "grpc_health_port": None,
        "metrics_port": None,
        "database_url": "",
        "database_owner_url": "",
        "nats_url": "",
        "nats_credentials": None,
        "access": None,
        "seal_key": None,
        "seal_witnesses": None,
        "seal_witness_token": None,
        "pages_apart": False,
        "tls": False,
        "tls_client_ca": None,
        "tls_peers_own": True,
        **{
            f"peer_{name}": to_reachable_address(grpc_address)
            for name in SERVICES
            if f"peer_{name}" in Settings.model_fields
        },
    }
    given = {**{name: getattr(settings, name) for name in settings.model_fields_set}, **own}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FARISTOL_")}
    named = {f"FARISTOL_{name.upper()}": str(value) for name, value in given.items() if value not in (None, "")}
    return kept | named


async def _launch(environment: Mapping[str, str]) -> tuple[Process, int]:
    """Start the process. Return it with the port of its pages. Raises ``StartError``."""
    command = [sys.executable, "-c", _COMMAND, "serve", GATEWAY, "--json"]
    process = await asyncio.create_subprocess_exec(
        *build_parent_death_prefix(),
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        start_new_session=True,  # Ctrl-C reaches this process only, which stops the gateway before its services
    )
    assert process.stdout is not None
    try:
        async with kill_on_failure(process), asyncio.timeout(START_SECONDS):
            line = await process.stdout.readline()
            return process, int(json.loads(line)["http"].rpartition(":")[2])
    except (TimeoutError, ValueError) as error:
        raise StartError("the process of the pages did not start; see the error above") from error
