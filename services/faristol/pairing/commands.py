"""How a command on a tournament is carried out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import grpc
from google.protobuf.message import Message

from faristol.host import Runtime
from faristol.host.actor import actor_of
from faristol.host.desk import canonical
from faristol.host.ruleset_store import bring
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import occurred_at, to_datetime
from faristol.pairing import identity, pinning
from faristol.pairing.conditions import round_paired_without, round_to_pair_again
from faristol.pairing.model import Division, Tournament, evolve, stream
from faristol.pairing.precedence import preceded
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.record import Decision, Guard, Loaded, Record, Write, load, people
from faristol.rules.officials import check_not_concerned

Context = grpc.aio.ServicerContext[Any, Any]
M = TypeVar("M", bound=Message)
_PAIR_AGAIN = "round_to_pair_again"
_PAIRED_WITHOUT = "round_paired_without"


@dataclass(frozen=True, slots=True)
class OtherDivisions:
    """The other divisions of a championship, and that they must be as they are when a decision on them is written."""

    tournaments: tuple[Tournament, ...]
    guards: tuple[Guard, ...]

    def without(self, tournament_id: str) -> OtherDivisions:
        """All but one, such as one that is written to itself."""
        return OtherDivisions(
            tuple(one for one in self.tournaments if one.tournament_id != tournament_id),
            tuple(guard for guard in self.guards if guard.stream != stream(tournament_id)),
        )


class Commands:
    """What the commands of the service share.

    An answer that has a field for the round that has to be paired again because of a command says it.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._record: Record = runtime.record
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def handle(
        self,
        context: Context,
        request: Any,
        attempt: Callable[[], Awaitable[tuple[Decision, Callable[[int], M]]]],
        *,
        response: type[M],
    ) -> M:
        """Carry out a command, see ``Desk.handle``. A refusal says who was first, where somebody just was."""
        try:
            return await self._runtime.desk.handle(context, request, attempt, response=response)
        except Refusal as refusal:
            actor = (await actor_of(self._record, context, canonical(request.command_id))).actor_id
            raise await preceded(self._record, request, refusal, actor, self._runtime.now()) from refusal

    async def act(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Carry out a command on a tournament that exists."""

        async def decided(loaded: Loaded[Tournament]) -> list[Message]:
            return facts_of(loaded.state)

        return await self.act_reading(context, request, decided, answer, response)

    async def act_reading(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Loaded[Tournament]], Awaitable[list[Message]]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Carry out a command for which ``facts_of`` reads more than the tournament, such as who its players are."""
        tournament_id: str = request.tournament_id

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(tournament_id)
            facts = await facts_of(loaded)
            return decision_of(tournament_id, loaded, facts), answering(loaded.state, facts, answer, response)

        return await self.handle(context, request, attempt, response=response)

    async def act_on(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament, list[Message], Sequence[Tournament]], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Carry out a command on an earlier act, which the request names by its version, in view of all acts so far.

        Raises ``Invalid`` when no version is given, ``NotFound`` when there is no such act.
        """

        def checked(state: Tournament, facts: list[Message], divisions: Sequence[Tournament]) -> list[Message]:
            _check_act(request.tournament_id, request.version, facts)
            return facts_of(state, facts, divisions)

        return await self.act_in_view(context, request, checked, answer, response)

    async def act_in_view(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament, list[Message], Sequence[Tournament]], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Carry out a command in view of all acts of the tournament so far.

        ``facts_of`` takes the tournament, its acts, and the other divisions of its championship.
        """

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(request.tournament_id)
            acts = await self._acts(loaded)
            others = await self.other_divisions(loaded.state)
            facts = facts_of(loaded.state, acts, others.tournaments)
            decision = decision_of(request.tournament_id, loaded, facts, others.guards)
            return decision, answering(loaded.state, facts, answer, response)

        async with self.in_turn(request.tournament_id):
            return await self.handle(context, request, attempt, response=response)

    async def act_among_divisions(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament, Sequence[Tournament]], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Carry out a command on a tournament of which the other divisions of its championship have a say."""
        tournament_id: str = request.tournament_id

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(tournament_id)
            others = await self.other_divisions(loaded.state)
            facts = facts_of(loaded.state, others.tournaments)
            decision = decision_of(tournament_id, loaded, facts, others.guards)
            return decision, answering(loaded.state, facts, answer, response)

        async with self.in_turn(tournament_id):
            return await self.handle(context, request, attempt, response=response)

    @asynccontextmanager
    async def in_turn(self, tournament_id: str) -> AsyncIterator[None]:
        """Let acts of which other divisions have a say wait for each other, in this process.

        What each writes is what all others rely on: side by side, all but one of them would be decided in vain.
        """
        state = (await self.load(tournament_id)).state
        async with AsyncExitStack() as turn:
            if state.division:
                await turn.enter_async_context(self._turns.setdefault(state.first_division, asyncio.Lock()))
            yield

    async def divisions(self, state: Tournament) -> tuple[Division, ...]:
        """All divisions of the championship of a tournament, in the order in which they were added."""
        return (await self.load(state.division_of)).state.divisions if state.division_of else state.divisions

    async def other_divisions(self, state: Tournament) -> OtherDivisions:
        """The other divisions of the championship of a tournament."""
        # The first division is among them or is this one, so that no division can be added meanwhile. It is read
        # once: the version that is guarded is the one whose list of divisions was gone through.
        first = await self.load(state.division_of) if state.division_of else None
        loaded = [
            first if first and one.tournament_id == state.division_of else await self.load(one.tournament_id)
            for one in (first.state if first else state).divisions
            if one.tournament_id != state.tournament_id
        ]
        return OtherDivisions(
            tuple(one.state for one in loaded),
            tuple(Guard(stream(one.state.tournament_id), one.version) for one in loaded),
        )

    async def load(self, tournament_id: str, field: str = "tournament_id") -> Loaded[Tournament]:
        """The tournament as it stands in the record.

        Raises ``Invalid`` that names ``field`` for a malformed id, ``NotFound`` for none.
        """
        identity.checked_id(field, tournament_id)
        loaded = await load(self._record, stream(tournament_id), Tournament(), evolve)
        if not loaded.state.exists:
            raise NotFound("tournament", tournament_id)
        await bring(self._record, loaded.state.ruleset)
        return loaded

    async def acts_with(self, loaded: Loaded[Tournament], version: int) -> list[Message]:
        """All acts of a tournament as it was loaded. Raises ``NotFound`` when there is none of ``version``."""
        acts = await self._acts(loaded)
        _check_act(loaded.state.tournament_id, version, acts)
        return acts

    async def _acts(self, loaded: Loaded[Tournament]) -> list[Message]:
        recorded = await self._record.read_stream(stream(loaded.state.tournament_id))
        return [one.message for one in recorded if one.version <= loaded.version]

    async def names(self, state: Tournament) -> dict[str, str]:
        """The names of the players of a tournament, with what tells two of one name apart."""
        known = await people.names(self._record, [player.player_id for player in state.players])
        return people.told_apart(known.values())

    async def arbiter(self, request: Any, context: Context) -> str:
        """The arbiter whom a request names, else the id of who sends it; empty where neither is said.

        Raises ``Refusal`` for who sends it under the name of a player of one of its games, or of the player whom it is
        on, as ``check_arbiter`` does for a player's id: nobody is judge of their own game.
        """
        if request.arbiter_id:
            return str(request.arbiter_id)
        who = await actor_of(self._record, context, canonical(request.command_id))
        known = await people.names(self._record, [who.actor_id])
        if name := who.name or (known[who.actor_id].name if who.actor_id in known else ""):
            await self._check_not_their_own(request, name)
        return who.actor_id

    async def _check_not_their_own(self, request: Any, name: str) -> None:
        state = (await self.load(request.tournament_id)).state
        games = [one.game_id for one in getattr(request, "results", ())] or [getattr(request, "game_id", "")]
        concerned = {
            player_id for game in games if (found := state.find_game(game)) for player_id in found[1].player_ids
        }
        concerned.add(getattr(request, "player_id", ""))
        players = await people.names(self._record, concerned)
        own = [one.name for one in players.values() if identity.same_name(one.name, name)]
        check_not_concerned("arbiter_id", own, own)

    def at(self, request: Any) -> datetime | None:
        """When the request says that it happened, None when it does not say."""
        given = occurred_at(request, self._runtime.now)
        return to_datetime(given) if request.HasField("occurred_at") else None


def answering(
    state: Tournament, facts: list[Message], answer: Callable[[int, list[Message]], M], response: type[M]
) -> Callable[[int], M]:
    """What makes the answer to a command of which ``facts`` come, once they have a position in the record.

    An answer that has a field for the round that has to be paired again because of the command, or to have in it who
    came back, says it.
    """
    again = 0
    if _PAIR_AGAIN in response.DESCRIPTOR.fields_by_name:
        again = round_to_pair_again(state, pinning.ruleset_of(state), facts)
    without = round_paired_without(state, facts) if _PAIRED_WITHOUT in response.DESCRIPTOR.fields_by_name else 0

    def answered(position: int) -> M:
        made = answer(position, facts)
        if again:
            setattr(made, _PAIR_AGAIN, again)
        if without:
            setattr(made, _PAIRED_WITHOUT, without)
        return made

    return answered


def _check_act(tournament_id: str, version: int, acts: Sequence[Message]) -> None:
    if not version:
        raise Invalid("version", N_("is missing; expected the number of the act, which the history tells"))
    if not 1 <= version <= len(acts):
        raise NotFound("act", f"{tournament_id}/{version}")


def decision_of(
    tournament_id: str, loaded: Loaded[Tournament], facts: list[Message], guards: Sequence[Guard] = ()
) -> Decision:
    """To append facts to a tournament as it was loaded, if other streams are as ``guards`` say."""
    noted = (fact for fact in facts if getattr(fact, "note", ""))
    concerned = {person for fact in noted for person in _concerned(loaded.state, fact)}
    return Decision([Write(stream(tournament_id), loaded.version, facts, tournament_id, concerned)], guards)


def _concerned(state: Tournament, fact: Message) -> set[str]:
    """Whom a fact concerns beside those whom it names as players.

    They are who plays the game that it is of, and the players of a team; and for an appeal everybody involved, and the
    players who sit on it.
    """
    found = state.find_game(getattr(fact, "game_id", ""))
    concerned = set(found[1].player_ids) if found else set()
    if isinstance(fact, events.TeamWithdrawn) and (team := state.team(fact.team_id)):
        concerned.update(team.line_up)
    members: Iterable[str] = ()
    if isinstance(fact, events.AppealLodged):
        members = [one.person_id for one in fact.members]
    if isinstance(fact, events.AppealDecided | events.AppealWithdrawn):
        appeal = state.appeals[fact.appeal - 1]
        members = [one.person_id for one in appeal.members]
        concerned.update(appeal.involved)
    concerned.update(person_id for person_id in members if state.player(person_id))
    return concerned
