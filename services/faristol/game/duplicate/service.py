"""Duplicate games over gRPC: load and settle, decide, append, answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.duplicate import decide
from faristol.duplicate.situation import Situation
from faristol.duplicate.start import duplicate_id
from faristol.duplicate_store import Loading, hall_stream, load_game, load_situation
from faristol.game.duplicate import answers
from faristol.game.duplicate.lexicons import Lexicons
from faristol.game.duplicate.training import Training
from faristol.host import Runtime
from faristol.host.access import caller
from faristol.host.dispatch import Answer, Context, Dispatcher
from faristol.host.ruleset_store import rules_of
from faristol.kernel.errors import NotFound
from faristol.kernel.times import Instant, instant, occurred_at, to_timestamp
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.record import Decision

M = TypeVar("M", bound=Message)


def service(runtime: Runtime, lexicons: Lexicons) -> Dispatcher:
    """The duplicate games of a cell. The contract names the methods and says what they do."""
    games = DuplicateGames(runtime, lexicons)
    questions: Mapping[type[Message], Answer] = {
        pb.GetDuplicateRequest: games.get,
        pb.ListTopsRequest: games.tops,
        pb.ListWaitingRequest: games.waiting,
        pb.ListSlipsRequest: games.handed_in,
        pb.GetOwnSheetRequest: games.own_sheet,
        pb.GetHallSheetRequest: games.sheet,
        pb.GetDuplicateStandingsRequest: games.standings,
        pb.GetDuplicateTotalsRequest: games.totals,
        pb.TrainTurnRequest: Training(runtime, lexicons).turn,
    }
    descriptor = pb.DESCRIPTOR.services_by_name["DuplicateService"]
    return Dispatcher(descriptor, decide.GAME, games.carry_out, questions)


class DuplicateGames:
    """Answers for the duplicate games of a cell."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons) -> None:
        self._runtime = runtime
        self._lexicons = lexicons

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Settle the game, carry the command out, write all that follows, and answer."""

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loading = await self._load(request.game_id, halls_of(request), request)
            facts = decide.GAME[type(request)](loading.situation, request)

            def answer(position: int) -> M:
                return answers.answer(response, position, loading.situation, facts)

            return loading.decision(facts), answer

        return await self._runtime.desk.handle(context, request, attempt, response=response)

    async def get(self, request: pb.GetDuplicateRequest, context: Context) -> pb.GetDuplicateResponse:
        """A game as everybody may see it."""
        return answers.shown(await self._situation(request.game_id, ()))

    async def tops(self, request: pb.ListTopsRequest, context: Context) -> pb.ListTopsResponse:
        """The tops of a turn whose time is over."""
        return answers.tops(await self._situation(request.game_id, ()), request.turn)

    async def waiting(self, request: pb.ListWaitingRequest, context: Context) -> pb.ListWaitingResponse:
        """What the judge waits for."""
        situation = await self._situation(request.game_id)
        claimed = [hall for hall in situation.halls.values() if any(not each.decided for each in hall.claims.values())]
        notes = {hall.number: await self._notes(request.game_id, hall.number) for hall in claimed}
        return answers.waiting(situation, request.turn, notes)

    async def handed_in(self, request: pb.ListSlipsRequest, context: Context) -> pb.ListSlipsResponse:
        """What a hall has handed in for a turn."""
        situation = await self._situation(request.game_id, (request.hall,))
        return answers.handed_in(situation, request.hall, request.turn)

    async def sheet(self, request: pb.GetHallSheetRequest, context: Context) -> pb.GetHallSheetResponse:
        """What the players of a hall have."""
        situation = await self._situation(request.game_id, None if request.player_id else (request.hall,))
        return answers.sheet(situation, request.hall, request.player_id)

    async def own_sheet(self, request: pb.GetOwnSheetRequest, context: Context) -> pb.GetOwnSheetResponse:
        """What a player's own page knows. What a phone has saved is for its player alone."""
        situation = await self._situation(request.game_id, (request.hall,))
        credential = caller()
        own = credential is None or credential.player == request.player_id
        hall = situation.hall(request.hall)
        notes = await self._notes(request.game_id, hall.number) if hall.claims else {}
        return answers.own_sheet(situation, request.hall, request.player_id, request.turn, notes, with_saved=own)

    async def standings(
        self, request: pb.GetDuplicateStandingsRequest, context: Context
    ) -> pb.GetDuplicateStandingsResponse:
        """The standings after the turns that are scored."""
        return answers.standings(await self._situation(request.game_id))

    async def totals(self, request: pb.GetDuplicateTotalsRequest, context: Context) -> pb.GetDuplicateTotalsResponse:
        """The games of a tournament, summed. Games open round by round, so the first that is missing ends them."""
        found: list[Situation] = []
        while True:
            try:
                found.append(await self._situation(duplicate_id(request.tournament_id, len(found) + 1)))
            except NotFound:
                break
        return await asyncio.to_thread(answers.totals, found)

    async def _notes(self, game_id: str, hall: int) -> Mapping[int, str]:
        """What people wrote beside the facts of a hall, by the versions of these."""
        return await self._runtime.record.notes_of(hall_stream(game_id, hall))

    async def _situation(self, game_id: str, names: Sequence[str] | None = None) -> Situation:
        return (await self._load(game_id, names)).situation

    async def _load(self, game_id: str, names: Sequence[str] | None, request: Any = None) -> Loading:
        record = self._runtime.record
        loaded = await load_game(record, game_id)
        at: Instant = max(instant(to_timestamp(self._runtime.now())), loaded.state.last_at)
        if request is not None and request.HasField("occurred_at"):
            at = max(instant(occurred_at(request, self._runtime.now)), loaded.state.last_at)
        ruleset = await rules_of(record, loaded.state.ruleset)
        words = self._lexicons.words(loaded.state.lexicon, ruleset)
        return await load_situation(record, loaded, words, at, names)


def halls_of(request: Any) -> Sequence[str] | None:
    """The halls that a command asks for: its own, none, or all."""
    if "hall" in request.DESCRIPTOR.fields_by_name:
        return (request.hall,)
    return None if isinstance(request, pb.ScoreTurnRequest | pb.ValidateResultsRequest) else ()
