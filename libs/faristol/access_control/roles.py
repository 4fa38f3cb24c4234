"""Roles by their names, and the roles that each may give to others. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from faristol.pb.access.v1 import needs_pb2 as pb

Role: TypeAlias = pb.Role.ValueType

PUBLIC, PLAYER, SCORER, ARBITER = pb.ROLE_PUBLIC, pb.ROLE_PLAYER, pb.ROLE_SCORER, pb.ROLE_ARBITER
JUDGE, DIRECTOR, FEDERATION = pb.ROLE_JUDGE, pb.ROLE_DIRECTOR, pb.ROLE_FEDERATION
SERVICE, OPERATOR = pb.ROLE_SERVICE, pb.ROLE_OPERATOR
TREASURER, ANNOTATOR, HALL = pb.ROLE_TREASURER, pb.ROLE_ANNOTATOR, pb.ROLE_HALL

ROLE_NAMES: Mapping[Role, str] = {
    role: name.removeprefix("ROLE_").lower() for name, role in pb.Role.items() if role != pb.ROLE_UNSPECIFIED
}
"""Name of each role in the record, in tokens and at the command line, such as ``director``."""

ROLES: Mapping[str, Role] = {name: role for role, name in ROLE_NAMES.items()}

MAY_GIVE: Mapping[Role, frozenset[Role]] = {
    PLAYER: frozenset(),
    SCORER: frozenset({SCORER}),
    ARBITER: frozenset({ARBITER, SCORER, PLAYER}),
    JUDGE: frozenset(),
    DIRECTOR: frozenset({DIRECTOR, ARBITER, JUDGE, SCORER, PLAYER, TREASURER, ANNOTATOR, HALL}),
    FEDERATION: frozenset({FEDERATION, DIRECTOR, ARBITER, JUDGE, SCORER, PLAYER, TREASURER, ANNOTATOR, HALL}),
    SERVICE: frozenset(),
    OPERATOR: frozenset({OPERATOR, SERVICE, FEDERATION, DIRECTOR}),
    TREASURER: frozenset(),
    ANNOTATOR: frozenset(),
    HALL: frozenset(),
}
"""Roles that a holder of each role may give, within their own scope."""
