"""The origin of a call: address and program of a visitor, only for counts and for the audit log.

The audit log has admitted and refused calls, with their origin and credential, without names of persons. Refusals are
counted by reason, and written at most once a second for each, so that unauthenticated callers cannot fill the disk.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, NamedTuple

from opentelemetry import metrics

from faristol.access_control.credential import Credential
from faristol.host.observability.rate_limited_log import RateLimitedLog
from faristol.host.rpc.metadata import VISITOR_ADDRESS, VISITOR_AGENT, metadata_of

OF_ONE_BITS = 64
"""Prefix length of the IPv6 network that a subscriber usually owns: its addresses count as one."""

REMEMBERED_COUNT = 4_096

MAX_AGENT_CHARACTERS = 200
"""Characters of a user agent."""

GATEWAY = "gateway"
"""Name in the certificate of the service that calls for visitors of its pages."""


class Visitor(NamedTuple):
    """The origin of a call. Neither field is ever in the record."""

    address: str
    """IPv4, or the network of IPv6; empty if unknown."""
    agent: str
    """User agent in printable ASCII."""


@lru_cache(REMEMBERED_COUNT)
def to_count_key(address: str) -> str:
    """Return the key for counts of an address: itself, or its network for IPv6."""
    try:
        found = ip_address(address)
    except ValueError:  # a socket of this machine has a name, or an empty one
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), OF_ONE_BITS), strict=False))


def to_metadata(address: str, agent: str) -> tuple[tuple[str, str], ...]:
    """Return metadata that states the visitor of a call. ``address`` is that of the connection."""
    pairs = ((VISITOR_ADDRESS, to_count_key(address)), (VISITOR_AGENT, agent))
    return tuple((name, clean) for name, value in pairs if (clean := _printable(value)))


def visitor_of(context: Any) -> Visitor:
    """Return the origin of a call.

    The gateway states that of its visitors. It is trusted if it shows its certificate, or calls from this machine, or
    from a private network without client certificates. For any other caller, it is the other end of the connection.
    """
    metadata = context.invocation_metadata()
    peer = _peer_address(str(context.peer()))
    address = metadata_of(metadata, VISITOR_ADDRESS)
    if address and _speaks_for_visitors(peer, context.auth_context()):
        return Visitor(_printable(address)[:64], _printable(metadata_of(metadata, VISITOR_AGENT)))
    return Visitor(to_count_key(peer), _printable(metadata_of(metadata, "user-agent")))


def _speaks_for_visitors(peer: str, shown: Mapping[str, Any]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:  # a socket of this machine
        return True
    if address.is_loopback:
        return True
    names = [name.decode(errors="replace") for name in shown.get("x509_subject_alternative_name", ())]
    if names:
        return any(name.partition(".")[0] == GATEWAY for name in names)
    return address.is_private


def _peer_address(peer: str) -> str:
    """Parse the address of a gRPC peer: ``ipv4:10.0.0.1:5000``, ``ipv6:%5B::1%5D:5000``, ``unix:…``."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    return rest.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]").removeprefix("::ffff:")


def _printable(text: str) -> str:
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text[:MAX_AGENT_CHARACTERS])


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
