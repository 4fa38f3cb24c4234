"""A process accepts credentials of the access service although their clocks differ."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from faristol.access_control import keyring
from faristol.access_control.credential import Credential, Scope
from faristol.access_control.errors import Denied
from faristol.access_control.needs import needs_of_all
from faristol.access_control.roles import DIRECTOR
from faristol.access_control.tokens import issue
from faristol.event_store import Record
from faristol.host.security.authorization import CLOCK, Admission
from faristol.pb.pairing.v1 import pairing_pb2


async def test_a_process_whose_clock_is_behind_refuses_nobody_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    keyring.prepare(tmp_path / "access")
    keys = keyring.Keyring(tmp_path / "access")
    now = datetime.now(UTC).replace(microsecond=0)
    behind = Admission(record, keys, lambda: now - timedelta(minutes=5))
    behind.serve(needs_of_all([pairing_pb2.DESCRIPTOR.services_by_name["PairingService"]]))
    await behind.read()
    scope = Scope(frozenset({"cup"}))
    credential = Credential(str(uuid.uuid4()), "eva", DIRECTOR, scope, now, now + timedelta(hours=1))
    token = issue(credential, keys.signer(), record.record_id)

    method, request = "/faristol.pairing.v1.PairingService/ListActs", pairing_pb2.ListActsRequest(tournament_id="cup")
    with caplog.at_level(logging.WARNING):
        assert await behind.admit(method, f"Bearer {token}", request, None) == credential
    await record.close()
    (told,) = [each.getMessage() for each in caplog.records if CLOCK in each.getMessage()]
    assert "by 300 s" in told


class LocalCall:
    """The origin of a call from this machine, as gRPC shows it."""

    def invocation_metadata(self) -> Sequence[tuple[str, str]]:
        return ()

    def peer(self) -> str:
        return "ipv4:127.0.0.1:50000"

    def auth_context(self) -> Mapping[str, Any]:
        return {}


async def test_a_process_refuses_what_cannot_be_undone_some_minutes_after_the_sign_in(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    keyring.prepare(tmp_path / "access")
    keys = keyring.Keyring(tmp_path / "access")
    now = datetime.now(UTC).replace(microsecond=0)
    scope = Scope(frozenset({"cup"}))
    credential = Credential(str(uuid.uuid4()), "eva", DIRECTOR, scope, now, now + timedelta(hours=1))
    bearer = f"Bearer {issue(credential, keys.signer(), record.record_id)}"
    request = pairing_pb2.FinaliseTournamentRequest(tournament_id="cup")
    method = "/faristol.pairing.v1.PairingService/FinaliseTournament"

    async def admit(later: timedelta, limit: timedelta) -> Credential | None:
        admission = Admission(record, keys, lambda: now + later, limit)
        admission.serve(needs_of_all([pairing_pb2.DESCRIPTOR.services_by_name["PairingService"]]))
        await admission.read()
        return await admission.admit(method, bearer, request, LocalCall())

    limit = timedelta(minutes=15)
    assert await admit(limit, limit) == credential
    assert await admit(timedelta(minutes=59), timedelta()) == credential
    with pytest.raises(Denied) as caught:
        await admit(limit + timedelta(seconds=1), limit)
    await record.close()
    assert caught.value.reason == "SIGN_IN_TOO_OLD"
