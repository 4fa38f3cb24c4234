"""The scope of a credential for commands on the whole cell: seasons and numbered lists."""

from __future__ import annotations

from faristol.access_control.errors import Denied
from faristol.host.security.authorization import caller
from faristol.kernel.refusal import N_


def check_covers_cell() -> None:
    """Raise ``Denied`` if the credential of the caller covers only some tournaments."""
    held = caller()
    if held is not None and held.scope.tournaments:
        raise Denied(
            "OUT_OF_SCOPE",
            N_("seasons and rating lists are for all tournaments, and the credential covers only some"),
        )
