"""The commands that a step stands for: one, or all those of a whole turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from google.protobuf.message import Message

from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.referee.case import ARBITER
from faristol.referee.document import Value
from faristol.referee.forms import board_of, fill
from faristol.referee.verbs import Verb
from faristol.rules import Ruleset

TURN_STEPS = {"stop": "stop", "write": "write-score", "draw": "draw-tiles", "press": "press"}
"""The verbs of a turn's steps after the play is laid; announcing and counting are a part of laying it."""


class Table(Protocol):
    """A table's services, wherever they run."""

    verbs: Mapping[str, Verb]

    async def call(self, request: Message) -> Message:
        """Carry a command out. Raises what the service refuses it with."""

    async def table(self, player: str = "") -> game_pb2.GetGameResponse:
        """The table as its service shows it to a player."""

    async def clock(self) -> clock_pb2.GetClockResponse:
        """The clock as its service shows it."""


class Commands:
    """Sends what is said of a table to its services."""

    def __init__(
        self, services: Table, ruleset: Ruleset, players: Sequence[str], complete: Callable[[str, str, Any], None]
    ) -> None:
        """``complete`` is given actor, verb and request, and adds what no step says: ids of game and command, time."""
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
                raise argument.wrong(N_("nothing stands behind {verb}"), {"verb": verb.name})
            fields = {verb.argument: argument, **fields}
        if "player_ids" in known and actor in self._players and not {"player_ids", "player-ids"} & set(fields):
            request.player_ids.append(actor)
        self._complete(actor, name, request)
        fill(request, fields, board_of(await self._services.table()), self._ruleset.tile_set)
        return await self._services.call(request)

    async def whole_turn(self, actor: str, place: Value, argument: Value | None, answers: list[Message]) -> None:
        """A turn with all its steps, in the order of the book: a play, ``exchange`` with tiles, or ``pass``.

        ``answers`` takes those of the commands, in order.
        """
        if argument is None:
            raise place.wrong(N_("expected what the turn is: `turn H8 C A S A`, `turn exchange A E` or `turn pass`"))
        what, _, rest = argument.text().partition(" ")
        book = self._ruleset
        # The clock was pressed for a turn that is entered again: it is at the next one, and nobody touches it.
        again, away = False, set[str]()
        turn = (await self._services.table()).turn
        if turn and book.clock.model != "none":
            clock = await self._services.clock()
            again = clock.turn > turn
            away = set(clock.away_player_ids)  # they confirm the score when they are back, and then all draw (FISE 37)
        if what in ("exchange", "pass"):
            tiles = argument.saying(rest) if rest.strip() else None
            answers.append(await self.send(actor, what, place, tiles))
            held = what == "exchange" and book.exchange.stops_clock and book.clock.stopped_by_mover
            taken: tuple[str, ...] = ("stop", "press") if held else ("press",)
        else:
            answers.append(await self.send(actor, "place-play", place, argument))
            if (await self._services.table()).phase == game_pb2.PHASE_OFF_CENTRE:
                return  # it lies, and the opponent decides before anything else is done (FISE 20)
            taken = tuple(TURN_STEPS)
        for turn_step in book.turn.steps:
            if turn_step not in taken or (again and turn_step in ("stop", "press")):
                continue
            if turn_step == "draw" and away and not book.absence.opponent_may_draw:
                continue
            for player in writers(book, self._players, actor) if turn_step == "write" else (actor,):
                if player in away and player != actor:
                    continue
                table = await self._services.table()
                if turn_step == "stop" and (await self._services.clock()).held:
                    continue  # the tiles that take a player out have stopped it (PES Ε.β)
                if turn_step == "write" and not table.HasField("pending"):
                    continue  # where nothing is left to draw the play has been completed by being laid
                if not table.end_condition and (turn_step != "draw" or table.bag_left):
                    answers.append(await self.send(player, TURN_STEPS[turn_step], place))


def writers(ruleset: Ruleset, players: Sequence[str], mover: str) -> Sequence[str]:
    """Who writes the score of a play, the mover first."""
    match ruleset.turn.written_by:
        case "both":
            return sorted(players, key=lambda player: player != mover)
        case "mover":
            return (mover,)
        case "keeper":
            return players[:1]
