"""Reactions of the pairing service: record the results and the sanctions of tables in the tournament."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from google.protobuf.message import Message

from faristol.consumers import Reaction
from faristol.event_store import Decision, Loaded, Record, Recorded, load
from faristol.event_store.long_work import LongWork
from faristol.host.ruleset_store import rules_of
from faristol.kernel import event_types
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.command_handling.proposals import build_proposal, needs_second_official
from faristol.tournament.discipline.at_tables import note_sanction, with_note
from faristol.tournament.results.results import record_result
from faristol.tournament.situation import Situation
from faristol.tournament.state import GameDecision, TournamentState, evolve, stream


def results(record: Record) -> Reaction:
    """Build the reaction that records every final result of a table (FISC I.8).

    Raises ``Refusal`` if no table of the tournament can have the result. The table's stream is then parked and shown.
    """

    async def decide(event: Recorded, loaded: Loaded[TournamentState]) -> list[Message]:
        final = event.message
        assert isinstance(final, game_events.ResultFinal)
        game_id = event.stream.removeprefix("game-")
        recorded = record_result(
            loaded.state,
            await rules_of(record, loaded.state.ruleset),
            game=game_id,
            scores=[(score.player_id, score.score) for score in final.scores],
            occurred_at=final.occurred_at,
            decided=GameDecision.by(final),
        )
        if needs_second_official(loaded.state, recorded):
            situation = Situation(loaded.state, now=event.recorded_at)
            proposer_id = await _find_reopener(record, event)
            return [build_proposal(situation, final, recorded, proposer_id, game_id)]
        return recorded

    async def note(event: Recorded) -> Decision | None:
        loaded = await load(record, stream(event.tournament), TournamentState(), evolve)
        recorded = await decide(event, loaded)
        return Decision([write_of(loaded, recorded)]) if recorded else None

    async def note_many(finals: Sequence[Recorded]) -> Sequence[Decision | None]:
        """Decide on the results of many tables, such as those of a hall that comes back, up to the first refusal."""
        states: dict[str, Loaded[TournamentState]] = {}
        decisions: list[Decision | None] = []
        work = LongWork()
        for event in finals:
            await work.let_others()
            tournament = event.tournament
            if tournament not in states:
                states[tournament] = await load(record, stream(tournament), TournamentState(), evolve)
            loaded = states[tournament]
            try:
                recorded = await decide(event, loaded)
            except Refusal:
                break
            decisions.append(Decision([write_of(loaded, recorded)]) if recorded else None)
            states[tournament] = Loaded(reduce(evolve, recorded, loaded.state), loaded.version + len(recorded))
        return decisions

    return Reaction("pairing.results", event_types.types_of([game_events.ResultFinal]), note, note_many)


async def _find_reopener(record: Record, final: Recorded) -> str:
    """Return the id of the official who reopened a table before its final result."""
    for event in reversed(await record.read_stream(final.stream)):
        reopened = event.message
        if event.version < final.version and isinstance(reopened, game_events.GameReopened):
            return event.metadata.actor or reopened.arbiter_id
    return ""


def sanctions(record: Record) -> Reaction:
    """Build the reaction that notes every sanction of a table in the tournament (FISE 46 to 49, UF 28, PES Ζ).

    It skips a tournament that is over or removed. On a record of an earlier version, the reaction begins with the first
    event. Published standings must not get sanctions years later. The publication itself notes the sanctions that this
    reaction has not processed by then.
    """

    async def note(event: Recorded) -> Decision | None:
        loaded = await load(record, stream(event.tournament), TournamentState(), evolve)
        if loaded.state.over or loaded.state.removed:
            return None
        notes = await record.notes_of(event.stream)
        noted = note_sanction(
            loaded.state,
            await rules_of(record, loaded.state.ruleset),
            event.stream.removeprefix("game-"),
            event.version,
            with_note(event.message, notes.get(event.version)),
        )
        return Decision([write_of(loaded, noted)]) if noted else None

    return Reaction("pairing.sanctions", event_types.types_of([game_events.SanctionImposed]), note)
