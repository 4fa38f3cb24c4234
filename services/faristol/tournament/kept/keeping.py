"""Commands that the cell of a hall accepts without a line, and their effects on what the hall shows.

The hall decides on its copy of the tournament with the final results of its tables and the effects of the commands that
it keeps. The effects are stored with the command, so that they do not change when the hall copies later events of the
championship. They are applied to the state that the pairing service loads, not to the stream: the stream stays a copy,
and an effect disappears when the outcome of its command comes with the events of the championship. Projections list
kept results beside the tournament and do not apply them, so that rows never have to be taken back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.event_store import Decision, Guard, Loaded, Record, Recorded, Write, load
from faristol.event_store.upcasters import upcasters
from faristol.host.command_handler import canonical
from faristol.host.halls.kept import KeptEvent, enters_result, kept_stream, list_effective, outcome_stream, read_pending
from faristol.host.table_store import Settled, game_stream, load_tables
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.event_types import meaning
from faristol.kernel.likeness import encode_without_text, like
from faristol.kernel.refusal import N_, Param, Refusal, check_none
from faristol.kernel.times import instant, timestamp
from faristol.pb.game.v1.events_pb2 import FinalScore, TableClosed
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.table.game.state import Phase
from faristol.table.ownership import refuse_foreign
from faristol.tournament.kept.finished import FinishedTables
from faristol.tournament.kept.requests import MAX_KEPT_RESULTS_COUNT, is_kept, parts_of, refuse_unkept
from faristol.tournament.results.results import list_scores
from faristol.tournament.situation import Situation
from faristol.tournament.state import Pairing, TournamentState, evolve, stream

FIRST_EFFECT_VERSIONS: Mapping[str, int] = {
    "faristol.pairing.v1.ResultEntered": 3,
    "faristol.pairing.v1.ResultCorrected": 3,
    "faristol.pairing.v1.ResultConfirmed": 2,
    "faristol.pairing.v1.ResultDisputed": 2,
}
"""Versions of the types of effects without a version, which halls stored at first; 1 for all other types."""

OTHER_TABLE = N_("Table {table} is not one of the hall {hall}: it is decided in its own hall or in the championship.")


class KeptCommands:
    """The commands that this cell keeps. The record of the championship keeps none."""

    def __init__(self, record: Record, hall: str = "") -> None:
        """``hall`` is the name of the hall of this cell; empty in a championship."""
        self._record = record
        self._hall = hall
        self._finished = FinishedTables(record)

    def is_kept(self, request: Message) -> bool:
        """Check whether this cell keeps a command instead of executing it."""
        return bool(self._record.owner_key) and is_kept(request)

    def check_decides(self, request: Message) -> None:
        """Check that this cell decides on a command. Raises ``Refusal`` with its reason in a hall that does not."""
        if self._record.owner_key and not is_kept(request):
            raise refuse_unkept(request, self._hall)

    async def check_tables(self, state: TournamentState, request: Any) -> None:
        """Check that a command concerns only tables that this hall has.

        Raises ``Refusal`` with all other tables, and ``Invalid`` for more results than a hall keeps at once.
        """
        parts = parts_of(request, canonical(request.command_id))
        if len(parts) > MAX_KEPT_RESULTS_COUNT:
            limits = {"most": MAX_KEPT_RESULTS_COUNT, "count": len(parts)}
            raise Invalid("results", N_("are {count}; a hall without a line keeps at most {most} at once"), limits)
        pairings = [found[1] for part in parts if (found := state.find_game(part.game_id))]
        tables = await self._load_tables(pairings)
        refusals: list[Refusal] = []
        for pairing in pairings:
            settled = tables[pairing.game_id]
            subject = f"games/{pairing.game_id}"
            if settled is None:
                params: Mapping[str, Param] = {"table": pairing.table, "hall": self._hall}
                refusals.append(Refusal("OTHER_HALL", OTHER_TABLE, params, subject=subject))
            elif not settled.is_own:
                refusals.append(refuse_foreign(settled.table).replace(subject=subject))
        check_none(refusals)

    async def _load_tables(self, pairings: Collection[Pairing]) -> Mapping[str, Settled | None]:
        found = await load_tables(self._record, {pairing.game_id for pairing in pairings})
        for settled in found.values():
            if isinstance(settled, Exception):
                raise settled
        return {game_id: settled for game_id, settled in found.items() if not isinstance(settled, Exception)}

    async def list_elsewhere(self, pairings: Collection[Pairing]) -> frozenset[str]:
        """Return the games at tables that this hall does not have; an empty set in a championship."""
        if not self._record.owner_key:
            return frozenset()
        tables = await self._load_tables(pairings)
        return frozenset(game_id for game_id, settled in tables.items() if settled is None or not settled.is_own)

    async def apply(self, loaded: Loaded[TournamentState]) -> Loaded[TournamentState]:
        """Return the tournament with the final results of the hall's tables and the effects of the kept commands."""
        if not self._record.owner_key:
            return loaded
        finished = await self._finished.results_of(loaded.state)
        effects = [event for _, new_events in finished.values() for event in new_events]
        # A round may have been paired again since: then its commands will be refused.
        effects += [
            effect
            for _, kept in await self._list_effective(loaded.state.tournament_id)
            if loaded.state.find_game(kept.game_id) is not None
            for effect in _effects(kept)
        ]
        return replace(loaded, state=reduce(evolve, effects, loaded.state)) if effects else loaded

    async def _list_effective(self, tournament_id: str) -> list[KeptEvent]:
        return list_effective(await read_pending(self._record, tournament_id, self._record.owner_key))

    async def scores_of(self, state: TournamentState) -> Mapping[str, Sequence[FinalScore]]:
        """Return the scores of the results that the tournament does not have yet, by game.

        ``state`` is the tournament with them, from ``apply``.
        """
        if not self._record.owner_key:
            return {}
        kept = {each.game_id for _, each in await self._list_effective(state.tournament_id) if each.scores}
        copied = await self._load_copied(state.tournament_id)
        kept |= (await self._finished.results_of(copied)).keys()
        return {game_id: list_scores(state, game_id) for game_id in sorted(kept) if state.find_game(game_id)}

    async def _load_copied(self, tournament_id: str) -> TournamentState:
        """Load the tournament as the championship has it."""
        return (await load(self._record, stream(tournament_id), TournamentState(), evolve)).state

    async def list_withdrawable(self, tournament_id: str) -> Mapping[str, tuple[str, str]]:
        """Return the last kept command on each game, if it can be withdrawn: its id, and that of its author."""
        if not self._record.owner_key:
            return {}
        last = {kept.game_id: (recorded, kept) for recorded, kept in await self._list_effective(tournament_id)}
        return {
            game_id: (kept.command_id, recorded.metadata.actor)
            for game_id, (recorded, kept) in last.items()
            if not enters_result(kept)
        }

    async def events_of(self, tournament_id: str, games: Collection[str]) -> list[Recorded]:
        """Return what the tournament does not have yet of these games, as events of the actors of their commands."""
        if not self._record.owner_key:
            return []
        finished = await self._finished.results_of(await self._load_copied(tournament_id))
        found = [
            replace(
                recorded,
                type=event.DESCRIPTOR.full_name,
                payload=event.SerializeToString(),
                schema_version=meaning(type(event)).version,
            )
            for game_id, (recorded, new_events) in finished.items()
            if game_id in games
            for event in new_events
        ]
        found += [
            replace(recorded, type=effect.type, payload=effect.payload, schema_version=_version_of(effect))
            for recorded, kept in await self._list_effective(tournament_id)
            if kept.game_id in games
            for effect in kept.effects
        ]
        return found

    async def decide(
        self,
        loaded: Loaded[TournamentState],
        situation: Situation,
        request: Any,
        new_events: Sequence[Message],
        guards: Sequence[Guard],
    ) -> Decision:
        """Return the decision that keeps an accepted command, and closes the tables of entered results.

        A command on several tables is kept in parts, see ``parts_of``. ``check_tables`` has accepted its tables.
        """
        record, tournament_id = self._record, loaded.state.tournament_id
        parts = parts_of(request, canonical(request.command_id))
        after = reduce(evolve, new_events, loaded.state)
        pairings = [each[1] for part in parts if (each := after.find_game(part.game_id))]
        tables = await self._load_tables(pairings)
        version, also = await self._read_versions(tournament_id)
        writes: list[Write] = []
        guards = [*guards, *also, Guard(stream(tournament_id), loaded.version)]
        for part, pairing in zip(parts, pairings, strict=True):
            table = tables[pairing.game_id]
            if table is None:
                raise NotFound("game", pairing.game_id)
            effects = [event for event in new_events if len(parts) == 1 or _game_of(event) == pairing.game_id]
            kept = _keep(
                part,
                effects,
                hall=table.game.hall,
                game_id=pairing.game_id,
                table=pairing.table,
                scores=list_scores(after, pairing.game_id),
                scores_before=list_scores(loaded.state, pairing.game_id),
                occurred_at=situation.occurred_at,
            )
            name, closing = kept_stream(tournament_id, record.owner_key), _close(table, effects)
            writes += [Write(name, version, [kept], tournament_id, pairing.player_ids), *closing.writes]
            game = game_stream(pairing.game_id)
            guards += [*closing.guards, Guard(game, table.versions[game])]
        return Decision(writes, guards)

    async def _read_versions(self, tournament_id: str) -> tuple[int, Sequence[Guard]]:
        """Return the version of the stream of kept commands, and the guard on that of their outcomes."""
        name, outcomes = kept_stream(tournament_id, self._record.owner_key), outcome_stream(tournament_id)
        last = await self._record.last_events([name, outcomes])
        versions = {found: event.version for found, event in last.items()}
        return versions.get(name, 0), [Guard(outcomes, versions.get(outcomes, 0))]

    async def keep_withdrawal(
        self,
        state: TournamentState,
        request: pb.WithdrawKeptCommandRequest,
        target: hall_events.HallCommandKept,
        at: Timestamp,
    ) -> Decision:
        """Return the decision that keeps the withdrawal of a kept command."""
        found = state.find_game(target.game_id)
        version, guards = await self._read_versions(request.tournament_id)
        kept = _keep(
            like(pb.WithdrawKeptCommandRequest, request, command_id=canonical(request.command_id)),
            hall=target.hall,
            game_id=target.game_id,
            table=target.table,
            withdrawn_id=target.command_id,
            occurred_at=at,
        )
        name = kept_stream(request.tournament_id, self._record.owner_key)
        concerned = found[1].player_ids if found else ()
        return Decision([Write(name, version, [kept], request.tournament_id, concerned)], guards)


def _keep(request: Any, effects: Sequence[Message] = (), **about: Any) -> hall_events.HallCommandKept:
    """Return the event of a kept command with its effects, all without their free text."""
    return hall_events.HallCommandKept(
        **about,
        command_id=request.command_id,
        type=request.DESCRIPTOR.full_name,
        request=encode_without_text(request),
        effects=[
            hall_events.KeptEffect(
                type=effect.DESCRIPTOR.full_name,
                payload=encode_without_text(effect),
                schema_version=meaning(type(effect)).version,
            )
            for effect in effects
        ],
        note=request.note if "note" in request.DESCRIPTOR.fields_by_name else "",
    )


def _close(table: Settled, new_events: Sequence[Message]) -> Decision:
    """Return the decision that closes the table of an entered result, so that no clock of it runs on in the hall."""
    entered = next((event for event in new_events if isinstance(event, events.ResultEntered)), None)
    result = next((event for event in new_events if isinstance(event, events.ResultRecorded)), None)
    if entered is None or result is None or table.game.phase is Phase.FINAL:
        return Decision()
    closed = like(
        TableClosed,
        result,
        given_up=entered.turns_given_up > 0,
        occurred_at=timestamp(max(instant(result.occurred_at), table.table.last_at)),
    )
    return table.decision(table.with_consequences([closed]))


def _game_of(event: Any) -> str:
    """Return the game of an effect of a command on several tables. Each effect has one."""
    return str(event.game_id)


def _version_of(effect: hall_events.KeptEffect) -> int:
    return effect.schema_version or FIRST_EFFECT_VERSIONS.get(effect.type, 1)


def _effects(kept: hall_events.HallCommandKept) -> list[Message]:
    return [upcasters.message(effect.type, _version_of(effect), effect.payload) for effect in kept.effects]
