"""The two front ends of `faristol judge sit`: a person at a terminal, and a program on lines of JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Protocol

import typer

from faristol.cli.judge.case_file import ask_person, ask_program, show_queue
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.table_terminal.shared.common import localize
from faristol.table_terminal.shared.keyboard import wait_for_answer, watch_lines

GIVEN_BACK = N_("{case}: returned to the queue")
RULED = N_("{case}: ruled")
OPINION_GIVEN = N_("{case}: opinion recorded, waiting for the other judges")
TO_LEAVE = N_("q and Enter to leave")


class FrontEnd(Protocol):
    """Input and output of a judge."""

    async def run(self, work: Coroutine[None, None, None]) -> None:
        """Await ``work``; cancel it if the judge leaves between two cases."""

    async def ask(self, file: pb.GetCaseFileResponse) -> Sequence[events.WordRuling] | None:
        """Ask for the rulings on a case; None releases it. Raises ``EOFError`` if the judge leaves."""

    def report_ruling(self, case_id: str, answer: pb.RuleCaseResponse | None, problem: str) -> None:
        """Report the answer to a ruling or the problem; a release, if there is neither."""

    def report_release(self, case_id: str) -> None:
        """Report a case that was released because the judge left."""

    def report_queue(self, queue: pb.WatchQueueResponse) -> None:
        """Report a change of the queue."""


class PersonFrontEnd:
    """A person at a terminal. ``q``, or the end of the input, ends the work between two cases too."""

    def __init__(self, judge_id: str) -> None:
        self._judge_id = judge_id
        self._has_left = asyncio.Event()
        self._watching = ExitStack()

    async def run(self, work: Coroutine[None, None, None]) -> None:
        with self._watching:
            self._watch()
            working, leaving = asyncio.create_task(work), asyncio.create_task(self._has_left.wait())
            try:
                await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                leaving.cancel()
                if not working.done():
                    working.cancel()
                    await asyncio.wait({working})
            if not working.cancelled():
                working.result()

    def _watch(self) -> None:
        self._watching.enter_context(watch_lines(self._read_line))

    def _read_line(self, typed: str) -> None:
        if typed.strip().lower() in ("q", "quit") or not typed:
            self._has_left.set()

    async def ask(self, file: pb.GetCaseFileResponse) -> Sequence[events.WordRuling] | None:
        self._watching.close()  # the open question reads the terminal's input
        try:
            return await wait_for_answer(partial(ask_person, file))
        finally:
            self._watch()

    def report_ruling(self, case_id: str, answer: pb.RuleCaseResponse | None, problem: str) -> None:
        if problem:
            typer.echo(problem)
        elif answer is None:
            self.report_release(case_id)
        else:
            typer.echo(format_outcome(case_id, answer))

    def report_release(self, case_id: str) -> None:
        typer.echo(localize(GIVEN_BACK, case=case_id))

    def report_queue(self, queue: pb.WatchQueueResponse) -> None:
        if not queue.cases:
            show_queue(queue, self._judge_id, json_output=False)
            if sys.stdin.isatty():
                typer.echo(localize(TO_LEAVE))


class ProgramFrontEnd:
    """A program that reads each case as a line of JSON and writes its ruling as one."""

    async def run(self, work: Coroutine[None, None, None]) -> None:
        await work

    async def ask(self, file: pb.GetCaseFileResponse) -> Sequence[events.WordRuling] | None:
        return await ask_program(file)

    def report_ruling(self, case_id: str, answer: pb.RuleCaseResponse | None, problem: str) -> None:
        ruled = answer is not None and answer.ruled
        outcome = {"case_id": case_id, "given": answer is not None, "ruled": ruled, "problem": problem}
        typer.echo(json.dumps(outcome, ensure_ascii=False))

    def report_release(self, case_id: str) -> None:
        pass  # the program ended its input and reads no more lines

    def report_queue(self, queue: pb.WatchQueueResponse) -> None:
        pass  # it receives each case with its file


def format_outcome(case_id: str, answer: pb.RuleCaseResponse) -> str:
    """Format the outcome of a ruling: the case is ruled, or other judges give their opinion."""
    return localize(RULED if answer.ruled else OPINION_GIVEN, case=case_id)
