"""What a service that refuses says, to programs and to people."""

from __future__ import annotations

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from faristol.text import with_article


def info_of(problem: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    """What an answer that refuses says to programs; empty where it says nothing."""
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # it takes what has details and trailing metadata
    info = error_details_pb2.ErrorInfo()
    if status is not None and status.details:
        status.details[0].Unpack(info)
    return info


def reason_of(problem: grpc.aio.AioRpcError) -> str:
    """The word for programs in an answer that refuses; the name of its status where there is none."""
    return info_of(problem).reason or problem.code().name


def every_reason(problem: grpc.aio.AioRpcError) -> str:
    """What an answer that refuses says to people, with its article; of several reasons each is on a line of its own."""
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # as above
    failure = error_details_pb2.PreconditionFailure()
    if status is not None and any(detail.Unpack(failure) for detail in status.details):
        return "\n".join(violation.description for violation in failure.violations)
    return with_article(str(problem.details()), info_of(problem).metadata.get("article", ""))
