"""The invariants after the faults, when all work is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from google.protobuf.message import Message
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.campaigns.simulation.clients import Told

from faristol.bus.relay import RELAY_NAME
from faristol.consumers import Projection, generations
from faristol.consumers.status import State, status
from faristol.event_store import Record, Recorded
from faristol.event_store.backends import tables
from faristol.event_store.integrity.verification import verify
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.projections.projection import projection

ACTS = (game.PlayPlaced, game.Exchanged, game.Passed, game.TilesDrawn, game.ChallengeRaised, clock.ClockPressed)
"""Events of players at a table, each by one command."""
COMPARED_GENERATION_NUMBER = 1_000_000
"""The generation of a projection that is computed to be compared, and never read."""


async def at_rest(record: Record) -> str:
    """Return the consumers with pending work; empty if all, and the relay, have reached the end of the record."""
    everything, last = await status(record)
    lines = [
        line for line in everything if line.state in (State.LIVE, State.STOPPED)
    ]  # the remaining rows are never read
    behind = [f"{line.name} is {line.state} at {line.position} of {last}" for line in lines if line.lag]
    behind += [f"{line.name} has parked {len(line.parked)} keys" for line in lines if line.parked]
    if RELAY_NAME not in {line.name for line in lines}:  # its lease may be that of a crashed process
        behind.append("the relay has not begun")
    return "; ".join(behind)


async def check(record: Record, told: Told, accepted: set[str]) -> list[str]:
    """Return all problems."""
    wrong = list(told.problems)
    verdict = await verify(record)
    if verdict.wrong:
        wrong.append(f"the record: {verdict.wrong}")
    lines, _ = await status(record)
    wrong.extend(f"{line.name} has stopped: {line.stopped}" for line in lines if line.state is State.STOPPED)
    wrong.extend(f"{line.name} has parked {row}" for line in lines for row in line.parked)
    events = await record.read(0, limit=100_000)
    wrong.extend(_positions(events))
    wrong.extend(await _answers(record, told, events))
    wrong.extend(_tables(events))
    wrong.extend(await check_projection(record, projection(), len(events)))
    missing = [event.position for event in events if event.event_id not in accepted]
    if missing:
        wrong.append(f"never on the bus: the events at {missing}")
    return wrong


def _positions(events: Sequence[Recorded]) -> list[str]:
    if [event.position for event in events] != list(range(1, len(events) + 1)):
        return ["positions have a gap"]
    return []


async def _answers(record: Record, told: Told, events: Sequence[Recorded]) -> list[str]:
    """Return the acknowledged commands that are not in the record once, in one piece, and with the given answer."""
    async with record.reading() as connection:
        rows = {row.command_id: row for row in await connection.execute(select(tables.commands))}
    wrong = []
    pieces = Counter(command for command, _ in groupby(event.metadata.command_id for event in events) if command)
    for command_id, answer in told.answers.items():
        row = rows.get(command_id)
        if row is None:
            wrong.append(f"the command {command_id} was acknowledged and is not in the record")
        elif not bytes(row.answer).endswith(answer):
            wrong.append(f"the command {command_id} was answered otherwise than the record says")
    wrong.extend(
        f"the command {command} was carried out {count} times" for command, count in pieces.items() if count > 1
    )
    wrong.extend(f"the events of {command} have no answer" for command in pieces if command not in rows)
    return wrong


def _tables(events: Sequence[Recorded]) -> list[str]:
    """Return the contradictions between games, their clocks, their cases and the tournament."""
    streams: dict[str, list[Recorded]] = {}
    for event in events:
        streams.setdefault(event.stream, []).append(event)
    wrong = []
    results = {message.game_id: message for message in _only(events, pairing.ResultRecorded)}
    paired = [table.game_id for message in _only(events, pairing.RoundPaired) for table in message.pairings]
    opened = {name.removeprefix("game-") for name in streams if name.startswith("game-")}
    if sorted(paired) != sorted(opened):
        wrong.append(f"paired: {sorted(paired)}, opened: {sorted(opened)}")
    for game_id in sorted(opened):
        table, times = streams[f"game-{game_id}"], streams.get(f"clock-{game_id}", [])
        both = sorted([*table, *times], key=lambda event: event.position)
        found = (
            *_game(table),
            *_order(both),
            *_challenges(both),
            *_times(table, times),
            *_result(table, results.get(game_id)),
        )
        wrong.extend(f"{game_id}: {told}" for told in found)
    return wrong


def _only(events: Iterable[Recorded], *kinds: type[Message]) -> list[Any]:
    return [event.message for event in events if isinstance(event.message, kinds)]


def _game(table: Sequence[Recorded]) -> list[str]:
    counts = {
        kind.DESCRIPTOR.name: len(_only(table, kind))
        for kind in (game.GameOpened, game.GameStarted, game.GameEnded, game.ResultFinal)
    }
    wrong = [f"{count} times {name}" for name, count in counts.items() if count != 1]
    done = [event.turn for event in _only(table, game.PlayCompleted, game.PlayWithdrawn)]
    if done != list(range(1, len(done) + 1)):
        wrong.append(f"turns completed: {done}")
    taken = Counter(event.turn for event in _only(table, game.PlayPlaced, game.Exchanged, game.Passed))
    wrong.extend(f"turn {turn} was taken {times} times" for turn, times in taken.items() if times > 1)
    draws = [event.draw for event in _only(table, game.TilesDrawn)]
    if len(set(draws)) < len(draws):
        wrong.append(f"a draw was made twice: {draws}")
    return wrong


def _order(both: Sequence[Recorded]) -> list[str]:
    """Return the acts of players that happened before an event that the record has before them.

    Each follows the last event of game and clock. Deadlines and rulings have a time of their own, however late they are
    written.
    """
    wrong = []
    latest = 0
    for event in both:
        message: Any = event.message
        if "occurred_at" not in message.DESCRIPTOR.fields_by_name:
            continue
        at = message.occurred_at.ToNanoseconds()
        if at < latest and isinstance(message, ACTS):
            wrong.append(f"{event.name} at {event.position} happened {latest - at} ns before an earlier event")
        latest = max(latest, at)
    return wrong


def _challenges(both: Sequence[Recorded]) -> list[str]:
    """Return the draws, presses, completions and clock movements between a challenge and its ruling."""
    wrong: list[str] = []
    raised: game.ChallengeRaised | None = None
    for event in both:
        message = event.message
        match message:
            case game.ChallengeRaised():
                if raised:
                    wrong.append(f"challenge {message.challenge} while {raised.challenge} waits")
                raised = message
            case game.ChallengeRuled():
                if not raised or raised.challenge != message.challenge:
                    wrong.append(f"a ruling on challenge {message.challenge}, which does not wait")
                raised = None
            case game.GameEnded():
                raised = None
            case game.PlayCompleted() | game.TilesDrawn() | clock.ClockPressed() if raised:
                wrong.append(
                    f"{event.name} at {event.position}, while challenge {raised.challenge} waits for its ruling"
                )
    return wrong


def _times(table: Sequence[Recorded], times: Sequence[Recorded]) -> list[str]:
    """Return the differences between the times of both players and the running time of their clocks."""
    (stopped,) = _only(times, clock.ClockStopped) or (None,)
    if stopped is None:
        return ["the clock was not stopped"]
    ran: Counter[str] = Counter()
    running, since = "", 0
    for event in times:
        message: Any = event.message
        at = message.occurred_at.ToMilliseconds()
        if running:
            ran[running] += at - since
        match message:
            case clock.ClockStarted() | clock.ClockResumed():
                running = message.player_id
            case clock.ClockPressed():
                (opened,) = _only(times, clock.ClockOpened)
                running = next(player for player in opened.player_ids if player != message.player_id)
            case clock.ClockNeutralised() | clock.OvertimeCapExceeded() | clock.ClockStopped():
                running = ""
        since = at
    wrong = [
        f"{side.player_id} used {side.used_ms} ms by the clock and {ran[side.player_id]} by its events"
        for side in stopped.times
        if side.used_ms != ran[side.player_id]
    ]
    pressed = [message.turn for message in _only(times, clock.ClockPressed)]
    completed = [message.turn for message in _only(table, game.PlayCompleted)]
    if pressed != completed and pressed[:-1] != completed:
        wrong.append(f"pressed: {pressed}, completed: {completed}")
    return wrong


def _result(table: Sequence[Recorded], recorded: pairing.ResultRecorded | None) -> list[str]:
    """Return the errors of the sheet's sums and of the tournament's result."""
    wrong: list[str] = []
    scores: Counter[str] = Counter()
    for event in table:
        match event.message:
            case game.PlayCompleted() as message:
                scores[message.player_id] += message.score
            case game.RackPenalty() | game.TimePenalty() as message:
                scores[message.player_id] -= message.points
            case game.OutBonus() as message:
                scores[message.player_id] += message.points
    for final in _only(table, game.ResultFinal):
        wrong.extend(
            f"{score.player_id} has {score.score}, and the sheet says {scores[score.player_id]}"
            for score in final.scores
            if score.score != scores[score.player_id]
        )
        if (
            recorded is None
            or recorded.winner_id != final.winner_id
            or {(score.player_id, score.score) for score in recorded.scores}
            != {(score.player_id, score.score) for score in final.scores}
        ):
            wrong.append(f"the tournament's result is {recorded}")
    return wrong


async def check_projection(record: Record, work: Projection, expected: int = 0) -> list[str]:
    """Check that the stored rows equal those computed from the record up to the checkpoint.

    The checkpoint is at ``expected``, if given.
    """
    compared = work.at(COMPARED_GENERATION_NUMBER)
    async with record.writing() as connection:
        up_to = await generations.checkpoint_held(connection, work.consumer)
        events = await record.read(0, limit=100_000, up_to=up_to)
        await connection.run_sync(compared.tables.create_all)
        await compared.apply(connection, [event for event in events if event.type in work.types])
        again = await _rows(connection, compared)
        try:
            live = await generations.live(connection, work)
        except generations.NotBuilt as problem:
            return [str(problem)]
        live_rows = await _rows(connection, work.at(live.generation))
        await connection.run_sync(compared.tables.drop_all)
    if live.position != (expected or up_to):
        return [f"{work.name} is read at {live.position} of {expected or up_to}"]
    if live_rows != again:
        different = sorted(str(row)[:200] for row in {*map(str, live_rows)} ^ {*map(str, again)})
        return [f"{work.name} is not what the record says: {different[:2]}"]
    return []


async def _rows(connection: AsyncConnection, work: Projection) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for table in work.tables.sorted_tables:
        rows.extend(tuple(row) for row in await connection.execute(select(table).order_by(*table.primary_key)))
    return rows
