"""Refusals of a service, for programs and for people."""

from __future__ import annotations

from collections.abc import Sequence

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from faristol.kernel.refusal import N_
from faristol.text import SOURCE, with_article

_TLS = (
    ("certificate has expired", N_("the certificate of {address} has expired")),
    ("certificate is not yet valid", N_("the certificate of {address} is not valid yet")),
    ("Hostname Verification", N_("the certificate of {address} is for a different name")),
    (
        "CERTIFICATE_VERIFY_FAILED",
        N_("the certificate of {address} is not signed by an authority in the file FARISTOL_TLS_CA"),
    ),
    ("WRONG_VERSION_NUMBER", N_("{address} does not speak TLS, which FARISTOL_TLS_CA requires")),
    (
        "Socket closed",
        N_(
            "{address} does not accept this connection: if it speaks TLS, set FARISTOL_TLS_CA; if it requires a "
            "certificate, set FARISTOL_TLS_CERTIFICATE and FARISTOL_TLS_KEY"
        ),
    ),
)
"""Texts of gRPC for a failed TLS connection, each with a sentence for people."""

_NO_CONNECTION = ("failed to connect", "connections to all backends failing")
"""Texts with which gRPC begins a failed connection: to one address, and to all backends of a balanced channel."""


def is_unconnected(details: str) -> bool:
    """Check whether the details of a failed call say that it found no connection."""
    return any(part in details for part in _NO_CONNECTION)


def tls_problem(problem: grpc.aio.AioRpcError) -> str:
    """Return the sentence for a failed TLS connection, with a placeholder for its address; empty for other problems."""
    details = str(problem.details())
    if not is_unconnected(details):
        return ""
    return next((text for part, text in _TLS if part in details), "")


def info_of(problem: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo:
    """Return the ``ErrorInfo`` of a refusal; empty if it has none that can be read."""
    info = error_details_pb2.ErrorInfo()
    _unpack_first(_details_of(problem)[:1], info)
    return info


def _details_of(problem: grpc.aio.AioRpcError) -> Sequence[any_pb2.Any]:
    try:
        status = rpc_status.from_call(problem)  # type: ignore[arg-type] # it needs only details and trailing metadata
    except (ValueError, DecodeError):  # the bytes were changed on the way
        return ()
    return status.details if status is not None else ()


def _unpack_first(details: Sequence[any_pb2.Any], wanted: Message) -> bool:
    """Unpack the first detail of a type. Return False without one, or if it cannot be read."""
    try:
        return any(detail.Unpack(wanted) for detail in details)
    except DecodeError:
        return False


def reason_of(problem: grpc.aio.AioRpcError) -> str:
    """Return the reason of a refusal, for programs; else the name of its status."""
    return info_of(problem).reason or problem.code().name


def list_reasons(problem: grpc.aio.AioRpcError, language: str = SOURCE) -> list[tuple[str, str]]:
    """List the reasons of a refusal: its subject (may be empty), and its message with its article.

    The messages are in the language of the call, ``language``.
    """
    failure = error_details_pb2.PreconditionFailure()
    if _unpack_first(_details_of(problem), failure):
        return [(violation.subject, violation.description) for violation in failure.violations]
    return [("", with_article(str(problem.details()), info_of(problem).metadata.get("article", ""), language))]


def every_reason(problem: grpc.aio.AioRpcError, language: str = SOURCE) -> str:
    """Return the message of a refusal, with its article; each of several reasons on its own line."""
    return "\n".join(text for _, text in list_reasons(problem, language))
