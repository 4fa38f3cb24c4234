"""Authorization of a client: a token issued to it, or tokens that it signs itself at the console of the server."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.descriptor_pool import Default

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.keyring import RECORD, Keyring
from faristol.access_control.needs import needs_of
from faristol.access_control.roles import DIRECTOR, FEDERATION, JUDGE, OPERATOR, SERVICE, Role
from faristol.access_control.tokens import issue
from faristol.host.renamed_settings import refuse_renamed_settings
from faristol.host.rpc.metadata import AUTHORIZATION
from faristol.kernel.addresses import is_loopback
from faristol.kernel.names import OFFICIAL, fold_case

T = TypeVar("T")

TOKEN = "FARISTOL_CLIENT_TOKEN"  # noqa: S105 # a variable of the environment
"""Environment variable with the token of the caller."""

CONSOLE_TOKEN_LIFETIME = timedelta(minutes=10)
"""Lifetime of a token that is signed at the console."""

_AT_CONSOLE = (FEDERATION, DIRECTOR, OPERATOR, JUDGE, SERVICE)
"""Roles of a caller at the console; a call uses the first of these that its method accepts."""

_acting: ContextVar[str] = ContextVar("faristol_acting", default="")


@contextmanager
def _holding(variable: ContextVar[T], value: T) -> Iterator[None]:
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def acting(token: str) -> AbstractContextManager[None]:
    """Authorize calls with this token instead of that of their channel; an empty token has no effect."""
    return _holding(_acting, token)


_wanted_role: ContextVar[Role | None] = ContextVar("faristol_wanted_role", default=None)


def calling_as(role: Role) -> AbstractContextManager[None]:
    """Call in this role at the console if the method accepts it, instead of in the first of the usual roles."""
    return _holding(_wanted_role, role)


Authorize = Callable[[str], str]
"""Returns the value of the header ``authorization`` for the path of a method; empty for none."""


def authorize(address: str, folder: Path, name: str = "", record: Path | None = None) -> Authorize:
    """Return the authorization of calls to ``address`` (HOST:PORT): by the token of the environment, or at the console.

    A caller who can read the private keys of the cell in ``folder`` is at its console. It calls as ``name``, in any
    role that the method accepts, and only to an address of this machine. The file ``record``, or one in the folder, has
    the id of the record that the keys belong to.
    """
    refuse_renamed_settings()
    if token := os.environ.get(TOKEN, ""):
        return lambda method: f"Bearer {token}"
    note = record or folder / RECORD
    if not is_at_console(address) or not os.access(note, os.R_OK):
        return lambda method: ""
    return authorize_at_console(folder, note, name)


def authorize_at_console(folder: Path, record: Path, name: str = "") -> Authorize:
    """Return the authorization of a caller at the console of the cell with the private keys in ``folder``.

    The file ``record`` has the id of the record that the keys belong to. Raises ``OSError`` if it cannot be read, and
    ``KeyringError`` without keys.
    """
    return _Console(folder, name, record).authorization


def is_at_console(address: str) -> bool:
    """Check whether an address (HOST:PORT) is a loopback address, where the keys of the cell may be readable."""
    return is_loopback(address.rpartition(":")[0].strip("[]"))


class _Console:
    """Signs and caches a token for each role of a caller at the console."""

    def __init__(self, folder: Path, name: str, record: Path) -> None:
        self._keyring = Keyring(folder)
        self._record = record.read_text(encoding="utf-8")
        self._name = name
        self._tokens: dict[Role, tuple[str, datetime]] = {}

    def authorization(self, method: str) -> str:
        """Return the value of the header for a method; renew the token after half of its lifetime."""
        role = _role_for(method, _wanted_role.get())
        now = datetime.now(UTC)
        token, until = self._tokens.get(role, ("", now))
        if now >= until - CONSOLE_TOKEN_LIFETIME / 2:
            until = now + CONSOLE_TOKEN_LIFETIME
            subject = OFFICIAL + self._keyring.digest("console", fold_case(self._name)).hex()[:12]
            credential = Credential(str(uuid.uuid4()), subject, role, Scope(), now, until, self._name)
            token = issue(credential, self._keyring.signer(), self._record)
            self._tokens[role] = token, until
        return f"Bearer {token}"


@lru_cache(maxsize=256)
def _role_for(method: str, wanted: Role | None) -> Role:
    """Return the role in which a caller at the console calls a method; a public method accepts any role."""
    service, _, name = method.removeprefix("/").rpartition("/")
    roles = needs_of(Default().FindServiceByName(service).methods_by_name[name]).roles
    if wanted in roles:
        return wanted
    return next((role for role in _AT_CONSOLE if role in roles), DIRECTOR)


class _Authorized:
    """Adds the credential to a call without one."""

    def __init__(self, authorization: Authorize) -> None:
        self._authorization = authorization

    def _details(self, details: Any) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()))
        method = details.method.decode() if isinstance(details.method, bytes) else details.method
        if AUTHORIZATION not in metadata:
            token = _acting.get()
            if value := f"Bearer {token}" if token else self._authorization(method):
                metadata.add(AUTHORIZATION, value)
        return details._replace(metadata=metadata)


class AuthorizedCalls(_Authorized, grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # only in the stubs
    """Adds the credential to unary calls."""

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """Continue the call with its credential."""
        return await continuation(self._details(client_call_details), request)


class AuthorizedStreams(_Authorized, grpc.aio.UnaryStreamClientInterceptor):  # type: ignore[type-arg] # as above
    """Adds the credential to calls with a streamed response."""

    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """Continue the call with its credential."""
        return await continuation(self._details(client_call_details), request)


def build_interceptors(authorization: Authorize) -> list[Any]:
    """Return the interceptors of a channel whose calls ``authorization`` authorizes."""
    return [AuthorizedCalls(authorization), AuthorizedStreams(authorization)]
