"""What somebody holds: who they are, in what role, over what, until when. Pure."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from faristol.credentials.errors import Denied, Unauthenticated
from faristol.credentials.roles import MAY_GIVE, NAMES, PLAYER, ROLES, Role
from faristol.kernel.names import ACTOR_ID, may_be_kept
from faristol.kernel.refusal import N_

MALFORMED = N_("the credential is not one of Faristol's: {what}")


@dataclass(frozen=True, slots=True)
class Scope:
    """Over what a credential holds. What is empty is not limited."""

    tournaments: frozenset[str] = frozenset()
    """Ids."""
    halls: frozenset[str] = frozenset()
    """Names of halls of those tournaments."""
    tables: frozenset[int] = frozenset()
    """Numbers of tables of those tournaments."""
    languages: frozenset[str] = frozenset()
    """Languages of the cases that a judge takes: ``ca``."""

    def within(self, other: Scope) -> bool:
        """Whether nothing is in this scope that is not in ``other``."""
        return all(_within(getattr(self, part), getattr(other, part)) for part in _PARTS)

    def touches(self, tournament: str) -> bool:
        """Whether something of a tournament is in the scope: all of it, or tables."""
        return not self.tournaments or tournament in self.tournaments

    def holds(self, tournament: str) -> bool:
        """Whether a whole tournament is in the scope."""
        return self.touches(tournament) and not self.halls and not self.tables

    def holds_table(self, tournament: str, hall: str, table: int) -> bool:
        """Whether a table of a tournament is in the scope; ``hall`` is empty where there are none."""
        here = (not self.halls or hall in self.halls) and (not self.tables or table in self.tables)
        return here and self.touches(tournament)

    def to_claim(self) -> dict[str, list[Any]]:
        """As a token has it; what is not limited is left out."""
        return {part: sorted(values) for part in _PARTS if (values := getattr(self, part))}

    @classmethod
    def from_claim(cls, claim: object) -> Scope:
        """Raises ``Unauthenticated`` for what is no scope; a limit that is not known here is never left out."""
        if not isinstance(claim, dict) or claim.keys() - set(_PARTS):
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
    """Give the id of a credential that was handed on, from that of its parent and the one that its giver chose.

    So no giver can choose the id of a credential of somebody else: whoever ends it, or signs it out, ends no other.
    """
    return str(uuid.uuid5(uuid.UUID(parent_id), own_id))


_PARTS = tuple(Scope.__dataclass_fields__)


def _within(part: frozenset[Any], other: frozenset[Any]) -> bool:
    return not other or (bool(part) and part <= other)


@dataclass(frozen=True, slots=True)
class Credential:
    """What somebody holds."""

    credential_id: str
    """A UUID; what is revoked."""
    subject: str
    """The id of the person or the program: it is the actor of what they do."""
    role: Role
    scope: Scope
    issued_at: datetime
    expires_at: datetime
    name: str = ""
    """Of the person, as pages of officials show it; never on the record."""
    player: str = ""
    """The player who the holder is: a player acts for no other; an arbiter or judge touches no game of theirs."""
    ancestors: tuple[str, ...] = field(default=())
    """Ids of the credentials that it was handed on from, the first one first: it ends when any of them does."""

    @property
    def role_name(self) -> str:
        """``director``."""
        return NAMES[self.role]

    @property
    def ids(self) -> frozenset[str]:
        """The ids whose end is the end of this credential."""
        return frozenset((self.credential_id, *self.ancestors))

    def check_may_give(self, other: Credential, *, may_outlive: bool = False) -> None:
        """Check that the holder may give ``other`` to somebody: less than they have, or as much.

        ``may_outlive`` lets it end later than the holder's own. Raises ``Denied``.
        """
        if other.role not in MAY_GIVE[self.role]:
            params = {"role": self.role_name, "other": other.role_name}
            raise Denied("ROLE_NOT_GIVEN", N_("the role {role} cannot give the role {other}"), params)
        if not other.scope.within(self.scope):
            raise Denied("SCOPE_TOO_WIDE", N_("it would hold more than the credential that it is given by"))
        if other.expires_at > self.expires_at and not may_outlive:
            raise Denied("LIVES_TOO_LONG", N_("it would outlive the credential that it is given by"))
        if self.player and other.player != self.player:
            # Who plays stays who plays, whatever they are beside: no way around the games that they may not touch.
            raise Denied("SCOPE_TOO_WIDE", N_("it would hold more than the credential that it is given by"))

    def check_may_hand_on(self, other: Credential) -> None:
        """Check that the holder may hand ``other`` on without anybody being asked.

        The subject is below that of the holder, ``<holder>-…``: nobody speaks for anybody else. Raises ``Denied``.
        """
        self.check_may_give(other)
        if not other.subject.startswith(f"{self.subject}-"):
            text = N_("who gets it without the network is called {subject}- and something more")
            raise Denied("OTHER_PERSON", text, {"subject": self.subject})

    def to_claims(self) -> dict[str, Any]:
        """As a token has it, without what is its own: issuer, audience, parent."""
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
        return claims | {key: value for key, value in (("name", self.name), ("player", self.player)) if value}

    @classmethod
    def from_claims(cls, claims: Mapping[str, Any], parent: Credential | None = None) -> Credential:
        """Read the claims of a token. ``parent`` is what its signer holds; None where the cell signed it.

        Raises ``Unauthenticated`` for claims that are none of a credential; times are not compared with any.
        """
        texts = {key: claims.get(key, "") for key in ("jti", "sub", "role", "name", "player")}
        for key, value in texts.items():
            if not isinstance(value, str) or (not value and key in ("jti", "sub", "role")):
                raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": key})
        for key, pattern in (("jti", _UUID), ("sub", ACTOR_ID), ("player", ACTOR_ID)):
            if not pattern.fullmatch(texts[key]):
                raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": key})
        if texts["name"] and not may_be_kept(texts["name"], least=1):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "name"})
        role = ROLES.get(texts["role"])
        if role is None or role not in MAY_GIVE or (role == PLAYER and not texts["player"]):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "role"})
        times = [claims.get(key) for key in ("iat", "exp")]
        if any(type(value) is not int or not 0 <= value < 2**37 for value in times):
            raise Unauthenticated("CREDENTIAL_INVALID", MALFORMED, {"what": "exp"})
        issued_at, expires_at = (datetime.fromtimestamp(value or 0, UTC) for value in times)
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
        )
