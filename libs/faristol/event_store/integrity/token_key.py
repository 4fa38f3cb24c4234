"""Sealing keys: those in a PKCS#11 token, a device or process that signs and never reveals the key, and in files."""

from __future__ import annotations

import contextlib
import threading
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from faristol.event_store.integrity.keys import KeyFileError, KeyUnavailable

if TYPE_CHECKING:
    from pkcs11 import Session, SignMixin
from faristol.event_store.integrity.keys import SealKey, read_private

SCHEME = "pkcs11:"
EXPECTED_KEY_URI = "expected pkcs11:token=LABEL;object=LABEL?module-path=LIBRARY&pin-source=file:FILE"

_ED25519 = b"\x13\x0cedwards25519"
"""Name of the curve in PKCS#11 3.0 (2.3.5), a PrintableString in DER."""
_POINT = b"\x04\x20"
"""Prefix of the 32 bytes of a public key: an OCTET STRING in DER."""


@dataclass(frozen=True, slots=True)
class KeyLocation:
    """Place of a key, parsed from a URI of RFC 7512."""

    token: str
    object: str
    module: Path
    pin: Path

    @classmethod
    def of(cls, uri: str) -> KeyLocation:
        """Parse a URI. Raises ``KeyFileError``, whose message repeats no part of it, since it may have a PIN."""
        path, _, query = uri.removeprefix(SCHEME).partition("?")
        try:
            attributes = {**_attributes(path, ";"), **_attributes(query, "&")}
            if "pin-value" in attributes:
                raise KeyFileError("a PIN must be in the file that pin-source names, never in the address of a key")
            source = attributes["pin-source"].removeprefix("file:")
            return cls(attributes["token"], attributes["object"], Path(attributes["module-path"]), Path(source))
        except (KeyError, ValueError):
            raise KeyFileError(f"this is not an address of a key in a token: {EXPECTED_KEY_URI}") from None

    def __str__(self) -> str:
        return f"{self.object!r} in the token {self.token!r}"


def _attributes(text: str, separator: str) -> Mapping[str, str]:
    pairs = (part.partition("=") for part in text.split(separator) if part)
    return {name: urllib.parse.unquote(value, errors="strict") for name, _, value in pairs}


class TokenKey:
    """A key in a token. After a failure the session is reopened at the next call.

    Every method blocks, and raises ``KeyUnavailable`` if the token fails. It serves one caller at a time; a
    concurrent one gets
    ``KeyUnavailable`` at once and does not wait behind a token that hangs.
    """

    def __init__(self, uri: str) -> None:
        """Raises ``KeyFileError`` for a malformed URI, or if the PKCS#11 libraries are not installed."""
        self._place = KeyLocation.of(uri)
        try:
            import pkcs11
        except ImportError:
            raise KeyFileError("keys in tokens require an extra: pip install 'faristol[pkcs11]'") from None
        if not self._place.module.is_file():
            raise KeyFileError(f"there is no library {self._place.module} that speaks PKCS#11")
        self._pkcs11 = pkcs11
        self._session: Session | None = None
        self._public: Ed25519PublicKey | None = None
        self._refused: str | None = None
        """The PIN that the token refused: further attempts would lock the token."""
        self._turn = threading.Lock()

    def public_key(self) -> Ed25519PublicKey:
        """Return the public key, which is read from the token once."""
        if self._public is None:
            with self._open():
                pass
        assert self._public is not None
        return self._public

    def sign(self, data: bytes, /) -> bytes:
        """Return an Ed25519 signature, 64 bytes, after verifying it."""
        with self._open() as session:
            kind = self._pkcs11.ObjectClass.PRIVATE_KEY
            key = cast("SignMixin", session.get_key(kind, label=self._place.object))
            signature = bytes(key.sign(data, mechanism=self._pkcs11.Mechanism.EDDSA))
            assert self._public is not None
            try:
                self._public.verify(signature, data)
            except InvalidSignature:
                raise KeyUnavailable(
                    f"the key {self._place} made a signature that does not match its public key"
                ) from None
            return signature

    def make(self) -> bool:
        """Create the key in the token; return False if it exists."""
        known = self._pkcs11
        with self._session_for(writes=True) as session:
            if self._find_public_key(session) is not None:
                return False
            curve = session.create_domain_parameters(
                known.KeyType.EC_EDWARDS, {known.Attribute.EC_PARAMS: _ED25519}, local=True
            )
            curve.generate_keypair(
                mechanism=known.Mechanism.EC_EDWARDS_KEY_PAIR_GEN, store=True, label=self._place.object
            )
        return True

    @contextmanager
    def _open(self) -> Iterator[Session]:
        """Open a session after checking that the key exists and is unchanged."""
        with self._session_for(writes=False) as session:
            public = self._find_public_key(session)
            if public is None:
                raise KeyUnavailable(f"there is no Ed25519 key {self._place}")
            if self._public is not None and public.public_bytes_raw() != self._public.public_bytes_raw():
                raise KeyUnavailable(f"the key {self._place} has changed")
            self._public = public
            yield session

    @contextmanager
    def _session_for(self, *, writes: bool) -> Iterator[Session]:
        if not self._turn.acquire(blocking=False):
            raise KeyUnavailable(f"the token {self._place.token!r} does not answer")
        try:
            if self._session is None or writes:
                self._close()
                self._session = self._open_session(writes=writes)
            yield self._session
        except self._pkcs11.PKCS11Error as error:
            self._close()
            what = str(error) or type(error).__name__
            raise KeyUnavailable(f"the token {self._place.token!r} cannot be used: {what}") from error
        except KeyUnavailable:
            self._close()
            raise
        finally:
            if writes:
                self._close()
            self._turn.release()

    def _open_session(self, *, writes: bool) -> Session:
        try:
            pin = self._place.pin.read_text().strip()
        except (OSError, ValueError) as error:
            raise KeyUnavailable(f"the PIN in {self._place.pin} cannot be read: {error}") from None
        if pin == self._refused:
            raise KeyUnavailable(
                f"the token {self._place.token!r} refused the PIN in {self._place.pin}; it is not tried again"
            )
        # A library lists its tokens at initialisation: without it, a token that was removed and returned is not found.
        library = self._pkcs11.lib(str(self._place.module))
        library.reinitialize()
        try:
            return library.get_token(token_label=self._place.token).open(user_pin=pin, rw=writes)
        except (self._pkcs11.PinIncorrect, self._pkcs11.PinLenRange, self._pkcs11.PinInvalid) as error:
            self._refused = pin
            raise KeyUnavailable(f"the token {self._place.token!r} refused the PIN in {self._place.pin}") from error

    def _find_public_key(self, session: Session) -> Ed25519PublicKey | None:
        known = self._pkcs11
        wanted = {known.Attribute.CLASS: known.ObjectClass.PUBLIC_KEY, known.Attribute.LABEL: self._place.object}
        for key in list(session.get_objects(wanted)):  # a search that stays open blocks later calls
            point = bytes(key[known.Attribute.EC_POINT])
            if len(point) == 34 and point.startswith(_POINT):
                return Ed25519PublicKey.from_public_bytes(point[2:])
        return None

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with contextlib.suppress(self._pkcs11.PKCS11Error):  # the session may have ended with its token
                session.close()


def open_key(where: str) -> SealKey:
    """Open the key in a file, or in a token if ``where`` is a ``pkcs11:`` URI. Raises ``KeyFileError``."""
    return TokenKey(where) if where.startswith(SCHEME) else read_private(Path(where))
