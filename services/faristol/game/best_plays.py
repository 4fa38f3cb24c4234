"""A cache of the best plays for the racks of finished games."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from faristol.kernel.bounded import store_bounded
from faristol.kernel.pins import no_lexicon
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.rules.board import Direction, Square
from faristol.rules.notation import Notation, Start
from faristol.table.draw_log import RackAtTurn
from faristol.words.graph import WordGraph
from faristol.words.library import Library, MissingLexiconError

MAX_PLAYS_PER_RACK = 5
"""Limit of plays per rack."""

BEST_PLAYS_CACHE_SIZE = 500
"""Limit of cached games."""


class BestPlays:
    """A cached search for best plays, of one game at a time: it takes about a second of processor time."""

    def __init__(self, lexicons: Path) -> None:
        """``lexicons`` is the folder of installed lexicons."""
        self._library = Library(lexicons)
        self._kept: OrderedDict[tuple[str, int], asyncio.Task[pb.ListBestPlaysResponse]] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    async def of(
        self, game_id: str, version: int, lexicon: str, held: Sequence[RackAtTurn]
    ) -> pb.ListBestPlaysResponse:
        """Return the best plays of a game at a ``version``, by the lexicon with that digest.

        A cancelled caller does not cancel the search. Raises ``Refusal`` if the lexicon is not installed.
        """
        key = (game_id, version)
        if key in self._kept:
            self._kept.move_to_end(key)
        else:
            store_bounded(self._kept, key, asyncio.create_task(self._search(lexicon, held)), BEST_PLAYS_CACHE_SIZE)
        try:
            return await asyncio.shield(self._kept[key])
        except Refusal:
            self._kept.pop(key, None)  # it may be installed later
            raise

    async def _search(self, lexicon: str, held: Sequence[RackAtTurn]) -> pb.ListBestPlaysResponse:
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._look, lexicon, held)

    def _look(self, lexicon: str, held: Sequence[RackAtTurn]) -> pb.ListBestPlaysResponse:
        if not lexicon:
            raise no_lexicon(N_("This game has no lexicon: best plays require one."))
        try:
            graph = self._library.open(lexicon)
        except MissingLexiconError as error:
            raise Refusal(
                "NO_LEXICON", N_("The lexicon of this game, {digest}, is not installed here."), {"digest": lexicon}
            ) from error
        return pb.ListBestPlaysResponse(turns=[_turn(graph, each) for each in held])


def _turn(graph: WordGraph, held: RackAtTurn) -> pb.TurnPlays:
    from faristol.words.plays import Grid, best  # deferred: it imports numba

    answer = pb.TurnPlays(turn=held.turn, player_id=held.player_id)
    grid = Grid.of(graph.tile_set, held.board)
    for found in best(graph, grid, held.faces, MAX_PLAYS_PER_RACK)[:MAX_PLAYS_PER_RACK]:
        direction = Direction.ACROSS if found.across else Direction.DOWN
        answer.plays.add(
            placements=[
                events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
                for square, tile in found.placements
            ],
            faces=found.word,
            coordinates=Notation.FISC.write(Start(Square(found.row, found.col), direction)),
            score=found.score,
        )
    return answer
