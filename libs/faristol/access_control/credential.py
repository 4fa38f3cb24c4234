"""Credentials: the holder, their role, the scope and the expiry. Pure."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from faristol.access_control.errors import Denied, Unauthenticated
from faristol.access_control.roles import MAY_GIVE, PLAYER, ROLE_NAMES, ROLES, Role
from faristol.kernel.names import ACTOR_ID, is_storable
from faristol.kernel.refusal import N_

MALFORMED = N_("the credential is malformed: {what}")


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a credential. An empty field does not limit it."""

    tournaments: frozenset[str] = frozenset()
    """Ids of tournaments."""
    halls: frozenset[str] = frozenset()
    """Names of halls of those tournaments."""
    tables: frozenset[int] = frozenset()
    """Numbers of tables of those tournaments."""
    languages: frozenset[str] = frozenset()
    """Language codes of the cases that a judge takes, such as ``ca``."""

    def within(self, other: Scope) -> bool:
        """Check whether this scope is a subset of ``other``."""
        return all(_within(getattr(self, part), getattr(other, part)) for part in _SCOPE_FIELDS)

    def touches(self, tournament: str) -> bool:
        """Check whether the scope includes a tournament, or halls or tables of it."""
        return not self.tournaments or tournament in self.tournaments

    def holds(self, tournament: str) -> bool:
        """Check whether the scope includes the whole of a tournament."""
        return self.touches(tournament) and not self.halls and not self.tables

    def holds_halls(self, tournament: str, halls: Collection[str]) -> bool:
        """Check whether the scope includes all tables of halls of a tournament."""
        return self.touches(tournament) and not self.tables and (not self.halls or self.halls.issuperset(halls))

    def holds_table(self, tournament: str, hall: str, table: int) -> bool:
        """Check whether the scope includes a table; ``hall`` is empty if the tournament has no halls."""
        here = (not self.halls or hall in self.halls) and (not self.tables or table in self.tables)
        return here and self.touches(tournament)

    def to_claim(self) -> dict[str, list[Any]]:
        """Return the claim ``scope`` of a token, without the fields that set no limit."""
        return {part: sorted(values) for part in _SCOPE_FIELDS if (values := getattr(self, part))}

    @classmethod
    def from_claim(cls, claim: object) -> Scope:
        """Parse the claim ``scope``. Raises ``Unauthenticated`` if it is malformed or has an unknown limit."""
        if not isinstance(claim, dict) or claim.keys() - set(_SCOPE_FIELDS):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "scope"})
        for part, values in claim.items():
            kind = int if part == "tables" else str
            if not isinstance(values, list) or not values or any(type(value) is not kind for value in values):
                raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": f"scope.{part}"})
        return cls(**{part: frozenset(values) for part, values in claim.items()})


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _is_uuid(value: object) -> bool:
    return isinstance(value, str) and bool(_UUID.fullmatch(value))


def bound_id(parent_id: str, own_id: str) -> str:
    """Derive the id of a credential that was handed on from the id of its parent and the id that its giver chose.

    So no giver can choose the id of another person's credential, and end that one.
    """
    return str(uuid.uuid5(uuid.UUID(parent_id), own_id))


_SCOPE_FIELDS = tuple(Scope.__dataclass_fields__)


def _within(part: frozenset[Any], other: frozenset[Any]) -> bool:
    return not other or (bool(part) and part <= other)


@dataclass(frozen=True, slots=True)
class Credential:
    """The rights of a person or program, and their expiry."""

    credential_id: str
    """A UUID, by which the credential is revoked."""
    subject: str
    """Id of the person or program, which is the actor of their events."""
    role: Role
    scope: Scope
    issued_at: datetime
    expires_at: datetime
    name: str = ""
    """Name of the person, shown on officials' pages and never stored in the record."""
    player: str = ""
    """Id of the holder as a player. A player acts only for themselves; an official handles none of their own games."""
    ancestors: tuple[str, ...] = field(default=())
    """Ids of the credentials that it was handed on from, the root first. It ends when any of them ends."""
    auth_time: datetime | None = field(default=None, compare=False)
    """Time at which a person signed in to get it (the claim of OpenID Connect); None if that is ``issued_at``."""

    @property
    def signed_in(self) -> datetime:
        """Time at which a person signed in to get it. A credential that was handed on has the time of its parent."""
        return self.auth_time or self.issued_at

    @property
    def role_name(self) -> str:
        """Name of the role, such as ``director``."""
        return ROLE_NAMES[self.role]

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the credential and its ancestors: the end of any of them ends this credential."""
        return frozenset((self.credential_id, *self.ancestors))

    def check_may_give(self, other: Credential, *, may_outlive: bool = False) -> None:
        """Check that the holder may give ``other``: its rights must not exceed the holder's.

        ``may_outlive`` allows it to end later than the holder's credential. Raises ``Denied``.
        """
        if other.role not in MAY_GIVE[self.role]:
            params = {"role": self.role_name, "other": other.role_name}
            raise Denied("ROLE_NOT_GIVEN", N_("the role {role} may not grant the role {other}"), params)
        if not other.scope.within(self.scope):
            raise Denied("SCOPE_TOO_WIDE", N_("the new credential would have more rights than its parent"))
        if other.expires_at > self.expires_at and not may_outlive:
            raise Denied("LIVES_TOO_LONG", N_("the new credential would expire after its parent"))
        if self.player and other.player != self.player:
            # A player's credentials stay bound to that player in every role, or one could reach the player's own games.
            raise Denied("SCOPE_TOO_WIDE", N_("the new credential would have more rights than its parent"))

    def check_may_hand_on(self, other: Credential) -> None:
        """Check that the holder may hand ``other`` on offline, without a service.

        Its subject must begin with the holder's (``<holder>-…``), so no holder can act as another. Raises ``Denied``.
        """
        self.check_may_give(other)
        if not other.subject.startswith(f"{self.subject}-"):
            text = N_("the subject of a credential issued offline must begin with {subject}-")
            raise Denied("OTHER_PERSON", text, {"subject": self.subject})

    def to_claims(self) -> dict[str, Any]:
        """Return the claims of a token, without those of the token itself: issuer, audience, parent."""
        claims: dict[str, Any] = {
            "jti": self.credential_id,
            "sub": self.subject,
            "role": self.role_name,
            "scope": self.scope.to_claim(),
            "iat": int(self.issued_at.timestamp()),
            "exp": int(self.expires_at.timestamp()),
        }
        if self.ancestors:
            claims["anc"] = list(self.ancestors)
        if self.auth_time is not None:
            claims["auth_time"] = int(self.auth_time.timestamp())
        return claims | {key: value for key, value in (("name", self.name), ("player", self.player)) if value}

    @classmethod
    def from_claims(cls, claims: Mapping[str, Any], parent: Credential | None = None) -> Credential:
        """Parse the claims of a token. ``parent`` is the credential of its signer, or None if the cell signed it.

        Raises ``Unauthenticated`` if the claims are malformed. Does not compare the times with the clock.
        """
        texts = {key: claims.get(key, "") for key in ("jti", "sub", "role", "name", "player")}
        for key, value in texts.items():
            if not isinstance(value, str) or (not value and key in ("jti", "sub", "role")):
                raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": key})
        for key, pattern in (("jti", _UUID), ("sub", ACTOR_ID), ("player", ACTOR_ID)):
            if not pattern.fullmatch(texts[key]):
                raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": key})
        if texts["name"] and not is_storable(texts["name"], least=1):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "name"})
        role = ROLES.get(texts["role"])
        if role is None or role not in MAY_GIVE or (role == PLAYER and not texts["player"]):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "role"})
        times = [claims.get(key) for key in ("iat", "exp")]
        times.append(claims.get("auth_time", claims.get("iat")))
        if any(type(value) is not int or not 0 <= value < 2**37 for value in times):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "exp"})
        issued_at, expires_at, auth_time = (datetime.fromtimestamp(value or 0, UTC) for value in times)
        scope = Scope.from_claim(claims.get("scope"))
        ancestors = claims.get("anc", []) if parent is None else [*parent.ancestors, parent.credential_id]
        if not isinstance(ancestors, list) or not all(map(_is_uuid, ancestors)):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "anc"})
        return cls(
            texts["jti"] if parent is None else bound_id(parent.credential_id, texts["jti"]),
            texts["sub"],
            role,
            scope,
            issued_at,
            expires_at,
            texts["name"],
            texts["player"],
            tuple(ancestors),
            auth_time if parent is None else parent.signed_in,
        )
