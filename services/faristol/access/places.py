"""What credentials are for: tournaments and players that there are."""

from __future__ import annotations

from faristol.credentials.credential import Credential
from faristol.kernel.errors import NotFound
from faristol.record import Record, load
from faristol.table.views import Tournament, watch_tournament


async def check_places(record: Record, credential: Credential) -> None:
    """Check that the tournaments of a scope exist, and that the player takes part in one of them.

    Whoever holds all tournaments may play in any. Raises ``NotFound``.
    """
    players: set[str] = set()
    for tournament_id in sorted(credential.scope.tournaments):
        tournament = (await load(record, f"tournament-{tournament_id}", Tournament(), watch_tournament)).state
        if not tournament.tournament_id:
            raise NotFound("tournament", tournament_id)
        players |= tournament.players
    if credential.player and credential.scope.tournaments and credential.player not in players:
        raise NotFound("player", credential.player)
