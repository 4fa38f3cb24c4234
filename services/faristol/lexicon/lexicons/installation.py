"""Installation of lexicons while the service runs: an open list by its name, or a federation's own list.

One installation runs at a time, in a separate process: a list takes seconds of processor time, and clocks of tables may
run in this process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from faristol.access_control.errors import Denied
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.host.security.authorization import caller
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.lexicon.adjudication.cases.presentation import installed_lexicon
from faristol.lexicon.lexicons.building import InstalledList, install_open_list, install_own_list
from faristol.pb.lexicon.v1 import lexicon_pb2 as pb
from faristol.text import render, say
from faristol.typed_input.lists import decode_list
from faristol.words import About, LexiconError, Library
from faristol.words.library import check_name
from faristol.words.sources import SOURCES

_log = logging.getLogger(__name__)

PACKED_BYTES = 4_000_000
"""The largest compressed list that is accepted: less than gRPC accepts in one message."""

UNPACKED_BYTES = 64_000_000
"""The largest uncompressed list that is accepted."""

MOST_LINES_COUNT = 2_000_000

LONGEST_CHARACTERS = 200
"""Characters of edition, licence and source, each."""

TILE_SETS = tuple(sorted({source.tile_set for source in SOURCES.values()}))
"""Tile sets for lists."""

NOT_FETCHED = N_("The lexicon {name} could not be installed: {problem}.")
BROKEN = N_(
    "The lexicon {name} could not be installed: the program that builds it has failed. See the log of the server."
)
NO_GZIP = N_("is not a list compressed with gzip")
LONG = N_("has {count} lines; at most {most} are accepted")


@dataclass(slots=True)
class _Work:
    """An installation."""

    name: str
    began_at: datetime
    outcome: InstalledList | None = None
    problem: tuple[str, dict[str, Param]] | None = None
    task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return self.outcome is None and self.problem is None


class Installations:
    """The methods that install lexicons into a library and report the progress."""

    def __init__(self, library: Library, now: Callable[[], datetime]) -> None:
        self._library, self._now = library, now
        self._work: _Work | None = None
        self._unpacking = ""
        """Name of the list that is being decompressed; empty if none is."""

    async def install(self, request: pb.InstallLexiconRequest, context: Context) -> pb.InstallLexiconResponse:
        """Start the installation of an open list. Raises ``Invalid`` for an unknown list, and ``Refusal``."""
        if request.name not in SOURCES:
            known = ", ".join(sorted(SOURCES))
            raise Invalid(
                "name", N_("there is no word list {given}; expected one of {known}"), _pair(request.name, known)
            )
        self._begin(request.name, partial(install_open_list, self._library.path, request.name))
        return pb.InstallLexiconResponse()

    async def add(self, request: pb.AddLexiconRequest, context: Context) -> pb.AddLexiconResponse:
        """Start the installation of the caller's own list. Raises ``Invalid`` for an invalid field, and ``Refusal``."""
        about = _about(request)
        if request.tile_set not in TILE_SETS:
            known = ", ".join(TILE_SETS)
            raise Invalid(
                "tile_set", N_("{given} is not a tile set; expected one of {known}"), _pair(request.tile_set, known)
            )
        self._check_may_begin()
        self._unpacking = request.name  # two lists at once would need twice the memory
        try:
            text, encoding = await asyncio.to_thread(unpack, request.words)
        finally:
            self._unpacking = ""
        self._begin(
            request.name, partial(install_own_list, self._library.path, text, encoding, request.tile_set, about)
        )
        return pb.AddLexiconResponse()

    async def get(self, request: pb.GetInstallationRequest, context: Context) -> pb.GetInstallationResponse:
        """Return the state of the last installation."""
        answer, language, work = pb.GetInstallationResponse(), language_of(context), self._work
        if work is None:
            return answer
        answer.name, answer.running = work.name, work.is_running
        answer.began_at.FromDatetime(work.began_at)
        if work.problem:
            answer.problem = say(*work.problem, language)
        if work.outcome:
            answer.lexicon.CopyFrom(installed_lexicon(work.outcome.installed))
            answer.encoding, answer.left_out = work.outcome.encoding, work.outcome.left_out
            for line in work.outcome.skipped:
                answer.lines.add(number=line.number, text=line.text, problem=render(line.reason, language))
        return answer

    def _check_may_begin(self) -> None:
        """Raise ``Denied`` for a credential limited to some tournaments, and ``Refusal`` if none can start."""
        held = caller()
        if held is not None and held.scope.tournaments:
            raise Denied("OUT_OF_SCOPE", N_("a lexicon is for all tournaments, and the credential covers only some"))
        running = self._work.name if self._work is not None and self._work.is_running else self._unpacking
        if running:
            text = N_("The lexicon {name} is being installed: start when it is ready.")
            raise Refusal("INSTALLING", text, {"name": running})
        if not _is_writable(self._library.path):
            text = N_(
                "The lexicons of this server cannot be changed here: {folder} is read-only. Ask the operator to "
                "install them."
            )
            raise Refusal("LEXICONS_READ_ONLY", text, {"folder": str(self._library.path)})

    def _begin(self, name: str, build: Callable[[], InstalledList]) -> None:
        self._check_may_begin()
        work = self._work = _Work(name, self._now())
        work.task = asyncio.create_task(self._carry_out(work, build))

    async def _carry_out(self, work: _Work, build: Callable[[], InstalledList]) -> None:
        loop, process_id = asyncio.get_running_loop(), 0
        pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        try:
            process_id = await loop.run_in_executor(pool, os.getpid)
            work.outcome = await loop.run_in_executor(pool, build)
        except Refusal as refusal:
            work.problem = refusal.message, dict(refusal.params)
        except LexiconError as error:
            work.problem = NOT_FETCHED, {"name": work.name, "problem": str(error)}
        except (BrokenProcessPool, ValueError, OSError, MemoryError):
            _log.exception("the lexicon %s could not be installed", work.name)
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                if process_id:  # without an id the process has not started, and the shutdown of the pool ends it
                    os.kill(process_id, signal.SIGTERM)
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # waiting would stop every clock of this process
            if work.is_running:
                work.problem = BROKEN, {"name": work.name}


def unpack(packed: bytes) -> tuple[str, str]:
    """Decompress a list; return its text and its encoding, such as ``UTF-8``. Raises ``Invalid`` for ``words``."""
    if len(packed) > PACKED_BYTES:
        raise Invalid("words", N_("has {count} bytes; at most {most} are accepted"), _sizes(len(packed), PACKED_BYTES))
    stream = zlib.decompressobj(wbits=31)  # gzip only
    try:
        data = stream.decompress(packed, UNPACKED_BYTES + 1)
    except zlib.error as error:
        raise Invalid("words", NO_GZIP) from error
    if len(data) > UNPACKED_BYTES:
        raise Invalid("words", N_("has more than {most} bytes when uncompressed"), {"most": f"{UNPACKED_BYTES:,}"})
    if not stream.eof:
        raise Invalid("words", NO_GZIP)
    try:
        decoded = decode_list(data)
    except ValueError as error:
        text, params = error.args
        raise Invalid("words", text, params) from error
    if (lines := decoded.text.count("\n")) > MOST_LINES_COUNT:
        raise Invalid("words", LONG, _sizes(lines, MOST_LINES_COUNT))
    return decoded.text, decoded.encoding


def _about(request: pb.AddLexiconRequest) -> About:
    """Parse edition, licence, source and date. Raises ``Invalid``."""
    try:
        check_name(request.name)
    except LexiconError:
        text = N_(
            "{given} is not a valid name of a lexicon: expected letters a to z, digits and hyphens, beginning "
            "with a letter"
        )
        raise Invalid("name", text, {"given": repr(request.name)}) from None
    for field in ("edition", "licence"):
        if not getattr(request, field).strip():
            raise Invalid(field, N_("is empty: every ruling records it"))
    for field in ("edition", "licence", "source"):
        if (count := len(getattr(request, field))) > LONGEST_CHARACTERS:
            raise Invalid(
                field, N_("has {count} characters; at most {most} are allowed"), _sizes(count, LONGEST_CHARACTERS)
            )
    try:
        when = date.fromisoformat(request.date.strip())
    except ValueError:
        raise Invalid(
            "date", N_("{given} is not a date; expected one such as 2026-03-07"), {"given": repr(request.date)}
        ) from None
    return About(request.name, request.edition.strip(), request.licence.strip(), request.source.strip(), when)


def _is_writable(folder: Path) -> bool:
    """Check whether a file can be created in a folder, which may not exist yet."""
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def _pair(given: str, known: str) -> dict[str, Param]:
    return {"given": repr(given), "known": known}


def _sizes(count: int, most: int) -> dict[str, Param]:
    return {"count": f"{count:,}", "most": f"{most:,}"}
