"""A hall at a terminal: the input of its collector, and messages about time and connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.spellings import names_of
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.call_names import load_call_names
from faristol.rules.tiles import load_tile_set
from faristol.table_terminal.hall.hall import CommandRefused, HallState, RackCall
from faristol.table_terminal.shared.common import localize
from faristol.typed_input.slips import slip_of

GAME_POLL_SECONDS = 2.0
"""Seconds between polls of the game."""
CLOCK_CHECK_SECONDS = 0.2
"""Seconds between checks of the clock."""


HALL_HELP = N_(
    "call: the next rack; temps: its time starts; 12 H4 C A S A: the slip of number 12, # for an "
    "illegible part; 12 late (not-at-all, hand-not-raised, twice); close: all slips of the hall are "
    "handed in; status; quit"
)
CALLED = N_("round {turn}: {faces}")
LAY = N_("lay {play} of round {turn} on the boards")
BEGUN = N_("Temps! Round {turn} runs")
TIME_LEFT = N_("{seconds} seconds!")
TIME_OVER = N_("Temps! Round {turn} is over")
SLIP_SAVED = N_("saved: {number}")
ROUND_CLOSED_HERE = N_("round {turn} is closed here")
NO_LINE = N_("no connection: entries are saved here")
LINE = N_("connected")
WAITING = N_("{count} {count:command waits|commands wait} to be sent")
NOT_TAKEN = N_("round {turn}: rejected: {why}")
TYPE_AGAIN = N_("number {number} is rejected: type it again, as it is on the paper")
OVER = N_("the game is over")
UNKNOWN_LINE = N_("{line} is not understood; type help for a list of commands")


class HallTerminal:
    """Executes typed lines, and prints events."""

    def __init__(self, hall: HallState, tell: Callable[[str], None]) -> None:
        self.hall = hall
        self._tell = tell
        self._line: bool | None = None
        self._running = 0
        """The turn whose start was announced."""
        self._called = 0
        """The last turn whose rack was announced."""
        self._told: set[tuple[int, int]] = set()
        """Turns with the seconds left at which warnings were printed."""
        self._refused = 0
        self._asked: set[int] = set()
        """Numbers whose slips were requested again."""
        tiles = load_tile_set(hall.bundle.answer.tile_set) if hall.bundle.answer.tile_set else None
        self._names = load_call_names(tiles.language) if tiles else None

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Execute lines until ``quit`` or the end of the input."""
        watching = asyncio.create_task(self._watch())
        try:
            async for line in lines:
                if line.strip() == "quit":
                    return
                await self.do(line.strip())
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await self.poll()

    async def do(self, line: str) -> None:
        """Execute a line."""
        if not line:
            return
        try:
            match line.split():
                case ["help"]:
                    self._tell(localize(HALL_HELP))
                case ["call"]:
                    self._say_rack(self.hall.call())
                case ["temps"]:
                    self.hall.start()
                    self.say_time()
                case ["close"]:
                    self._say_close()
                case ["status"]:
                    self._say_status()
                case [number, *written] if number.isdecimal() and written:
                    self._take(int(number), parse_slip(written))
                case _:
                    self._tell(localize(UNKNOWN_LINE, line=repr(line)))
        except Refusal as refusal:
            self._tell(localize(refusal.message, **refusal.params))
        await self.poll()

    def _take(self, number: int, slip: events.Slip) -> None:
        """Store a slip. While online, a slip that is null by its form must be typed twice."""
        doubted = self.hall.doubted.get(number)
        is_same = doubted is not None and (doubted.coordinates, doubted.word) == (slip.coordinates, slip.word)
        self.hall.take(number, slip, check_form=self.hall.online and not is_same)
        self._tell(localize(SLIP_SAVED, number=number))

    async def poll(self) -> None:
        """Poll the game, send pending commands, and print changes."""
        try:
            online = await self.hall.sync()
        except CommandRefused as error:
            self._tell(str(error))
            return
        if online is not self._line:
            self._line = online
            self._tell(localize(LINE if online else NO_LINE))
        for kept, why in self.hall.journal.refused[self._refused :]:
            self._tell(localize(NOT_TAKEN, turn=kept.turn, why=why))
        for number in self.hall.doubted.keys() - self._asked:
            self._tell(localize(TYPE_AGAIN, number=number))
        self._asked = set(self.hall.doubted)
        self._refused = len(self.hall.journal.refused)
        turn = self.hall.current
        if turn is not None and turn.number > self._called:
            self._say_rack(RackCall(turn.number, turn.rack, None))
        self.say_time()

    def say_time(self) -> None:
        """Print the start of the time, the warnings, and its end (FISC II.5)."""
        turn, left = self.hall.current, self.hall.left_ms()
        if turn is None or left is None:
            return
        if self._running != turn.number and left:
            self._running = turn.number
            self._tell(localize(BEGUN, turn=turn.number))
        for seconds in self.hall.bundle.answer.warnings:
            if 0 < left <= seconds * 1000 and self._is_new(turn.number, seconds):
                self._tell(localize(TIME_LEFT, seconds=seconds))
        if not left and not turn.closed and self._is_new(turn.number, 0):
            self._tell(localize(TIME_OVER, turn=turn.number))

    def _is_new(self, turn: int, seconds: int) -> bool:
        if (turn, seconds) in self._told:
            return False
        self._told.add((turn, seconds))
        return True

    def _say_rack(self, called: RackCall) -> None:
        self._called = called.number
        if called.before is not None:
            self._tell(localize(LAY, play=str(called.before.master), turn=called.number - 1))
        self._tell(localize(CALLED, turn=called.number, faces=" ".join(called.rack)))
        if self._names is not None:
            self._tell(", ".join(self._names.rack(called.rack)))

    def _say_close(self) -> None:
        turn = self.hall.close()
        self._tell(localize(ROUND_CLOSED_HERE, turn=turn.number))
        if not self.hall.online and (sealed := self.hall.master_of(turn.number)) is not None:
            self._tell(localize(LAY, play=str(sealed.master), turn=turn.number))

    def _say_status(self) -> None:
        self._tell(localize(LINE if self.hall.online else NO_LINE))
        if self.hall.over:
            self._tell(localize(OVER))
        self._tell(localize(WAITING, count=len(self.hall.journal.unsent)))

    async def _watch(self) -> None:
        """Print the time and poll at intervals, until cancelled."""
        looked = -GAME_POLL_SECONDS
        while True:
            now = asyncio.get_running_loop().time()
            if now - looked >= GAME_POLL_SECONDS:
                looked = now
                await self.poll()
            self.say_time()
            await asyncio.sleep(CLOCK_CHECK_SECONDS)


def parse_slip(written: list[str]) -> events.Slip:
    """Parse a slip as a collector types it: ``H4 C A S A``, ``# CASA``, or ``late``."""
    if len(written) == 1 and names_of(events.Handed.DESCRIPTOR).get(written[0], 0) > events.HANDED_IN_TIME:
        return slip_of({"handed": written[0]})
    coordinates, *word = written
    return slip_of({"coordinates": coordinates, "word": " ".join(word)})
