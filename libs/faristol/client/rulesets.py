"""Rules that a tournament pinned, fetched where the files have other content by now."""

from __future__ import annotations

import grpc

from faristol.host.pinning import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc
from faristol.rules.pinned import keep_content


async def fetch(stub: results_pb2_grpc.ResultsServiceAsyncStub, pin: game.Pin) -> None:
    """Have the rules that are pinned at hand for ``ruleset_of``, which refuses where they are nowhere.

    Raises ``grpc.aio.AioRpcError`` when the results service does not answer.
    """
    try:
        ruleset_of(pin)
    except Refusal:
        try:
            answer = await stub.GetRuleset(results_pb2.GetRulesetRequest(digest=pin.digest))
        except grpc.aio.AioRpcError as problem:
            if problem.code() not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT):
                raise
        else:
            keep_content(answer.content, pin.digest, {option.name: option.value for option in pin.options})
