"""The lookup of players with the same name, without reading all names of a tournament for each entry."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from faristol.event_store import Record
from faristol.kernel import event_types
from faristol.kernel.bounded import store_bounded
from faristol.kernel.details import Person
from faristol.kernel.mentions import players_of
from faristol.kernel.names import club_key, name_key
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.personal_data import people
from faristol.tournament.command_handling.identity import is_given
from faristol.tournament.state import TournamentState

AMENDMENT_BATCH_SIZE = 1_000
"""Amendments per read."""

_AMENDMENT_TYPES = event_types.types_of([events.PlayerAmended])

MAX_CACHED_TOURNAMENTS = 64
"""Number of tournaments whose names are cached."""


@dataclass(slots=True)
class _CachedNames:
    """The names under which players of a tournament have been seen."""

    seen: int = 0
    """Number of players looked up, in the order of registration."""
    ids: dict[str, list[str]] = field(default_factory=dict)
    """Player ids by ``name_key`` of a name."""
    unnamed: set[str] = field(default_factory=set)
    """Players without a known name, or with a name amended since."""


class NamesakeCache:
    """A cache of the names of players in tournaments.

    Names can be amended, also in another tournament, or erased, and players can move. The cache therefore yields
    candidates only, whose current names are read from the record.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._called: OrderedDict[str, _CachedNames] = OrderedDict()
        self._lock = asyncio.Lock()
        self._position: int | None = None
        """Position up to which amendments are known; None until names are cached."""

    async def of(self, divisions: Sequence[TournamentState], names: Collection[str]) -> Mapping[str, Person]:
        """Return the players of the divisions who may have one of the names, by id."""
        wanted = {name_key(name) for name in names}
        if not wanted:
            return {}
        async with self._lock:
            await self._read_on()
            called = [(await self._of(division)).ids for division in divisions]
        candidates = {player_id for ids in called for name in wanted for player_id in ids.get(name, ())}
        return await people.names(self._record, candidates) if candidates else {}

    async def _read_on(self) -> None:
        """Invalidate the names that were amended since the last read."""
        end = await self._record.last_position()
        position = end if self._position is None else self._position
        while position < end:
            found = await self._record.read(position, types=_AMENDMENT_TYPES, up_to=end, limit=AMENDMENT_BATCH_SIZE)
            amended = {player_id for event in found for player_id in players_of(event.message)}
            for called in self._called.values():
                called.unnamed |= amended
            position = found[-1].position if len(found) == AMENDMENT_BATCH_SIZE else end
        self._position = position

    async def _of(self, division: TournamentState) -> _CachedNames:
        """Return the names of a tournament, updated with players who entered since."""
        called = self._called.get(division.tournament_id) or _CachedNames()
        new = {player.player_id for player in division.players[called.seen :]}
        new |= {player_id for player_id in called.unnamed if division.player(player_id)}
        if new:
            known = await people.names(self._record, new)
            for player_id, person in known.items():
                called.ids.setdefault(name_key(person.name), []).append(player_id)
            called.unnamed = new - known.keys()
        called.seen = max(called.seen, len(division.players))
        self._called.pop(division.tournament_id, None)
        store_bounded(self._called, division.tournament_id, called, MAX_CACHED_TOURNAMENTS)
        return called


class NamesakeIndex:
    """Persons by name and club, in which many namesakes of other clubs need no more time than one."""

    def __init__(self, persons: Iterable[Person] = ()) -> None:
        self._by_name: dict[str, dict[str | None, dict[str, Person]]] = {}
        """Persons by id, by the key of the club (None without one), by ``name_key``."""
        self._places: dict[str, dict[str, Person]] = {}
        """Where each person is in it, by id."""
        for person in persons:
            self.add(person)

    def add(self, person: Person) -> None:
        """Add a person, or replace the one with the same id."""
        self._places.get(person.player_id, {}).pop(person.player_id, None)
        of_name = self._by_name.setdefault(name_key(person.name), {})
        place = self._places[person.player_id] = of_name.setdefault(club_key(person.club), {})
        place[person.player_id] = person

    def find(self, entering: Person) -> list[Person]:
        """Return the other persons of the same name who are not known to be of different clubs."""
        of_name, club = self._by_name.get(name_key(entering.name), {}), club_key(entering.club)
        clubs = [*of_name.values()] if club is None else [of_name.get(None, {}), of_name.get(club, {})]
        return [person for of_club in clubs for person in of_club.values() if person.player_id != entering.player_id]


def check_name_free(
    entering: Person,
    entered: TournamentState,
    divisions: Sequence[TournamentState],
    known: NamesakeIndex,
) -> None:
    """Raise ``Refusal`` if another player has the name and readers of a list could not tell them apart.

    Different clubs, or a chosen id for the entering player, tell them apart. With the same club, or an unknown one,
    they may be the same person. The check covers all players of the tournament, and those who take part in its other
    divisions under any id. ``known`` are the players who may have the name.
    """
    if is_given(entering.player_id):
        return
    same = known.find(entering)
    for division in (entered, *divisions):
        for person in same:
            player = division.player(person.player_id)
            if player is None or (division is not entered and player.never_came):
                continue
            if division is entered:
                raise Refusal(
                    "NAME_TAKEN",
                    N_(
                        "{player} is already registered under this name: if they are different people, give each a "
                        "club or an id."
                    ),
                    {"player": person.player_id, "club": person.club},
                )
            raise Refusal(
                "NAME_TAKEN",
                N_(
                    "{player} of division {division} has this name: if they are different people, give each a club or "
                    "an id."
                ),
                {"player": person.player_id, "division": division.division},
            )
