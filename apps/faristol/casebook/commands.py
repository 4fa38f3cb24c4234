"""The commands of a step, one or all those of a whole turn, by their verbs: every command of the contract is a verb."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.casebook.case import ARBITER, Step
from faristol.casebook.document import Value
from faristol.casebook.forms import board_of, fill
from faristol.casebook.names import Names
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import kebab
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset

TURN_STEPS = {"stop": "stop", "write": "write-score", "draw": "draw-tiles", "press": "press"}
"""The verbs of a turn's steps after the play; announcing and counting are part of the play."""


INSTEAD = {"team_id": "player_id", "team_ids": "player_ids"}
"""Fields that are given instead of another, and only under ``with``."""


class CommandTable(Protocol):
    """A table's services, in memory or on a cell."""

    verbs: Mapping[str, Verb]
    game_id: str

    async def call(self, request: Message) -> Message:
        """Execute a command. Raises the refusal of the service."""

    async def table(self, player: str = "") -> game_pb2.GetGameResponse:
        """Return the table as its service shows it to a player."""

    async def clock(self) -> clock_pb2.GetClockResponse:
        """Return the clock as its service shows it."""


class Commands:
    """Sends commands of steps to the services of a table."""

    def __init__(
        self,
        services: CommandTable,
        ruleset: Ruleset,
        players: Sequence[str],
        complete: Callable[[str, str, Any], None],
    ) -> None:
        """Prepare the commands of a table.

        ``complete`` takes actor, verb and request, and adds the fields that no step has: the id of the command, time.
        """
        self._services = services
        self._ruleset = ruleset
        self._players = players
        self._complete = complete

    async def send(
        self,
        actor: str,
        name: str,
        place: Value,
        argument: Value | None = None,
        fields: Mapping[str, Value] = MappingProxyType({}),
    ) -> Message:
        """Send a command: ``argument`` is for its first own field, ``fields`` for the others."""
        verbs = self._services.verbs
        if name not in verbs:
            raise place.no_such(N_("verb"), name, (*verbs, "turn"))
        verb = verbs[name]
        request: Any = verb.request()
        known = request.DESCRIPTOR.fields_by_name
        by = "arbiter_id" if actor == ARBITER else "player_id"
        if by in known:
            setattr(request, by, actor)
        if argument is not None:
            if not verb.argument:
                raise argument.wrong(N_("{verb} takes no argument"), {"verb": verb.name})
            fields = {verb.argument: argument, **fields}
        if "player_ids" in known and actor in self._players and not {"player_ids", "player-ids"} & set(fields):
            request.player_ids.append(actor)
        self._complete(actor, name, request)
        request.game_id = self._services.game_id
        fill(request, fields, board_of(await self._services.table()), self._ruleset.tile_set)
        return await self._services.call(request)

    async def whole_turn(self, actor: str, place: Value, argument: Value | None, answers: list[Message]) -> None:
        """Send all commands of a turn, in the order of the book: a play, ``exchange`` with tiles, or ``pass``.

        ``answers`` receives those of the commands, in order.
        """
        if argument is None:
            raise place.wrong(N_("expected the kind of turn: `turn H8 C A S A`, `turn exchange A E` or `turn pass`"))
        what, _, rest = argument.text().partition(" ")
        book = self._ruleset
        # The clock was pressed for a re-entered turn: it is at the next turn and is not pressed a second time.
        again, away = False, set[str]()
        turn = (await self._services.table()).turn
        if turn and book.clock.model != "none":
            clock = await self._services.clock()
            again = clock.turn > turn
            away = set(clock.away_player_ids)  # they confirm the score after they return, and then all draw (FISE 37)
        if what in ("exchange", "pass"):
            tiles = argument.saying(rest) if rest.strip() else None
            answers.append(await self.send(actor, what, place, tiles))
            held = what == "exchange" and book.exchange.stops_clock and book.clock.stopped_by_mover
            taken: tuple[str, ...] = ("stop", "press") if held else ("press",)
        else:
            answers.append(await self.send(actor, "place-play", place, argument))
            if (await self._services.table()).phase == game_pb2.PHASE_OFF_CENTRE:
                return  # the opponent decides on it before any other step (FISE 20)
            taken = tuple(TURN_STEPS)
        for turn_step in book.turn.steps:
            if turn_step not in taken or (again and turn_step in ("stop", "press")):
                continue
            if turn_step == "draw" and away and not book.absence.opponent_may_draw:
                continue
            for player in _writers(book, self._players, actor) if turn_step == "write" else (actor,):
                if player in away and player != actor:
                    continue
                table = await self._services.table()
                if turn_step == "stop" and (await self._services.clock()).held:
                    continue  # the tiles that empty a rack have stopped it (PES Ε.β)
                if turn_step == "write" and not table.HasField("pending"):
                    continue  # with an empty bag, laying has completed the play
                if not table.end_condition and (turn_step != "draw" or table.bag_left):
                    answers.append(await self.send(player, TURN_STEPS[turn_step], place))


def _writers(ruleset: Ruleset, players: Sequence[str], mover: str) -> Sequence[str]:
    """Return the players who write the score of a play, the mover first."""
    match ruleset.turn.written_by:
        case "both":
            return sorted(players, key=lambda player: player != mover)
        case "mover":
            return (mover,)
        case "keeper":
            return players[:1]


def arguments(verb: Verb, step: Step, names: Names, step_fields: Collection[str]) -> Mapping[str, Value]:
    """Return the fields of a command that follow its verb, in the order of the contract.

    The step itself determines ``step_fields``. A player who acts is the player of the command. Players separated only
    by dashes are a pair, or the game that they play. Raises ``CaseError``.
    """
    known = verb.request.DESCRIPTOR.fields_by_name
    fields = [
        field
        for field in verb.request.DESCRIPTOR.fields
        if field.name not in step_fields and INSTEAD.get(field.name) not in known
    ]
    found: dict[str, Value] = {}
    if step.actor in names.ids and fields and fields[0].name == "player_id":
        found["player-id"] = step.place.saying(step.actor)
        fields = fields[1:]
    tokens = names.tokens(step.argument.text()) if step.argument else []
    for field in fields:
        if not tokens:
            break
        taken = _count_field_tokens(field, tokens, names)
        found[kebab(field.name)] = step.place.saying(" ".join(tokens[:taken]))
        tokens = tokens[taken:]
    if tokens:
        raise step.place.wrong(f"{verb.name} takes no {' '.join(tokens)!r}")
    return found


def _count_field_tokens(field: Any, tokens: list[str], names: Names) -> int:
    """Return how many of the tokens belong to a field."""
    if field.name in ("game_id", "player_ids"):
        return next((count for count, token in enumerate(tokens) if token not in names.ids), len(tokens))
    return len(tokens) if field.is_repeated else 1


TABLE_STEP_FIELDS = frozenset({"command_id", "tournament_id", "game_id", "player_id", "arbiter_id", "occurred_at"})
"""Fields that the step itself determines."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A command."""

    method: MethodDescriptor

    @property
    def name(self) -> str:
        """The name in cases: ``place-play``."""
        return kebab(self.method.name)

    @property
    def request(self) -> type[Message]:
        """The class of its requests."""
        return GetMessageClass(self.method.input_type)

    @property
    def argument(self) -> str:
        """The field for the text after the verb; empty if the command has none."""
        return next((field.name for field in self.method.input_type.fields if field.name not in TABLE_STEP_FIELDS), "")


def verbs_of(services: tuple[ServiceDescriptor, ...]) -> Mapping[str, Verb]:
    """Return every command of the services on a table, by name: methods with ``command_id`` and ``game_id``."""
    methods = [method for service in services for method in service.methods]
    found = [Verb(method) for method in methods if {"command_id", "game_id"} <= set(method.input_type.fields_by_name)]
    return {verb.name: verb for verb in found}
