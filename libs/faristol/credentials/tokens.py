"""Credentials as signed tokens: JSON web tokens (RFC 7519) with Ed25519 (RFC 9864).

A token is signed by a key of the cell, or by the holder of another token, which is inside it: who was given a key with
their token hands on less than they have without asking anybody, and whoever checks the token checks the chain.
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

from faristol.credentials.credential import MALFORMED, Credential
from faristol.credentials.errors import EXPIRED, AccessError, Unauthenticated
from faristol.kernel.refusal import N_
from faristol.record.keys import key_id

ALGORITHM = "Ed25519"
ISSUER = "faristol"
SKEW = timedelta(seconds=60)
"""How far the clocks of two machines may be apart."""
LONGEST_CHAIN = 4
"""Tokens inside each other, the outermost among them."""
LONGEST_TOKEN = 8_000
"""Characters: what gRPC and HTTP servers take in one header."""

_REGISTRY = JWSRegistry(algorithms=[ALGORITHM])
INVALID = N_("the credential is not valid: {what}")


@dataclass(frozen=True, slots=True)
class Verified:
    """A credential whose token is signed as it has to be."""

    credential: Credential
    holder: Ed25519PublicKey | None
    """Its holder can hand on less by the private key; None: they cannot."""
    key: str
    """The id of the cell's key that signed it, or the first token of its chain."""


def issue(
    credential: Credential, key: Ed25519PrivateKey, audience: str, *, holder: Ed25519PublicKey | None = None
) -> str:
    """A token for a credential, signed by a key of the cell ``audience``, to be handed on by who has ``holder``'s."""
    return _signed(credential, key, {"aud": audience}, key_id(key.public_key()), holder)


def hand_on(
    parent: str,
    own: Credential,
    credential: Credential,
    key: Ed25519PrivateKey,
    *,
    holder: Ed25519PublicKey | None = None,
) -> str:
    """A token for less than ``parent`` holds, a token of the credential ``own``, signed by the key that came with it.

    Raises ``Denied`` for what would be more.
    """
    own.check_may_hand_on(credential)
    return _signed(credential, key, {"par": parent}, "", holder)


def verify(token: str, keys: Callable[[str], Ed25519PublicKey | None], audience: str, now: datetime) -> Verified:
    """What a token says. ``keys`` gives the cell's public key of an id. Raises ``Unauthenticated``.

    Whether it was revoked is for the caller to see. That it begins later than ``now`` is no reason to refuse it: a key
    of the cell signed it, so the clock of this machine is behind that of the one that signed.
    """
    if len(token) > LONGEST_TOKEN:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "length"})
    verified = _verify(token, keys, audience, LONGEST_CHAIN)
    credential = verified.credential
    if now > credential.expires_at + SKEW:
        raise Unauthenticated("CREDENTIAL_EXPIRED", EXPIRED, {"time": credential.expires_at.isoformat()})
    return verified


def claimed(token: str) -> Credential:
    """What a token says, believed as it stands: for its own holder, who has no key of the cell to verify it with.

    Raises ``Unauthenticated`` for what is no token.
    """
    _, claims = _peek(token)
    parent = claims.get("par")
    return Credential.from_claims(claims, claimed(parent) if isinstance(parent, str) else None)


def _signed(
    credential: Credential,
    key: Ed25519PrivateKey,
    claims: Mapping[str, Any],
    kid: str,
    holder: Ed25519PublicKey | None,
) -> str:
    header = {"alg": ALGORITHM, **({"kid": kid} if kid else {})}
    confirmed = {"cnf": {"jwk": OKPKey.import_key(holder).as_dict(private=False)}} if holder else {}
    said = {"iss": ISSUER, **claims, **credential.to_claims(), **confirmed}
    return jwt.encode(header, said, OKPKey.import_key(key), registry=_REGISTRY)


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
    except (JoseError, ValueError, TypeError, RecursionError) as problem:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "signature"}) from problem
    if read.claims.get("iss") != ISSUER:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "iss"})
    credential = Credential.from_claims(read.claims, parent.credential if parent else None)
    if parent:
        try:
            parent.credential.check_may_hand_on(credential)
        except AccessError as problem:
            raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": problem.reason}) from problem
    return Verified(credential, _holder(read.claims), signed_by)


def _peek(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims, before anything is verified: they say by whose key to verify. Raises ``Unauthenticated``."""
    try:
        header, claims = (json.loads(urlsafe_b64decode(part.encode())) for part in token.split(".")[:2])
    except (ValueError, RecursionError) as problem:
        raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "token"}) from problem
    if not isinstance(header, dict) or not isinstance(claims, dict) or header.get("alg") != ALGORITHM:
        raise Unauthenticated("CREDENTIAL_INVALID", INVALID, {"what": "alg"})
    return header, claims


def _holder(claims: Mapping[str, Any]) -> Ed25519PublicKey | None:
    if "cnf" not in claims:
        return None
    try:
        key = OKPKey.import_key(claims["cnf"]["jwk"]).public_key
    except (JoseError, KeyError, TypeError, ValueError) as problem:
        raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "cnf"}) from problem
    if not isinstance(key, Ed25519PublicKey):
        raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "cnf"})
    return key
