"""The lifetime of a credential that is granted at a terminal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from faristol.cli import client
from faristol.cli.access import access
from faristol.client.credentials import TOKEN
from faristol.pb.access.v1 import access_pb2 as pb


@pytest.mark.parametrize(("hours", "expected"), [(2, 2), (40, 16), (None, 16)])
def test_a_grant_without_a_lifetime_ends_with_the_credential_of_its_giver(
    monkeypatch: pytest.MonkeyPatch, hours: int | None, expected: int
) -> None:
    who = pb.GetCallerResponse()
    if hours:
        who.gives_until.FromDatetime(datetime.now(UTC) + timedelta(hours=hours))
    monkeypatch.setenv(TOKEN, "x")
    monkeypatch.setattr(client, "answer_to", lambda request, address: who)
    assert expected * 3600 - 5 <= access.find_lifetime(client.Client()) <= expected * 3600
