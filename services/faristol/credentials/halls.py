"""The credentials that the cell of a hall has from its championship, and their codes there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.access_control.credential import Credential
from faristol.access_control.hall_codes import HALL_FORMS, HALL_ROLES, digest_of, hall_code
from faristol.access_control.keyring import Keyring
from faristol.access_control.roles import PLAYER
from faristol.access_control.state import Access, GrantedCredential, to_message
from faristol.credentials.codes import code_of
from faristol.event_store import Record, load
from faristol.host.halls.kept import Keys, watch_keys
from faristol.kernel.pairings import seats_of
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.personal_data import people


@dataclass(frozen=True, slots=True)
class HallPlaces:
    """The tables of halls, and the players who were seated there, folded from the stream of a tournament."""

    tables: Mapping[str, range] = field(default_factory=dict)
    """Tables by hall."""
    players: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Players of all rounds by hall: a code stays valid for a player who has moved to another hall."""
    last: Mapping[str, str] = field(default_factory=dict)
    """Hall of each player in the last paired round."""


def watch_places(places: HallPlaces, event: Message) -> HallPlaces:
    """Return the places after an event of the tournament."""
    match event:
        case pairing_events.HallsSet():
            tables = {hall.name: range(hall.first_table, hall.last_table + 1) for hall in event.halls}
            return replace(places, tables=MappingProxyType(tables))
        case pairing_events.RoundPaired():
            seated = [(pairing.hall, player) for pairing in event.pairings for player in seats_of(pairing)]
            players = dict(places.players)
            for hall, player in seated:
                players[hall] = players.get(hall, frozenset()) | {player}
            last = {player: hall for hall, player in seated}
            return replace(places, players=MappingProxyType(players), last=MappingProxyType(last))
        case _:
            return places


@dataclass(frozen=True, slots=True)
class HallCells:
    """The cells of the halls of a tournament, with the places in it."""

    tournament_id: str
    keys: Keys
    places: HallPlaces

    def has(self, credential: Credential, hall: str) -> bool:
        """Check whether a credential is for the tables of a hall: no hall has those of other halls."""
        scope = credential.scope
        if credential.role not in HALL_ROLES or not scope.touches(self.tournament_id):
            return False
        if credential.role == PLAYER:
            return credential.player in self.places.players.get(hall, ())
        tables = self.places.tables.get(hall, range(0))
        in_tables = not scope.tables or not scope.tables.isdisjoint(tables)
        return in_tables and (not scope.halls or hall in scope.halls)

    def halls_of(self, credential: Credential) -> Iterator[str]:
        """Yield the halls with a cell whose codes are given out with a credential.

        Those of an official of the whole tournament are many, and a player sits in one at a time.
        """
        limited = credential.scope.halls or credential.scope.tables
        for hall in sorted(self.keys.by_hall):
            if credential.role == PLAYER:
                if self.places.last.get(credential.player) == hall:
                    yield hall
            elif limited and self.has(credential, hall):
                yield hall


async def load_cells(record: Record, tournament_id: str) -> HallCells:
    """Load the cells of the halls of a tournament."""
    keys = await load(record, f"halls-{tournament_id}", Keys(), watch_keys)
    places = HallPlaces()
    if keys.state.by_hall:
        places = (await load(record, f"tournament-{tournament_id}", HallPlaces(), watch_places)).state
    return HallCells(tournament_id, keys.state, places)


def hall_code_of(keyring: Keyring, credential_id: str, key: bytes) -> str:
    """Return the code of a credential at the hall with a public key."""
    return hall_code(code_of(keyring, credential_id), key)


def list_hall_codes(keyring: Keyring, cells: HallCells, credential: Credential) -> Iterator[pb.HallCode]:
    """Yield the codes of a new credential at the halls where its holder will need one."""
    for hall in cells.halls_of(credential):
        if address := cells.keys.addresses.get(hall, ""):
            code = hall_code_of(keyring, credential.credential_id, cells.keys.by_hall[hall])
            yield pb.HallCode(hall=hall, address=address, code=code)


async def list_hall_credentials(
    record: Record, keyring: Keyring, access: Access, cells: HallCells, hall: str, now: datetime
) -> pb.ListHallCredentialsResponse:
    """Return the credentials of a hall: valid ones with the digests of their codes, and the ids of ended ones."""
    answer = pb.ListHallCredentialsResponse()
    key = cells.keys.by_hall[hall]
    for granted in access.granted.values():
        if not is_for_hall(granted, cells, hall):
            continue
        credential = granted.credential
        if access.has_ended(credential):
            answer.ended_ids.append(credential.credential_id)
        elif now <= credential.expires_at:
            code = hall_code_of(keyring, credential.credential_id, key)
            answer.credentials.add(credential=to_message(credential), form=granted.form, code_digest=digest_of(code))
    officials = {each.credential.subject_id for each in answer.credentials if each.credential.role != PLAYER}
    known = await people.names(record, officials)
    for each in answer.credentials:
        if person := known.get(each.credential.subject_id):
            each.name = person.name
    answer.digest = hashlib.sha256(answer.SerializeToString(deterministic=True)).digest()
    return answer


def is_for_hall(granted: GrantedCredential, cells: HallCells, hall: str) -> bool:
    """Check whether the holder of a credential signs in at the cell of a hall."""
    return granted.form in HALL_FORMS and cells.has(granted.credential, hall)
