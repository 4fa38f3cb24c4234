"""One duplicate game of the demonstration: the judge, halls with collectors, and the phones of players."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from faristol.client.services import A_co, Api, RequestFor
from faristol.demo.cast import UserCalls
from faristol.demo.commands import send
from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.demo.duplicate_game.slips import FLAWED_KINDS, PlayerSlip, SlipKind, TurnView, write_slips
from faristol.duplicate_game.preparation import duplicate_id
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.board import Board, Placement, Square, Tile
from faristol.rules.draws.bag import full_bag, without
from faristol.rules.duplicate_game.racks import is_valid
from faristol.rules.tiles import BLANK
from faristol.words import WordGraph

JUDGE = "judge"
SLIP_BATCH_SIZE = 50
"""Slips per request of a collector."""
TURN_POLL_SECONDS = 0.05
"""Poll interval of a running turn, in seconds."""
SLACK = timedelta(seconds=10)
"""Time left of a live turn when its clock is stopped."""
LIVE_TURN_REMAINDER = timedelta(milliseconds=250)
"""Time left of a live turn after all phones have saved."""
PENDING_KINDS = frozenset({SlipKind.TWO_SLIPS, SlipKind.TYPED_OTHERWISE, SlipKind.AFTER_CLOSE})


@dataclass(frozen=True)
class Ended:
    """The outcome of a game."""

    game_id: str
    shown: pb.GetDuplicateResponse
    standings: pb.GetDuplicateStandingsResponse
    kinds: Mapping[str, Mapping[str, int]]
    """Number of slips by kind and by the reason why they are null; ``counts`` if they are not."""


@dataclass
class DuplicateGame:
    """One game, from its first rack to its results."""

    api: Api
    plan: DuplicatePlan
    graph: WordGraph
    cast: UserCalls
    round: int
    now: datetime
    seen: Callable[[int, int], None]
    """Callback for progress: scored turns, all turns (0 if unknown)."""
    _seats: dict[str, Sequence[str]] = field(default_factory=dict)
    _shown: set[SlipKind] = field(default_factory=set)
    _did: dict[int, dict[str, PlayerSlip]] = field(default_factory=lambda: defaultdict(dict))
    _late: tuple[str, int] | None = None
    """A hall, and the turn whose slips it has not handed in."""

    @property
    def game_id(self) -> str:
        """Id of the game."""
        return duplicate_id(self.plan.tournament_id, self.round)

    async def play(self) -> Ended:
        """Play the game. Raises ``grpc.aio.AioRpcError`` if a service refuses a request."""
        for hall in self.plan.hall_names:
            sheet = await self.api.call(pb.GetHallSheetRequest(game_id=self.game_id, hall=hall))
            self._seats[hall] = [player.player_id for player in sheet.players]
        number = 1
        while await self._turn(number):
            if number == 1:
                await self._claims(number)
            self.seen(number, self.plan.turns)
            number += 1
        await self._send(
            pb.ValidateResultsRequest(arbiter_id=JUDGE),
            self._compute_action_time(number - 1, self._start(number)),
            "validate",
        )
        return Ended(
            self.game_id,
            await self.api.call(pb.GetDuplicateRequest(game_id=self.game_id)),
            await self.api.call(pb.GetDuplicateStandingsRequest(game_id=self.game_id)),
            await self._kinds(),
        )

    async def _turn(self, number: int) -> bool:
        """Play a turn. Return False if the game has ended before it."""
        if self._late and (number == self._late[1] + 2 or number > self.plan.turns > 0):
            await self._merge(*self._late)
        live = self.plan.is_live(self.round, number)
        begin = await self._server_time() - self._length if live else self._start(number)
        request = pb.CallRackRequest(arbiter_id=JUDGE, faces=await self._by_hand(number))
        called = await self._send(request, begin - timedelta(seconds=30), "call", number)
        if called.end:
            return False
        written = await self._write_slips(number, called.faces)
        if live:
            begin = await self._server_time() + SLACK - self._length
        started = await self._send(turns.StartTurnRequest(turn=number, arbiter_id=JUDGE), begin, "start", number)
        if live:
            over = await self._own_phones(number, written)
        else:
            over = to_datetime(started.ends_at)
        cut_off = self.plan.cut_off(number)
        await asyncio.gather(
            *(self._hall(hall, number, over, written[hall]) for hall in self._seats if hall != cut_off)
        )
        if cut_off:
            self._late = cut_off, number
        await self._score(number, over, cut_off)
        return True

    @property
    def _length(self) -> timedelta:
        return timedelta(seconds=self.plan.rules.turns.seconds)

    def _start(self, number: int) -> datetime:
        return self.plan.turn_start(self.round, number, self.now)

    async def _by_hand(self, number: int) -> Sequence[str]:
        """Return the rack with a blank that the judge draws by hand in the second turn, or an empty tuple."""
        if number != 2:
            return ()
        board, kept, left = await self._position()
        size = self.plan.rules.game.rack_size
        if BLANK in kept or BLANK not in left:
            return ()
        for attempt in range(100):
            order = sorted(range(len(left)), key=lambda place: self._lot("by-hand", attempt, place))
            tiles = [left[place] for place in order if left[place] != BLANK][: size - len(kept) - 1]
            rack = (*kept, BLANK, *tiles)
            if is_valid(rack, number, (*kept, *left), self.plan.rules) and self._sight(board, rack).plays:
                return rack
        return ()

    async def _position(self) -> tuple[Board, tuple[str, ...], tuple[str, ...]]:
        """Return the board, the tiles left in the rack, and the tiles in the bag."""
        shown = await self.api.call(pb.GetDuplicateRequest(game_id=self.game_id))
        board = _board(shown)
        last = shown.turns[-1]
        kept = without(tuple(last.faces), ["?" if tile.blank else tile.face for tile in last.master.placements])
        out = [*kept, *("?" if tile.blank else tile.face for tile in shown.board)]
        return board, kept, without(full_bag(self.plan.rules.tile_set), out)

    def _sight(self, board: Board, rack: Sequence[str]) -> TurnView:
        return TurnView.of(self.graph, self.plan.rules, board, tuple(rack))

    async def _write_slips(self, number: int, rack: Sequence[str]) -> Mapping[str, Sequence[PlayerSlip]]:
        """Return the slips of the players of each hall."""
        shown = await self.api.call(pb.GetDuplicateRequest(game_id=self.game_id))
        sight = self._sight(_board(shown), rack)
        players = [player for seats in self._seats.values() for player in seats]
        wanted = [
            kind for kind in FLAWED_KINDS if kind not in self._shown and (kind is not SlipKind.MISTYPED or number == 1)
        ]
        found = write_slips(sight, players, wanted[: len(players) // 2], partial(self._lot, number))
        by_player = {each.player_id: each for each in found}
        self._did[number] = by_player
        self._shown |= {each.kind for each in found}
        return {hall: [by_player[player] for player in seats] for hall, seats in self._seats.items()}

    async def _own_phones(self, number: int, written: Mapping[str, Sequence[PlayerSlip]]) -> datetime:
        """Save slips on the players' phones while the time is stopped. Return the end of the turn's time."""
        stop = turns.StopTurnRequest(turn=number, arbiter_id=JUDGE, reason="the projector of a hall went out")
        stopped_at = await self._server_time()
        stopped = await self._send(stop, stopped_at, "stop", number)
        await asyncio.gather(
            *(self._save(hall, number, each) for hall, all_ in written.items() for each in all_ if each.on_phone)
        )
        left = timedelta(milliseconds=stopped.milliseconds_left)
        at = max(stopped_at, await self._server_time() + LIVE_TURN_REMAINDER - left)
        resume = turns.ResumeTurnRequest(turn=number, arbiter_id=JUDGE)
        over = to_datetime((await self._send(resume, at, "resume", number)).ends_at)
        await self._is_past(over)
        for hall, all_ in written.items():
            for each in all_:
                if each.on_phone and each.kind is SlipKind.LATE:
                    async with self.cast.player(each.player_id):
                        await self._phone(hall, number, _bare(each.slip), None, each.player_id, "late")
        return over

    async def _save(self, hall: str, number: int, each: PlayerSlip) -> None:
        """Save up to two slips on a player's phone; the last one counts."""
        if each.kind in (SlipKind.NOT_HANDED_IN, SlipKind.LATE):
            return
        async with self.cast.player(each.player_id):
            for place, slip in enumerate((each.before, each.slip)):
                if slip is not None:
                    await self._phone(hall, number, _bare(slip), None, each.player_id, str(place))

    async def _phone(
        self, hall: str, number: int, slip: events.Slip, when: datetime | None, player: str, act: str
    ) -> None:
        """Save a slip from a phone, with the time of its hall's server unless it is now."""
        request = pb.SubmitSlipsRequest(turn=number, hall=hall, source=events.SLIP_SOURCE_PHONE)
        if when is not None:
            request.collector_id = f"server {hall}"
            slip.written_at.CopyFrom(to_timestamp(when))
        slip.player_id = player
        request.slips.append(slip)
        await self._send(request, when, "phone", number, player, act)

    async def _hall(self, hall: str, number: int, over: datetime, written: Sequence[PlayerSlip]) -> None:
        """Hand in all slips of a hall for a turn, and close it."""
        async with self.cast.collector(hall):
            if not self.plan.is_live(self.round, number):
                for each in written:
                    if each.on_phone:
                        await self._relay_saves(hall, number, over, each)
            typed_at = over + timedelta(seconds=20)
            paper = [each for each in written if not each.on_phone and each.kind is not SlipKind.AFTER_CLOSE]
            await self._type(hall, number, "first", [(each, _first_typing(each)) for each in paper], typed_at)
            second = [(each, each.before) for each in paper if each.kind is SlipKind.TYPED_OTHERWISE and each.before]
            await self._type(hall, number, "second", second, typed_at)
            close = pb.CloseHallRequest(hall=hall, turn=number, collector_id=f"first {hall}")
            at = over + timedelta(seconds=60)
            await self._send(close, self._compute_action_time(number, at), "close", number, hall)
            found = [(each, each.slip) for each in written if each.kind is SlipKind.AFTER_CLOSE]
            await self._type(hall, number, "found", found, at)
        for each in written:
            if each.kind in PENDING_KINDS:
                await self._rule(hall, number, over, each)

    async def _relay_saves(self, hall: str, number: int, over: datetime, each: PlayerSlip) -> None:
        """Hand in the saves of a phone from the server of its hall, each with its time."""
        if each.kind is SlipKind.NOT_HANDED_IN:
            return
        if each.kind is SlipKind.LATE:
            late = over + timedelta(milliseconds=1)
            await self._phone(hall, number, _bare(each.slip), late, each.player_id, "late")
            return
        for place, slip in enumerate((each.before, each.slip)):
            if slip is not None:
                when = over - timedelta(seconds=30 - 20 * place)
                await self._phone(hall, number, _bare(slip), when, each.player_id, str(place))

    async def _type(
        self, hall: str, number: int, who: str, slips: Sequence[tuple[PlayerSlip, events.Slip]], when: datetime
    ) -> None:
        """Type paper slips as a collector, in batches."""
        for begin in range(0, len(slips), SLIP_BATCH_SIZE):
            request = pb.SubmitSlipsRequest(
                turn=number, hall=hall, source=events.SLIP_SOURCE_PAPER, collector_id=f"{who} {hall}"
            )
            for each, slip in slips[begin : begin + SLIP_BATCH_SIZE]:
                request.slips.add().CopyFrom(slip)
                request.slips[-1].player_id = each.player_id
            dated = self._compute_action_time(number, when)
            await self._send(request, dated, "type", number, hall, who, begin)

    async def _rule(self, hall: str, number: int, over: datetime, each: PlayerSlip) -> None:
        """Rule on a slip as the judge, by its paper."""
        slip = events.Slip()
        slip.CopyFrom(each.slip)
        slip.player_id, slip.handed = each.player_id, events.HANDED_IN_TIME
        reasons = {
            SlipKind.TWO_SLIPS: "the other one has no number of the round",
            SlipKind.TYPED_OTHERWISE: "so it stands on the paper",
            SlipKind.AFTER_CLOSE: "found under a table after the slips were taken",
        }
        if each.kind is SlipKind.AFTER_CLOSE:
            slip.handed = events.HANDED_LATE
        request = pb.RuleSlipRequest(hall=hall, turn=number, slip=slip, reason=reasons[each.kind], arbiter_id=JUDGE)
        at = self._compute_action_time(number, over + timedelta(seconds=90))
        await self._send(request, at, "rule", number, each.player_id)

    async def _score(self, number: int, over: datetime, cut_off: str) -> None:
        request = pb.ScoreTurnRequest(turn=number, arbiter_id=JUDGE)
        if cut_off:
            request.without_open_halls, request.reason = True, f"{cut_off} has no line"
        at = self._compute_action_time(number, over + timedelta(seconds=100))
        await self._send(request, at, "score", number)

    async def _merge(self, hall: str, number: int) -> None:
        """Hand in the slips of a hall that was cut off in a turn, and score them."""
        self._late = None
        over = self._start(number) + self._length
        seats = set(self._seats[hall])
        written = [each for each in self._did[number].values() if each.player_id in seats]
        await self._hall(hall, number, over, written)
        request = pb.ScoreTurnRequest(turn=number, arbiter_id=JUDGE)
        at = self._compute_action_time(number, over + timedelta(seconds=110))
        await self._send(request, at, "merge", number)

    async def _claims(self, number: int) -> None:
        """Raise and decide the rightful claims on mistyped slips, and an unfounded one."""
        did = list(self._did[number].values())
        wrong = [each for each in did if each.kind is SlipKind.MISTYPED]
        other = [each for each in did if each.kind in (SlipKind.INVALID, SlipKind.NO_WORD)]
        for each in (*wrong, *other[:1]):
            hall = next(hall for hall, seats in self._seats.items() if each.player_id in seats)
            claim = pb.RaiseClaimRequest(turn=number, hall=hall, player_id=each.player_id, words="I wrote it otherwise")
            async with self.cast.player(each.player_id):
                raised = await self._send(claim, None, "claim", number, each.player_id)
            decide = pb.DecideClaimRequest(
                hall=hall, claim_id=raised.claim_id, arbiter_id=JUDGE, reason="the paper was looked at"
            )
            if each.kind is SlipKind.MISTYPED:
                decide.corrected.CopyFrom(each.slip)
                decide.corrected.player_id = each.player_id
            await self._send(decide, None, "decide", number, each.player_id)

    async def _kinds(self) -> Mapping[str, Mapping[str, int]]:
        """Count the outcomes of each kind of slip, from the sheets of the halls."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for hall in self._seats:
            sheet = await self.api.call(pb.GetHallSheetRequest(game_id=self.game_id, hall=hall))
            for player in sheet.players:
                for number, score in zip(player.turns, player.scores, strict=True):
                    found[self._did[number][player.player_id].kind][score.fault or "counts"] += 1
        return {kind: dict(sorted(found[kind].items())) for kind in sorted(found)}

    async def _is_past(self, moment: datetime) -> None:
        """Wait until a new slip would be late."""
        while True:
            left = moment - await self._server_time()
            if left < -timedelta(milliseconds=1):
                return
            await asyncio.sleep(max(TURN_POLL_SECONDS, left.total_seconds()))

    async def _server_time(self) -> datetime:
        shown = await self.api.call(pb.GetDuplicateRequest(game_id=self.game_id))
        return to_datetime(shown.now)

    def _compute_action_time(self, number: int, when: datetime) -> datetime | None:
        """Return the time of an action in a turn, or None (now) in a live turn."""
        return None if self.plan.is_live(self.round, number) else when

    def _lot(self, *what: object) -> int:
        return self.plan.lot("duplicate", self.round, *what)

    async def _send(self, request: RequestFor[A_co], when: datetime | None, *act: object) -> A_co:
        """Send a request with an id derived from ``act`` and the game, and its time."""
        return await send(self.api, self.plan, request, when, self.game_id, *act, game_id=self.game_id)


def _board(shown: pb.GetDuplicateResponse) -> Board:
    return Board().place(
        [Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in shown.board]
    )


def _first_typing(each: PlayerSlip) -> events.Slip:
    """Return the slip as the first collector types it."""
    return each.before if each.kind is SlipKind.MISTYPED and each.before is not None else each.slip


def _bare(slip: events.Slip) -> events.Slip:
    """Return the slip as a phone sends it, without the way it was handed in."""
    return events.Slip(coordinates=slip.coordinates, word=slip.word, score=slip.score)
