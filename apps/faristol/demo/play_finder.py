"""The search for the plays of players, in processes beside that of the services.

The search takes 20 to 30 ms of processor time without numba, and compiling it takes some 20 s with numba. In the
process of the services it would hold up every answer and every clock.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from pathlib import Path

import numpy as np
import numpy.typing as npt

from faristol.demo.player import PlayerView, find_plays
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.words import Library, WordGraph
from faristol.words.plays import Candidate, Grid

MAX_FINDERS_COUNT = 4

FindPlays = Callable[[Ruleset, PlayerView], Awaitable[list[Candidate]]]
"""Find the plays that a player chooses from."""

_graphs: list[WordGraph] = []
"""The lexicon of a process that searches."""


class PlayFinder:
    """Processes that search for plays. They end with this one."""

    def __init__(self, lexicons: Path, digest: str) -> None:
        """``digest`` is that of an installed lexicon in the folder ``lexicons``."""
        count = min(MAX_FINDERS_COUNT, max(1, (os.cpu_count() or 1) - 1))
        self._pool = ProcessPoolExecutor(count, get_context("spawn"), _begin, (lexicons, digest))

    async def find(self, ruleset: Ruleset, sight: PlayerView) -> list[Candidate]:
        """Return the plays that a player chooses from, as ``find_plays`` does.

        Raises ``StartError`` if a process has ended by itself: then no other search is possible.
        """
        across = ruleset.first_move.direction == "across"
        arguments = sight.grid.codes, sight.grid.blanks, list(sight.rack), across
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, _find, *arguments)
        except BrokenExecutor as error:
            from faristol.host import StartError  # not needed by the processes, which import this module

            raise StartError("a process that searches for plays has ended") from error

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _begin(lexicons: Path, digest: str) -> None:
    """Open the lexicon in a new process. Ctrl-C is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _graphs.append(Library(lexicons).open(digest))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _find(
    codes: npt.NDArray[np.int8],
    blanks: npt.NDArray[np.bool_],
    rack: Sequence[str],
    across: bool,  # noqa: FBT001 # arguments of another process have no names
) -> list[Candidate]:
    (graph,) = _graphs
    return find_plays(graph, Grid(graph.tile_set, codes, blanks), rack, across=across)
