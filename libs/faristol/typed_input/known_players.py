"""Players known to the record, from a rating list or from all participants. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from faristol.kernel.details import DETAILS, Person, read_person
from faristol.kernel.names import same_name
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import register_pb2 as register
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.names import withdrew_before_start
from faristol.text import say, translations

FROM_REGISTER = N_("From the register: {values}.")

REGISTER_FIELDS: Mapping[str, str] = {
    **{name: DETAILS[name].options.label for name in ("club", "country", "federation_id")},
    "rating": N_("Rating"),
    "category": N_("Category"),
}
"""Labels of the fields of a registration that the register can fill, English texts for ``N_``."""


@dataclass(frozen=True, slots=True)
class KnownPlayer:
    """Player data for the next tournament."""

    person: Person
    """The player with the public details."""
    rating: int | None
    """Rating after the last tournament; None if unrated."""
    category: str
    without_licence: bool = False
    """Whether the register has no licence for the tournament."""

    @property
    def player_id(self) -> str:
        """The id of the player."""
        return self.person.player_id

    def request(self, tournament_id: str) -> pairing.RegisterPlayerRequest:
        """Return the command that registers the player in a tournament, without a command id."""
        return pairing.RegisterPlayerRequest(
            tournament_id=tournament_id,
            player_id=self.player_id,
            rating=self.rating,
            category=self.category,
            **self.person.known,
        )


def of_list(players: Iterable[results.Player]) -> list[KnownPlayer]:
    """Return the players of a finished tournament, the highest rating first, without erased players.

    A player who entered after the rating list was made has the initial rating, if any. A player who withdrew before the
    first pairing is left out.
    """
    came = (player for player in players if player.HasField("new_rating") or not withdrew_before_start(player))
    found = [to_known_player(player) for player in came if player.name]
    return sorted(found, key=lambda each: (each.rating is None, -(each.rating or 0), each.player_id))


def to_known_player(player: results.Player) -> KnownPlayer:
    """Return the data of a player after a tournament."""
    rating = player.new_rating if player.HasField("new_rating") else None if player.unrated else player.rating
    return KnownPlayer(read_person(player), rating, player.category)


def of_register(found: register.FoundPerson) -> KnownPlayer:
    """Return the data of a person of the federation's register."""
    person = Person(found.person_id, found.name, found.club, found.country)
    if found.federation_id:
        person = person.replace(federation_id=found.federation_id)
    rating = found.rating if found.HasField("rating") else None
    return KnownPlayer(person, rating, found.category, without_licence=not found.has_licence)


def of_person(person: results.GetPlayerResponse) -> KnownPlayer | None:
    """Return the data of a person after the last tournament, which is listed first; None for an erased person."""
    if not person.name or not person.tournaments:
        return None
    found = to_known_player(person.tournaments[0].player)
    return KnownPlayer(read_person(person), found.rating, found.category)


def take_from_register(
    request: pairing.RegisterPlayerRequest, found: Iterable[register.FoundPerson]
) -> dict[str, str | int]:
    """Fill the omitted fields of a registration from the register, and return the values that were taken, by field.

    The person is the one with the id; without an id, the one with the number at the federation and the same name.
    """
    wanted = request.player_id
    if not (wanted or request.federation_id):
        return {}
    entry = next(
        (
            each
            for each in found
            if (each.person_id == wanted if wanted else each.federation_id == request.federation_id)
            and same_name(each.name, request.name)
        ),
        None,
    )
    if entry is None:
        return {}
    known = of_register(entry).request(request.tournament_id)
    request.player_id = entry.person_id
    taken: dict[str, str | int] = {}
    for name in REGISTER_FIELDS:
        is_given = request.HasField("rating") if name == "rating" else bool(getattr(request, name))
        if not is_given and (value := getattr(known, name)):
            setattr(request, name, value)
            taken[name] = value
    return taken


def describe_taken(taken: Mapping[str, str | int], language: str) -> str:
    """Return the sentence on the values that were taken from the register, by field; empty without any.

    A field with an empty value is only named.
    """
    read = translations(language).gettext
    values = ", ".join(f"{read(REGISTER_FIELDS[name])} {value}".rstrip() for name, value in taken.items())
    return say(FROM_REGISTER, {"values": values}, language) if values else ""
