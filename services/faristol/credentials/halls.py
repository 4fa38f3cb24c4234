"""The credentials that the cell of a hall has from its championship, and their codes there."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
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
from faristol.duplicate_game.preparation import duplicate_id
from faristol.duplicate_game.start import MAX_EVENT_SEATS
from faristol.event_store import Record, load
from faristol.host.halls.kept import Keys, watch_keys
from faristol.kernel.bounded import store_bounded
from faristol.kernel.pairings import seats_of
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.personal_data import people

SEATS_CACHE_SIZE = 256
"""Duplicate games whose seats a process caches."""


@dataclass(frozen=True, slots=True)
class HallPlaces:
    """The tables of halls, and the players who were seated there, folded from the stream of a tournament."""

    tables: Mapping[str, range] = field(default_factory=dict)
    """Tables by hall."""
    players: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Players of all rounds by hall: a code stays valid for a player who has moved to another hall."""
    last: Mapping[str, str] = field(default_factory=dict)
    """Hall of each player in the last paired round."""
    rounds: int = 0
    """Number of the last started round."""

    def seat(self, seated: Sequence[tuple[str, str]]) -> HallPlaces:
        """Return the places after a round in which players sit in halls: pairs of a hall and a player."""
        players = dict(self.players)
        for hall, player in seated:
            players[hall] = players.get(hall, frozenset()) | {player}
        last = {player: hall for hall, player in seated}
        return replace(self, players=MappingProxyType(players), last=MappingProxyType(last))


def watch_places(places: HallPlaces, event: Message) -> HallPlaces:
    """Return the places after an event of the tournament."""
    match event:
        case pairing_events.HallsSet():
            tables = {hall.name: range(hall.first_table, hall.last_table + 1) for hall in event.halls}
            return replace(places, tables=MappingProxyType(tables))
        case pairing_events.RoundPaired():
            seated = [(pairing.hall, player) for pairing in event.pairings for player in seats_of(pairing)]
            return places.seat(seated) if seated else places
        case pairing_events.RoundStarted():
            return replace(places, rounds=event.round)
        case _:
            return places


@dataclass(frozen=True, slots=True)
class HallCells:
    """The cells of the halls of a tournament, with the places in it."""

    tournament_id: str
    keys: Keys
    places: HallPlaces
    version: int = 0
    """Version of the stream of the cells."""

    def digest_with(self, access_version: int) -> bytes:
        """Return a digest of all that the credentials of a hall depend on, 32 bytes: it is faster than to list them."""
        seated = [(hall, sorted(players)) for hall, players in sorted(self.places.players.items())]
        tables = sorted((hall, tables.start, tables.stop) for hall, tables in self.places.tables.items())
        content = json.dumps([access_version, self.version, seated, tables]).encode()
        return hashlib.sha256(content).digest()

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


class DuplicateSeats:
    """The seats of duplicate games, which are fixed when a game opens: read once each."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._known: OrderedDict[str, Sequence[tuple[str, str]]] = OrderedDict()

    async def list_seated(self, game_id: str) -> Sequence[tuple[str, str]]:
        """Return each hall of a game with each of its players; empty before the game opens."""
        if (known := self._known.get(game_id)) is not None:
            return known
        opened = await self._record.first_event(f"duplicate-{game_id}")
        if not isinstance(opened, duplicate_events.DuplicateOpened):
            return ()
        found: list[tuple[str, str]] = []
        for hall in opened.halls:
            parts = -(-hall.players // MAX_EVENT_SEATS)
            for seated in await self._record.first_events(f"slips-{game_id}-h{hall.number}", parts):
                assert isinstance(seated, duplicate_events.HallSeated)
                found += [(hall.name, seat.player_id) for seat in seated.seats]
        store_bounded(self._known, game_id, found, SEATS_CACHE_SIZE)
        return found


async def load_cells(record: Record, tournament_id: str, seats: DuplicateSeats) -> HallCells:
    """Load the cells of the halls of a tournament."""
    keys = await load(record, f"halls-{tournament_id}", Keys(), watch_keys)
    places = HallPlaces()
    if keys.state.by_hall:
        places = (await load(record, f"tournament-{tournament_id}", HallPlaces(), watch_places)).state
        if not places.players:  # no tables are paired: it may have duplicate games
            for number in range(1, places.rounds + 1):
                places = places.seat(await seats.list_seated(duplicate_id(tournament_id, number)))
    return HallCells(tournament_id, keys.state, places, keys.version)


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
    return answer


def is_for_hall(granted: GrantedCredential, cells: HallCells, hall: str) -> bool:
    """Check whether the holder of a credential signs in at the cell of a hall."""
    return granted.form in HALL_FORMS and cells.has(granted.credential, hall)
