"""`faristol witness`: cosign the checkpoints of logs, on a machine that their owners do not control."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from faristol.cli.options import AsJson
from faristol.event_store import RecordError
from faristol.event_store.integrity.token_key import open_key
from faristol.event_store.transparency.policy import load_policy
from faristol.event_store.transparency.signed_note import check_key_name
from faristol.event_store.transparency.witness_state import WitnessState
from faristol.host import StartError
from faristol.host.listening import to_bind_address
from faristol.host.system import lock_file
from faristol.table_terminal.shared.common import print_answer

DEFAULT_WITNESS_PORT = 8450
WITNESS_GRACE_SECONDS = 5
WITNESS_KEEP_ALIVE_SECONDS = 75
MAX_WITNESS_CONNECTIONS_LIMIT = 200
"""Connections at a time; further ones get 503."""


def witness(
    name: Annotated[str, typer.Option(help="Name of the witness in policies, such as witness.example.org/cup.")],
    key: Annotated[str, typer.Option(help="Private key, as of `faristol record key`: a file, or pkcs11:….")],
    folder: Annotated[Path, typer.Option(help="Existing folder for the state; only this process uses it.")],
    logs: Annotated[Path, typer.Option(help="Policy file with a line “log VKEY” for each accepted log.")],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0: a free one.")] = DEFAULT_WITNESS_PORT,
    show_key: Annotated[bool, typer.Option("--show-key", help="Print the public key for policies, and exit.")] = False,
    json_output: AsJson = False,
) -> None:
    """Cosign the checkpoints of transparency logs (C2SP tlog-witness), over HTTP, until stopped.

    The witness cosigns a checkpoint only with a proof that all earlier ones are beginnings of it. Put a proxy with TLS
    in front of it.
    """
    policy = load_policy(logs)
    if not policy.logs:
        raise RecordError(f"{logs} accepts no log: expected a line “log VKEY”")
    state = WitnessState(folder, check_key_name(name), open_key(key), policy.logs, time.time)
    state.check()
    if show_key:
        print_answer({"name": name, "key": str(state.key)}, str(state.key), json_output=json_output, indent=None)
        return
    with (folder / "lock").open("a+", encoding="utf-8") as lock:
        try:
            lock_file(lock)
        except OSError:
            raise StartError(f"another process uses the state in {folder}: each witness needs a folder") from None
        listening = _listen(host, port)
        address = f"http://{_format_host(host)}:{listening.getsockname()[1]}"
        shown = {"address": address, "key": str(state.key), "logs": [log.name for log in policy.logs]}
        lines = [f"{state.key.name} cosigns at {address}", str(state.key)]

        def show_address() -> None:
            print_answer(shown, lines, json_output=json_output, indent=None)
            sys.stdout.flush()

        asyncio.run(_serve(state, listening, show_address))


def _format_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((to_bind_address(host), port))
        sock.listen()
    except OSError as error:
        sock.close()
        raise StartError(f"HTTP cannot listen on {host}:{port}: {error.strerror}; give another --port") from error
    sock.setblocking(False)
    return sock


class _WitnessServer(uvicorn.Server):
    """Server that ends at a signal without raising it again."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve(state: WitnessState, sock: socket.socket, tell_start: Callable[[], None]) -> None:
    """Serve until a signal. ``tell_start`` is called when signals end the process in order."""
    from faristol.cli.witness.server import build_app

    config = uvicorn.Config(
        build_app(state),
        ws="none",
        proxy_headers=False,
        log_config=None,
        log_level="error",  # it warns of each malformed request, by which strangers could fill the log
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_WITNESS_CONNECTIONS_LIMIT,
        timeout_keep_alive=WITNESS_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=WITNESS_GRACE_SECONDS,
    )
    server = _WitnessServer(config)
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(number, server.handle_exit, number, None)
    tell_start()
    await server.serve(sockets=[sock])
