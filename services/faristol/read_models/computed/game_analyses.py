"""A cache of analysed games, which one worker fills: the searches of a game take a second of processor time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.fair_play.turns import GameAnalysis, analyse_game
from faristol.host.ruleset_store import rules_of
from faristol.host.table_store import clock_stream, game_stream
from faristol.kernel.bounded import store_bounded
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board
from faristol.rules.duplicate_game.plays import Play
from faristol.words.error import LexiconError
from faristol.words.graph import WordGraph
from faristol.words.library import Library

_log = logging.getLogger(__name__)

MAX_ANALYSED_GAMES_COUNT = 2_000
"""Limit of games of a query."""

ANALYSED_GAMES_CAPACITY = 2_500
"""Limit of cached games, some 20 kB each."""

OPEN_LEXICONS_CAPACITY = 8


class Analyses(NamedTuple):
    """The analysed games of a query."""

    games: Mapping[str, GameAnalysis]
    """By game id."""
    pending: int
    """Number of games that the worker has not reached yet."""
    unreadable: frozenset[str]
    """Ids of games with a lexicon that is not installed, or with rules that cannot be read."""

    @property
    def is_complete(self) -> bool:
        """Whether all games are analysed."""
        return self.pending == 0 and not self.unreadable


class GameAnalyses:
    """Analysed games, cached by the position of their last event."""

    def __init__(self, record: Record, lexicons: Path) -> None:
        """``lexicons`` is the folder of installed lexicons."""
        self._record = record
        self._library = Library(lexicons)
        self._known: OrderedDict[str, tuple[int, GameAnalysis]] = OrderedDict()
        self._unreadable: OrderedDict[str, int] = OrderedDict()
        self._wanted: dict[str, int] = {}
        self._asked = asyncio.Event()
        self._changed = asyncio.Condition()
        self._graph = lru_cache(maxsize=OPEN_LEXICONS_CAPACITY)(self._open_graph)

    async def run(self) -> None:
        """Analyse games as they are wanted, one at a time, until cancelled."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            while self._wanted:
                game_id, position = next(iter(self._wanted.items()))
                try:
                    await self._analyse(game_id, position)
                except (Refusal, LexiconError, ValueError) as error:
                    _log.info("game %s is not analysed: %s", game_id, error)
                    store_bounded(self._unreadable, game_id, position, ANALYSED_GAMES_CAPACITY)
                except FAILURES as error:
                    _log.warning("game %s is not analysed, until it is queried again: %s", game_id, error)
                async with self._changed:
                    if self._wanted.get(game_id) == position:
                        del self._wanted[game_id]
                    self._changed.notify_all()

    async def find(self, game_ids: Iterable[str], timeout_seconds: float) -> Analyses:
        """Return the analyses of finished games, as far as they are complete within ``timeout_seconds``.

        The others are analysed after that, in the order of ``game_ids``, and a later query gets them. At most
        ``MAX_ANALYSED_GAMES_COUNT`` games are analysed; a game without events is left out.
        """
        asked = list(dict.fromkeys(game_ids))[:MAX_ANALYSED_GAMES_COUNT]
        last = await self._record.last_events([game_stream(game_id) for game_id in asked])
        positions = {game_id: last[stream].position for game_id in asked if (stream := game_stream(game_id)) in last}
        missing = {game_id: position for game_id, position in positions.items() if not self._has(game_id, position)}
        for game_id in missing:
            self._unreadable.pop(game_id, None)  # its lexicon may have been installed since
        # The games of the latest query come first.
        self._wanted = {**missing, **{each: at for each, at in self._wanted.items() if each not in missing}}
        while len(self._wanted) > MAX_ANALYSED_GAMES_COUNT:
            self._wanted.popitem()
        if missing:
            self._asked.set()
        if self._is_pending(missing):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_seconds):
                    await self._wait_for(missing)
        found: dict[str, GameAnalysis] = {}
        for game_id, position in positions.items():
            if self._has(game_id, position):
                self._known.move_to_end(game_id)
                found[game_id] = self._known[game_id][1]
        unreadable = frozenset(each for each, at in positions.items() if self._unreadable.get(each) == at)
        return Analyses(found, len(positions) - len(found) - len(unreadable), unreadable)

    def _has(self, game_id: str, position: int) -> bool:
        known = self._known.get(game_id)
        return known is not None and known[0] == position

    async def _wait_for(self, games: Mapping[str, int]) -> None:
        """Wait until the worker has reached all of some games."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._is_pending(games))

    def _is_pending(self, games: Mapping[str, int]) -> bool:
        return any(self._wanted.get(game_id) == position for game_id, position in games.items())

    async def _analyse(self, game_id: str, position: int) -> None:
        """Analyse a game in a thread. Raises ``LexiconError`` or ``Refusal`` if its words or rules are unavailable."""
        past = await self._record.events(game_stream(game_id))
        times = await self._record.events(clock_stream(game_id))
        opened = next((event for event in past if isinstance(event, events.GameOpened)), None)
        if opened is None:
            analysis = GameAnalysis(game_id)
        else:
            layers = (await rules_of(self._record, opened.ruleset)).lexicon.layers
            analysis = await asyncio.to_thread(self._search, opened, layers, past, times)
        store_bounded(self._known, game_id, (position, analysis), ANALYSED_GAMES_CAPACITY)

    def _search(
        self,
        opened: events.GameOpened,
        layers: Sequence[str],
        past_events: Sequence[Message],
        clock_events: Sequence[Message],
    ) -> GameAnalysis:
        graph = self._graph(opened.lexicon.digest, tuple(layers))
        return analyse_game(opened.game_id, past_events, clock_events, partial(_find_best, graph))

    def _open_graph(self, digest: str, layers: tuple[str, ...]) -> WordGraph:
        graph = self._library.open(digest)
        chosen = frozenset(layers) & set(graph.known_layers)
        return graph.with_layers(chosen) if chosen else graph


def _find_best(graph: WordGraph, board: Board, rack: Sequence[str]) -> Sequence[Play]:
    from faristol.words.plays import tops

    return tops(graph, board, rack)
