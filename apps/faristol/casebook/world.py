"""The world of a case: services, a clock that the case controls, its tables, and the commands of its steps."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

from faristol.casebook.case import ARBITER, JUDGE, TOURNAMENT_ID, TOURNAMENT_STREAM, Case, Step
from faristol.casebook.commands import Commands, Verb
from faristol.casebook.document import Value
from faristol.casebook.forms import fill, moment
from faristol.casebook.hosts.judges import finding
from faristol.casebook.hosts.services import Services
from faristol.casebook.hosts.table import CaseTable
from faristol.casebook.names import BETWEEN
from faristol.casebook.tournament.results import seats
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules import Board

PROBLEMS = (Refusal, Invalid, NotFound, AlreadyExists)
Problem = Refusal | Invalid | NotFound | AlreadyExists
"""The answers to a failed command."""

Differences = AsyncIterator[str]
"""Differences from the expectations of a step, in words."""

TURN, RULE = "turn", "rule"
"""Verbs of a table that are several commands."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The results of a step."""

    new_events: Sequence[Message] = ()
    """All appended events, in order."""
    answers: Sequence[Message] = ()
    """Those of the commands, in order."""
    problem: Problem | None = None
    """The failure of a command; the rest of the step was skipped."""
    called: Callable[[str], str] = str
    """Returns the name for an id; the id itself without a name."""


class Timed(Protocol):
    """A part of a case in which the passing of time causes events: a game with a clock, or the draft of a round."""

    async def append_due_events(self, until: Instant) -> None:
        """Append the events due by ``until``, and run all reactions to them."""


class Kind(NamedTuple):
    """A kind of cases: the start of its world, and the actions there that are not at a table."""

    open: Callable[[Any], Awaitable[None]]
    """Sets up the start of the case."""
    act: Callable[[Any, Step, list[Message]], Awaitable[None]]
    """Executes a step that is not at a table. The answers of its commands are added to the list."""
    verbs: Mapping[str, Verb]
    """The commands and queries on the tournament or the game as a whole."""
    step_fields: Collection[str]
    """Fields of those that the step itself determines."""
    table_verbs: Mapping[str, Verb]
    """The commands at a table; empty if the kind has no tables."""
    tool_verbs: Collection[str]
    """Verbs beside the commands, for messages."""
    results: Mapping[str, Callable[[StepResult, Value], Differences]]
    """The expectations of the result of a step, by key."""
    state: Mapping[str, Callable[[Any, Value], Differences]]
    """The expectations of the state after a step, by key; they take the world."""

    @property
    def expectations(self) -> Collection[str]:
        """The keys of all expectations."""
        return {*self.results, *self.state}


class World:
    """A case at its start, and how its steps change it."""

    services: Services

    def __init__(self, case: Case, kind: Kind) -> None:
        self.case = case
        self.kind = kind
        self.names = case.names
        self.now_ms = 0
        """The time since the case began."""
        self.sent = 0
        """The number of commands."""
        self.notes: list[str] = []
        """Additions to the position that the case does not mention, with file and line."""
        self.game_id = ""
        """The game of commands that name none; empty in a tournament."""
        self.timed: dict[str, Timed] = {}
        """The games that the case uses, and its tournament, by id."""
        self.table: CaseTable | None = None
        """The table of the last step."""
        self.pairings: Sequence[events.Pairing] = ()
        """All tables so far, those of the last round first."""
        self.awaited: Sequence[tuple[str, ...]] = ()
        """The players of tables of the last round without a result."""
        self.after_round = 0
        """The round that expectations of standings refer to; 0 for the results so far."""

    def now(self) -> datetime:
        """Return the time of the case."""
        return moment(self.now_ms).ToDatetime(UTC)

    async def open(self, services: Services) -> None:
        """Set up the initial situation of the case on these services."""
        self.services = services
        await self.kind.open(self)

    async def do(self, step: Step) -> StepResult:
        """Advance the time to a step, and execute it."""
        before = await self.services.record.last_position()
        if step.at_ms is not None:
            if step.at_ms < self.now_ms:
                raise step.place.wrong("this happens before the step before it")
            self.now_ms = step.at_ms
        self.now_ms += step.after_ms or 0
        for part in self.timed.values():
            await part.append_due_events(moment(self.now_ms).ToNanoseconds())
        answers: list[Message] = []
        problem: Problem | None = None
        try:
            await self.reload_pairings()
            if self.is_at_table(step):
                await self._act_at_table(step, answers)
            else:
                await self.kind.act(self, step, answers)
        except PROBLEMS as found:
            problem = found
        self.after_round = step.given["after-round"].number() if "after-round" in step.given else 0
        return StepResult(await self.services.events(before), answers, problem, self.name_of)

    def is_at_table(self, step: Step) -> bool:
        """Check whether a step takes place at a table."""
        at_table = self.kind.table_verbs
        if step.verb == RULE:
            return bool(at_table) and step.actor == JUDGE
        return (bool(at_table) and step.verb == TURN) or (step.verb in at_table and step.verb not in self.kind.verbs)

    async def _act_at_table(self, step: Step, answers: list[Message]) -> None:
        """Execute a step at its table. Raises ``CaseError`` if the table is ambiguous."""
        self.table = table = self._find_table(step)
        if step.verb == RULE:
            await table.rule(finding(step, self.case.words))
            return
        commands = Commands(table, self.case.ruleset, table.players, self.complete)
        actor = self.names.ids.get(step.actor, step.actor)
        if step.verb == TURN:
            await commands.whole_turn(actor, step.place, step.argument, answers)
            return
        argument = self.by_id(step.argument, table.verbs[step.verb].argument) if step.argument else None
        fields = {key: self.by_id(value, key) for key, value in step.fields.items() if key != "game-id"}
        answers.append(await commands.send(actor, step.verb, step.place, argument, fields))

    def verb_of(self, step: Step) -> Verb:
        """Return the command or query of a step that is not at a table. Raises ``CaseError``."""
        kind = self.kind
        if step.verb not in kind.verbs:
            raise step.place.no_such("verb", step.verb, (*kind.verbs, *kind.table_verbs, *kind.tool_verbs))
        return kind.verbs[step.verb]

    def request_of(self, name: str, actor: str) -> Any:
        """Return the request of a command of an actor, with the fields that no step has."""
        request = self.kind.verbs[name].request()
        self.complete(actor, name, request)
        return request

    def fill(self, message: Message, fields: Mapping[str, Value]) -> None:
        """Set the named fields of a message, with ids in place of names. Raises ``CaseError`` for an unknown one."""
        fill(message, {key: self.by_id(value, key) for key, value in fields.items()}, Board())

    def complete(self, actor: str, _: str, request: Any) -> None:
        """Set the fields of a command that no step has: its id, time, subject, and official."""
        known = request.DESCRIPTOR.fields_by_name
        if "command_id" in known:
            self.sent += 1
            request.command_id = str(uuid.UUID(int=self.sent))
        if "tournament_id" in known:
            request.tournament_id = TOURNAMENT_ID
        if "game_id" in known:
            request.game_id = self.game_id
        if "occurred_at" in known:
            request.occurred_at.CopyFrom(moment(self.now_ms))
        if "arbiter_id" in known and actor == ARBITER:
            request.arbiter_id = ARBITER

    def by_id(self, value: Value, key: str = "") -> Value:
        """Replace names under keys that hold ids, at any depth."""
        return self.names.replace_names(value, self.game_of, key)

    def game_of(self, players: Sequence[str]) -> str:
        """Return the id of the latest game of these players; empty without one."""
        return next((table.game_id for table in self.pairings if set(seats(table)) == set(players)), self.game_id)

    def name_of(self, id_: str) -> str:
        """Return the name for an id; a game is named by its players; the id itself without a name."""
        table = next((table for table in self.pairings if table.game_id == id_), None)
        return self.names.name(id_) if table is None else f" {BETWEEN} ".join(map(self.names.name, seats(table)))

    async def reload_pairings(self) -> None:
        """Reload the pairings, the tables of the last round first."""
        if not self.game_id and await self.services.record.read_stream(TOURNAMENT_STREAM):
            played = (await self.services.tournament()).played
            self.pairings = [table for paired in reversed(played) for table in paired.pairings]
            last = played[-1] if played else pairing_pb2.Round()
            self.awaited = [seats(table) for table in last.pairings if table.game_id not in last.finished_game_ids]

    def _find_table(self, step: Step) -> CaseTable:
        """Return the table that a step names, that of its player in the last round, or else the last one."""
        if self.table and self.game_id:
            return self.table
        if "game-id" in step.fields:
            players = set(self.names.pair(step.fields["game-id"]))
        elif step.actor in self.names.ids:
            players = {self.names.ids[step.actor]}
        elif "player-id" in step.fields:
            players = set(self.names.ids_in(step.fields["player-id"]))
        elif self.table:
            return self.table
        else:
            raise step.place.wrong("expected at which table, such as `with: {game-id: Anna – Blai}`")
        found = next((pairing for pairing in self.pairings if players <= set(seats(pairing))), None)
        if found is None:
            named = " and ".join(map(self.names.name, sorted(players)))
            raise step.place.wrong(f"{named} {'sit' if len(players) > 1 else 'sits'} at no table")
        known = self.timed.get(found.game_id)
        table = known if isinstance(known, CaseTable) else CaseTable(self.services, found.game_id, seats(found))
        self.timed[found.game_id] = table
        return table
