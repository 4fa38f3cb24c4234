"""Targets that may be called: internet addresses by HTTPS, and networks that a setting allows. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAX_WEBHOOK_URL_CHARACTERS = 1_000
"""Characters of a URL."""

_CHARACTERS = re.compile(r"[!-\[\]-~]+")
"""ASCII without blanks and backslashes, which programs parse differently."""
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""The NAT64 prefix for IPv4 addresses."""

_UNICAST = IPv6Network("2000::/3")
"""The IPv6 prefix of all assigned global unicast addresses."""
_PROTOCOLS = IPv4Network("192.0.0.0/24")
"""IPv4 addresses reserved for protocols."""

URL_EXPECTED = N_("expected https://HOST/PATH of at most {most} ASCII characters")
WITH_USER = N_(
    "has a user name or a password before the host, which would be stored in plain text: the signature "
    "identifies the sender"
)
WITH_FRAGMENT = N_("has a part after #, which is never sent")
NOT_SAFE = N_("http is only for loopback addresses of allowed networks; expected https")
NOT_PUBLIC = N_("{host} is not a public address; the operator allows networks with {setting}")
SETTING = "FARISTOL_WEBHOOK_NETWORKS"


@dataclass(frozen=True, slots=True)
class Target:
    """The destination of a message."""

    is_tls: bool
    host: str
    """A name, or an address without brackets."""
    port: int
    path: str
    """With the query, as sent."""
    authority: str
    """The host, with a non-default port: the header ``Host``."""

    @property
    def address(self) -> Address | None:
        """The address, if the host is one."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None


def target_of(url: str) -> Target:
    """Parse a URL. Raises ``Invalid`` for one that may not be called."""
    wrong = Invalid("url", URL_EXPECTED, {"most": MAX_WEBHOOK_URL_CHARACTERS})
    if len(url) > MAX_WEBHOOK_URL_CHARACTERS or not _CHARACTERS.fullmatch(url):
        raise wrong
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
        is_address = bool(ip_address(host)) if ":" in host else False
    except ValueError as error:
        raise wrong from error
    if parts.scheme not in {"https", "http"} or not (is_address or _HOST.fullmatch(host)) or port == 0:
        raise wrong
    if "@" in parts.netloc:
        raise Invalid("url", WITH_USER)
    if "#" in url:
        raise Invalid("url", WITH_FRAGMENT)
    is_tls = parts.scheme == "https"
    usual = 443 if is_tls else 80
    shown = f"[{host}]" if ":" in host else host
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(is_tls, host, port or usual, path, shown if port in {None, usual} else f"{shown}:{port}")


def networks_of(setting: str) -> tuple[Network, ...]:
    """Parse the comma-separated networks of a setting. Raises ``ValueError`` for an invalid one."""
    return tuple(ip_network(each.strip()) for each in setting.split(",") if each.strip())


def may_call(target: Target, address: Address, networks: Collection[Network]) -> bool:
    """Check whether a target may be called at an address: a public one over TLS, or one in ``networks``."""
    inner = _inner(address)
    is_allowed = any(inner in network for network in networks if network.version == inner.version)
    if not target.is_tls:
        return is_allowed and inner.is_loopback
    return is_allowed or _is_public(inner)


def _is_public(address: Address) -> bool:
    """Check whether an address is public. Python's definition varies by version, so less is accepted."""
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    return address in _UNICAST if isinstance(address, IPv6Address) else address not in _PROTOCOLS


def list_callable(target: Target, addresses: Sequence[Address], networks: Collection[Network]) -> list[Address]:
    """Return those addresses of a target that may be called."""
    return [each for each in addresses if may_call(target, each, networks)]


def check_callable(target: Target, addresses: Sequence[Address], networks: Collection[Network]) -> None:
    """Raise ``Invalid`` for a target with addresses of which none may be called.

    A name that does not resolve yet may be called over TLS later. Without TLS it is invalid, except for loopback.
    """
    if not addresses and not target.is_tls:
        raise Invalid("url", NOT_SAFE)
    if not addresses or list_callable(target, addresses, networks):
        return
    if not target.is_tls:
        raise Invalid("url", NOT_SAFE)
    raise Invalid("url", NOT_PUBLIC, {"host": target.host, "setting": SETTING})


def _inner(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address
