"""The events of the championship that a hall needs, as a stream that can be resumed at any position."""

from __future__ import annotations

import asyncio
import logging
import math
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from google.protobuf.message import Message

from faristol.event_store import Record, load
from faristol.event_store.append.copies import Batch
from faristol.event_store.append.extracts import LatestExtracts
from faristol.event_store.stored import Stored
from faristol.event_store.upcasters import upcasters
from faristol.game.duplicate_game.sealed_game_keys import SealedGameKeys
from faristol.host.duplicate_store import SLIPS, find_game, hall_of_stream, hall_stream
from faristol.host.halls import wire
from faristol.host.halls.identity import CASE
from faristol.host.halls.kept import outcome_stream
from faristol.host.table_store import CLOCK, GAME, game_of
from faristol.kernel.event_types import PUBLIC_TYPES, types_of
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.personal_data.erasure import PEOPLE_STREAM
from faristol.table.views import TableTournament, watch_tournament

FOLLOW_POLL_SECONDS = 1.0
"""Seconds between reads of the record without a notification."""

FOLLOW_PAUSE_SECONDS = 0.2
"""Seconds from a look at new events to the next one of the same call: events of this time come in one response."""

MAX_FOLLOW_PAUSE_SECONDS = 1.5
"""The same after many looks that found events, such as the results of halls that come back: a hall computes the
standings again for each response."""

FOLLOW_PAUSE_FACTOR = 1.5
"""Factor of the pause from a look that found events to the next one."""

FOLLOW_KEEPALIVE_SECONDS = 10.0
"""Seconds after which a message is sent without new events, so that both sides notice a lost connection."""

SPREAD_RATIO = 0.4
"""Share of a pause by which it is longer or shorter in a hall."""

OPENED_TYPES = types_of([lexicon_events.CaseOpened, duplicate_events.DuplicateOpened])
"""Events that open a case or a duplicate game."""
SLIPS_HANDED_OVER_TYPES = types_of([duplicate_events.SlipsHandedOver])
MAX_READ_EVENTS = 10_000
"""Openings in one read."""

_audit = logging.getLogger("faristol.audit")


class HallFilter:
    """The events that a hall needs: of its tournament, rule sets, its tables and their cases, and erased persons.

    Of a duplicate game it needs the racks, times and master plays, and its own slips. A game that opened with its seed,
    before the first cell of a hall joined, is not for halls.

    It can compute no draw of another hall, or of a later rack: seeds derive from a salt in the stream of the halls
    (``Halls.draw_salt``), which no hall gets. Those of its tables are in events of their games.
    """

    def __init__(self, record: Record, tournament_id: str, hall: str) -> None:
        self._record = record
        self._tournament_id = tournament_id
        self._hall = hall
        self._stream = f"tournament-{tournament_id}"
        self._tournament = TableTournament()
        self._version = 0
        """Version of the tournament's stream up to which its events are in ``_tournament``."""
        self._games: frozenset[str] = frozenset()
        self._cases: dict[str, str] = {}
        """Game by the stream of a case."""
        self._duplicates: set[str] = set()
        """Streams of duplicate games, and of the slips of the hall in them."""
        self._own = {
            self._stream,
            f"lexicon-{tournament_id}",
            outcome_stream(tournament_id),
            PEOPLE_STREAM,
        }

    async def begin(self) -> None:
        """Read the present seats, and the cases and the duplicate games that were opened before."""
        loaded = await load(self._record, self._stream, TableTournament(), watch_tournament)
        self._seat(loaded.state, loaded.version)
        position = 0
        while found := await self._record.read(
            position, limit=MAX_READ_EVENTS, tournament=self._tournament_id, types=OPENED_TYPES
        ):
            for event in found:
                self._note_opening(event.stream, event.message)
            position = found[-1].position

    def _seat(self, tournament: TableTournament, version: int) -> None:
        """Note the games of the hall after an event of the tournament."""
        if tournament.pairings is not self._tournament.pairings:
            self._games = frozenset(
                pairing.game_id
                for pairings in tournament.pairings.values()
                for pairing in pairings
                if pairing.hall == self._hall
            )
        self._tournament, self._version = tournament, version

    def __call__(self, event: Stored) -> bool:
        """Check whether the hall needs an event."""
        stream = event.stream
        if stream == self._stream and event.version == self._version + 1:
            # A round that is paired now may have its tables further on in the same extract.
            message = upcasters.message(event.type, event.schema_version, event.payload)
            self._seat(watch_tournament(self._tournament, message), event.version)
        if stream in self._own or stream.startswith("ruleset-"):
            return True
        if event.tournament != self._tournament_id:
            return False
        if event.type in OPENED_TYPES:
            self._note_opening(stream, upcasters.message(event.type, event.schema_version, event.payload))
        if stream.startswith((GAME, CLOCK)):
            return game_of(stream) in self._games
        if stream.startswith(CASE):
            return self._cases.get(stream, "") in self._games
        return stream in self._duplicates

    def _note_opening(self, stream: str, opened: Message) -> None:
        """Note a case or a duplicate game, whose later events may be for the hall."""
        if isinstance(opened, lexicon_events.CaseOpened):
            self._cases[stream] = opened.game_id
        elif isinstance(opened, duplicate_events.DuplicateOpened) and not opened.seed:
            own = [each.number for each in opened.halls if each.name == self._hall]
            self._duplicates |= {stream, *(hall_stream(opened.game_id, number) for number in own)}


class SentEvents:
    """Hashes of events that cells of halls sent during their calls in this process: they do not come back."""

    def __init__(self) -> None:
        self._calls: dict[bytes, list[set[bytes]]] = {}
        """Hashes for each call, by the key of its cell."""

    @contextmanager
    def following(self, key: bytes) -> Iterator[set[bytes]]:
        """Note what a cell with this key sends during a call; the call removes the hashes that it has passed."""
        hashes = set[bytes]()
        if key:
            self._calls.setdefault(key, []).append(hashes)
        try:
            yield hashes
        finally:
            if key:
                self._calls[key] = [each for each in self._calls[key] if each is not hashes]

    def add(self, key: bytes, events: Iterable[Stored]) -> None:
        """Note events that the cell with this key has sent."""
        for hashes in self._calls.get(key, ()):
            hashes.update(event.hash for event in events)


class Following:
    """The calls with which halls follow the championship in this process.

    A championship has many halls and appends many events a second, of which a hall needs few. So each new event is read
    once for all calls, and a call looks at most every ``FOLLOW_PAUSE_SECONDS``, more rarely while it finds some. It
    sends no response without events while the connection needs none.
    """

    def __init__(self, record: Record, sealed_game_keys: SealedGameKeys) -> None:
        """``sealed_game_keys`` are those of all sealed games: the hall gets that of each game whose slips it gets."""
        self.sent = SentEvents()
        self._record = record
        self._latest = LatestExtracts(record)
        self._sealed_game_keys = sealed_game_keys

    async def follow(self, request: pb.FollowChampionshipRequest) -> AsyncIterator[pb.FollowChampionshipResponse]:
        """Yield the events after a position, then each new one, with what is beside them."""
        wanted = HallFilter(self._record, request.tournament_id, request.hall)
        await wanted.begin()
        position = told = request.after_position
        time, told_at, is_told_end = asyncio.get_running_loop().time, -math.inf, False
        pause, spread = FOLLOW_PAUSE_SECONDS, compute_spread(request.hall)
        with self.sent.following(request.key) as sent:

            def is_missing(event: Stored) -> bool:
                is_known = event.hash in sent
                sent.discard(event.hash)
                return wanted(event) and not is_known

            while True:
                found = await self._latest.extract(position, is_missing, max_age=FOLLOW_POLL_SECONDS / 2)
                position, end = found.position, self._latest.end
                is_due = time() - told_at >= FOLLOW_KEEPALIVE_SECONDS
                if found.batch.events or is_due or (position >= end and not is_told_end):
                    yield await self._respond(found.batch, told, position, end)
                    told, told_at, is_told_end = position, time(), position >= end
                if position >= end:
                    pause = compute_pause(pause, found=bool(found.batch.events))
                    await asyncio.sleep(pause * spread)
                    await self._record.news.wait(FOLLOW_POLL_SECONDS, position)

    async def _respond(self, batch: Batch, begin: int, position: int, end: int) -> pb.FollowChampionshipResponse:
        people: Sequence[pb.HallPerson] = ()
        if batch.events:
            async with self._record.reading() as connection:
                people = await wire.load_people(connection, batch.events)
        response = pb.FollowChampionshipResponse(
            events=wire.to_events(without_private_notes(batch)),
            answers=wire.to_answers(batch),
            people=people,
            position=position,
            last_position=end,
            keys=await _load_keys(self._record, batch, self._sealed_game_keys),
            after_position=begin,
        )
        return wire.add_checksum(response)


def compute_spread(hall: str) -> float:
    """Return the factor of the pauses of a hall, about 1.

    The calls of all halls begin to find events at the same moment. With equal pauses, all halls would compute the
    standings at the same moments too.
    """
    return 1 + SPREAD_RATIO * (zlib.crc32(hall.encode()) / 2**31 - 1)


def compute_pause(last: float, *, found: bool) -> float:
    """Return the seconds until the next look after a pause: longer after each look that ``found`` events."""
    return min(MAX_FOLLOW_PAUSE_SECONDS, last * FOLLOW_PAUSE_FACTOR) if found else FOLLOW_PAUSE_SECONDS


async def _load_keys(record: Record, batch: Batch, sealed_game_keys: SealedGameKeys) -> list[pb.SealedGameKey]:
    """Return the keys of the sealed games whose slips a batch hands over, as far as this process has them."""
    games = dict.fromkeys(
        hall_of_stream(event.stream)[0] for event in batch.events if event.type in SLIPS_HANDED_OVER_TYPES
    )
    keys: list[pb.SealedGameKey] = []
    for game_id in games:
        game = (await find_game(record, game_id)).state
        key = sealed_game_keys.key_of(game_id, game.seal) if game.seal is not None else b""
        if key:
            keys.append(pb.SealedGameKey(game_id=game_id, key=key))
            _audit.info("the key of the sealed game %s is released to the cell of its hall", game_id)
    return keys


def without_private_notes(batch: Batch) -> Batch:
    """Return a batch with only the free texts that a hall needs: public ones, and those of its tables and slips."""
    kept = {
        event.event_id: batch.notes[event.event_id]
        for event in batch.events
        if event.event_id in batch.notes and (event.type in PUBLIC_TYPES or event.stream.startswith((GAME, SLIPS)))
    }
    return replace(batch, notes=kept)
