"""Players whom the record knows: out of a rating list, or out of everybody who ever took part. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from faristol.office.names import never_came
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results


@dataclass(frozen=True, slots=True)
class Known:
    """A player as the next tournament takes them."""

    player_id: str
    name: str
    club: str
    rating: int | None
    """Points of the last list; None where there are none."""
    country: str
    category: str

    def request(self, tournament_id: str) -> pairing.RegisterPlayerRequest:
        """What registers them in a tournament; without an id of the command."""
        return pairing.RegisterPlayerRequest(
            tournament_id=tournament_id,
            player_id=self.player_id,
            name=self.name,
            club=self.club,
            rating=self.rating,
            country=self.country,
            category=self.category,
        )


def of_list(players: Iterable[results.Player]) -> list[Known]:
    """The players after a tournament, the highest rating first, without those whose name was erased.

    Who entered after its rating list was made, for a round that was added, has the rating that they came with, if any.
    Who withdrew before they could be paired is left out.
    """
    came = (player for player in players if player.HasField("new_rating") or not never_came(player))
    found = [known(player) for player in came if player.name]
    return sorted(found, key=lambda each: (each.rating is None, -(each.rating or 0), each.player_id))


def known(player: results.Player) -> Known:
    """A player after a tournament."""
    rating = player.new_rating if player.HasField("new_rating") else None if player.unrated else player.rating
    return Known(player.player_id, player.name, player.club, rating, player.country, player.category)


def of_person(person: results.GetPlayerResponse) -> Known | None:
    """Somebody after the last of their tournaments, which comes first; None whose name was erased."""
    if not person.name or not person.tournaments:
        return None
    found = known(person.tournaments[0].player)
    return Known(person.player_id, person.name, person.club, found.rating, person.country, found.category)
