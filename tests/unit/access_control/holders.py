"""Credentials as tests need them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.roles import MAY_GIVE, PLAYER, Role

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


def build_credential(
    role: Role, *, subject: str = "somebody", hours: float = 1, player: str = "", **scope: Any
) -> Credential:
    """Return a credential from now on."""
    limits = {part: frozenset(values) for part, values in scope.items()}
    until = NOW + timedelta(hours=hours)
    who = player or ("p1" if role == PLAYER else "")
    return Credential(str(uuid.uuid4()), subject, role, Scope(**limits), NOW, until, player=who)


def _some(values: Any) -> Any:
    return st.frozensets(values, max_size=2)


scopes = st.builds(
    Scope,
    _some(st.sampled_from(["open", "closed", "junior"])),
    _some(st.sampled_from(["A", "B"])),
    _some(st.integers(1, 3)),
    _some(st.sampled_from(["ca", "el"])),
)
credentials = st.builds(
    Credential,
    st.uuids(version=4).map(str),
    st.sampled_from(["eva", "nil", "o-0123456789ab"]),
    st.sampled_from(sorted(MAY_GIVE)),
    scopes,
    st.just(NOW),
    st.integers(1, 10**6).map(lambda seconds: NOW + timedelta(seconds=seconds)),
    st.sampled_from(["", "Eva Soler", "Ναταλία"]),
    st.sampled_from(["p1", "p2"]),
)
