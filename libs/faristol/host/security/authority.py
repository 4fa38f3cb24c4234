"""A certificate authority in the data folder, for a machine without one: it issues the certificate of `faristol up`."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from faristol.event_store.event import utc_now
from faristol.files import OWNER_ONLY_BITS, replace_file
from faristol.host.runtime import Runtime
from faristol.host.service_module import Part
from faristol.host.services import StartError
from faristol.host.settings import Settings
from faristol.host.system import hold_lock

CA, CA_KEY, CERTIFICATE, KEY, LOCK = "ca.crt", "ca.key", "server.crt", "server.key", "lock"
"""Files of the folder."""

AUTHORITY_LIFETIME = timedelta(days=3_650)
CERTIFICATE_LIFETIME = timedelta(days=90)
"""Lifetimes of the authority and of the certificate."""
MIN_REMAINING_LIFETIME = timedelta(days=30)
"""Remaining lifetime below which a certificate is renewed; an authority is renewed below that of a certificate."""
CERTIFICATE_CHECK_SECONDS = 3_600.0
"""Seconds between two checks."""
ALLOWED_CLOCK_SKEW = timedelta(hours=3)
"""Clock skew allowed to other machines: the laptop of a hall may differ by two hours."""

_log = logging.getLogger(__name__)


def files_of(settings: Settings) -> Path:
    """Return the folder of the certificates."""
    return settings.data.absolute() / "tls"


def names_of(settings: Settings) -> tuple[str, ...]:
    """Return the names of this machine, for local and remote callers: also that of its pages."""
    names = ["localhost", "127.0.0.1", "::1", socket.gethostname()]
    if settings.grpc_host not in {"0.0.0.0", "::"}:  # noqa: S104 # only compared
        names.append(settings.grpc_host)
    if host := urlsplit(settings.http_address).hostname:
        names.append(host)
    return tuple(dict.fromkeys(names))


def prepare(folder: Path, names: Sequence[str], now: Callable[[], datetime] = utc_now) -> bool:
    """Create or renew the authority and the certificate for these names, readable only by their owner.

    Returns whether the certificate was created. Raises ``StartError`` on failure.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(folder):
            authority, key = _authority(folder, now())
            if _is_good(folder, authority, names, now()):
                return False
            _make_certificate(folder, authority, key, names, now())
    except OSError as error:
        raise StartError(f"certificates cannot be stored in {folder}: {error.strerror}") from error
    except ValueError as error:
        raise StartError(f"{folder} does not have the certificates that were made there: remove it") from error
    return True


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the folder against other processes that create certificates."""
    with hold_lock(folder / LOCK):
        yield


def _authority(folder: Path, now: datetime) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    if (folder / CA).exists():
        found = x509.load_pem_x509_certificate((folder / CA).read_bytes())
        key = load_pem_private_key((folder / CA_KEY).read_bytes(), None)
        lasts = found.not_valid_after_utc - now > CERTIFICATE_LIFETIME
        if lasts and isinstance(key, ec.EllipticCurvePrivateKey) and key.public_key() == found.public_key():
            return found, key
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Faristol of {socket.gethostname()}"[:64])])
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    made = (
        _builder(name, name, key, now, AUTHORITY_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    replace_file(folder / CA_KEY, _pem(key), OWNER_ONLY_BITS)
    replace_file(folder / CA, made.public_bytes(Encoding.PEM), OWNER_ONLY_BITS)
    return made, key


def _is_good(folder: Path, authority: x509.Certificate, names: Sequence[str], now: datetime) -> bool:
    """Check whether the certificate matches the names, the authority and the key, even after an interrupted renewal."""
    if not ((folder / CERTIFICATE).exists() and (folder / KEY).exists()):
        return False
    found = x509.load_pem_x509_certificate((folder / CERTIFICATE).read_bytes())
    key = load_pem_private_key((folder / KEY).read_bytes(), None)
    try:
        found.verify_directly_issued_by(authority)
    except (ValueError, InvalidSignature):  # another issuer, or a signature by another key
        return False
    named = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    if found.not_valid_after_utc - now < MIN_REMAINING_LIFETIME or named != x509.SubjectAlternativeName(
        map(_name, names)
    ):
        return False
    return found.public_key() == key.public_key()


def _make_certificate(
    folder: Path, authority: x509.Certificate, by: ec.EllipticCurvePrivateKey, names: Sequence[str], now: datetime
) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "faristol")])
    uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    made = (
        _builder(subject, authority.subject, key, now, CERTIFICATE_LIFETIME)
        .add_extension(x509.SubjectAlternativeName(map(_name, names)), critical=False)
        .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(by, hashes.SHA256())
    )
    replace_file(folder / KEY, _pem(key), OWNER_ONLY_BITS)
    replace_file(folder / CERTIFICATE, made.public_bytes(Encoding.PEM), OWNER_ONLY_BITS)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, lasts: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - ALLOWED_CLOCK_SKEW)
        .not_valid_after(now + lasts)
    )


def _name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def part(runtime: Runtime) -> Part:
    """Renew the certificate while the process runs; new connections use the new one."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(CERTIFICATE_CHECK_SECONDS)
            try:
                settings = runtime.settings
                if await asyncio.to_thread(prepare, files_of(settings), names_of(settings), runtime.now):
                    _log.warning("the certificate in %s was renewed", files_of(settings))
            except StartError as error:  # the previous one is valid for weeks
                _log.error("the certificate cannot be renewed: %s", error)

    return Part(name="authority", tasks=(renew,))
