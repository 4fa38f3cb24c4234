"""Rules pinned by a tournament, fetched if the local files have other content by now."""

from __future__ import annotations

import contextlib

import grpc

from faristol.host.ruleset_store import kept_ruleset, ruleset_of
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc

RULESET_TIMEOUT_SECONDS = 10.0
"""Timeout of the results service in seconds."""

MISSING_CODES = frozenset(
    {grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED}  # an older service
)
"""Statuses of a record without the content."""


async def fetch(stub: results_pb2_grpc.ResultsServiceAsyncStub, pin: game.Pin) -> None:
    """Fetch the pinned rules for ``ruleset_of``, which refuses if the record does not have them either.

    Raises ``grpc.aio.AioRpcError`` if the results service does not answer.
    """
    try:
        ruleset_of(pin)
    except Refusal:
        try:
            answer = await stub.GetRuleset(
                results_pb2.GetRulesetRequest(digest=pin.digest), timeout=RULESET_TIMEOUT_SECONDS
            )
        except grpc.aio.AioRpcError as error:
            if error.code() not in MISSING_CODES:
                raise
        else:
            with contextlib.suppress(Refusal):
                kept_ruleset(answer.content, Pin.of(pin))
