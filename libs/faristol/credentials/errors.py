"""Why somebody may not do something."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_, Param, fill

EXPIRED = N_("the credential ended at {time}")
REVOKED = N_("the credential was ended before its time")


class AccessError(Exception):
    """A call that is refused for who makes it.

    ``reason`` is a word for machines, ``message`` an English sentence with ``{named}`` places that ``params`` fill.
    """

    def __init__(self, reason: str, message: str, params: Mapping[str, Param] | None = None) -> None:
        super().__init__(reason, message, params)
        self.reason = reason
        self.message = message
        self.params: Mapping[str, Param] = dict(params or {})

    def __str__(self) -> str:
        return fill(self.message, self.params)


class Unauthenticated(AccessError):
    """Nobody knows who calls: there is no credential, or one that is not valid now."""


class Denied(AccessError):
    """It is known who calls, and they may not do it."""
