"""Errors for callers, and their gRPC statuses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from urllib.parse import quote

from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from faristol.access_control.errors import AccessError, Unauthenticated
from faristol.event_store import Conflict, RecordError, Unacceptable
from faristol.event_store.append.decision import MAX_SHOWN_NAME_CHARACTERS
from faristol.event_store.backends.databases import is_away, is_full
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.text import cite_refusal, render, say, translations

DOMAIN = "faristol"
"""Domain of `google.rpc.ErrorInfo`."""


class PositionNotReached(Exception):
    """Results are still at position ``here`` when the wait for ``wanted`` times out."""

    def __init__(self, wanted: int, here: int) -> None:
        super().__init__(wanted, here)
        self.wanted = wanted
        self.here = here


class Stopping(Exception):
    """The process is shutting down; a retry reaches another one or its successor."""


class Starting(Exception):
    """The process waits for its database or NATS; a retry finds it ready, or another one."""


class Unreachable(Exception):
    """Another service that this call needs does not answer, at ``address`` (HOST:PORT) if known."""

    def __init__(self, service: str, address: str = "") -> None:
        super().__init__(service, address)
        self.service = service
        self.address = address


BEHIND = N_("results are at position {here} and did not reach position {wanted} before the deadline")
CONFLICT = N_("conflicting changes were made at the same time, several times; your change was not saved, retry")
STOPPING = N_("this process is shutting down; retry in a moment")
STARTING = N_("this process is starting; retry in a moment")
UNREACHABLE = N_("the service {service} is unavailable; no data was changed, retry")
UNREACHABLE_AT = N_("the service {service} does not respond at {address}; no data was changed, retry")
FULL = N_("the disk of the record is full; no data was changed, retry when there is free space")
UNUSABLE = N_("this service cannot do that at the moment; no data was changed, see its log")
UNAVAILABLE = N_("the record is unavailable; no data was changed, retry")


LARGEST_STATUS = 6_000
"""Bytes of a status in the trailers of a call: clients accept 8 KiB of trailers, and fail beyond that."""

PARAMETER_LIMITS = (MAX_SHOWN_NAME_CHARACTERS, 40, 10)
"""Limits of characters for each parameter, tried in order until a status fits."""


def status_of(problem: BaseException, language: str) -> status_pb2.Status | None:
    """Return the status for a caller who reads ``language``; None for an internal error.

    Parameters of its sentence are truncated if the status is too large for the trailers.
    """
    status = _status_of(problem, language)
    for longest in PARAMETER_LIMITS:
        if status is None or _size(status) <= LARGEST_STATUS:
            return status
        status = _status_of(_shorten(problem, longest), language)
    if status is not None and _size(status) > LARGEST_STATUS:
        del status.details[1:]
    return status


def reason_of(problem: Refusal | AlreadyExists | Invalid) -> str:
    """Return the reason in the status of ``problem``, for an answer on many items with some refused."""
    match problem:
        case Refusal():
            return problem.reason
        case AlreadyExists():
            return "ALREADY_EXISTS"
        case Invalid():
            return "INVALID"


def _size(status: status_pb2.Status) -> int:
    """Return the size in bytes as gRPC sends it: the message percent-encoded, and the status in base64."""
    return len(quote(status.message)) + 4 * (len(status.SerializeToString()) // 3 + 1)


def _shorten(problem: BaseException, longest: int) -> BaseException:
    """Return the problem with each parameter truncated to ``longest`` characters."""
    match problem:
        case Refusal():
            return _shorter_refusal(problem, longest)
        case NotFound():
            return NotFound(problem.kind, _cut(problem.wanted, longest))
        case AlreadyExists():
            return AlreadyExists(problem.kind, _cut(problem.wanted, longest))
        case Invalid():
            return Invalid(problem.field, problem.problem, _all_cut(problem.params, longest), where=problem.where)
        case Unacceptable():
            return Unacceptable(problem.text, **_all_cut(problem.params, longest))
        case _:
            return problem


def _shorter_refusal(refusal: Refusal, longest: int) -> Refusal:
    params, others = _all_cut(refusal.params, longest), [_shorter_refusal(other, longest) for other in refusal.others]
    return Refusal(
        refusal.reason,
        refusal.message,
        params,
        article=refusal.article,
        others=others,
        subject=_cut(refusal.subject, longest),
    )


def _all_cut(params: Mapping[str, Param], longest: int) -> dict[str, Param]:
    return {key: _cut(value, longest) if isinstance(value, str) else value for key, value in params.items()}


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _status_of(problem: BaseException, language: str) -> status_pb2.Status | None:
    in_language = partial(say, language=language)
    match problem:
        case Refusal():
            info = {**_params(problem.params), "message": problem.message, "article": problem.article}
            status = _status(code_pb2.FAILED_PRECONDITION, render(problem, language), problem.reason, info)
            if problem.others:
                status.details.append(_all_reasons(problem, language))
            return status
        case NotFound():
            info = {"kind": problem.kind, "id": problem.wanted}
            return _status(code_pb2.NOT_FOUND, problem.format_message(in_language), "NOT_FOUND", info)
        case AlreadyExists():
            info = {"kind": problem.kind, "id": problem.wanted}
            return _status(code_pb2.ALREADY_EXISTS, problem.format_message(in_language), "ALREADY_EXISTS", info)
        case Invalid():
            info = {**_params(problem.params), "message": problem.problem, "field": problem.field}
            return _status(code_pb2.INVALID_ARGUMENT, problem.format_message(in_language), "INVALID", info)
        case Unacceptable():
            return _status(code_pb2.INVALID_ARGUMENT, say(problem.text, problem.params, language), "UNACCEPTABLE", {})
        case AccessError():
            code = code_pb2.UNAUTHENTICATED if isinstance(problem, Unauthenticated) else code_pb2.PERMISSION_DENIED
            info = {**_params(problem.params), "message": problem.message}
            return _status(
                code, say(problem.message, _roles_in(problem.params, language), language), problem.reason, info
            )
        case PositionNotReached():
            info = {"wanted": str(problem.wanted), "here": str(problem.here)}
            return _status(code_pb2.DEADLINE_EXCEEDED, say(BEHIND, info, language), "BEHIND", info)
        case Conflict():
            return _status(code_pb2.ABORTED, say(CONFLICT, {}, language), "CONFLICT", {"stream": problem.stream})
        case Stopping():
            return _status(code_pb2.UNAVAILABLE, say(STOPPING, {}, language), "STOPPING", {})
        case Starting():
            return _status(code_pb2.UNAVAILABLE, say(STARTING, {}, language), "STARTING", {})
        case Unreachable():
            info = {"service": problem.service, "address": problem.address}
            text = UNREACHABLE_AT if problem.address else UNREACHABLE
            return _status(code_pb2.UNAVAILABLE, say(text, info, language), "UNREACHABLE", info)
        case DBAPIError() if is_full(problem):
            return _status(code_pb2.UNAVAILABLE, say(FULL, {}, language), "DISK_FULL", {})
        case RecordError():  # the log has the details for the operator
            return _status(code_pb2.UNAVAILABLE, say(UNUSABLE, {}, language), "UNUSABLE", {})
        case PoolTimeout() | OSError():
            return _status(code_pb2.UNAVAILABLE, say(UNAVAILABLE, {}, language), "UNAVAILABLE", {})
        case DBAPIError() if is_away(problem):
            return _status(code_pb2.UNAVAILABLE, say(UNAVAILABLE, {}, language), "UNAVAILABLE", {})
        case _:
            return None


def _roles_in(params: Mapping[str, Param], language: str) -> dict[str, Param]:
    """Return the parameters with translated names of roles."""
    in_words = translations(language).gettext
    roles = {key: ", ".join(map(in_words, str(params[key]).split(", "))) for key in ("role", "roles") if key in params}
    return {**params, **roles}


def _params(params: Mapping[str, Param]) -> dict[str, str]:
    """Return the parameters as strings, for callers that render the message themselves, such as with names for ids."""
    return {key: str(value) for key, value in params.items()}


def _all_reasons(problem: Refusal, language: str) -> any_pb2.Any:
    """Return a refusal with all its reasons as one detail."""
    failure = error_details_pb2.PreconditionFailure()
    for refusal in (problem, *problem.others):
        failure.violations.add(
            type=refusal.reason, subject=refusal.subject, description=cite_refusal(refusal, language)
        )
    detail = any_pb2.Any()
    detail.Pack(failure)
    return detail


def _status(code: int, message: str, reason: str, metadata: Mapping[str, str]) -> status_pb2.Status:
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata))
    return status_pb2.Status(code=code, message=message, details=[detail])
