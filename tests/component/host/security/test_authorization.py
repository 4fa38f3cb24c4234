"""A process accepts credentials of the access service although their clocks differ."""

from __future__ import annotations

import logging
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from faristol.access_control import keyring
from faristol.access_control.credential import Credential, Scope
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
