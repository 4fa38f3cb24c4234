"""A duplicate game of several halls in one process: real services, a real record, halls with their journals.

Time is simulated. A process that is killed loses all that it has in memory, before or after what it was
writing is on disk; its caller does not know which, and retries.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from tests.campaigns.halls.plan import TURN_SECONDS, Faults, Intended, Plan
from tests.support.games_ahead import FISC, words

from faristol.casebook.hosts.memory import Caller
from faristol.client.services import method_of
from faristol.clock.service_module import part as clock_part
from faristol.duplicate_game.game import Turn
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.game.service_module import part as game_part
from faristol.host import Runtime, Settings
from faristol.host.duplicate_store import load_game, stream_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import instant, timestamp, to_timestamp
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Board, Notation
from faristol.rules.duplicate_game.plays import Play
from faristol.table_terminal.hall.bundle import Bundle
from faristol.table_terminal.hall.hall import CommandRefused, HallState, ServicesUnavailable
from faristol.table_terminal.hall.journal import HallJournal
from faristol.table_terminal.hall.times import SyncedClock
from faristol.tournament.administration.tournaments import pin_of

CUP, GAME = "cup", "cup-r1"
BEGIN = datetime(2026, 5, 2, 10, tzinfo=UTC)
MAX_JUDGE_ATTEMPTS = 200
"""How often the judge gives a command until it is answered."""

KILLED, CUT, HALL_KILLED, DOUBLED, LOST = "killed", "cut", "hall-killed", "doubled", "lost"


class Killed(Exception):
    """The process was killed while it executed a command."""


class Mortal:
    """A record whose process may be killed before or after an append is on disk."""

    def __init__(self, record: Record, faults: Faults) -> None:
        self._record, self._faults = record, faults

    def __getattr__(self, name: str) -> Any:
        return getattr(self._record, name)

    async def append(self, *arguments: Any, **named: Any) -> Any:
        if self._faults.happens(KILLED, 0.03):
            raise Killed
        appended = await self._record.append(*arguments, **named)
        if self._faults.happens(KILLED, 0.03):
            raise Killed
        return appended


@lru_cache(maxsize=4_096)
def tops(board: Board, rack: tuple[str, ...]) -> tuple[Play, ...]:
    """Return the tops of a rack, which a world asks for many times."""
    return words().tops(board, rack)


class Remembering:
    """The words of a game, which remember the tops of a rack."""

    def is_word(self, faces: tuple[str, ...]) -> bool:
        return words().is_word(faces)

    def tops(self, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
        return tops(board, tuple(rack))

    def best(self, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
        return words().best(board, rack, count)


class OneLexicon:
    """The lexicon of every game here."""

    def pin(self, name: str, tile_set: str) -> Pin:
        return Pin(name, "")

    def words(self, pin: Pin, ruleset: Any) -> Remembering:
        return Remembering()


class World:
    """A game, its judge and its halls."""

    def __init__(self, plan: Plan, folder: Path, faults: Faults) -> None:
        self.plan, self.faults, self.folder = plan, faults, folder
        self.now = BEGIN
        self.record: Record
        self._instances: dict[str, Any] = {}
        self._reactions: list[Any] = []
        self._halls = {name: HallHere(self, name) for name in plan.halls}

    async def open(self) -> None:
        """Open the record that is in the folder, or a new one."""
        self.record = await Record.open(f"sqlite:///{self.folder}/record.db")
        self._begin_process()

    async def close(self) -> None:
        await self.record.close()

    def _begin_process(self) -> None:
        settings = Settings(data=self.folder)
        runtime = Runtime(settings, Mortal(self.record, self.faults), lambda: self.now)  # type: ignore[arg-type] # a record
        parts = (game_part(runtime, OneLexicon()), clock_part(runtime))
        self._instances = {each.descriptor.full_name: each for part in parts for each in part.servicers}
        self._reactions = [reaction for part in parts for reaction in part.reactions]

    async def _kill(self) -> None:
        """Restart the process: it knows only the data on disk."""
        await self.record.close()
        await self.open()

    async def prepare(self) -> None:
        """Create the tournament, prepare its game if the plan requires it, and start its round."""
        new_events: list[Message] = [
            pairing_events.TournamentCreated(tournament_id=CUP, rounds=1, seed=bytes([self.plan.seed % 256] * 32)),
            pairing_events.RulesetPinned(ruleset=pin_of(FISC).message()),
            pairing_events.LexiconPinned(lexicon=Pin("words", "0" * 64).message()),
            *(
                pairing_events.PlayerRegistered(player_id=player)
                for players in self.plan.halls.values()
                for player in players
            ),
        ]
        seats, first = pairing_events.HallsSet(occurred_at=to_timestamp(self.now)), 1
        for name, players in self.plan.halls.items():
            seats.halls.add(name=name, first_table=first, last_table=first + len(players) - 1)
            first += len(players)
        await self._write([*new_events, seats])
        if self.plan.sealed:
            await self.ask(pb.PrepareGameRequest(command_id=new_id(), tournament_id=CUP, round=1))
        started = pairing_events.RoundStarted(round=1, occurred_at=to_timestamp(self.now))
        await self._write([started])
        event = (await self.record.read_stream(f"tournament-{CUP}"))[-1]
        opening = next(each for each in self._reactions if each.name == "game.open")
        decision = await opening.react(event)
        assert decision is not None
        await self.record.append(decision, Metadata())

    async def _write(self, past_events: list[Message]) -> None:
        stream = f"tournament-{CUP}"
        version = len(await self.record.read_stream(stream))
        await self.record.append(Decision([Write(stream, version, past_events, CUP)]), Metadata())

    async def ask(self, request: Message) -> Any:
        """Return the answer to one query of the services. Raises ``ServicesUnavailable`` if their process is killed."""
        method = method_of(request.DESCRIPTOR)
        call: Callable[..., Awaitable[Any]] = getattr(self._instances[method.containing_service.full_name], method.name)
        try:
            return await call(request, Caller())
        except Killed:
            await self._kill()
            raise ServicesUnavailable from None

    async def command(self, request: Any) -> Any:
        """Return the answer to a command of the judge, which is sent until it is answered."""
        request.command_id = new_id()
        for _ in range(MAX_JUDGE_ATTEMPTS):
            try:
                answer = await self.ask(request)
                if self.faults.happens(DOUBLED, 0.05):
                    assert await self.ask(request) == answer, "a command that was sent twice has two answers"
            except ServicesUnavailable:
                continue
            return answer
        raise AssertionError(f"no answer to {type(request).__name__}")

    async def play(self) -> None:
        """Play the whole game, until its results are final."""
        for hall in self._halls.values():
            await hall.open()
        for number in range(1, self.plan.turns + 1):
            called = await self.command(pb.CallRackRequest(game_id=GAME, arbiter_id="judge"))
            assert called.turn == number, f"turn {number} was not called: {called}"
            for hall in self._halls.values():
                await hall.look()
            await self.command(turns.StartTurnRequest(game_id=GAME, turn=number, arbiter_id="judge"))
            for hall in self._halls.values():
                await hall.look()
                hall.may_be_cut()
            self.wait(TURN_SECONDS + 10)
            for hall in self._halls.values():
                await hall.work()
            await self._score(number)
        await self._end()

    async def _score(self, number: int) -> None:
        if number == self.plan.voided_at:
            await self._choose_another(number)
        open_halls = await self._open_halls(number)
        await self.command(
            pb.ScoreTurnRequest(
                game_id=GAME,
                turn=number,
                arbiter_id="judge",
                without_open_halls=bool(open_halls),
                reason="they have no line" if open_halls else "",
            )
        )
        if not self.plan.sealed:
            # No hall can continue: the next rack waits for the connection.
            await self._merge(number)

    async def _merge(self, last: int) -> None:
        """Reconnect every hall, hand in the remaining slips, and score them."""
        for hall in self._halls.values():
            await hall.come_back(last)
        for number in range(1, last + 1):
            unscored = [each for each in (await self._handed_in()) if number in each.unscored_turns]
            if unscored:
                await self.command(pb.ScoreTurnRequest(game_id=GAME, turn=number, arbiter_id="judge"))

    async def _end(self) -> None:
        await self.command(pb.EndGameRequest(game_id=GAME, reason="as it was announced", arbiter_id="judge"))
        await self._merge(self.plan.turns)
        await self.command(pb.ValidateResultsRequest(game_id=GAME, arbiter_id="judge"))

    async def _choose_another(self, number: int) -> None:
        another = self.other_play(await self.turn(number))
        request = pb.ChooseMasterRequest(game_id=GAME, turn=number, arbiter_id="judge", reason="it opens the board")
        request.coordinates, request.word = another
        await self.command(request)

    async def _open_halls(self, number: int) -> list[str]:
        waiting = await self._until_answered(pb.ListWaitingRequest(game_id=GAME, turn=number))
        return [hall.name for hall in waiting.open_halls]

    async def _handed_in(self) -> list[pb.ListSlipsResponse]:
        return [await self._until_answered(pb.ListSlipsRequest(game_id=GAME, hall=name)) for name in self.plan.halls]

    async def _until_answered(self, request: Message) -> Any:
        while True:
            try:
                return await self.ask(request)
            except ServicesUnavailable:
                continue

    async def turn(self, number: int) -> Turn:
        found = (await load_game(self.record, GAME)).state.turn(number)
        assert found is not None
        return found

    def other_play(self, turn: Turn) -> tuple[str, str]:
        """Return a play that can be laid and is not the proposed one, where there is another: coordinates and word."""
        first, *others = tops(turn.board, turn.rack)
        fewer = [play for size in range(2, len(turn.rack)) for play in tops(turn.board, turn.rack[:size])]
        play = next((play for play in (*others, *fewer) if play.placements != first.placements), first)
        return Notation.FISC.write(play.start), " ".join(map(str, play.word))

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    async def outcome(self) -> dict[str, Any]:
        """Return the classification, and the slips of all players in each turn."""
        standings = await self._until_answered(pb.GetDuplicateStandingsRequest(game_id=GAME))
        sheets = [
            await self._until_answered(pb.GetHallSheetRequest(game_id=GAME, hall=name)) for name in self.plan.halls
        ]
        scores = {
            (line.player_id, turn): (score.points, score.fault)
            for sheet in sheets
            for line in sheet.players
            for turn, score in zip(line.turns, line.scores, strict=True)
        }
        return {
            "lines": [(line.rank, line.player_id, line.total, line.negative, line.tops) for line in standings.lines],
            "scores": scores,
        }

    async def slips_taken(self) -> dict[tuple[str, int], int]:
        """Return the number of slips of a player in a turn on the record."""
        found: dict[tuple[str, int], int] = {}
        for place, _ in enumerate(self.plan.halls, start=1):
            for event in await self.record.events(stream_of(GAME, place)):
                if isinstance(event, events.SlipsTaken):
                    for slip in event.slips:
                        key = (slip.player_id, event.turn)
                        found[key] = found.get(key, 0) + 1
        return found


class HallHere:
    """A hall: its collector at a terminal, whose process and connection may fail."""

    def __init__(self, world: World, name: str) -> None:
        self._world, self._name = world, name
        self._cut_for = 0
        """Turns for which there will be no line yet."""
        self._skew = timedelta(seconds=world.plan.rng("skew", name).randrange(-3_600, 3_600))
        self._bundle: Bundle | None = None
        self._hall: HallState | None = None

    async def open(self) -> None:
        answer = await self._world._until_answered(pb.GetBundleRequest(game_id=GAME, hall=self._name))  # of one world
        self._bundle = Bundle(answer, self._name)
        self._restart()

    def _restart(self) -> None:
        assert self._bundle is not None
        journal = HallJournal(self._world.folder / f"{self._name}.jsonl")
        self._hall = HallState(self._bundle, journal, self._ask, SyncedClock(self._time, self._time), "collector")

    def _time(self) -> int:
        return instant(to_timestamp(self._world.now + self._skew))

    @property
    def _at_work(self) -> HallState:
        assert self._hall is not None
        return self._hall

    async def _ask(self, request: Any) -> Any:
        if self._cut_for:
            raise ServicesUnavailable
        try:
            answer = await self._world.ask(request)
            if self._world.faults.happens(DOUBLED, 0.05):
                await self._world.ask(request)
        except (Refusal, NotFound, Invalid) as problem:
            raise CommandRefused(getattr(problem, "reason", "INVALID"), str(problem)) from problem
        if self._world.faults.happens(LOST, 0.03):
            raise ServicesUnavailable
        return answer

    def _may_be_killed(self) -> None:
        if self._world.faults.happens(HALL_KILLED, 0.05):
            self._restart()

    def may_be_cut(self) -> None:
        """Cut the connection for this turn or, if the hall can continue, for several."""
        if not self._cut_for and self._world.faults.happens(CUT, 0.25):
            self._cut_for = 1 + (self._world.faults.among(3) if self._world.plan.sealed else 0)

    async def look(self) -> None:
        for _ in range(MAX_JUDGE_ATTEMPTS):
            self._may_be_killed()
            if await self._at_work.sync() or self._cut_for:
                return
        raise AssertionError(f"{self._name} gets no answer")

    async def work(self) -> None:
        """Play a turn: that of all halls, or the next one of the sealed game."""
        await self.look()
        turn = self._at_work.current
        if turn is not None and turn.closed:
            called = self._try_call()
            turn = self._at_work.current if called else None
            if turn is not None and turn.own and turn.began_at is None:
                self._at_work.start()
                self._world.wait(TURN_SECONDS + 10)
                turn = self._at_work.current
        if turn is not None and not turn.closed:
            await self._type(turn.number)
        await self.look()
        self._cut_for = max(0, self._cut_for - 1)

    def _try_call(self) -> bool:
        try:
            self._at_work.call()
        except Refusal:
            return False
        return True

    async def _type(self, number: int) -> None:
        played = self._at_work.journal.turns[number]
        assert played.began_at is not None
        for seat in self._at_work.bundle.answer.seats:
            intended = self._world.plan.plan_slip(number, seat.player_id)
            if intended.written == "nothing":
                continue
            for _ in range(1 + intended.twice):
                slip = await self._slip(number, intended)
                slip.written_at.CopyFrom(timestamp(played.began_at + intended.at_ms * 1_000_000))
                self._may_be_killed()
                self._at_work.take(seat.number, slip)
        self._may_be_killed()
        self._at_work.close()

    async def _slip(self, number: int, intended: Intended) -> events.Slip:
        turn = await self._turn(number)
        first = tops(turn.board, turn.rack)[0]
        coordinates, word = Notation.FISC.write(first.start), " ".join(map(str, first.word))
        match intended.written:
            case "other":
                coordinates, word = self._world.other_play(turn)
            case "no-word":
                word = "Q Q Q"
            case "nowhere":
                coordinates = ""
        return events.Slip(coordinates=coordinates, word=word, handed=events.HANDED_IN_TIME)

    async def _turn(self, number: int) -> Turn:
        """Return the turn of this hall."""
        hall = self._at_work
        played = hall.journal.turns[number]
        if not played.own:
            return await self._world.turn(number)
        sealed = hall._sealed  # the tiles on the boards of this hall
        assert sealed is not None
        board = Board()
        for each in sealed.turns[: number - 1]:
            board = board.place(each.master.placements)
        return Turn(number, board, played.rack, 0)

    async def come_back(self, last: int) -> None:
        """Reconnect the hall: it plays the missed turns up to ``last``, and hands them in."""
        self._cut_for = 0
        for _ in range(MAX_JUDGE_ATTEMPTS):
            await self.look()
            turn = self._at_work.current
            if turn is not None and turn.closed and turn.number >= last and not self._at_work.journal.unsent:
                return
            await self.work()
        raise AssertionError(f"{self._name} does not come to the end of turn {last}")


def new_id() -> str:
    return str(uuid.uuid4())
