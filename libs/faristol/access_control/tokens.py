"""Credentials as signed tokens: JSON web tokens (RFC 7519) with Ed25519 (RFC 9864).

A token is signed by a key of the cell, or by the holder of another token, which it embeds. A holder who received a key
with their token can delegate a part of their rights offline; a verifier checks the whole chain.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey
from joserfc.jws import JWSRegistry
from joserfc.util import urlsafe_b64decode

from faristol.access_control.credential import MALFORMED, Credential
from faristol.access_control.errors import EXPIRED, AccessError, Unauthenticated
from faristol.event_store.integrity.keys import key_id
from faristol.kernel.refusal import N_

TOKEN_ALGORITHM = "Ed25519"  # noqa: S105
ISSUER = "faristol"
SKEW = timedelta(seconds=60)
"""Clock skew allowed between two machines."""
MAX_CHAIN_LENGTH = 4
"""Tokens nested in each other, including the outermost."""
MAX_SIGNED_TOKEN_CHARACTERS = 8_000
"""Characters: the size that gRPC and HTTP servers accept in one header."""

_REGISTRY = JWSRegistry(algorithms=[TOKEN_ALGORITHM])
INVALID = N_("the credential is not valid: {what}")


@dataclass(frozen=True, slots=True)
class Verified:
    """A credential whose token has a valid signature."""

    credential: Credential
    holder: Ed25519PublicKey | None
    """Public key with which tokens that the holder hands on are verified; None if the holder cannot hand on."""
    key: str
    """Id of the cell's key that signed it, or that signed the first token of its chain."""


def issue(
    credential: Credential, key: Ed25519PrivateKey, audience: str, *, holder: Ed25519PublicKey | None = None
) -> str:
    """Sign a token with a key of the cell ``audience``; the owner of ``holder``'s private key can hand it on."""
    return _sign(credential, key, {"aud": audience}, key_id(key.public_key()), holder)


def hand_on(
    parent: str,
    own: Credential,
    credential: Credential,
    key: Ed25519PrivateKey,
    *,
    holder: Ed25519PublicKey | None = None,
) -> str:
    """Sign a token that is derived from ``parent``, the token of ``own``, with the key that came with it.

    Raises ``Denied`` if ``credential`` exceeds the rights of ``own``.
    """
    own.check_may_hand_on(credential)
    return _sign(credential, key, {"par": parent}, "", holder)


def verify(token: str, keys: Callable[[str], Ed25519PublicKey | None], audience: str, now: datetime) -> Verified:
    """Verify a token. ``keys`` returns the cell's public key with an id. Raises ``Unauthenticated``.

    Revocation is left to the caller. An issue time after ``now`` is accepted: a key of the cell signed the token, so
    the clock of this machine is behind that of the signer.
    """
    if len(token) > MAX_SIGNED_TOKEN_CHARACTERS:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "length"})
    verified = _verify(token, keys, audience, MAX_CHAIN_LENGTH)
    credential = verified.credential
    if now > credential.expires_at + SKEW:
        raise Unauthenticated("CREDENTIAL_EXPIRED", EXPIRED, {"time": credential.expires_at.isoformat()})
    return verified


def decode_unverified(token: str) -> Credential:
    """Decode a token without verification, for its holder, who has no key of the cell.

    Raises ``Unauthenticated`` if the token is malformed.
    """
    _, claims = _peek(token)
    parent = claims.get("par")
    return Credential.from_claims(claims, decode_unverified(parent) if isinstance(parent, str) else None)


def _sign(
    credential: Credential,
    key: Ed25519PrivateKey,
    claims: Mapping[str, Any],
    kid: str,
    holder: Ed25519PublicKey | None,
) -> str:
    header = {"alg": TOKEN_ALGORITHM, **({"kid": kid} if kid else {})}
    confirmed = {"cnf": {"jwk": OKPKey.import_key(holder).as_dict(private=False)}} if holder else {}
    payload = {"iss": ISSUER, **claims, **credential.to_claims(), **confirmed}
    return jwt.encode(header, payload, OKPKey.import_key(key), registry=_REGISTRY)


def _verify(token: str, keys: Callable[[str], Ed25519PublicKey | None], audience: str, depth: int) -> Verified:
    if not depth:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "chain"})
    header, claims = _peek(token)
    parent: Verified | None = None
    signed_by = header.get("kid", "")
    if "par" in claims:
        if not isinstance(claims["par"], str):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "par"})
        parent = _verify(claims["par"], keys, audience, depth - 1)
        key, signed_by = parent.holder, parent.key
    else:
        kid = header.get("kid")
        key = keys(kid) if isinstance(kid, str) else None
        if claims.get("aud") != audience:
            raise Unauthenticated("CREDENTIAL_ELSEWHERE", N_("the credential is for another installation"))
    if key is None:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "kid"})
    try:
        read = jwt.decode(token, OKPKey.import_key(key), registry=_REGISTRY)
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "signature"}) from error
    if read.claims.get("iss") != ISSUER:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "iss"})
    credential = Credential.from_claims(read.claims, parent.credential if parent else None)
    if parent:
        try:
            parent.credential.check_may_hand_on(credential)
        except AccessError as error:
            raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": error.reason}) from error
    return Verified(credential, _holder(read.claims), signed_by)


def _peek(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Decode header and claims before verification, to find the key that verifies. Raises ``Unauthenticated``."""
    try:
        header, claims = (json.loads(urlsafe_b64decode(part.encode())) for part in token.split(".")[:2])
    except (ValueError, RecursionError) as error:
        raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "token"}) from error
    if not isinstance(header, dict) or not isinstance(claims, dict) or header.get("alg") != TOKEN_ALGORITHM:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "alg"})
    return header, claims


def _holder(claims: Mapping[str, Any]) -> Ed25519PublicKey | None:
    if "cnf" not in claims:
        return None
    try:
        key = OKPKey.import_key(claims["cnf"]["jwk"]).public_key
    except (JoseError, KeyError, TypeError, ValueError) as error:
        raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "cnf"}) from error
    if not isinstance(key, Ed25519PublicKey):
        raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "cnf"})
    return key
