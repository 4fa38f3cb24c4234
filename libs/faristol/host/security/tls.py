"""TLS with certificates in files, which may be replaced during use."""

from __future__ import annotations

import logging
import ssl
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from faristol.host.services import StartError
from faristol.host.settings import Settings

TLS_FILES_POLL_SECONDS = 1.0
"""Seconds between two checks for changed files."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Files:
    """Paths of the files; None for those that are not configured."""

    certificate: Path | None = None
    """Certificate chain of this process, for its callers and for called services: its own first, then intermediates."""
    key: Path | None = None
    ca: Path | None = None
    """Authorities that are trusted for called services."""
    client_ca: Path | None = None
    """Authorities that must have issued callers' certificates; without it, callers need no certificate."""

    @classmethod
    def of(cls, settings: Settings) -> Files:
        """Return the files of the settings. Raises ``StartError`` if one lacks another that it requires."""
        files = cls(settings.tls_certificate, settings.tls_key, settings.tls_ca, settings.tls_client_ca)
        for given, needed in (("certificate", "key"), ("key", "certificate"), ("client_ca", "certificate")):
            if getattr(files, given) and not getattr(files, needed):
                raise StartError(f"FARISTOL_TLS_{given.upper()} needs FARISTOL_TLS_{needed.upper()}, which is not set")
        return files


@dataclass(frozen=True)
class Content:
    """Content of the files at a time."""

    certificate: bytes = b""
    key: bytes = b""
    ca: bytes = b""
    client_ca: bytes = b""

    @cached_property
    def name(self) -> str:
        """A name in the certificate; empty if it has none."""
        (own, *_) = x509.load_pem_x509_certificates(self.certificate)
        try:
            names = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except x509.ExtensionNotFound:
            return ""
        dns = names.get_values_for_type(x509.DNSName)
        return str([*dns, *names.get_values_for_type(x509.IPAddress), ""][0])


class Tls:
    """The files, reloaded on change.

    Calls use TLS if there are authorities, and callers must use TLS if there is a certificate.
    """

    def __init__(self, files: Files) -> None:
        """Raises ``StartError`` if a file is unreadable or malformed."""
        self.files = files
        self._looked = time.monotonic()
        self._stamp = self._files_now()
        self._content = _read(files)
        self._context: ssl.SSLContext | None = None
        self._lock = threading.Lock()  # gRPC calls it from its own threads

    @classmethod
    def of(cls, settings: Settings) -> Tls | None:
        """Return the TLS of the settings; None if they have no files. Raises ``StartError``."""
        files = Files.of(settings)
        return cls(files) if any(vars(files).values()) else None

    @property
    def serves(self) -> bool:
        """Whether callers must use TLS."""
        return self.files.certificate is not None

    def now(self) -> Content:
        """Return the current content. The previous one stays in use while the files are being changed."""
        with self._lock:
            if time.monotonic() - self._looked > TLS_FILES_POLL_SECONDS:
                self._looked = time.monotonic()
                self._read_again()
            return self._content

    def _read_again(self) -> None:
        stamp = self._files_now()
        if stamp == self._stamp:
            return
        try:
            self._content = _read(self.files)
        except StartError as error:
            _log.warning("the earlier certificates remain in use: %s", error)
        else:
            self._stamp = stamp
            _log.info("certificates were reloaded")

    def _files_now(self) -> tuple[tuple[int, ...] | None, ...]:
        return tuple(_stamp(path) for path in vars(self.files).values())

    def of_server(self) -> grpc.ServerCredentials:
        """Return credentials for a gRPC server that give each new connection the current certificate."""
        shown = self.now()

        def fetch() -> grpc.ServerCertificateConfiguration | None:
            nonlocal shown
            found = self.now()
            if found is shown:
                return None
            shown = found
            return _configuration(found)

        mutual = bool(self.files.client_ca)
        # None means no change, which the stubs lack.
        return grpc.dynamic_ssl_server_credentials(_configuration(shown), fetch, mutual)  # type: ignore[arg-type]

    def nats_context(self) -> ssl.SSLContext:
        """Return the context for connections to NATS, always the same object, with the current certificates loaded."""
        if self._context is None:
            self._context = ssl.create_default_context()
            if self.files.ca:
                self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        found = self.now()
        if found.ca:
            self._context.load_verify_locations(cadata=found.ca.decode())
        if self.files.certificate:
            try:
                self._context.load_cert_chain(self.files.certificate, self.files.key)
            except (OSError, ssl.SSLError) as error:  # a file is being changed: keep the loaded certificate
                _log.warning("the earlier certificate for NATS remains in use: %s", error)
        return self._context


def _configuration(content: Content) -> grpc.ServerCertificateConfiguration:
    pairs = [(content.key, content.certificate)]
    return grpc.ssl_server_certificate_configuration(pairs, root_certificates=content.client_ca or None)


def _stamp(path: Path | None) -> tuple[int, ...] | None:
    """Return a value that changes with a file, including through a symbolic link above it, as in Kubernetes volumes."""
    try:
        found = path.stat() if path else None
    except OSError:
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_size) if found else None


def _read(files: Files) -> Content:
    read = {name: _bytes(name, path) if path else b"" for name, path in vars(files).items()}
    content = Content(**read)
    for name in ("certificate", "ca", "client_ca"):
        if read[name]:
            _check_certificates(name, getattr(files, name), read[name])
    if content.key:
        _check_pair(files, content)
    return content


def _bytes(name: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StartError(f"{_describe_file(name, path)} cannot be read: {error.strerror}") from error


def _describe_file(name: str, path: Path | None) -> str:
    return f"the file {path} (FARISTOL_TLS_{name.upper()})"


def _check_certificates(name: str, path: Path, content: bytes) -> None:
    try:
        found = x509.load_pem_x509_certificates(content)
    except ValueError as error:
        raise StartError(f"{_describe_file(name, path)} has no certificate in PEM") from error
    # A chain depends on its first certificate; each authority of a bundle is trusted independently.
    until = found[0].not_valid_after_utc if name == "certificate" else max(each.not_valid_after_utc for each in found)
    if until < datetime.now(UTC):
        raise StartError(f"{_describe_file(name, path)} has a certificate that expired on {until}")


def _check_pair(files: Files, content: Content) -> None:
    try:
        key = load_pem_private_key(content.key, None)
    except (ValueError, TypeError) as error:
        raise StartError(f"{_describe_file('key', files.key)} has no private key in PEM without a password") from error
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    (own, *_) = x509.load_pem_x509_certificates(content.certificate)
    if own.public_key().public_bytes(*form) != key.public_key().public_bytes(*form):
        raise StartError(
            f"{_describe_file('key', files.key)} is not the key of {files.certificate} (FARISTOL_TLS_CERTIFICATE)"
        )
