"""The final results of tables that the tournament does not have yet, as it will have them.

In the championship, a reaction records the result of a table a moment after the table has it. In a hall without a line
that moment lasts for hours: the hall shows these results and decides on its commands by them. A command that was kept
after such a result is executed after it, too, whichever of both events the championship reads first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from google.protobuf.message import Message

from faristol.event_store import Record, Recorded
from faristol.host.ruleset_store import rules_of
from faristol.kernel.event_types import types_of
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules import Ruleset
from faristol.tournament.results.results import record_result
from faristol.tournament.state import GameDecision, Phase, TournamentState, game_stream

FINAL_TYPES = types_of([game_events.ResultFinal])

MAX_READ_EVENTS = 10_000
"""Events in one read."""


def list_result_events(
    state: TournamentState, ruleset: Ruleset, game_id: str, final: game_events.ResultFinal
) -> list[Message]:
    """Return the events that record the final result of a table; an empty list if the tournament has it.

    An empty list too for the table of a closed round, and for a result that the tournament cannot have.
    """
    found = state.find_game(game_id)
    if found is None:
        return []
    played, _ = found
    is_later = game_id in played.results and final.revision > played.decided[game_id].revision
    if played.phase is not Phase.STARTED or (game_id in played.results and not is_later):
        return []
    scores = [(score.player_id, score.score) for score in final.scores]
    try:
        return record_result(
            state,
            ruleset,
            game=game_id,
            scores=scores,
            occurred_at=final.occurred_at,
            decided=GameDecision.by(final),
        )
    except Refusal:
        return []


async def read_missing_result(record: Record, state: TournamentState, game_id: str) -> list[Message]:
    """Return the events that record the final result of one table; an empty list if the tournament has it."""
    found = state.find_game(game_id)
    if found is None or game_id in found[0].results:
        return []
    recorded = await record.read_stream(game_stream(game_id))
    finals = [each.message for each in recorded if isinstance(each.message, game_events.ResultFinal)]
    return list_result_events(state, await rules_of(record, state.ruleset), game_id, finals[-1]) if finals else []


@dataclass(slots=True)
class _Finals:
    """The last final result of each table of a tournament, up to a position."""

    position: int = 0
    by_game: dict[str, Recorded] = field(default_factory=dict)


class FinishedTables:
    """Reads the results that the tables of a hall have and that its copy of the tournament lacks."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._finals: dict[str, _Finals] = {}

    async def results_of(self, state: TournamentState) -> Mapping[str, tuple[Recorded, list[Message]]]:
        """Return the final results by game, each with the events that record it, in the order of the record."""
        finals = await self._read(state.tournament_id)
        if not finals:
            return {}
        ruleset = await rules_of(self._record, state.ruleset)
        found: dict[str, tuple[Recorded, list[Message]]] = {}
        for game_id, recorded in finals.items():
            assert isinstance(recorded.message, game_events.ResultFinal)
            new_events = list_result_events(state, ruleset, game_id, recorded.message)
            if new_events and not self._record.loss_of(game_id):
                found[game_id] = recorded, new_events
        return found

    async def _read(self, tournament_id: str) -> Mapping[str, Recorded]:
        """Return the last final result of each table, from the cache and the events since."""
        known = self._finals.setdefault(tournament_id, _Finals())
        while found := await self._record.read(
            known.position, limit=MAX_READ_EVENTS, tournament=tournament_id, types=FINAL_TYPES
        ):
            for event in found:
                known.by_game[event.stream.removeprefix(game_stream(""))] = event
            known.position = found[-1].position
        return known.by_game
