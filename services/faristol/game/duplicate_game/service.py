"""Duplicate games over gRPC: load and settle, decide, append, answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.access_control.roles import SCORER
from faristol.duplicate_game import decide
from faristol.duplicate_game.decide.ends import build_embargo_lifted
from faristol.duplicate_game.game import Duplicate
from faristol.duplicate_game.hall_play import as_played
from faristol.duplicate_game.preparation import duplicate_id
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent
from faristol.event_store import Decision, Guard, Loaded, Write
from faristol.game.duplicate_game import answers
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.duplicate_game.preparations import Preparations
from faristol.game.duplicate_game.reactions import find_hidden_seed
from faristol.game.duplicate_game.sealed_game_keys import SealedGameKeys
from faristol.game.duplicate_game.training import Training
from faristol.host import Runtime
from faristol.host.duplicate_store import (
    Loading,
    find_game,
    game_stream,
    hall_stream,
    load_game,
    load_prepared,
    load_situation,
)
from faristol.host.halls.elsewhere import refuse_slips_elsewhere
from faristol.host.halls.heard import is_silent, load_heard
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.host.ruleset_store import rules_of
from faristol.host.security.authorization import caller
from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import methods_of
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, instant, occurred_at, to_timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb

M = TypeVar("M", bound=Message)
_audit = logging.getLogger("faristol.audit")


def service(runtime: Runtime, lexicons: Lexicons) -> Dispatcher:
    """Build the dispatcher of the duplicate service. The contract documents its methods."""
    folder = runtime.settings.hall_folder() if runtime.record.owner_key else None
    sealed_game_keys = SealedGameKeys(runtime.settings.sealed_games_key(), folder)
    games = DuplicateService(runtime, lexicons, sealed_game_keys)
    preparations = Preparations(runtime, lexicons, sealed_game_keys)
    questions = methods_of(games, Training(runtime, lexicons))

    async def carry_out(request: Any, context: Context, response: type[M]) -> M:
        room = preparations if type(request) in preparations.commands else games
        return await room.carry_out(request, context, response)

    descriptor = pb.DESCRIPTOR.services_by_name["DuplicateService"]
    return Dispatcher(descriptor, {**decide.DUPLICATE_COMMANDS, **preparations.commands}, carry_out, questions)


class DuplicateService:
    """The methods of the duplicate service."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons, sealed_game_keys: SealedGameKeys) -> None:
        self._runtime = runtime
        self._lexicons = lexicons
        self._sealed_game_keys = sealed_game_keys

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Settle the game, handle the command, write all consequences, and answer."""

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loading = self._as_played(await self._load(request.game_id, halls_of(request), request))
            try:
                new_events = decide.decide(loading.situation, request)
            except Refusal as refusal:
                raise await self._name_hall(refusal, request, loading.situation) from refusal

            def answer(position: int) -> M:
                return answers.answer(response, position, loading.situation, new_events)

            return await self._with_embargo(loading, new_events), answer

        queue = f"{request.game_id}.{request.hall}" if isinstance(request, pb.SubmitSlipsRequest) else ""
        return await self._runtime.command_handler.handle(context, request, attempt, response=response, queue=queue)

    async def _name_hall(self, refusal: Refusal, request: Any, situation: Situation) -> Refusal:
        """Return a refusal with the address of the laptop on which the command is possible, if it is one of a hall."""
        if "hall" not in request.DESCRIPTOR.fields_by_name or situation.game.hall_named(request.hall) is None:
            return refusal
        hall, tournament_id = situation.hall(request.hall), situation.game.tournament_id
        return await refuse_slips_elsewhere(self._runtime.record, refusal, tournament_id, hall)

    async def get(self, request: pb.GetDuplicateRequest, context: Context) -> pb.GetDuplicateResponse:
        """Return the public state of a game."""
        situation = await self._situation(request.game_id, ())
        if situation.game.is_embargoed and not request.inside:
            return answers.build_embargoed_response(situation)
        return answers.build_duplicate_response(situation)

    async def tops(self, request: pb.ListTopsRequest, context: Context) -> pb.ListTopsResponse:
        """Return the tops of a finished turn."""
        # The search takes tens of milliseconds, and its first call seconds if it is compiled.
        return await asyncio.to_thread(answers.tops, await self._situation(request.game_id, ()), request.turn)

    async def waiting(self, request: pb.ListWaitingRequest, context: Context) -> pb.ListWaitingResponse:
        """Return the open decisions of a judge."""
        situation = await self._situation(request.game_id)
        claimed = [hall for hall in situation.halls.values() if any(not each.decided for each in hall.claims.values())]
        notes = {hall.number: await self._notes(request.game_id, hall.number) for hall in claimed}
        return answers.waiting(situation, request.turn, notes)

    async def handed_in(self, request: pb.ListSlipsRequest, context: Context) -> pb.ListSlipsResponse:
        """Return the slips of a hall for a turn, without the texts that are withheld from the collector who asks."""
        situation = await self._situation(request.game_id, (request.hall,))
        credential = caller()
        collector = credential.subject if credential and credential.role == SCORER else request.collector_id
        return answers.handed_in(situation, request.hall, request.turn, collector)

    async def sheet(self, request: pb.GetHallSheetRequest, context: Context) -> pb.GetHallSheetResponse:
        """Return the sheet of a hall or of a player."""
        situation = await self._situation(request.game_id, None if request.player_id else (request.hall,))
        hidden = request.seats_alone or (situation.game.is_embargoed and not request.inside)
        return answers.sheet(situation, request.hall, request.player_id, hidden=hidden)

    async def own_sheet(self, request: pb.GetOwnSheetRequest, context: Context) -> pb.GetOwnSheetResponse:
        """Return a player's own page. Only the player gets the slips saved by their phone."""
        situation = await self._situation(request.game_id, (request.hall,))
        credential = caller()
        own = credential is None or credential.player == request.player_id
        hall = situation.hall(request.hall)
        notes = await self._notes(request.game_id, hall.number) if hall.claims else {}
        return answers.own_sheet(situation, request.hall, request.player_id, request.turn, notes, with_saved=own)

    async def standings(
        self, request: pb.GetDuplicateStandingsRequest, context: Context
    ) -> pb.GetDuplicateStandingsResponse:
        """Return the standings after the scored turns, of all groups if they are one classification."""
        situation = await self._situation(request.game_id, as_recorded=True)
        embargo = situation.game.embargo
        if situation.game.is_embargoed and not request.inside:
            return pb.GetDuplicateStandingsResponse()
        if embargo is None or not embargo.together or not embargo.lifted:
            return answers.standings([situation])
        known = [await find_game(self._runtime.record, game_id) for game_id in embargo.game_ids]
        others = [
            await self._situation(loaded.state.game_id, as_recorded=True)
            for loaded in known
            if loaded.version and loaded.state.game_id != request.game_id
        ]
        return answers.standings([situation, *others])

    async def bundle(self, request: pb.GetBundleRequest, context: Context) -> pb.GetBundleResponse:
        """Return the data with which a hall can continue offline, with the key after the game has begun."""
        record = self._runtime.record
        game = (await find_game(record, request.game_id)).state
        if game.game_id:
            situation = await self._situation(request.game_id, (request.hall,))
            key = self._sealed_game_keys.key_of(game.game_id, game.seal) if game.seal else b""
            if key:
                who = caller()
                audited = (game.game_id, request.hall, who.credential_id if who else "-", who.subject if who else "-")
                _audit.info("the key of the sealed game %s is released to hall %r: credential %s of %s", *audited)
            return answers.bundle(situation, request.hall, key)
        prepared = (await load_prepared(record, request.game_id)).state
        if prepared.seal is None:
            raise NotFound("game", request.game_id)
        ruleset = await rules_of(record, prepared.ruleset)
        return answers.early_bundle(request.game_id, prepared, ruleset)

    async def totals(self, request: pb.GetDuplicateTotalsRequest, context: Context) -> pb.GetDuplicateTotalsResponse:
        """Return the totals of a tournament's games, without those under embargo.

        Games open round by round, so the first missing one ends the list.
        """
        found: list[Situation] = []
        while True:
            try:
                game_id = duplicate_id(request.tournament_id, len(found) + 1)
                found.append(await self._situation(game_id, as_recorded=True))
            except NotFound:
                break
        shown = [situation for situation in found if not situation.game.is_embargoed]
        return await asyncio.to_thread(answers.totals, shown)

    async def _notes(self, game_id: str, hall: int) -> Mapping[int, str]:
        """Return the notes on events of a hall, by stream version."""
        return await self._runtime.record.notes_of(hall_stream(game_id, hall))

    async def _situation(
        self, game_id: str, names: Sequence[str] | None = None, *, as_recorded: bool = False
    ) -> Situation:
        """Load a game for a query; in the cell of a hall as the hall plays it, unless ``as_recorded``."""
        loading = await self._load(game_id, names)
        return loading.situation if as_recorded else self._as_played(loading).situation

    def _as_played(self, loading: Loading) -> Loading:
        """Return the input of a decision in the cell of a hall, with the turns that the hall called by itself."""
        situation = loading.situation
        if not situation.cell_key:
            return loading
        own = next((hall for hall in situation.halls.values() if situation.is_own(hall)), None)
        heard_at = load_heard(self._runtime.settings.hall_folder())
        situation = replace(situation, is_cut=is_silent(heard_at, self._runtime.now()))
        if own is not None:
            sealed = situation.sealed.game if situation.sealed else None
            situation = replace(situation, game=as_played(situation.game, own, sealed, situation.at))
        return replace(loading, situation=situation)

    async def _load(self, game_id: str, names: Sequence[str] | None, request: Any = None) -> Loading:
        record = self._runtime.record
        loaded = await load_game(record, game_id)
        at: Instant = max(instant(to_timestamp(self._runtime.now())), loaded.state.last_at)
        if request is not None and request.HasField("occurred_at"):
            at = max(instant(occurred_at(request, self._runtime.now)), loaded.state.last_at)
        ruleset = await rules_of(record, loaded.state.ruleset)
        words = self._lexicons.words(loaded.state.lexicon, ruleset)
        # In the cell of a hall, its own hall decides what each caller sees of the game.
        loading = await load_situation(record, loaded, words, at, None if record.owner_key else names)
        sealed, hidden = self._sealed_game_keys.open(loaded.state), await find_hidden_seed(record, loaded.state)
        return replace(loading, situation=replace(loading.situation, sealed=sealed, hidden_seed=hidden))

    async def _with_embargo(self, loading: Loading, new_events: Sequence[StreamEvent]) -> Decision:
        """Return the decision on ``new_events``. If they end the embargo, it ends in all games under it."""
        situation = loading.situation
        embargo = situation.game.embargo
        kinds = {type(event) for _, event in new_events}
        if embargo is None or embargo.lifted or not kinds & {events.DuplicateEnded, events.EmbargoLifted}:
            return loading.decision(new_events)
        others = {
            game_id: await find_game(self._runtime.record, game_id)
            for game_id in embargo.game_ids
            if game_id != situation.game.game_id
        }
        if events.EmbargoLifted not in kinds:
            if not all(other.state.end for other in others.values()):
                return _add_guards(loading.decision(new_events), others)
            new_events = [*new_events, (GAME_STREAM_NUMBER, build_embargo_lifted(situation))]
        writes = [
            Write(game_stream(game_id), other.version, [build_embargo_lifted(situation)], other.state.tournament_id)
            for game_id, other in others.items()
            if other.state.is_embargoed
        ]
        decision = _add_guards(
            loading.decision(new_events), {id_: other for id_, other in others.items() if not other.state.is_embargoed}
        )
        return replace(decision, writes=[*decision.writes, *writes])


def _add_guards(decision: Decision, others: Mapping[str, Loaded[Duplicate]]) -> Decision:
    """Return the decision with guards on these games: of two that end at once, the second sees the first."""
    guards = [Guard(game_stream(game_id), other.version) for game_id, other in others.items()]
    return replace(decision, guards=[*decision.guards, *guards])


def halls_of(request: Any) -> Sequence[str] | None:
    """Return the halls to load for a command: its own, none, or None for all."""
    if "hall" in request.DESCRIPTOR.fields_by_name:
        return (request.hall,)
    return None if isinstance(request, pb.ScoreTurnRequest | pb.ValidateResultsRequest) else ()
