"""The client of an OpenID Connect provider: discovery, signing keys and sign-in."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx2
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.util import urlsafe_b64decode

from faristol.credentials.openid import OpenId, Person, build_refusal, find_person, is_safe, verify_token
from faristol.host.rpc.errors import Unreachable
from faristol.pb.access.v1 import access_pb2 as pb

_log = logging.getLogger(__name__)

PROVIDER_TIMEOUT_SECONDS = 8.0
"""Timeout of a request, in seconds: less than the timeout of callers."""

DISCOVERY_CACHE_SECONDS = 600.0
"""Lifetime of the cached discovery document and keys, in seconds."""

KEY_REFRESH_SECONDS = 5.0
"""Minimum age of cached keys before a token with an unknown key id refreshes them, in seconds."""

FAILURE_BACKOFF_SECONDS = 2.0
"""Backoff after a failed request, in seconds: anybody can start a sign-in."""

CODE_EXCHANGE_LIMIT = 20
"""Limit of concurrent code exchanges: anybody can send codes."""

MAX_PROVIDER_RESPONSE_BYTES = 1_000_000
"""Limit of a response, in bytes."""


@dataclass(frozen=True, slots=True)
class _CachedDiscovery:
    at: float
    offer: Mapping[str, Any]
    keys: KeySet


class Provider:
    """A provider, with its cached discovery document and keys."""

    def __init__(self, openid: OpenId, now: Callable[[], datetime]) -> None:
        self.openid = openid
        self._now = now
        self._known: _CachedDiscovery | None = None
        self._looking = asyncio.Lock()
        self._silent_at = -FAILURE_BACKOFF_SECONDS
        self._asking = asyncio.Semaphore(CODE_EXCHANGE_LIMIT)

    async def start(self, redirect_uri: str) -> pb.StartSignInResponse:
        """Start a sign-in: the URL, and the values to bring back. Raises ``Unreachable`` or ``Unauthenticated``."""
        offer = (await self._get_discovery()).offer
        started = pb.StartSignInResponse(
            state=secrets.token_urlsafe(24), nonce=secrets.token_urlsafe(24), code_verifier=secrets.token_urlsafe(48)
        )
        async with await self._client(offer) as client:
            started.authorization_url, _ = client.create_authorization_url(
                offer["authorization_endpoint"],
                state=started.state,
                code_verifier=started.code_verifier,
                nonce=started.nonce,
                redirect_uri=redirect_uri,
            )
        return started

    async def person(self, brought: pb.OpenIdCode) -> Person:
        """Return the user behind a code. Raises ``Unreachable``, ``Unauthenticated`` or ``Denied``."""
        known = await self._get_discovery()
        try:
            async with self._asking, await self._client(known.offer) as client:
                tokens = await client.fetch_token(
                    known.offer["token_endpoint"],
                    code=brought.code.decode("ascii", "replace"),
                    code_verifier=brought.code_verifier,
                    redirect_uri=brought.redirect_uri,
                )
                claims = await self._verify_token(str(tokens.get("id_token", "")), brought.nonce)
                if self.openid.wants(claims) and (address := known.offer.get("userinfo_endpoint")):
                    claims = await _with_more(claims, client, address)
        except (OAuthError, ValueError) as error:
            raise build_refusal(str(getattr(error, "error", "token_endpoint"))) from error
        except httpx2.HTTPError as error:
            raise self._build_unreachable() from error
        return find_person(claims, self.openid)

    async def _verify_token(self, token: str, nonce: str) -> dict[str, Any]:
        known = await self._get_discovery()
        if (
            _key_id(token) not in {key.kid for key in known.keys.keys}
            and time.monotonic() - known.at > KEY_REFRESH_SECONDS
        ):
            self._known = None  # the provider has a new signing key
            known = await self._get_discovery()
        return verify_token(token, known.keys, self.openid, nonce, self._now())

    async def _get_discovery(self) -> _CachedDiscovery:
        """Return the cached discovery document and keys.

        One caller at a time refreshes them, not during the backoff.
        """
        async with self._looking:
            if self._known is None or time.monotonic() - self._known.at > DISCOVERY_CACHE_SECONDS:
                if time.monotonic() - self._silent_at < FAILURE_BACKOFF_SECONDS:
                    raise self._build_unreachable()
                self._known = await self._fetch_discovery()
            return self._known

    async def _fetch_discovery(self) -> _CachedDiscovery:
        try:
            async with httpx2.AsyncClient(timeout=PROVIDER_TIMEOUT_SECONDS) as client:
                offer = await _json(client, self.openid.issuer.rstrip("/") + "/.well-known/openid-configuration")
                if offer.get("issuer") != self.openid.issuer:
                    raise build_refusal("issuer")
                for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                    if not is_safe(offer.get(name)):
                        raise build_refusal(name)
                keys = KeySet.import_key_set(await _json(client, offer["jwks_uri"]))  # type: ignore[arg-type] # as it was sent
        except httpx2.HTTPError as error:
            self._silent_at = time.monotonic()
            raise self._build_unreachable() from error
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise build_refusal("jwks_uri") from error
        return _CachedDiscovery(time.monotonic(), offer, keys)

    async def _client(self, offer: Mapping[str, Any]) -> Any:
        try:
            secret = await asyncio.to_thread(self.openid.secret)
        except (OSError, UnicodeError) as error:
            _log.error("sign-in with %s is unavailable: its secret cannot be read: %s", self.openid.issuer, error)
            raise self._build_unreachable() from error
        known = offer.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        method = "client_secret_basic" if "client_secret_basic" in known else "client_secret_post"
        return AsyncOAuth2Client(
            self.openid.client_id,
            secret or None,
            token_endpoint_auth_method=method if secret else "none",
            scope=" ".join(self.openid.scopes),
            code_challenge_method="S256",
            timeout=PROVIDER_TIMEOUT_SECONDS,
        )

    def _build_unreachable(self) -> Unreachable:
        return Unreachable(self.openid.name, self.openid.issuer)


async def _with_more(claims: dict[str, Any], client: Any, address: str) -> dict[str, Any]:
    """Add claims of the userinfo endpoint. Those of the ID token take precedence."""
    if not is_safe(address):
        raise build_refusal("userinfo_endpoint")
    more = await _json(client, address)
    if more.get("sub") != claims["sub"]:
        raise build_refusal("userinfo")
    return {**more, **claims}


async def _json(client: Any, address: str) -> dict[str, Any]:
    """Return a JSON object of the provider.

    Raises ``httpx2.HTTPError``, or ``Unauthenticated`` for any other content.
    """
    body = b""
    async with client.stream("GET", address) as answer:
        answer.raise_for_status()
        async for part in answer.aiter_bytes():
            body += part
            if len(body) > MAX_PROVIDER_RESPONSE_BYTES:
                raise build_refusal("length")
    try:
        content = json.loads(body)
    except ValueError as error:
        raise build_refusal("json") from error
    if not isinstance(content, dict):
        raise build_refusal("json")
    return content


def _key_id(token: str) -> str:
    """Return the key id in the header of an unverified token, or an empty string."""
    try:
        header = json.loads(urlsafe_b64decode(token.partition(".")[0].encode()))
    except (ValueError, RecursionError):
        return ""
    return str(header.get("kid", "")) if isinstance(header, dict) else ""
