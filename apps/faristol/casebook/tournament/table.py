"""A table of a tournament case, used like that of a table case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from google.protobuf.message import Message

from faristol.casebook.case import JUDGE, Step, Word
from faristol.casebook.commands import Commands
from faristol.casebook.forms import moment
from faristol.casebook.hosts.judges import finding
from faristol.casebook.hosts.services import TABLE_VERBS, AtTable
from faristol.casebook.table_state import TableView
from faristol.casebook.tournament.case import TOURNAMENT_ID, TournamentCase
from faristol.casebook.tournament.commands import TOURNAMENT_VERBS
from faristol.casebook.tournament.names import Names
from faristol.casebook.tournament.results import seats
from faristol.casebook.tournament.services import TournamentServices
from faristol.host.table_store import clock_stream, game_stream
from faristol.pb.pairing.v1 import events_pb2 as events

TURN, RULE = "turn", "rule"
"""Verbs of a table that are several commands, or none."""


def is_of_table(step: Step) -> bool:
    """Check whether a step of a tournament takes place at one of its tables."""
    if step.verb == RULE:
        return step.actor == JUDGE
    return step.verb == TURN or (step.verb in TABLE_VERBS and step.verb not in TOURNAMENT_VERBS)


class TournamentTable(AtTable):
    """The services of a table of a tournament."""

    tournament_id = TOURNAMENT_ID

    def __init__(self, services: TournamentServices, pairing: events.Pairing) -> None:
        super().__init__(services.record)
        self.game_id = pairing.game_id
        self.players = seats(pairing)
        self._services = services

    async def ask(self, request: Message) -> Any:
        """Send a request to the services of the tournament. Raises as ``Services.ask`` does."""
        return await self._services.ask(request)

    async def settle(self) -> None:
        """Let the services of the tournament react to new events."""
        await self._services.settle()

    async def facts(self, after: int = 0) -> list[Message]:
        """Return the events of only this table: its game, its clock, and events that name its game."""
        streams = {game_stream(self.game_id), clock_stream(self.game_id)}
        return [
            recorded.message
            for recorded in await self.read_events(after)
            if recorded.stream in streams or getattr(recorded.message, "game_id", "") == self.game_id
        ]

    async def rule(self, good: Callable[[Word], bool]) -> None:
        """Rule as a judge at this table. Raises as ``AtTable.rule`` does."""
        await self._services.rule(self, good)


class Host(Protocol):
    """The part of a tournament that its tables use."""

    case: TournamentCase
    names: Names
    services: TournamentServices
    pairings: Sequence[events.Pairing]
    now_ms: int

    def game(self, players: Sequence[str]) -> str:
        """Return the id of the latest game of these players."""

    def name_of(self, id_: str, /) -> str:
        """Return the name for an id."""

    def complete(self, actor: str, verb: str, request: Any, /) -> None:
        """Set the fields of a command that no step has."""


class TournamentTables:
    """The tables of a tournament that a case uses."""

    def __init__(self, world: Host) -> None:
        self._world = world
        self._known: dict[str, TournamentTable] = {}
        self._last: TournamentTable | None = None

    async def append_due_events(self) -> None:
        """Append the clock events due at all of them."""
        for table in self._known.values():
            await table.append_due_events(moment(self._world.now_ms).ToNanoseconds())

    async def act(self, step: Step, answers: list[Message]) -> None:
        """Execute a step at its table. Raises ``CaseError`` if the table is ambiguous."""
        self._last = table = self._table(step)
        if step.verb == RULE:
            await table.rule(finding(step, self._world.case.words))
            return
        names = self._world.names
        commands = Commands(table, self._world.case.ruleset, table.players, self._complete)
        actor = names.ids.get(step.actor, step.actor)
        if step.verb == TURN:
            await commands.whole_turn(actor, step.place, step.argument, answers)
            return
        verb = TABLE_VERBS[step.verb]
        argument = step.argument
        if argument:
            argument = names.replace_names(argument, self._world.game, verb.argument)
        fields = {
            key: names.replace_names(value, self._world.game, key)
            for key, value in step.fields.items()
            if key != "game-id"
        }
        answers.append(await commands.send(actor, step.verb, step.place, argument, fields))

    @property
    def last_view(self) -> TableView | None:
        """The table of the last step, for its expectations."""
        if self._last is None:
            return None
        world = self._world
        ids = {world.names.name(player_id): player_id for player_id in self._last.players}
        return TableView(self._last, ids, world.case.ruleset, world.now_ms, world.name_of)

    def _complete(self, actor: str, verb: str, request: Any) -> None:
        self._world.complete(actor, verb, request)
        if self._last and "game_id" in request.DESCRIPTOR.fields_by_name:
            request.game_id = self._last.game_id

    def _table(self, step: Step) -> TournamentTable:
        """Return the table that a step names, that of its player in the last round, or else the last one."""
        world = self._world
        if "game-id" in step.fields:
            players = set(world.names.pair(step.fields["game-id"]))
        elif step.actor in world.names.ids:
            players = {world.names.ids[step.actor]}
        elif "player-id" in step.fields:
            players = set(world.names.ids_in(step.fields["player-id"]))
        elif self._last:
            return self._last
        else:
            raise step.place.wrong("expected at which table, such as `with: {game-id: Anna – Blai}`")
        found = next((pairing for pairing in world.pairings if players <= set(seats(pairing))), None)
        if found is None:
            told = " and ".join(map(world.names.name, sorted(players)))
            raise step.place.wrong(f"{told} {'sit' if len(players) > 1 else 'sits'} at no table")
        return self._known.setdefault(found.game_id, TournamentTable(world.services, found))
