"""The audit log: admitted and refused calls, with their origin and credential, without names of persons.

Refusals are counted by reason, and written at most once a second for each, so that unauthenticated callers cannot fill
the disk.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from opentelemetry import metrics

from faristol.access_control.credential import Credential
from faristol.host.observability.rate_limited_log import RateLimitedLog
from faristol.host.security.visitor import Visitor

AUDIT_LOGGER_NAME = "faristol.audit"

_log = logging.getLogger(AUDIT_LOGGER_NAME)
_refusals = metrics.get_meter("faristol.host").create_counter(
    "faristol.refusals", unit="{call}", description="calls rejected because of their caller, by reason"
)


def _write(message: str, fields: Mapping[str, Any]) -> None:
    _log.warning("%s", message, extra={"fields": dict(fields)})


_seldom = RateLimitedLog(_write)


def note_refused(what: str, reason: str, visitor: Visitor, credential: Credential | None = None) -> None:
    """Log a refused call or sign-in. ``what`` is the method, or the kind of sign-in."""
    _refusals.add(1, {"reason": reason})
    message = f"refused {what}: {reason}, {_by(credential)}, {_from(visitor)}"
    _seldom.tell(f"refused for {reason}", message, _fields("refused", what, visitor, credential, reason=reason))


def note_done(what: str, visitor: Visitor, credential: Credential | None, about: str = "") -> None:
    """Log that a credential was given, used or ended. ``about`` is the id of that credential."""
    subject = f" {about}" if about else ""
    message = f"{what}{subject}, {_by(credential)}, {_from(visitor)}"
    _log.info("%s", message, extra={"fields": _fields("done", what, visitor, credential, about=about)})


def _by(credential: Credential | None) -> str:
    if credential is None:
        return "credential - of - (-)"
    return f"credential {credential.credential_id} of {credential.subject} ({credential.role_name})"


def _from(visitor: Visitor) -> str:
    return f"from {visitor.address or '-'} by {visitor.agent!r}"


def _fields(outcome: str, what: str, visitor: Visitor, credential: Credential | None, **more: str) -> dict[str, str]:
    found = {"outcome": outcome, "what": what, "address": visitor.address, "agent": visitor.agent, **more}
    if credential:
        found |= {
            "credential": credential.credential_id,
            "subject": credential.subject,
            "role": credential.role_name,
        }
    return {name: value for name, value in found.items() if value}
