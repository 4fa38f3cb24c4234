"""Errors of authentication and authorization."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_, Param, fill

EXPIRED = N_("the credential expired at {time}")
REVOKED = N_("the credential was revoked")


class AccessError(Exception):
    """A call that is refused because of its caller.

    ``reason`` is a code for programs, ``message`` English text with placeholders ``{named}`` that ``params`` fill.
    """

    def __init__(self, reason: str, message: str, params: Mapping[str, Param] | None = None) -> None:
        super().__init__(reason, message, params)
        self.reason = reason
        self.message = message
        self.params: Mapping[str, Param] = dict(params or {})

    def __str__(self) -> str:
        return fill(self.message, self.params)


class Unauthenticated(AccessError):
    """The caller is unknown: there is no credential, or it is not valid now."""


class Denied(AccessError):
    """The caller is known and not allowed to call."""
