"""What may be called: addresses of the internet by https, and of networks that a setting allows. Pure."""

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

LONGEST = 1_000
"""Characters of a URL."""

_CHARACTERS = re.compile(r"[!-\[\]-~]+")
"""ASCII without blanks and backslashes, which programs read in different ways."""
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""Where NAT64 shows addresses of IPv4."""

_UNICAST = IPv6Network("2000::/3")
"""All that is given to anybody of IPv6 is in here."""
_PROTOCOLS = IPv4Network("192.0.0.0/24")
"""Of IPv4, what protocols use and nobody is given."""

EXPECTED = N_("expected https://HOST/PATH of at most {most} ASCII characters")
WITH_USER = N_("has a name or a password before the host, which would be kept in clear: the signature says who sends")
WITH_FRAGMENT = N_("has a part after #, which is never sent")
NOT_SAFE = N_("http is for loopback addresses of allowed networks alone; expected https")
NOT_PUBLIC = N_("{host} is no public address; the operator allows networks by {setting}")
SETTING = "FARISTOL_WEBHOOK_NETWORKS"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a message goes."""

    is_tls: bool
    host: str
    """A name, or an address without brackets."""
    port: int
    path: str
    """With the query, as it is sent."""
    authority: str
    """The host, and the port where it is not the usual one: the header ``Host``."""

    @property
    def address(self) -> Address | None:
        """The address, where the host is one."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None


def target_of(url: str) -> Target:
    """The parts of a URL. Raises ``Invalid`` for one that is not called."""
    wrong = Invalid("url", EXPECTED, {"most": LONGEST})
    if len(url) > LONGEST or not _CHARACTERS.fullmatch(url):
        raise wrong
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
        is_address = bool(ip_address(host)) if ":" in host else False
    except ValueError as problem:
        raise wrong from problem
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
    """The networks that a setting names, with commas. Raises ``ValueError`` for one that is none."""
    return tuple(ip_network(each.strip()) for each in setting.split(",") if each.strip())


def may_call(target: Target, address: Address, networks: Collection[Network]) -> bool:
    """Whether a target is called at an address: at every public one by TLS, and else where a network allows it."""
    inner = _inner(address)
    is_allowed = any(inner in network for network in networks if network.version == inner.version)
    if not target.is_tls:
        return is_allowed and inner.is_loopback
    return is_allowed or _is_public(inner)


def _is_public(address: Address) -> bool:
    """Whether an address is of the internet. What Python takes for that depends on its version, so less is taken."""
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    return address in _UNICAST if isinstance(address, IPv6Address) else address not in _PROTOCOLS


def callable_of(target: Target, addresses: Sequence[Address], networks: Collection[Network]) -> list[Address]:
    """Those of the addresses of a target that are called."""
    return [each for each in addresses if may_call(target, each, networks)]


def check_callable(target: Target, addresses: Sequence[Address], networks: Collection[Network]) -> None:
    """Raise ``Invalid`` for a target that has addresses, and none that is called.

    A name that leads nowhere yet may be called by TLS once it does. Without TLS it could never be: what is called so is
    this machine.
    """
    if not addresses and not target.is_tls:
        raise Invalid("url", NOT_SAFE)
    if not addresses or callable_of(target, addresses, networks):
        return
    if not target.is_tls:
        raise Invalid("url", NOT_SAFE)
    raise Invalid("url", NOT_PUBLIC, {"host": target.host, "setting": SETTING})


def _inner(address: Address) -> Address:
    """The address of IPv4 that one of IPv6 stands for, or itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address
