"""The command handler of tournaments: read, decide, write, answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Decision, Guard, Loaded, Record, Write, load, load_at_once
from faristol.host import Runtime
from faristol.host.command_handler import canonical
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import load_pinned, ruleset_of
from faristol.host.security.actor import actor_of
from faristol.kernel.divisions import list_other_divisions
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.event_types import types_of
from faristol.kernel.names import check_id, same_name
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import occurred_at, to_datetime
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.register.model import REGISTER_STREAM, Register, fold_register
from faristol.rules.officials import check_not_concerned
from faristol.tournament.administration.stages import of_stage
from faristol.tournament.command_handling import proposals, registry, undo
from faristol.tournament.command_handling.conflict_hint import add_conflict_hint
from faristol.tournament.command_handling.duplicate_texts import has_text_of_games, to_problem_of_games
from faristol.tournament.command_handling.elsewhere import check_entered_here
from faristol.tournament.command_handling.namesakes import NamesakeCache
from faristol.tournament.command_handling.open_matters import load_open_matters
from faristol.tournament.command_handling.outcome import answer_to, at_position, write_of
from faristol.tournament.command_handling.result_events import ResultEvents
from faristol.tournament.conditions import check_meets_at_tables, check_unchanged
from faristol.tournament.discipline.at_tables import with_note
from faristol.tournament.kept.keeping import KeptCommands
from faristol.tournament.situation import Imposed, PairingCommand, Situation
from faristol.tournament.state import (
    Origins,
    TableRulings,
    TournamentState,
    evolve,
    game_stream,
    stream,
    watch,
)

M = TypeVar("M", bound=Message)

COMMANDS = {**registry.BASE_COMMANDS, **undo.COMMANDS, **proposals.COMMANDS}
"""The commands that ``PairingHandler.carry_out`` handles."""

MOST_IMPOSED_COUNT = 100_000
"""Sanctions at the tables of a tournament that are read."""

_SANCTION_TYPES = types_of([game_events.SanctionImposed])


Beside: TypeAlias = Callable[[Situation, Sequence[Message]], Callable[[AsyncConnection], Awaitable[None]]]
"""Returns a function that writes rows beside the new events of a decision."""


@dataclass(frozen=True, slots=True)
class OtherDivisions:
    """The other divisions of a championship, with guards for decisions that depend on them."""

    tournaments: tuple[TournamentState, ...] = ()
    guards: tuple[Guard, ...] = ()

    def without(self, tournament_id: str) -> OtherDivisions:
        """Return them without one division, such as one that the command writes to."""
        return OtherDivisions(
            tuple(division for division in self.tournaments if division.tournament_id != tournament_id),
            tuple(guard for guard in self.guards if guard.stream != stream(tournament_id)),
        )


class PairingHandler:
    """The handler of commands on the tournaments of a cell."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.record: Record = runtime.record
        self.namesakes = NamesakeCache(runtime.record)
        self.kept = KeptCommands(runtime.record, runtime.settings.hall)
        self.result_events = ResultEvents(runtime.record, self.kept)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def carry_out(
        self, request: Any, context: Context, response: type[Any], beside: Beside | None = None
    ) -> Message:
        """Handle a command of ``COMMANDS`` by its entry.

        ``beside`` returns a function that writes further rows in the transaction of the new events.
        """
        command = COMMANDS[type(request)]
        at = self.at(request)
        asked = await self._normalize_request(command, request, context)

        async def attempt() -> tuple[Decision, Message]:
            loaded = await self.load(request.tournament_id)
            if self.kept.is_kept(request):
                await self.kept.check_tables(loaded.state, asked)
            if (seen := getattr(request, "expected_version", 0)) and seen != loaded.version:
                check_unchanged((await self.past_events(loaded))[seen:], command.rests_on, loaded.state.name)
            await check_entered_here(self.record, loaded.state, request)
            situation, guards = await self.situation(command, asked, loaded, at)
            if command.of_tables:
                check_meets_at_tables(situation.ruleset)
            if loaded.state.second_official or loaded.state.proposals:
                situation = await self._with_caller(situation, request, context)
            decided = (
                await asyncio.to_thread(command.decide, situation, asked)
                if command.in_thread
                else command.decide(situation, asked)
            )
            new_events = proposals.propose(situation, asked, decided)
            answer = answer_to(command, response, situation, asked, new_events)
            if self.kept.is_kept(request):
                return await self.kept.decide(loaded, situation, asked, new_events, guards), answer
            persons = command.keeps(loaded.state, asked)

            write_beside = beside(situation, new_events) if beside else None

            async def remember(connection: AsyncConnection) -> Sequence[str] | None:
                if write_beside is not None:
                    await write_beside(connection)
                return await people.remember_persons(connection, persons) if persons else None

            writes = [write_of(loaded, new_events)]
            if command.stores is not None:
                apart, content = command.stores(asked)
                if not await self.record.events(apart):
                    writes.append(Write(apart, 0, [content], request.tournament_id))
            also = remember if persons or write_beside else None
            done = asked
            if isinstance(asked, pb.AnswerProposalRequest) and asked.confirmed:
                done = proposals.find_request(loaded.state, asked.proposal)
            is_undo = isinstance(done, pb.UndoActRequest) and new_events == decided
            undone = await self._find_undone(request.tournament_id, done.version) if is_undo else ""
            return Decision(writes, guards, also, undone), answer

        return await self.handle(request, context, attempt, response, among_divisions=command.divisions)

    async def _find_undone(self, tournament_id: str, version: int) -> str:
        """Return the id of the event that a command undoes."""
        return (await self.record.read_whole_stream(stream(tournament_id)))[version - 1].event_id

    async def _with_caller(self, situation: Situation, request: Any, context: Context) -> Situation:
        """Return a situation with the caller, and the persons of proposals who have the caller's name."""
        state = situation.state
        who = await actor_of(self.record, context, canonical(request.command_id))
        pending = [each.proposed for each in state.proposals if each.waits]
        games = [found[1] for each in pending if (found := state.find_game(each.game_id))]
        persons = {each.proposer_id for each in pending} | {player for game in games for player in game.player_ids}
        known = await people.names(self.record, {who.actor_id, *persons})
        name = who.name or (known[who.actor_id].name if who.actor_id in known else "")
        same = {person for person in persons if name and person in known and same_name(known[person].name, name)}
        return replace(situation, caller_id=who.actor_id, caller_ids=frozenset({who.actor_id, *same} - {""}))

    async def handle(
        self,
        request: Any,
        context: Context,
        attempt: Callable[[], Awaitable[tuple[Decision, M]]],
        response: type[M],
        *,
        among_divisions: bool = False,
    ) -> M:
        """Handle a command with ``CommandHandler.handle``. A refusal names its cause, a recent event of another actor.

        ``attempt`` returns the decision and the answer, which gets the position of the last event.
        In a tournament of duplicate games, a refusal names games instead of rounds. A command ``among_divisions``
        waits for the other commands on the same championship. In the cell of a hall, only kept commands are decided on.
        """

        async def attempt_here() -> tuple[Decision, Callable[[int], M]]:
            self.kept.check_decides(request)
            decision, answer = await attempt()
            return decision, at_position(answer)

        async with self._in_turn(request.tournament_id if among_divisions else ""):
            try:
                return await self.runtime.command_handler.handle(context, request, attempt_here, response=response)
            except Invalid as invalid:
                raise await self._say_of_games(request.tournament_id, invalid) from invalid
            except Refusal as refusal:
                actor = (await actor_of(self.record, context, canonical(request.command_id))).actor_id
                explained = await add_conflict_hint(self.record, request, refusal, actor, self.runtime.now())
                raise await self._say_of_games(request.tournament_id, explained) from refusal

    async def _say_of_games(self, tournament_id: str, problem: Refusal | Invalid) -> Refusal | Invalid:
        """Return a problem in the terms of its tournament. The tournament is read only if these can differ."""
        if not has_text_of_games(problem):
            return problem
        loaded = await load(self.record, stream(tournament_id), TournamentState(), evolve)
        return to_problem_of_games(problem, ruleset_of(loaded.state.ruleset)) if loaded.state.exists else problem

    async def _normalize_request(self, command: PairingCommand, request: Any, context: Context) -> Any:
        """Return a request with a normalized note, and with the caller as the default official if it needs one."""
        asked = registry.normalize_note(request)
        if command.official and not getattr(asked, command.official):
            who = await actor_of(self.record, context, canonical(request.command_id))
            setattr(asked, command.official, who.actor_id)
        if command.concerned is not None and not asked.arbiter_id:
            asked.arbiter_id = await self._arbiter(command.concerned, asked, context)
        return asked

    async def _arbiter(
        self, concerned: Callable[[TournamentState, Any], Iterable[str]], request: Any, context: Context
    ) -> str:
        """Return the id of the caller; empty for an anonymous one.

        Raises ``Refusal`` if the caller has the name of a player concerned, as ``check_arbiter`` does for the id.
        """
        who = await actor_of(self.record, context, canonical(request.command_id))
        known = await people.names(self.record, [who.actor_id])
        if name := who.name or (known[who.actor_id].name if who.actor_id in known else ""):
            state = (await self.load(request.tournament_id)).state
            players = await people.names(self.record, {*concerned(state, request)})
            own = [player.name for player in players.values() if same_name(player.name, name)]
            check_not_concerned("arbiter_id", own, own)
        return who.actor_id

    async def situation(
        self, command: PairingCommand, request: Any, loaded: Loaded[TournamentState], at: datetime | None
    ) -> tuple[Situation, tuple[Guard, ...]]:
        """Return the situation of a command, and the guards of its decision."""
        state = loaded.state
        divisions = await self.other_divisions(state) if command.divisions else OtherDivisions()
        tables = {game: await self._table(game) for game in command.games(state, request)}
        situation = Situation(
            state,
            now=self.runtime.now(),
            at=at,
            past_events=await self.past_events(loaded) if command.needs_past_events else (),
            divisions=divisions.tournaments,
            tables={game: table.state for game, table in tables.items()},
            notes=await self.record.notes_of(stream(state.tournament_id)) if command.notes else {},
            imposed=await self._load_imposed_sanctions(state) if command.imposed else (),
            open_matters=await load_open_matters(self.record, state) if command.open_matters else (),
            origins=await self._origins(command.persons(state, request)),
            names=await self._full_names(state) if command.names else {},
        )
        guards = [Guard(game_stream(game), table.version) for game, table in tables.items()]
        return situation, (*divisions.guards, *guards)

    async def _load_imposed_sanctions(self, state: TournamentState) -> list[Imposed]:
        """Return the sanctions at tables that a tournament has not noted yet, with their notes."""
        recorded = await self.record.read(
            tournament=state.tournament_id, types=_SANCTION_TYPES, limit=MOST_IMPOSED_COUNT
        )
        found = [(event.stream.removeprefix(game_stream("")), event) for event in recorded]
        left = [(game, event) for game, event in found if (game, event.version) not in state.noted_at_tables]
        notes = await self.record.notes_at([event.position for _, event in left])
        return [
            Imposed(game, event.version, with_note(event.message, notes.get(event.position))) for game, event in left
        ]

    async def _table(self, game: str) -> Loaded[TableRulings]:
        """Load the rulings of a table, with the notes of its sanctions."""
        loaded = await load(self.record, game_stream(game), TableRulings(), watch)
        if not loaded.state.sanctions:
            return loaded
        notes = await self.record.notes_of(game_stream(game))
        noted = [(version, with_note(sanction, notes.get(version))) for version, sanction in loaded.state.sanctions]
        return replace(loaded, state=replace(loaded.state, sanctions=tuple(noted)))

    async def _origins(self, persons: Iterable[str]) -> Origins:
        wanted = {*persons}
        known = (await people.names(self.record, wanted)).values() if wanted else ()
        return Origins(
            {person.player_id: person.country for person in known if person.country},
            {person.player_id: person.club for person in known if person.club},
        )

    @asynccontextmanager
    async def _in_turn(self, tournament_id: str) -> AsyncIterator[None]:
        """Hold this process's lock on the championship; no lock without divisions or for an empty id.

        Commands that read all divisions guard them. Without the lock, all but one of several concurrent ones would
        conflict.
        """
        async with AsyncExitStack() as turn:
            state = (await self.load(tournament_id)).state if tournament_id else TournamentState()
            if state.division:
                await turn.enter_async_context(self._turns.setdefault(state.first_division, asyncio.Lock()))
            yield

    async def divisions(self, state: TournamentState) -> tuple[events.Division, ...]:
        """Return all divisions of the championship, in the order of addition."""
        return (await self.load(state.division_of)).state.divisions if state.division_of else state.divisions

    async def other_divisions(self, state: TournamentState) -> OtherDivisions:
        """Return the other divisions of the championship that belong to the same stage."""
        # The first division is guarded or written to, so that no division is added concurrently. It is read once: the
        # guarded version is the one whose list of divisions was used.
        first = await self.load(state.division_of) if state.division_of else None
        loaded = [
            first if first and division.tournament_id == state.division_of else await self.load(division.tournament_id)
            for division in list_other_divisions((first.state if first else state).divisions, state.tournament_id)
        ]
        return OtherDivisions(
            of_stage(state, [division.state for division in loaded]),
            tuple(Guard(stream(division.state.tournament_id), division.version) for division in loaded),
        )

    async def load(self, tournament_id: str, field: str = "tournament_id") -> Loaded[TournamentState]:
        """Load a tournament from the record.

        Raises ``Invalid`` for ``field`` if the id is malformed, ``NotFound`` if there is no such tournament.
        """
        check_id(field, tournament_id)
        loaded = await load(self.record, stream(tournament_id), TournamentState(), evolve)
        if not loaded.state.exists:
            raise NotFound("tournament", tournament_id)
        await load_pinned(self.record, loaded.state.ruleset)
        return await self.kept.apply(loaded)

    async def past_events(self, loaded: Loaded[TournamentState]) -> Sequence[Message]:
        """Return all events of a tournament up to the loaded version."""
        recorded = await self.record.read_whole_stream(stream(loaded.state.tournament_id))
        return [event.message for event in recorded[: loaded.version]]

    async def names(self, state: TournamentState) -> dict[str, str]:
        """Return the display names of a tournament's players, which tell namesakes apart, by player id."""
        known = await people.names(self.record, [player.player_id for player in state.players])
        return people.load_distinct_names(known.values())

    async def _full_names(self, state: TournamentState) -> dict[str, str]:
        """Return the names of a tournament's players as registered, by player id."""
        known = await people.names(self.record, [player.player_id for player in state.players])
        return {person_id: person.name for person_id, person in known.items()}

    async def persons(self, state: TournamentState) -> dict[str, str]:
        """Return the known names of members of the tribunal who are not players, by id."""
        members = [*state.tribunal, *(member for appeal in state.appeals for member in appeal.members)]
        wanted = {member.person_id for member in members if state.player(member.person_id) is None}
        known = await people.names(self.record, wanted) if wanted else {}
        return {person_id: person.name for person_id, person in sorted(known.items()) if person.name}

    async def situation_of_entry(
        self, state: TournamentState, at: datetime | None
    ) -> tuple[Situation, tuple[Guard, ...]]:
        """Return the situation in which players enter a tournament, and the guards of the decision."""
        others = await self.other_divisions(state)
        persons, guards = await self.persons_register(state)
        situation = Situation(state, now=self.runtime.now(), at=at, divisions=others.tournaments, persons=persons)
        return situation, (*others.guards, *guards)

    async def persons_register(self, state: TournamentState) -> tuple[Register, tuple[Guard, ...]]:
        """Return the federation's register, with its guard, if a tournament requires a licence; else an empty one."""
        if not state.licence.required:
            return Register(), ()
        loaded = await load_at_once(self.record, REGISTER_STREAM, Register(), fold_register)
        return loaded.state, (Guard(REGISTER_STREAM, loaded.version),)

    def at(self, request: Any) -> datetime | None:
        """Return the time that the request gives, or None."""
        given = occurred_at(request, self.runtime.now)
        return to_datetime(given) if request.HasField("occurred_at") else None
