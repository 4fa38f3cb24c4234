"""Certificates of a small authority, as cert-manager would write them into a folder."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Signed:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def sign_certificate(name: str, by: Signed | None = None, *names: str, since: int = -1, until: int = 30) -> Signed:
    """Return a certificate from ``since`` to ``until`` days from now; self-signed without ``by``."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=since))
        .not_valid_after(now + timedelta(days=until))
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
    )
    if names:
        found = [
            x509.IPAddress(ipaddress.ip_address(each)) if each[0].isdigit() else x509.DNSName(each) for each in names
        ]
        builder = builder.add_extension(x509.SubjectAlternativeName(found), critical=False)
    return Signed(builder.sign(by.key if by else key, hashes.SHA256()), key)


class Mount:
    """A folder as Kubernetes mounts a Secret: the files are links by way of ``..data``, which is swapped at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        folder.mkdir(parents=True)

    def __truediv__(self, name: str) -> Path:
        return self._folder / name

    def put(self, mine: Signed, *authorities: Signed) -> None:
        self._count += 1
        known = b"".join(authority.pem for authority in authorities)
        version = self._folder / f"..{self._count}"
        version.mkdir()
        for name, content in (("tls.crt", mine.pem), ("tls.key", mine.key_pem), ("ca.crt", known)):
            (version / name).write_bytes(content)
            if not (self._folder / name).is_symlink():
                (self._folder / name).symlink_to(Path("..data") / name)
        swapped = self._folder / "..data_tmp"
        swapped.symlink_to(version.name)
        swapped.replace(self._folder / "..data")

    def settings(self, *, mutual: bool = True) -> dict[str, Path]:
        """Return the settings of the process, or the program, for these files."""
        given = {"tls_certificate": self / "tls.crt", "tls_key": self / "tls.key", "tls_ca": self / "ca.crt"}
        return given | ({"tls_client_ca": self / "ca.crt"} if mutual else {})
