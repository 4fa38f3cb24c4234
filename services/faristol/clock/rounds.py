"""The end of a round's last game if it waits for an absent player (FISE 37)."""

from __future__ import annotations

from collections.abc import Collection

from faristol.consumers import Reaction
from faristol.event_store import Decision, Record, Recorded, load
from faristol.host.table_store import Settled, game_of, load_table
from faristol.kernel.event_types import types_of
from faristol.kernel.times import instant
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.table.deadlines import lost_with_the_round
from faristol.table.views import TableTournament, watch_tournament


class Unfinished:
    """A search for unfinished games of a round that checks likely ones first."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._over: dict[str, frozenset[str]] = {}
        """Games that were over at the last check, by tournament. They are checked last."""

    async def of(self, tournament_id: str, game_ids: Collection[str]) -> list[Settled]:
        """Return the unfinished games among ``game_ids``, at most two: then neither is the last one.

        None is the last one for a hall cell that does not have every game of the round.
        """
        over = set(self._over.get(tournament_id, frozenset())).intersection(game_ids)
        found: list[Settled] = []
        for game_id in sorted(game_ids, key=over.__contains__):
            settled = await load_table(self._record, game_id)
            if settled is None and self._record.owner_key:
                return []
            if settled is None or settled.game.over:
                over.add(game_id)
                continue
            over.discard(game_id)
            found.append(settled)
            if len(found) > 1:
                break
        self._over[tournament_id] = frozenset(over)
        return found


def build_end_reaction(record: Record) -> Reaction:
    """Build the reaction that ends a round's last game if a player is absent."""
    unfinished = Unfinished(record)

    async def end_last(event: Recorded) -> Decision | None:
        ended = event.message
        assert isinstance(ended, game_events.GameEnded | game_events.TableClosed)
        game_id = game_of(event.stream)
        over = await load_table(record, game_id)
        assert over is not None, "a game that is over was opened"
        ruleset = over.table.ruleset
        if "own-time-or-round" not in {ruleset.lateness.loses_with, ruleset.absence.loses_with}:
            return None
        tournament = (await load(record, f"tournament-{event.tournament}", TableTournament(), watch_tournament)).state
        left = await unfinished.of(event.tournament, tournament.left_beside(game_id))
        if len(left) != 1:
            return None
        (last,) = left
        lost = lost_with_the_round(last.table.clock, ruleset, instant(ended.occurred_at))
        return last.decision(last.with_consequences(lost)) if lost and last.is_own else None

    return Reaction("clock.round", types_of((game_events.GameEnded, game_events.TableClosed)), end_last)
