"""The service with which hall cells synchronise: they join, follow, send events, and officials see their state."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.duplicate_game.ownership import take_back_slips
from faristol.event_store import Decision, Guard, Loaded, Write, load
from faristol.event_store.long_work import long_call
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.duplicate_game.sealed_game_keys import SealedGameKeys
from faristol.game.halls.asides import ASIDE_FULL, Asides
from faristol.game.halls.decide import decide_aside, find_joined, join, release
from faristol.game.halls.following import Following
from faristol.game.halls.kept_list import list_kept
from faristol.game.halls.later_events import LaterEvents, build_later_events
from faristol.game.halls.model import Halls, evolve, halls_stream
from faristol.game.halls.pushes import UNKNOWN_EVENT, Pushes
from faristol.game.halls.slips import (
    OwnedSlips,
    decide_each_slips,
    decide_hand_over,
    is_played,
    list_played,
    load_slips,
)
from faristol.game.halls.tables import (
    decide_each,
    is_final,
    load_open_tables,
    load_tournament,
    unfinished_games,
)
from faristol.host import Runtime
from faristol.host.halls.heartbeats import last_heartbeats, last_refusals, note_heartbeat, note_refusal
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.host.security.authorization import caller
from faristol.host.table_store import Settled
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.event_types import methods_of
from faristol.kernel.pins import lexicon_missing
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import instant, to_timestamp
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.table import ownership
from faristol.words import LexiconError, Library

M = TypeVar("M", bound=Message)

SALT_BYTES = 32
"""Bytes of ``HallJoined.draw_salt``."""

LEXICON_PART_BYTES = 256 * 1024
"""Bytes of a lexicon in one message."""

MAX_NOTE_CHARACTERS = 500
"""Characters of the reason of a director or arbiter."""

PUSH_REFUSALS: Mapping[str, pb.PushRefusal.ValueType] = {
    "": pb.PUSH_REFUSAL_INVALID,
    UNKNOWN_EVENT: pb.PUSH_REFUSAL_UNKNOWN_EVENT,
    ASIDE_FULL: pb.PUSH_REFUSAL_ASIDE_FULL,
}
"""Refusals of batches that officials see, by their reasons: empty for one that no honest hall sends."""

_Decide = Callable[[Any, Loaded[Halls]], Awaitable[tuple[Decision, dict[str, Any]]]]
"""Returns the decision on a command, and the fields of its answer beside the position."""

_COMMANDS = (
    pb.JoinHallRequest,
    pb.HandOverTablesRequest,
    pb.TakeBackTablesRequest,
    pb.ReleaseHallRequest,
    pb.DecideKeptAsideRequest,
)


def hall_service(runtime: Runtime, lexicons: Lexicons) -> Dispatcher:
    """Build the dispatcher of the service. The contract documents its methods.

    ``lexicons`` are used to check the scores of duplicate games.
    """
    halls = HallSync(runtime, lexicons)
    return Dispatcher(pb.DESCRIPTOR.services_by_name["HallSyncService"], _COMMANDS, halls.carry_out, methods_of(halls))


class HallSync:
    """The methods of the service."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons) -> None:
        self._runtime = runtime
        self._lexicons = lexicons
        self._following = Following(runtime.record, SealedGameKeys(runtime.settings.sealed_games_key()))
        self._pushes = Pushes(runtime.record, lexicons, runtime.now, self._following.sent)
        self._asides = Asides(runtime.record, runtime.now)

    async def follow_championship(
        self, request: pb.FollowChampionshipRequest, context: Context
    ) -> AsyncIterator[pb.FollowChampionshipResponse]:
        """Send the events that a hall needs, from a position on."""
        await load_tournament(self._runtime.record, request.tournament_id)
        async for response in self._following.follow(request):
            yield response

    async def fetch_lexicon(
        self, request: pb.FetchLexiconRequest, context: Context
    ) -> AsyncIterator[pb.FetchLexiconResponse]:
        """Send the file of a lexicon. Raises ``Refusal`` for one that is not installed."""
        library = Library(self._runtime.settings.lexicons)
        try:
            file = library.find_file(request.digest)
        except LexiconError:
            raise lexicon_missing(request.digest[:64], ()) from None
        content = await asyncio.to_thread(file.read_bytes)
        for start in range(0, len(content), LEXICON_PART_BYTES):
            yield pb.FetchLexiconResponse(part=content[start : start + LEXICON_PART_BYTES])

    async def push_events(self, request: pb.PushEventsRequest, context: Context) -> pb.PushEventsResponse:
        """Take the events of a hall, and note the reason of a refusal for officials."""
        try:
            with long_call():
                return await self._pushes.take(request)
        except (Invalid, Refusal) as refused:
            if refusal := PUSH_REFUSALS.get(getattr(refused, "reason", "")):
                await note_refusal(self._runtime.record, request.tournament_id, request.hall, refusal)
            raise

    async def heartbeat(self, request: pb.HeartbeatRequest, context: Context) -> pb.HeartbeatResponse:
        """Note the state of a hall, and return what it has."""
        record = self._runtime.record
        joined = (await self._load(request.tournament_id)).state.joined.get(request.hall)
        is_joined = joined is not None and joined.key == request.key
        epochs: dict[str, int] = {}
        if is_joined:
            await note_heartbeat(record, request.tournament_id, request.hall, max(0, request.unsent))
            tournament = await load_tournament(record, request.tournament_id)
            tables = await load_open_tables(record, unfinished_games(tournament, request.hall))
            epochs = {
                game_id: table.game.epoch for game_id, table in tables.items() if table.game.owner_key == request.key
            }
            for slips in await load_slips(record, tournament, request.hall):
                if is_played(slips, request.key):
                    epochs[slips.name] = slips.hall.epoch
        return pb.HeartbeatResponse(
            joined=is_joined,
            tables=[pb.TableEpoch(game_id=game_id, epoch=epoch) for game_id, epoch in sorted(epochs.items())],
            now=to_timestamp(self._runtime.now()),
            position=await record.last_position(),
            version=version("faristol"),
        )

    async def list_halls(self, request: pb.ListHallsRequest, context: Context) -> pb.ListHallsResponse:
        """List the hall cells with what is missing of them."""
        record = self._runtime.record
        tournament = await load_tournament(record, request.tournament_id)
        halls = (await self._load(request.tournament_id)).state
        joined = halls.joined
        heard = await last_heartbeats(record, request.tournament_id, joined)
        refusals = await last_refusals(record, request.tournament_id, joined)
        lines = []
        for hall, cell in sorted(joined.items()):
            last = heard.get(hall)
            line = pb.HallLine(
                hall=hall,
                address=cell.address,
                joined_at=cell.joined_at,
                game_ids=await list_played(record, tournament, hall, cell.key),
                unsent=last.unsent if last else 0,
                version=cell.version,
                aside=halls.count_undecided(hall),
                refusal=refusals.get(hall, pb.PUSH_REFUSAL_UNSPECIFIED),
            )
            if last:
                line.heard_at.CopyFrom(to_timestamp(last.at))
            if last.is_behind if last else line.game_ids:
                line.behind_since.CopyFrom(line.heard_at if last else cell.joined_at)
            lines.append(line)
        return pb.ListHallsResponse(halls=lines, version=version("faristol"))

    async def list_kept_aside(self, request: pb.ListKeptAsideRequest, context: Context) -> pb.ListKeptAsideResponse:
        """List the events that were kept aside, each beside what the championship has."""
        return pb.ListKeptAsideResponse(aside=await self._asides.describe_all(request.tournament_id))

    async def list_kept_commands(
        self, request: pb.ListKeptCommandsRequest, context: Context
    ) -> pb.ListKeptCommandsResponse:
        """List the commands that halls accepted without a line, with what the championship did."""
        record, tournament_id = self._runtime.record, request.tournament_id
        await load_tournament(record, tournament_id)
        joined = (await self._load(tournament_id)).state.keys
        keys = [key for _, each in sorted(joined.items()) for key in each] or [record.owner_key]
        return pb.ListKeptCommandsResponse(commands=await list_kept(record, tournament_id, keys))

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Handle a command on the halls of a tournament."""
        decisions: Mapping[type[Message], _Decide] = {
            pb.JoinHallRequest: self._join,
            pb.ReleaseHallRequest: self._release,
            pb.DecideKeptAsideRequest: self._decide_aside,
            pb.HandOverTablesRequest: self._hand_over,
            pb.TakeBackTablesRequest: self._take_back,
        }
        decide = decisions[type(request)]
        if len(getattr(request, "note", "")) > MAX_NOTE_CHARACTERS:
            raise Invalid("note", N_("expected at most {most} characters"), {"most": MAX_NOTE_CHARACTERS})

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self._load(request.tournament_id)
            decision, fields = await decide(request, loaded)

            def answer(position: int) -> M:
                return response(position=position, **fields)

            return decision, answer

        return await self._runtime.command_handler.handle(
            context, request, attempt, response=response, queue=halls_stream(request.tournament_id)
        )

    async def _join(self, request: pb.JoinHallRequest, loaded: Loaded[Halls]) -> tuple[Decision, dict[str, Any]]:
        tournament = await load_tournament(self._runtime.record, request.tournament_id)
        at, salt = to_timestamp(self._runtime.now()), os.urandom(SALT_BYTES)
        decision = self._write(request, loaded, join(loaded.state, request, tournament.halls, at, salt))
        return decision, {"pages_address": self._runtime.settings.http_address}

    async def _release(self, request: pb.ReleaseHallRequest, loaded: Loaded[Halls]) -> tuple[Decision, dict[str, Any]]:
        tournament = await load_tournament(self._runtime.record, request.tournament_id)
        at = to_timestamp(self._runtime.now())
        return self._write(request, loaded, release(loaded.state, request, tournament.halls, at)), {}

    async def _decide_aside(
        self, request: pb.DecideKeptAsideRequest, loaded: Loaded[Halls]
    ) -> tuple[Decision, dict[str, Any]]:
        """Decide on events that were kept aside; a table goes on with those after one that is disregarded."""
        at, halls = to_timestamp(self._runtime.now()), loaded.state
        decide_aside(halls, request, at)  # refuses a malformed request first
        later: LaterEvents | None = None
        if request.verdict == events.ASIDE_VERDICT_DISREGARDED:
            kept, tournament_id = halls.aside[request.number], request.tournament_id
            later = await build_later_events(
                self._runtime.record, self._lexicons, halls, kept, tournament_id, request.arbiter_id, instant(at)
            )
        added = later.count if later else 0
        decision = self._write(request, loaded, decide_aside(halls, request, at, added))
        if later:
            writes, guards = [*decision.writes, *later.decision.writes], later.decision.guards
            decision = Decision(writes, guards)
        return decision, {"added": added}

    async def _hand_over(
        self, request: pb.HandOverTablesRequest, loaded: Loaded[Halls]
    ) -> tuple[Decision, dict[str, Any]]:
        tournament = await load_tournament(self._runtime.record, request.tournament_id)
        joined = find_joined(loaded.state, request.hall, tournament.halls)
        at = instant(to_timestamp(self._runtime.now()))
        tables = await self._tables(request)
        decision, changed = decide_each(
            {game_id: settled for game_id, settled in tables.items() if request.game_ids or not is_final(settled)},
            lambda settled: ownership.hand_over(settled.table, request.hall, joined.key, at),
        )
        of_slips, games = decide_each_slips(
            [each for each in await self._slips(request) if request.game_ids or not each.is_over],
            lambda slips: decide_hand_over(slips, joined.key, at),
        )
        guards = [*decision.guards, Guard(halls_stream(request.tournament_id), loaded.version)]
        return Decision([*decision.writes, *of_slips.writes], guards), {"game_ids": [*changed, *games]}

    async def _take_back(
        self, request: pb.TakeBackTablesRequest, loaded: Loaded[Halls]
    ) -> tuple[Decision, dict[str, Any]]:
        at = instant(to_timestamp(self._runtime.now()))
        credential = caller()
        director = credential.subject if credential else "director"
        tables = await self._tables(request)

        def take_back(settled: Settled) -> list[Message]:
            table = settled.table
            return [*ownership.take_back(table, request.note, at), *ownership.stop_clock(table, director)]

        lost = {game_id: settled for game_id, settled in tables.items() if settled.game.owner_hall == request.hall}
        decision, changed = decide_each(lost, take_back)
        of_slips, games = decide_each_slips(
            [each for each in await self._slips(request) if each.hall.owner_hall == request.hall],
            lambda slips: take_back_slips(slips.hall, request.note, at),
        )
        if not (changed or games):
            tournament = await load_tournament(self._runtime.record, request.tournament_id)
            if request.hall not in tournament.halls:
                raise NotFound("hall", request.hall)
        return Decision([*decision.writes, *of_slips.writes], decision.guards), {"game_ids": [*changed, *games]}

    async def _slips(self, request: pb.HandOverTablesRequest | pb.TakeBackTablesRequest) -> list[OwnedSlips]:
        """Load the slips of the hall in the duplicate games that a command names, or in all."""
        tournament = await load_tournament(self._runtime.record, request.tournament_id)
        found = await load_slips(self._runtime.record, tournament, request.hall)
        return [each for each in found if not request.game_ids or each.game_id in request.game_ids]

    async def _tables(self, request: pb.HandOverTablesRequest | pb.TakeBackTablesRequest) -> Mapping[str, Settled]:
        """Load the tables that a command names, or all of the hall. Raises ``NotFound`` for an unknown one."""
        tournament = await load_tournament(self._runtime.record, request.tournament_id)
        duplicates = {each.game_id for each in await self._slips(request)}
        seated = {
            pairing.game_id
            for pairings in tournament.pairings.values()
            for pairing in pairings
            if pairing.hall == request.hall
        }
        for game_id in request.game_ids:
            if game_id not in seated | duplicates:
                raise NotFound("game", game_id)
        wanted = seated & {*request.game_ids} if request.game_ids else seated
        return await load_open_tables(self._runtime.record, wanted)

    async def _load(self, tournament_id: str) -> Loaded[Halls]:
        return await load(self._runtime.record, halls_stream(tournament_id), Halls(), evolve)

    @staticmethod
    def _write(request: Any, loaded: Loaded[Halls], new_events: list[Message]) -> Decision:
        stream = halls_stream(request.tournament_id)
        return Decision([Write(stream, loaded.version, new_events, request.tournament_id)])
