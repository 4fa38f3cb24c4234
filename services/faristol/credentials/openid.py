"""The operator's configuration of an OpenID Connect provider, with the roles of its users."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from faristol.access_control.credential import Scope
from faristol.access_control.errors import Denied, Unauthenticated
from faristol.access_control.roles import FEDERATION, OPERATOR, ROLES, Role
from faristol.access_control.tokens import SKEW
from faristol.host import StartError
from faristol.kernel.addresses import is_loopback
from faristol.kernel.names import MAX_NAME_CHARACTERS, tidy
from faristol.kernel.refusal import N_

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Asymmetric signature algorithms. With a shared secret, any client could sign."""

SIGN_IN_REFUSED = N_("the sign-in provider did not confirm the identity: {what}")
NOT_APPOINTED = N_("{who} has no role here: ask the federation for one")

_APPOINTABLE_ROLES = {ROLES[name] for name in ("scorer", "arbiter", "judge", "director", "federation", "operator")}


def build_refusal(what: str) -> Unauthenticated:
    """Return the refusal of a sign-in. ``what`` is a keyword for the operator."""
    return Unauthenticated("OPENID_REFUSED", SIGN_IN_REFUSED, {"what": what})


def _safe(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise ValueError("expected an https address")
    return address


def is_safe(address: object) -> bool:
    """Check whether an address is encrypted or local."""
    try:
        return isinstance(address, str) and bool(_safe(address))
    except ValueError:
        return False


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Appointment(_StrictModel):
    """A role for some users of the provider."""

    role: str
    tournaments: list[str] = []
    languages: list[str] = []
    subjects: list[str] = []
    """User ids at the provider: its claim ``sub``."""
    emails: list[str] = []
    """Addresses that the provider has verified."""
    claims: dict[str, str] = {}
    """Claims with their required value or list member: ``groups = "arbiters"``. All must match."""

    @model_validator(mode="after")
    def _is_of_somebody(self) -> Appointment:
        role = ROLES.get(self.role)
        if role not in _APPOINTABLE_ROLES:
            raise ValueError(f"there is no role {self.role!r} for people; there are scorer to operator")
        if not (self.subjects or self.emails or self.claims):
            raise ValueError("it has no user: expected subjects, emails or claims")
        if (role in (FEDERATION, OPERATOR)) == bool(self.tournaments):
            raise ValueError(
                "the roles federation and operator cover all tournaments; every other role needs tournaments"
            )
        return self

    @property
    def scope(self) -> Scope:
        """The scope of the role."""
        return Scope(frozenset(self.tournaments), languages=frozenset(self.languages))

    def is_of(self, claims: Mapping[str, Any]) -> bool:
        """Check whether a user with these claims has the role."""
        if claims["sub"] in self.subjects:
            return True
        email = str(claims.get("email") or "").casefold()
        if claims.get("email_verified") is True and email in {each.casefold() for each in self.emails}:
            return True
        return bool(self.claims) and all(_has(claims.get(name), value) for name, value in self.claims.items())


def _has(claim: object, value: str) -> bool:
    return value in claim if isinstance(claim, list) else claim == value


class OpenId(_StrictModel):
    """A provider, with the roles of its users."""

    name: str = Field(min_length=1, max_length=100)
    """Display name."""
    issuer: Annotated[str, AfterValidator(_safe)]
    client_id: str = Field(min_length=1)
    secret_file: Path | None = None
    """The file with the client secret; None for a public client."""
    scopes: list[str] = ["openid", "profile", "email"]
    appointments: list[Appointment] = Field(min_length=1)

    def secret(self) -> str:
        """Read the client secret. Raises ``OSError``."""
        return self.secret_file.read_text(encoding="utf-8").strip() if self.secret_file else ""

    def wants(self, claims: Mapping[str, Any]) -> bool:
        """Check whether the claims lack the name, or a claim that a role depends on."""
        named = {name for each in self.appointments for name in each.claims}
        by_email = {"email", "email_verified"} if any(each.emails for each in self.appointments) else set()
        return not {"name", *named, *by_email} <= claims.keys()


@dataclass(frozen=True, slots=True)
class Person:
    """A user whom the provider identified, with their role."""

    subject: str
    """User id at the provider."""
    name: str
    role: Role
    scope: Scope


def load_openid(path: Path) -> OpenId:
    """Load the configuration. Raises ``StartError``."""
    try:
        with path.open("rb") as file:
            openid = OpenId.model_validate(tomllib.load(file))
        openid.secret()
    except ValidationError as error:
        found = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise StartError(f"the provider in {path} is not described as it should be: {found}") from error
    except (OSError, ValueError) as error:
        raise StartError(f"the provider of OpenID Connect in {path} cannot be read: {error}") from error
    return openid


def verify_token(token: str, keys: KeySet, openid: OpenId, nonce: str, now: datetime) -> dict[str, Any]:
    """Return the claims of an ID token, after verification. Raises ``Unauthenticated``.

    OpenID Connect Core 1.0, 3.1.3.7.
    """
    try:
        read = jwt.decode(token, keys, algorithms=list(ALGORITHMS))
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise build_refusal("signature") from error
    claims: dict[str, Any] = dict(read.claims)
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    is_good = {
        "iss": claims.get("iss") == openid.issuer,
        "aud": openid.client_id in audiences,
        "azp": claims.get("azp", openid.client_id) == openid.client_id and (len(audiences) == 1 or "azp" in claims),
        "exp": _is_time(claims.get("exp")) and _is_time(claims.get("iat")),
        "nonce": bool(nonce) and claims.get("nonce") == nonce,
        "sub": isinstance(claims.get("sub"), str) and 0 < len(claims["sub"]) <= 255,
    }
    for claim, good in is_good.items():
        if not good:
            raise build_refusal(claim)
    skew = SKEW.total_seconds()
    if not claims["iat"] - skew <= now.timestamp() <= claims["exp"] + skew:
        raise build_refusal("exp")
    return claims


def _is_time(claim: object) -> bool:
    return isinstance(claim, int | float) and 0 <= claim < 2**37


def find_person(claims: Mapping[str, Any], openid: OpenId) -> Person:
    """Return the user with their first matching role. Raises ``Denied`` for a user without a role."""
    email = str(claims.get("email") or "")
    given = str(claims.get("name") or claims.get("preferred_username") or email or claims["sub"])
    name = tidy("".join(sign if sign.isprintable() else " " for sign in given))[:MAX_NAME_CHARACTERS]
    for appointment in openid.appointments:
        if appointment.is_of(claims):
            return Person(claims["sub"], name, ROLES[appointment.role], appointment.scope)
    raise Denied("NOT_APPOINTED", NOT_APPOINTED, {"who": email or name})
