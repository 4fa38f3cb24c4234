"""Answers whose bytes were changed on the way end no work of a hall."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from faristol.client.credentials import TOKEN
from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.event_store.tasks import cancel_tasks
from faristol.hall import credentials, line, service_module
from faristol.host import Runtime, Settings
from faristol.host.halls import identity
from faristol.pb.access.v1 import access_pb2
from faristol.pb.hall.v1 import hall_pb2 as pb

OUT_OF_RANGE = pb.HeartbeatResponse(joined=True)
OUT_OF_RANGE.now.seconds = 2**50
CREDENTIAL = access_pb2.ListHallCredentialsResponse(digest=b"other")
CREDENTIAL.credentials.add().credential.issued_at.seconds = 2**50


class Changed(grpc.GenericRpcHandler):  # type: ignore[type-arg] # generic only in the stubs
    """Answers each call with bytes that are no message, or with a message that has impossible values."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        """Number of calls by method."""

    def service(self, handler_call_details: Any) -> Any:
        """Return the handler of a method."""
        name = handler_call_details.method.rpartition("/")[2]
        valid = {"Heartbeat": OUT_OF_RANGE, "ListHallCredentials": CREDENTIAL}.get(name)

        def answer() -> bytes:
            self.calls[name] = self.calls.get(name, 0) + 1
            is_valid = valid is not None and self.calls[name] % 2
            return valid.SerializeToString() if valid is not None and is_valid else b"\xff\xff\xff"

        async def answer_once(request: bytes, context: Any) -> bytes:
            return answer()

        async def answer_in_parts(request: bytes, context: Any) -> AsyncIterator[bytes]:
            yield answer()

        if name == "FollowChampionship":
            return grpc.unary_stream_rpc_method_handler(answer_in_parts)
        return grpc.unary_unary_rpc_method_handler(answer_once)


async def test_a_hall_goes_on_if_answers_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "token")
    monkeypatch.setattr(line, "FIRST_RETRY_SECONDS", 0.001)
    monkeypatch.setattr(line, "REFUSED_RETRY_SECONDS", 0.01)
    monkeypatch.setattr(credentials, "CREDENTIALS_POLL_SECONDS", 0.01)
    server, changed = grpc.aio.server(), Changed()
    server.add_generic_rpc_handlers((changed,))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    settings = Settings.model_validate({"data": tmp_path, "hall": "Sala Gran", "hall_of": address})
    settings.hall_folder().mkdir(parents=True)
    identity.store_joined(settings.hall_folder(), identity.Joined(address, "cup", "Sala Gran", ""))
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    part = service_module.part(Runtime(settings, record, utc_now))
    tasks = [asyncio.ensure_future(task()) for task in part.tasks]
    wanted = {"GetCaller", "FollowChampionship", "Heartbeat", "ListHallCredentials"}
    async with asyncio.timeout(20):
        while any(changed.calls.get(name, 0) < 4 for name in wanted):
            await asyncio.sleep(0.01)
            assert not [task for task in tasks if task.done()]
    await cancel_tasks(tasks)
    await server.stop(None)
    await record.close()
