"""A table at the start of a case, and its steps."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.casebook.case import ARBITER, DIRECTOR, JUDGE, Step, TableCase
from faristol.casebook.commands import Commands
from faristol.casebook.document import Value
from faristol.casebook.expectations import STEP
from faristol.casebook.forms import moment
from faristol.casebook.hosts.hall import TOURNAMENT, end_of_the_others, pairing_of, start_of_the_round
from faristol.casebook.hosts.judges import finding
from faristol.casebook.hosts.services import TableServices
from faristol.casebook.hosts.world import Differences, StepResult, World
from faristol.casebook.position import (
    CASE_GAME_ID,
    TOURNAMENT_ID,
    PriorTurn,
    laid_fact,
    lay_out,
    opening,
    turns_before,
)
from faristol.casebook.table_state import TABLE_STATE, TableView
from faristol.host.table_store import clock_stream, game_stream
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2


class TableWorld(World[TableServices]):
    """A table, its clock and its judges."""

    tournament_id, game_id = TOURNAMENT_ID, CASE_GAME_ID
    _commands: Commands

    def __init__(self, case: TableCase) -> None:
        super().__init__()
        self.case = case

    async def open(self, services: TableServices) -> None:
        """Set up the position of the case."""
        self.services = services
        self._commands = Commands(services, self.case.ruleset, self.case.players, self.complete)
        layout = lay_out(self.case)
        if layout.description and self.case.position.bag_place is not None:
            self.notes.append(str(self.case.position.bag_place.wrong(layout.description)))
        turns = turns_before(self.case, layout)
        first = turns[0].player if turns else self.case.position.to_play
        self.now_ms = turns[0].at_ms - turns[0].used_ms if turns else 0
        opened = opening(self.case, layout, first, self.now_ms, services.lexicon)
        await self.services.write(game_stream(CASE_GAME_ID), opened)
        await self.services.write(TOURNAMENT, pairing_of(opened))
        if not any(step.actor == DIRECTOR or step.verb == "postpone-game" for step in self.case.steps):
            # In other cases, their own steps determine whether the round is started.
            await self.services.write(TOURNAMENT, start_of_the_round(self.now_ms))
        if self.case.ruleset.arbiter.required and self.case.position.arbiter:
            await self._commands.send(ARBITER, "assign-arbiter", self.case.place)
        if self.case.position.recorded and self.case.steps[0].verb != "start-game":
            await self._commands.send(first, "start-game", self.case.place)
            # Near its end a rack may hold fewer tiles than at the start, which no command expresses.
            at = moment(self.now_ms)
            stated: list[Message] = [
                events.RackStated(player_id=player, faces=rack, occurred_at=at)
                for player, rack in self.case.position.racks.items()
            ]
            if self.case.position.bag is not None or stated:
                bag = events.TilesDrawn(player_id=first, draw=98, bag_left=len(layout.bag), occurred_at=at)
                stated.append(bag)
            await self.services.write(game_stream(CASE_GAME_ID), stated)
        for number, turn in enumerate(turns, start=1):
            table = await self.services.table()
            if table.end_condition:
                place = self.case.position.turns_place or self.case.place
                before = self.case.position.turns[: number - 1 - len(turns)]
                raise place.wrong(f"the game is over after {before!r}: no turn follows that")
            self.now_ms = turn.at_ms
            await self._take(turn, number, len(layout.bag))
        self.now_ms = 0

    async def _take(self, turn: PriorTurn, number: int, bag_left: int) -> None:
        """Play a turn before the case begins."""
        player, at = turn.player, moment(turn.at_ms)
        facts: list[Message] = []
        if turn.laid:
            faces = [tile.in_rack for _, tile in turn.laid]
            facts.append(events.TilesDrawn(player_id=player, faces=faces, draw=99, bag_left=bag_left, occurred_at=at))
        match turn.kind:
            case "P":
                facts.append(events.Passed(turn=number, player_id=player, occurred_at=at))
            case "X":
                facts.append(events.Exchanged(turn=number, player_id=player, occurred_at=at))
            case _:
                facts.append(laid_fact(turn, number))
        await self.services.write(game_stream(CASE_GAME_ID), facts)
        if turn.kind == "W":
            raised = events.ChallengeRaised(
                turn=number,
                challenge=1 + sum(isinstance(fact, events.ChallengeRaised) for fact in await self.services.facts()),
                player_id=self._after(player),
                words=[events.Word(faces=self.case.ruleset.tile_set.faces[:2])],
                occurred_at=at,
            )
            await self.services.write(game_stream(CASE_GAME_ID), [raised])
            await self.services.rule(lambda _: False)
            if (await self.services.table()).phase == game_pb2.PHASE_REFUSED:
                await self._commands.send(player, "accept-ruling", self.case.place)
            return
        if turn.kind == "L" and bag_left:  # the rack was filled: no draw is owed
            drawn = events.TilesDrawn(player_id=player, draw=99, bag_left=bag_left, occurred_at=at)
            await self.services.write(game_stream(CASE_GAME_ID), [drawn])
        if "press" in self.case.ruleset.turn.steps:
            pressed = clock_events.ClockPressed(player_id=player, turn=number, used_ms=turn.used_ms, occurred_at=at)
            await self.services.write(clock_stream(CASE_GAME_ID), [pressed])

    def _after(self, player: str) -> str:
        players = self.case.players
        return players[(players.index(player) + 1) % len(players)]

    async def append_due_events(self) -> None:
        """Append the clock events that are due by now."""
        await self.services.append_due_events(moment(self.now_ms).ToNanoseconds())

    async def act(self, step: Step, answers: list[Message]) -> None:
        """Execute a step of a player or an official."""
        if not step.actor:
            return
        if step.verb == "rule" and step.actor == JUDGE:
            await self.services.rule(finding(step, self.case.words))
        elif step.verb == "end-other-games" and step.actor == ARBITER:
            opened = next(fact for fact in await self.services.facts() if isinstance(fact, events.GameOpened))
            for stream, facts in end_of_the_others(opened, self.now_ms):
                await self.services.write(stream, facts)
        elif step.actor == DIRECTOR:
            await self._direct(step)
        elif step.verb == "turn":
            await self._commands.whole_turn(step.actor, step.place, step.argument, answers)
        else:
            answers.append(await self._commands.send(step.actor, step.verb, step.place, step.argument, step.fields))

    async def _direct(self, step: Step) -> None:
        """Start the round of the table, or choose layers of the lexicon."""
        match step.verb:
            case "start-round":
                await self.services.write(TOURNAMENT, start_of_the_round(self.now_ms))
            case "choose-layers":
                await self.services.choose_layers(step.argument.text().split() if step.argument else ())
            case _:
                raise step.place.no_such("verb of a director", step.verb, ("start-round", "choose-layers"))

    def differences(self, done: StepResult, _: Step, key: str, value: Value) -> Differences:
        """Return the differences from an expectation of a table."""
        if key in STEP:
            return STEP[key](done, value)
        return TABLE_STATE[key](
            TableView(self.services, {name: name for name in self.case.players}, self.case.ruleset, self.now_ms), value
        )
