"""What a service that refuses says, to programs and to people."""

from __future__ import annotations

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from faristol.text import with_article


def info_of(problem: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    """The details of a refusal for programs; empty where it has none."""
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # it takes what has details and trailing metadata
    info = error_details_pb2.ErrorInfo()
    if status is not None and status.details:
        status.details[0].Unpack(info)
    return info


def reason_of(problem: grpc.aio.AioRpcError) -> str:
    """The reason of a refusal, for programs; else the name of its status."""
    return info_of(problem).reason or problem.code().name


def every_reason(problem: grpc.aio.AioRpcError) -> str:
    """The message of a refusal, with its article; each of several reasons on its own line."""
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # as above
    failure = error_details_pb2.PreconditionFailure()
    if status is not None and any(detail.Unpack(failure) for detail in status.details):
        return "\n".join(violation.description for violation in failure.violations)
    return with_article(str(problem.details()), info_of(problem).metadata.get("article", ""))
