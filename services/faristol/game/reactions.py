"""What tables do by themselves: they open with their round, and follow their clocks and cases."""

from __future__ import annotations

from dataclasses import replace

from faristol.bus import Reaction
from faristol.game.streams import game_stream, load_table
from faristol.host.ruleset_store import rules_of
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1.events_pb2 import TableClosed
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.record import Decision, Guard, Record, Recorded, Write, load
from faristol.table.decide import leave_tournament
from faristol.table.game import Phase, instant, timestamp
from faristol.table.opening import open_table
from faristol.table.views import Tournament, watch_tournament

FOLLOWED = frozenset(
    kind.DESCRIPTOR.full_name
    for kind in (
        clock_events.ClockPressed,
        clock_events.ClockNeutralised,
        clock_events.TurnTimedOut,
        clock_events.OvertimeCapExceeded,
        clock_events.RoundTimeExpired,
        clock_events.TimeForfeited,
        clock_events.ClockStopped,
        lexicon_events.CaseRuled,
    )
)

ROUNDS = frozenset(
    kind.DESCRIPTOR.full_name
    for kind in (
        pairing_events.RoundStarted,
        pairing_events.PostponedGameStarted,
        pairing_events.PlayerWithdrawn,
        pairing_events.ResultEntered,
    )
)


def opening(record: Record) -> Reaction:
    """The reaction that opens the tables of a round when it starts (FISC I.5), and takes from them who withdraws.

    A table of which the result is entered in the tournament is closed.

    A postponed game opens when it is started. One reaction does all this, so that nobody withdraws from a table before
    it is open.
    """

    async def open_tables(event: Recorded) -> Decision | None:
        started = event.message
        if isinstance(started, pairing_events.PlayerWithdrawn):
            return await _left(record, event.stream, started)
        if isinstance(started, pairing_events.ResultEntered):
            return await _closed(record, event, started.game_id)
        assert isinstance(started, pairing_events.RoundStarted | pairing_events.PostponedGameStarted)
        tournament = (await load(record, event.stream, Tournament(), watch_tournament)).state
        ruleset = await rules_of(record, tournament.ruleset)
        at = instant(started.occurred_at)
        writes = []
        for pairing in tournament.pairings[started.round]:
            stream = game_stream(pairing.game_id)
            if isinstance(started, pairing_events.PostponedGameStarted):
                due = pairing.game_id == started.game_id
            else:
                due = pairing.game_id not in tournament.postponed
            if due and not await record.read_stream(stream):
                facts = open_table(tournament, started.round, pairing, ruleset, at)
                writes.append(Write(stream, 0, facts, event.tournament))
        return Decision(writes) if writes else None

    return Reaction("game.open", ROUNDS, open_tables)


async def _left(record: Record, stream: str, withdrawn: pairing_events.PlayerWithdrawn) -> Decision | None:
    """What it means for a game that one of its players gives it up to leave the tournament (FISC I.8.E).

    Nothing when the player is back by now.
    """
    tournament = await load(record, stream, Tournament(), watch_tournament)
    given_up = tournament.state.left.get(withdrawn.player_id) == withdrawn.game_id
    table = await load_table(record, withdrawn.game_id) if withdrawn.game_id and given_up else None
    if table is None:
        return None
    at = max(instant(withdrawn.occurred_at), table.game.last_at)
    facts = leave_tournament(table.game, table.ruleset, withdrawn.player_id, at)
    if not facts:
        return None
    decision = table.decision(table.with_consequences(facts))
    back = Guard(stream, tournament.version)
    return replace(decision, guards=[*decision.guards, back]) if decision else None


async def _closed(record: Record, entered: Recorded, game_id: str) -> Decision | None:
    """What it means for a table that its result was entered in the tournament."""
    table = await load_table(record, game_id)
    if table is None or table.game.phase is Phase.FINAL:
        return None
    result = next(
        one.message
        for one in await record.read_stream(entered.stream, entered.version)
        if isinstance(one.message, pairing_events.ResultRecorded) and one.message.game_id == game_id
    )
    assert isinstance(result, pairing_events.ResultRecorded)
    closed = TableClosed(
        scores=result.scores,
        winner_id=result.winner_id,
        lost_by_all=result.lost_by_all,
        condition=result.condition,
        loser_ids=result.loser_ids,
        occurred_at=timestamp(max(instant(result.occurred_at), table.game.last_at)),
    )
    return table.decision([closed])


def following(record: Record) -> Reaction:
    """The reaction that keeps every table in step with its clock and its case."""

    async def follow(event: Recorded) -> Decision | None:
        message = event.message
        if isinstance(message, lexicon_events.CaseRuled):
            game_id = message.game_id
        else:
            game_id = event.stream.removeprefix("clock-")
        table = await load_table(record, game_id)
        return table.decision() if table else None

    return Reaction("game.follow", FOLLOWED, follow)
