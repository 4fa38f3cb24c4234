"""Commands that the cell of a hall accepts without a line, and their effects on what the hall shows.

The hall decides on its copy of the tournament with the effects of the commands that it keeps. The effects are stored
with the command, so that they do not change when the hall copies later events of the championship. They are applied to
the state that the pairing service loads, not to the stream: the stream stays a copy, and an effect disappears when the
outcome of its command comes with the events of the championship. Projections list kept results beside the tournament
and do not apply them, so that rows never have to be taken back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from google.protobuf.message import Message

from faristol.event_store import Decision, Guard, Loaded, Record, Recorded, Write, message_class
from faristol.host.halls.kept import kept_stream, outcome_stream, read_kept, read_pending
from faristol.host.table_store import Settled, load_table
from faristol.kernel.event_types import meaning
from faristol.kernel.likeness import like
from faristol.kernel.times import instant, timestamp
from faristol.pb.game.v1.events_pb2 import FinalScore, TableClosed
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.table.game.state import Phase
from faristol.table.ownership import refuse_foreign
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.situation import Situation
from faristol.tournament.state import TournamentState, evolve, stream

KEPT_REQUESTS: Mapping[str, type[Message]] = {
    request.DESCRIPTOR.full_name: request
    for request in (
        pb.ReportResultRequest,
        pb.ConfirmResultRequest,
        pb.EnterResultRequest,
        pb.EnterSignedSheetRequest,
        pb.GiveForfeitRequest,
        pb.CorrectResultRequest,
        pb.CorrectOwnResultRequest,
        pb.DecideDisputeRequest,
    )
}
"""The commands that a hall keeps, by the full names of their requests: each concerns the result of one game."""


class KeptCommands:
    """The commands that this cell keeps. The record of the championship keeps none."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def is_kept(self, request: Message) -> bool:
        """Check whether this cell keeps a command instead of executing it."""
        return bool(self._record.owner_key) and request.DESCRIPTOR.full_name in KEPT_REQUESTS

    async def apply(self, loaded: Loaded[TournamentState]) -> Loaded[TournamentState]:
        """Return the tournament with the effects of the kept commands that have no outcome yet."""
        if not self._record.owner_key:
            return loaded
        pending = await read_pending(self._record, loaded.state.tournament_id, self._record.owner_key)
        # A round may have been paired again since: then its commands will be refused.
        effects = [
            effect
            for _, kept in pending
            if loaded.state.find_game(kept.game_id) is not None
            for effect in _effects(kept)
        ]
        return replace(loaded, state=reduce(evolve, effects, loaded.state)) if effects else loaded

    async def scores_of(self, tournament_id: str) -> Mapping[str, Sequence[FinalScore]]:
        """Return the scores of the results that this cell keeps, by game."""
        if not self._record.owner_key:
            return {}
        pending = await read_pending(self._record, tournament_id, self._record.owner_key)
        return {kept.game_id: kept.scores for _, kept in pending}

    async def events_of(self, tournament_id: str, games: Collection[str]) -> list[Recorded]:
        """Return the effects on games that this cell keeps, as events of the actors of their commands."""
        if not self._record.owner_key:
            return []
        pending = await read_pending(self._record, tournament_id, self._record.owner_key)
        return [
            replace(
                recorded,
                type=effect.type,
                payload=effect.payload,
                schema_version=meaning(message_class(effect.type)).version,
            )
            for recorded, kept in pending
            if kept.game_id in games
            for effect in kept.effects
        ]

    async def decide(
        self,
        loaded: Loaded[TournamentState],
        situation: Situation,
        request: Any,
        new_events: list[Message],
        guards: Sequence[Guard],
    ) -> Decision:
        """Return the decision that keeps an accepted command, and closes its table if it enters a result.

        Raises ``Refusal`` for a table that the hall does not have.
        """
        record, tournament_id = self._record, loaded.state.tournament_id
        table = await load_table(record, request.game_id)
        found = loaded.state.find_game(request.game_id)
        if table is None or found is None:
            return Decision([write_of(loaded, new_events)])  # the record refuses the stream of the championship
        if not table.is_own:
            raise refuse_foreign(table.game)
        name = kept_stream(tournament_id, record.owner_key)
        kept = await read_kept(record, tournament_id, record.owner_key)
        after = reduce(evolve, new_events, loaded.state).find_game(request.game_id)
        assert after is not None
        played, pairing = after
        event = hall_events.HallCommandKept(
            hall=table.game.hall,
            command_id=request.command_id,
            type=request.DESCRIPTOR.full_name,
            request=_without_note(request).SerializeToString(),
            game_id=request.game_id,
            table=pairing.table,
            scores=[
                FinalScore(player_id=player_id, score=score)
                for player_id, score in zip(pairing.player_ids, played.results.get(request.game_id, ()), strict=False)
            ],
            effects=[
                hall_events.KeptEffect(
                    type=effect.DESCRIPTOR.full_name, payload=_without_note(effect).SerializeToString()
                )
                for effect in new_events
            ],
            note=getattr(request, "note", ""),
            occurred_at=situation.occurred_at,
        )
        writes = [Write(name, len(kept), [event], tournament_id, pairing.player_ids)]
        outcomes = outcome_stream(tournament_id)
        last = (await record.last_events([outcomes])).get(outcomes)
        closing = _close(table, new_events)
        return Decision(
            [*writes, *closing.writes],
            [
                *guards,
                *closing.guards,
                Guard(stream(tournament_id), loaded.version),
                Guard(outcomes, last.version if last else 0),
            ],
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


def _effects(kept: hall_events.HallCommandKept) -> list[Message]:
    return [message_class(effect.type).FromString(effect.payload) for effect in kept.effects]


def _without_note(message: Message) -> Message:
    """Return a copy of a message without its free text, which is stored outside the events."""
    copied = type(message)()
    copied.CopyFrom(message)
    for field, _ in copied.ListFields():
        if field.GetOptions().debug_redact:
            copied.ClearField(field.name)
    return copied
