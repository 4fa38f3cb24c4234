"""Players of one name: found without reading the names of a whole tournament for everybody who enters it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from faristol.kernel import facts
from faristol.kernel.bounded import keep
from faristol.kernel.mentions import players_of
from faristol.kernel.names import name_key, same_affiliation, same_name
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.identity import is_given
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.record import Record, people

SLICE = 1_000
"""Amendments read at once."""

_AMENDED = facts.types_of([events.PlayerAmended])

TOURNAMENTS = 64
"""Tournaments of which it is remembered who has which name."""


@dataclass(slots=True)
class _Called:
    """Who of a tournament has ever been seen under which name."""

    seen: int = 0
    """Players who were looked up, in the order of registration."""
    ids: dict[str, list[str]] = field(default_factory=dict)
    """By name_key name."""
    unnamed: set[str] = field(default_factory=set)
    """Players of whom no name was known, or whose name has been amended since."""


class Namesakes:
    """The names of the players of tournaments, as far as they were asked for.

    A name can be amended, also in another tournament, and erased, and a player move: so what is remembered gives
    candidates, and who of them has the name now is read anew.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._called: OrderedDict[str, _Called] = OrderedDict()
        self._lock = asyncio.Lock()
        self._position: int | None = None
        """Up to where it is known whose names were amended; None until names are remembered."""

    async def of(self, divisions: Sequence[Tournament], names: Collection[str]) -> Mapping[str, people.Person]:
        """Who is registered in one of the divisions and may have one of the names, by id."""
        wanted = {name_key(name) for name in names}
        if not wanted:
            return {}
        async with self._lock:
            await self._read_on()
            called = [(await self._of(division)).ids for division in divisions]
        candidates = {player_id for ids in called for name in wanted for player_id in ids.get(name, ())}
        return await people.names(self._record, candidates) if candidates else {}

    async def _read_on(self) -> None:
        """Have the names read again of those who were amended since."""
        end = await self._record.last_position()
        position = end if self._position is None else self._position
        while position < end:
            found = await self._record.read(position, types=_AMENDED, up_to=end, limit=SLICE)
            amended = {player_id for event in found for player_id in players_of(event.message)}
            for called in self._called.values():
                called.unnamed |= amended
            position = found[-1].position if len(found) == SLICE else end
        self._position = position

    async def _of(self, division: Tournament) -> _Called:
        """The names of a tournament, with those of who came since."""
        called = self._called.get(division.tournament_id) or _Called()
        new = {player.player_id for player in division.players[called.seen :]}
        new |= {player_id for player_id in called.unnamed if division.player(player_id)}
        if new:
            known = await people.names(self._record, new)
            for player_id, person in known.items():
                called.ids.setdefault(name_key(person.name), []).append(player_id)
            called.unnamed = new - known.keys()
        called.seen = max(called.seen, len(division.players))
        self._called.pop(division.tournament_id, None)
        keep(self._called, division.tournament_id, called, TOURNAMENTS)
        return called


def check_name_free(
    entering: people.Person, entered: Tournament, divisions: Sequence[Tournament], known: Mapping[str, people.Person]
) -> None:
    """Refuse a name that another player has, where readers of a list could not tell the two apart.

    Two clubs tell them apart, and so does an id that was chosen for who enters. With one club, or none for one of them,
    they may be the same person. Compared are all players of the tournament, and those who take part in the other
    divisions of its championship: a person may have another id there. ``known`` are those who may have the name.
    """
    if is_given(entering.player_id):
        return
    others = [person for person in known.values() if person.player_id != entering.player_id]
    same = [person for person in others if _may_be_same(person, entering)]
    for division in (entered, *divisions):
        for person in same:
            player = division.player(person.player_id)
            if player is None or (division is not entered and player.never_came):
                continue
            if division is entered:
                raise Refusal(
                    "NAME_TAKEN",
                    "",
                    N_(
                        "{player} is registered under this name already: if they are two people, give each a club or "
                        "an id."
                    ),
                    {"player": person.player_id, "club": person.club},
                )
            raise Refusal(
                "NAME_TAKEN",
                "",
                N_("{player} of division {division} has this name: if they are two people, give each a club or an id."),
                {"player": person.player_id, "division": division.division},
            )


def _may_be_same(known: people.Person, entering: people.Person) -> bool:
    """Whether two may be the same person: they have one name, and are not known to be of two clubs."""
    if not same_name(known.name, entering.name):
        return False
    of_clubs = bool(known.club and entering.club)
    return not of_clubs or same_affiliation(known.club, entering.club)
