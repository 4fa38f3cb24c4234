"""Refusals of a service are read for programs and for people."""

from __future__ import annotations

import grpc
import pytest

from faristol.client.problems import every_reason, reason_of


@pytest.mark.parametrize("details", [b"\xff\xff\xff", b"\x08\x03", b"\x08\x09\x12\x01x\x1a\x04\x0a\x01a\x12"])
def test_a_refusal_with_details_that_cannot_be_read_is_its_status_and_text(details: bytes) -> None:
    trailing = grpc.aio.Metadata(("grpc-status-details-bin", details))
    problem = grpc.aio.AioRpcError(grpc.StatusCode.FAILED_PRECONDITION, grpc.aio.Metadata(), trailing, "no table", "")
    assert (reason_of(problem), every_reason(problem)) == ("FAILED_PRECONDITION", "no table")
