"""Reactions of the game service: open tables with their round, and apply rulings on challenges."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from faristol.consumers import Reaction
from faristol.event_store import Decision, Guard, Record, Recorded, Write, load
from faristol.game.duplicate_game.reactions import open_game
from faristol.game.halls.model import Halls, evolve, halls_stream
from faristol.game.halls.tables import hand_over_seated, with_salt
from faristol.host.ruleset_store import rules_of
from faristol.host.table_store import build_table_opening, game_stream, load_table
from faristol.kernel.event_types import types_of
from faristol.kernel.likeness import like
from faristol.kernel.times import instant, timestamp
from faristol.pb.game.v1.events_pb2 import TableClosed
from faristol.pb.lexicon.v1.events_pb2 import CaseRuled
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.table.decide.ends import leave_tournament
from faristol.table.game.state import Phase
from faristol.table.ownership import take_back
from faristol.table.start import open_table
from faristol.table.views import TableTournament, watch_tournament

TABLE_CHANGE_TYPES = types_of(
    (
        pairing_events.RoundStarted,
        pairing_events.PostponedGameStarted,
        pairing_events.PlayerWithdrawn,
        pairing_events.ResultEntered,
    )
)


def opening(record: Record) -> Reaction:
    """Build the reaction that opens the tables of a round at its start (FISC I.5), and handles withdrawals.

    A table of a hall with a cell of its own is handed over to that cell as it opens. A postponed game opens when it is
    started. A table whose result is entered in the tournament is closed. One reaction
    does all this, so that a withdrawal never precedes the opening of its table.
    """

    async def open_tables(event: Recorded) -> Decision | None:
        started = event.message
        if isinstance(started, pairing_events.PlayerWithdrawn):
            return await _end_abandoned_game(record, event.stream, started)
        if isinstance(started, pairing_events.ResultEntered):
            return await _close_table(record, event, started.game_id)
        assert isinstance(started, pairing_events.RoundStarted | pairing_events.PostponedGameStarted)
        tournament = (await load(record, event.stream, TableTournament(), watch_tournament)).state
        ruleset = await rules_of(record, tournament.ruleset)
        if ruleset.game.mode == "duplicate":
            return await open_game(record, event, ruleset)
        at = instant(started.occurred_at)
        writes: list[Write] = []
        halls = await load(record, halls_stream(event.tournament), Halls(), evolve)
        tournament = with_salt(tournament, halls.state)
        for pairing in tournament.pairings[started.round]:
            if isinstance(started, pairing_events.PostponedGameStarted):
                due = pairing.game_id == started.game_id
            else:
                due = pairing.game_id not in tournament.postponed
            if due and not await record.read_stream(game_stream(pairing.game_id)):
                opened = open_table(tournament, started.round, pairing, ruleset, at)
                writes += build_table_opening(ruleset, opened, partial(hand_over_seated, halls.state, at))
        return Decision(writes, [Guard(halls_stream(event.tournament), halls.version)])

    return Reaction("game.open", TABLE_CHANGE_TYPES, open_tables)


async def _end_abandoned_game(
    record: Record, stream: str, withdrawn: pairing_events.PlayerWithdrawn
) -> Decision | None:
    """Return the decision on a game that a player gives up by leaving the tournament (FISC I.8.E).

    Returns None if the player has been reinstated.
    """
    tournament = await load(record, stream, TableTournament(), watch_tournament)
    given_up = tournament.state.left.get(withdrawn.player_id) == withdrawn.game_id
    settled = await load_table(record, withdrawn.game_id) if withdrawn.game_id and given_up else None
    if settled is None or not settled.is_own:
        return None
    at = max(instant(withdrawn.occurred_at), settled.table.last_at)
    new_events = leave_tournament(settled.table, withdrawn.player_id, at)
    if not new_events:
        return None
    decision = settled.decision(settled.with_consequences(new_events))
    back = Guard(stream, tournament.version)
    return replace(decision, guards=[*decision.guards, back])


async def _close_table(record: Record, entered: Recorded, game_id: str) -> Decision | None:
    """Return the decision that closes a table whose result was entered in the tournament, or None.

    A table that a hall has is taken back with it: what the hall sends later is kept aside, beside that result.
    """
    assert isinstance(entered.message, pairing_events.ResultEntered)
    settled = await load_table(record, game_id)
    if settled is None or settled.game.phase is Phase.FINAL or record.owner_key:
        return None  # it is the championship that takes a table back from its hall
    result = next(
        recorded.message
        for recorded in await record.read_stream(entered.stream, entered.version)
        if isinstance(recorded.message, pairing_events.ResultRecorded) and recorded.message.game_id == game_id
    )
    assert isinstance(result, pairing_events.ResultRecorded)
    closed = like(
        TableClosed,
        result,
        given_up=entered.message.turns_given_up > 0,
        occurred_at=timestamp(max(instant(result.occurred_at), settled.table.last_at)),
    )
    taken_back = take_back(settled.table, "", instant(result.occurred_at))
    return settled.decision(settled.with_consequences([*taken_back, closed]))


def following(record: Record) -> Reaction:
    """Build the reaction that applies a ruling at the table of the challenge."""

    async def follow(event: Recorded) -> Decision | None:
        assert isinstance(event.message, CaseRuled)
        settled = await load_table(record, event.message.game_id)
        return settled.decision() if settled else None

    return Reaction("game.follow", types_of([CaseRuled]), follow)
