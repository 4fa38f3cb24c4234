"""The texts about a webhook."""

from __future__ import annotations

import pytest

from faristol.cli.tournament.webhooks import format_last_failure
from faristol.pb.results.v1 import webhooks_pb2 as pb


@pytest.mark.parametrize(
    ("failure", "status", "text"),
    [
        (pb.WEBHOOK_FAILURE_STATUS, 503, "the receiver returned 503"),
        (pb.WEBHOOK_FAILURE_STATUS, 204, "the receiver refused a message; later messages have arrived"),
        (pb.WEBHOOK_FAILURE_STATUS, 599, "the receiver returned 599"),
        (pb.WEBHOOK_FAILURE_NO_CONNECTION, 204, "the connection failed"),
    ],
)
def test_a_last_failure_is_never_reported_as_a_success(
    failure: pb.WebhookFailure.ValueType, status: int, text: str
) -> None:
    assert format_last_failure(pb.Webhook(last_failure=failure, last_status=status)) == text
