"""Duplicate games for training by one player. They are held only in the memory of a process."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import NamedTuple

from faristol.duplicate_game import training
from faristol.duplicate_game.draws import Words
from faristol.duplicate_game.game import Duplicate, Turn, written_play
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.host import Runtime
from faristol.host.duplicate_store import load_game
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import rules_of
from faristol.kernel.bounded import store_bounded
from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.ruleset.file import load_ruleset, ruleset_names

DEFAULT_TRAINING_RULESET = "fisc-2023-duplicate"
"""The default ruleset of a new game."""

MAX_SEED_CHARACTERS = 64
MAX_TRAINING_TURNS = 100
MAX_CACHED_TRAINING_GAMES = 256
"""Limit of cached new games."""

MAX_CONCURRENT_TRAININGS = 2
"""Limit of concurrent computations: games of tournaments have priority."""


class _Book(NamedTuple):
    """The ruleset and the words of a game."""

    ruleset: Ruleset
    words: Words


class Training:
    """The turns of training games."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons) -> None:
        self._runtime = runtime
        self._lexicons = lexicons
        self._known: OrderedDict[tuple[str, str, str], list[Duplicate]] = OrderedDict()
        self._gate = asyncio.Semaphore(MAX_CONCURRENT_TRAININGS)

    async def turn(self, request: pb.TrainTurnRequest, context: Context) -> pb.TrainTurnResponse:
        """Return a turn and, for a slip, its score. Raises ``Invalid`` and ``Refusal``."""
        check_range("turn", request.turn, 1, MAX_TRAINING_TURNS)
        if request.game_id:
            game, book = await self._load_recorded_game(request.game_id)
        else:
            game, book = await self._new(request)
        turn = game.turn(request.turn)
        if turn is None or (request.game_id and not turn.completed):
            return pb.TrainTurnResponse(end=game.end, ruleset=book.ruleset.name)
        async with self._gate:
            return await asyncio.to_thread(_answer, request, game, turn, book)

    async def _load_recorded_game(self, game_id: str) -> tuple[Duplicate, _Book]:
        """Load a recorded game. Raises ``Refusal`` if it is not over, or under embargo."""
        game = (await load_game(self._runtime.record, game_id)).state
        ruleset = await rules_of(self._runtime.record, game.ruleset)
        if not game.end or game.is_embargoed:
            raise Refusal(
                "GAME_NOT_OVER", N_("The game {game} is not over: it cannot be rerun yet."), {"game": game_id}
            )
        return game, _Book(ruleset, self._lexicons.words(game.lexicon, ruleset))

    async def _new(self, request: pb.TrainTurnRequest) -> tuple[Duplicate, _Book]:
        """Return a new game after its turn's rack is called, or at its earlier end."""
        if not 1 <= len(request.seed) <= MAX_SEED_CHARACTERS:
            raise Invalid(
                "seed",
                N_("has {count} characters; expected 1 to {most}"),
                {"count": len(request.seed), "most": MAX_SEED_CHARACTERS},
            )
        name = request.ruleset or DEFAULT_TRAINING_RULESET
        known = ruleset_names("duplicate")
        if name not in known:
            raise Invalid(
                "ruleset", N_("is {name}; expected one of {known}"), {"name": name, "known": ", ".join(known)}
            )
        ruleset = load_ruleset(name)
        pin = self._lexicons.pin(request.lexicon, ruleset.game.tile_set)
        book = _Book(ruleset, self._lexicons.words(pin, ruleset))
        key = (name, pin.digest, request.seed)
        async with self._gate:
            games = await asyncio.to_thread(_play_turns, list(self._known.get(key, ())), request, book)
        store_bounded(self._known, key, games, MAX_CACHED_TRAINING_GAMES)
        return games[min(request.turn, len(games)) - 1], book


def _play_turns(games: list[Duplicate], request: pb.TrainTurnRequest, book: _Book) -> list[Duplicate]:
    """Extend ``games``, the states by turn, up to the requested turn or the end."""
    while len(games) < request.turn and not (games and games[-1].end):
        before = games[-1] if games else training.begin_training(request.seed)
        games.append(training.next_turn(before, book.ruleset, book.words))
    return games


def _answer(request: pb.TrainTurnRequest, game: Duplicate, turn: Turn, book: _Book) -> pb.TrainTurnResponse:
    answered = pb.TrainTurnResponse(
        turn=turn.number,
        faces=turn.rack,
        leftover=turn.leftover,
        seconds=book.ruleset.turns.seconds,
        ruleset=book.ruleset.name,
        values=[pb.TileValue(face=face, points=points) for face, points in book.ruleset.tile_set.values.items()],
    )
    for square, tile in turn.board.items():
        answered.board.add(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
    if request.HasField("slip"):
        found = training.judge_training_slip(game, turn, request.slip, book.ruleset, book.words)
        answered.score.CopyFrom(found.score)
        answered.article = found.verdict.null.article if found.verdict.null else ""
        answered.best.extend(map(written_play, found.best))
        master = turn.master or found.best[0]
        answered.top = turn.top if turn.master else found.best[0].score
        answered.master.CopyFrom(written_play(master))
    return answered
