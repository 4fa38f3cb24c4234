"""A hall of a duplicate game: online it follows the game, offline it continues with the sealed one (FISC II).

Commands are stored in the journal before they are sent. They are sent once, in order, when the services are reachable.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from faristol.duplicate_game.decide.slips import FORM_DOUBTS
from faristol.duplicate_game.sealed import SealedGame, SealedTurn
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import NANOSECONDS_PER_MS, instant, timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.table_terminal.hall.bundle import Bundle
from faristol.table_terminal.hall.journal import HallJournal, PendingCommand, PlayedHallTurn
from faristol.table_terminal.hall.times import SyncedClock

Ask = Callable[[Any], Awaitable[Any]]
"""Calls the services; raises ``ServicesUnavailable`` if they are unreachable, and ``CommandRefused`` for a refusal."""

TEMPORARY_REASONS = frozenset({"TURN_NOT_STARTED", "TIME_NOT_OVER"})
"""Temporary reasons: the game is behind the hall."""
EXECUTED_REASONS = frozenset({"HALL_CLOSED"})
"""Reasons that mean that the command was already executed."""


class ServicesUnavailable(Exception):
    """The services are unreachable."""


class CommandRefused(Exception):
    """The services refused a command."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class RackCall:
    """A rack that a hall calls."""

    number: int
    rack: tuple[str, ...]
    before: SealedTurn | None
    """The previous sealed turn, whose master play is laid first; None if unknown."""


class HallState:
    """The state of a hall for its collector."""

    def __init__(self, bundle: Bundle, journal: HallJournal, ask: Ask, clock: SyncedClock, collector: str) -> None:
        self.bundle = Bundle(journal.bundle, bundle.hall) if journal.bundle is not None else bundle
        self.journal = journal
        self.online = False
        self.over = False
        """Whether the game is over, by the services or by the sealed game."""
        self._ask, self._clock, self._collector = ask, clock, collector
        self._seats = {seat.number: seat.player_id for seat in self.bundle.answer.seats}
        self._shown: dict[int, pb.DuplicateTurn] = {}
        self._sealed: SealedGame | None = self.bundle.open_sealed()
        self._one_at_a_time = asyncio.Lock()
        if journal.ahead is not None:
            clock.restore(journal.ahead)

    @property
    def doubted(self) -> Mapping[int, events.Slip]:
        """Slips of the turn that were refused for their form, by number, until the next one of that number."""
        at = self.current.number if self.current else 0
        found = {number: self.journal.doubted.get(player_id) for number, player_id in self._seats.items()}
        return {number: kept[1] for number, kept in found.items() if kept is not None and kept[0] == at}

    @property
    def current(self) -> PlayedHallTurn | None:
        """The current turn of the hall: the first that it has not closed, or else the last.

        Several are open if racks that it played were void: it plays those turns again.
        """
        turns = [self.journal.turns[number] for number in sorted(self.journal.turns)]
        return next((turn for turn in turns if not turn.closed), turns[-1] if turns else None)

    def left_ms(self) -> int | None:
        """Return the milliseconds left in the turn, 0 once it is over; None while no time runs."""
        turn = self.current
        if turn is None or turn.ends_at is None:
            return None
        return max(0, (turn.ends_at - self._clock.now()) // NANOSECONDS_PER_MS)

    async def sync(self) -> bool:
        """Fetch the state of the game and send pending commands; return whether the services are reachable.

        Raises ``CommandRefused`` if the services refuse queries of this hall.
        """
        async with self._one_at_a_time:
            try:
                await self._load_game()
                await self._send()
            except ServicesUnavailable:
                self.online = False
            else:
                self.online = True
        return self.online

    def call(self) -> RackCall:
        """Start the next turn without waiting for the others. Raises ``Refusal`` if the hall has to wait."""
        self._may_go_on()
        number = self.current.number + 1 if self.current else 1
        shown = self._shown.get(number)
        sealed = self._sealed_turn(number)
        if shown is not None and not (shown.sealed and self._is_over(shown)):
            self._follow(shown)
            return RackCall(number, tuple(shown.faces), self._sealed_turn(number - 1))
        if self.online and shown is None:
            raise Refusal("WAIT", N_("There is a connection: the rack is shown when it is called for all halls."))
        if sealed is None:
            raise self._no_rack(number)
        self.journal.keep_turn(PlayedHallTurn(number, sealed.rack.faces, own=True))
        return RackCall(number, sealed.rack.faces, self._sealed_turn(number - 1))

    def start(self) -> PlayedHallTurn:
        """Start the time of a turn that the hall has called by itself. Raises ``Refusal``."""
        turn = self._turn()
        if not turn.own:
            raise Refusal("WAIT", N_("The time of this round starts with that of all halls."))
        if turn.began_at is not None:
            raise Refusal("TURN_STARTED", N_("The time of round {turn} has already started."), {"turn": turn.number})
        now = self._clock.now()
        begun = replace(turn, began_at=now, ends_at=now + self.bundle.answer.seconds * 1000 * NANOSECONDS_PER_MS)
        self.journal.keep_turn(begun)
        return begun

    def take(self, number: int, slip: events.Slip, *, check_form: bool = False) -> None:
        """Store the slip of the player with that number. Raises ``Refusal``.

        With ``check_form`` the services refuse a slip that is null by its form; it is then in ``doubted``.
        """
        turn = self._turn()
        if turn.began_at is None:
            raise Refusal("TURN_NOT_STARTED", N_("The time of round {turn} has not started."), {"turn": turn.number})
        if number not in self._seats:
            raise Refusal("NO_SEAT", N_("No player in this hall has the number {number}."), {"number": number})
        slip.player_id = self._seats[number]
        request = pb.SubmitSlipsRequest(
            source=events.SLIP_SOURCE_PAPER,
            slips=[slip],
            taken_at=timestamp(self._clock.now()),
            check_form=check_form,
            **self._common_fields(turn),
        )
        if turn.own:
            request.began_at.CopyFrom(timestamp(turn.began_at))
        self.journal.keep_command("slips", turn.number, request)

    def close(self) -> PlayedHallTurn:
        """Close the turn after all slips are in. Raises ``Refusal`` before its time is over or for doubted slips."""
        turn = self._turn()
        if turn.closed:
            raise Refusal("HALL_CLOSED", N_("The hall has closed round {turn} already."), {"turn": turn.number})
        if self.doubted:
            numbers = ", ".join(map(str, sorted(self.doubted)))
            raise Refusal(
                "SLIPS_DOUBTED", N_("First retype the slips that were rejected: {numbers}."), {"numbers": numbers}
            )
        if turn.ends_at is None or self._clock.now() < turn.ends_at:
            raise Refusal("TIME_NOT_OVER", N_("The time of round {turn} is not over."), {"turn": turn.number})
        self._keep_unchecked(turn.number)
        self.journal.keep_command("close", turn.number, pb.CloseHallRequest(**self._common_fields(turn)))
        closed = replace(turn, closed=True)
        self.journal.keep_turn(closed)
        return closed

    def _common_fields(self, turn: PlayedHallTurn) -> dict[str, Any]:
        """Return the fields of every command of a turn."""
        at = {"game_id": self.bundle.game_id, "hall": self.bundle.hall, "turn": turn.number, "rack": turn.rack}
        return {"command_id": str(uuid.uuid4()), "collector_id": self._collector, **at}

    def _keep_unchecked(self, number: int) -> None:
        """Resend pending slips of a turn without ``check_form``: after it is closed none is typed again."""
        for kept in self.journal.unsent:
            if kept.turn == number and isinstance(kept.request, pb.SubmitSlipsRequest) and kept.request.check_form:
                request = pb.SubmitSlipsRequest()
                request.CopyFrom(kept.request)
                request.command_id, request.check_form = str(uuid.uuid4()), False
                self.journal.keep_command("slips", number, request)
                self.journal.keep_sent(kept.command_id)

    def master_of(self, number: int) -> SealedTurn | None:
        """Return the sealed turn of that number, after this hall has closed it."""
        turn = self.journal.turns.get(number)
        return self._sealed_turn(number) if turn is not None and turn.closed else None

    async def _load_game(self) -> None:
        asked_at = self._clock.steady()
        shown = await self._ask(pb.GetDuplicateRequest(game_id=self.bundle.game_id, inside=True))
        self._clock.compare(asked_at, instant(shown.now))
        if self.journal.ahead is None or abs(self.journal.ahead - self._clock.ahead) > NANOSECONDS_PER_MS:
            self.journal.keep_clock(self._clock.ahead)
        if self.journal.void_from != shown.seal.void_from_turn:
            self.journal.keep_void(shown.seal.void_from_turn)
        if not self._seats or (shown.HasField("seal") and self._sealed is None):
            await self._complete()
        self.over = bool(shown.end)
        self._shown = {turn.turn: turn for turn in shown.turns}
        self._drop_void()
        for turn in shown.turns:
            self._hear_turn(turn)

    def _drop_void(self) -> None:
        """Drop turns that this hall began offline with void racks. Their slips stay in the journal."""
        first = self.journal.void_from
        for number, turn in list(self.journal.turns.items()):
            if first and number >= first and turn.own and number not in self._shown:
                self.journal.drop_turn(number)

    async def _complete(self) -> None:
        """Fetch the data missing in a bundle that was made before the game began: the players, and the key."""
        answer = await self._ask(pb.GetBundleRequest(game_id=self.bundle.game_id, hall=self.bundle.hall))
        self._seats = {seat.number: seat.player_id for seat in answer.seats}
        self.bundle = Bundle(answer, self.bundle.hall)
        if answer != self.journal.bundle:
            self.journal.keep_bundle(answer)
        self._sealed = self.bundle.open_sealed()

    def _hear_turn(self, shown: pb.DuplicateTurn) -> None:
        """Apply the state of a turn from the services."""
        known = self.journal.turns.get(shown.turn)
        if known is not None:
            same = known.rack == tuple(shown.faces)
            if not same or not known.own:
                self._follow(shown)
            return
        at = self.current
        is_next = shown.turn == max(self.journal.turns, default=0) + 1
        if is_next and (at is None or at.closed) and not (shown.sealed and self._is_over(shown)):
            self._follow(shown)

    def _follow(self, shown: pb.DuplicateTurn) -> None:
        """Play a turn with all other halls."""
        before = self.journal.turns.get(shown.turn)
        same = before is not None and before.rack == tuple(shown.faces)
        turn = PlayedHallTurn(
            shown.turn,
            tuple(shown.faces),
            began_at=instant(shown.started_at) if shown.HasField("started_at") else None,
            ends_at=instant(shown.ends_at) if shown.HasField("ends_at") else None,
            closed=before.closed if before is not None and same else False,
        )
        if turn != before:
            self.journal.keep_turn(turn)

    def _is_over(self, shown: pb.DuplicateTurn) -> bool:
        return shown.HasField("ends_at") and instant(shown.ends_at) <= self._clock.now()

    async def _send(self) -> None:
        for kept in self.journal.unsent:
            shown = self._shown.get(kept.turn)
            if shown is None or not shown.HasField("started_at"):
                return
            if not await self._send_command(kept):
                return

    async def _send_command(self, kept: PendingCommand) -> bool:
        """Send a command; return whether the next one may follow it."""
        try:
            await self._ask(kept.request)
        except CommandRefused as error:
            if error.reason in TEMPORARY_REASONS:
                return False
            if error.reason not in EXECUTED_REASONS:
                turn = self.journal.turns.get(kept.turn)
                doubted = error.reason in FORM_DOUBTS and not (turn and turn.closed)
                self.journal.keep_refused(kept.command_id, str(error), doubted=doubted)
                return True
        self.journal.keep_sent(kept.command_id)
        return True

    def _turn(self) -> PlayedHallTurn:
        if self.current is None:
            raise Refusal("NO_RACK", N_("No rack has been called yet."))
        return self.current

    def _sealed_turn(self, number: int) -> SealedTurn | None:
        """Return the sealed turn of that number, if this hall knows no reason that it is void."""
        return self._sealed.turn(number) if self._sealed is not None and not self._is_void(number) else None

    def _is_void(self, number: int) -> bool:
        return 0 < self.journal.void_from <= number

    def _may_go_on(self) -> None:
        turn = self.current
        if self.over:
            raise Refusal("GAME_OVER", N_("The game is over."))
        if turn is not None and not turn.closed:
            raise Refusal(
                "HALLS_OPEN", N_("Close round {turn} first: some of its slips are missing."), {"turn": turn.number}
            )

    def _no_rack(self, number: int) -> Refusal:
        if self._sealed is None:
            return Refusal(
                "NO_LINE",
                N_(
                    "There is no connection and no sealed game that can be opened: the hall stops until it is "
                    "connected."
                ),
            )
        if self._is_void(number):
            return Refusal(
                "SEAL_VOID",
                N_("The racks of the sealed game are void from round {turn} on: the hall stops until it is connected."),
                {"turn": self.journal.void_from},
            )
        self.over = True
        return Refusal("GAME_OVER", N_("The game is over."))
