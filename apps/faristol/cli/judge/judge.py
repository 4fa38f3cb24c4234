"""`faristol judge …`: the queue of cases, and rulings on challenges."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Annotated

import grpc
import typer

from faristol.cli.judge.case_file import ask_person, ask_program, file_lines, ruling, show_queue, tiles_of
from faristol.cli.options import Address, AsJson, in_language
from faristol.client.judge import Judge, judge_queue
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.table_terminal.shared.common import as_json, localize, print_answer, run
from faristol.table_terminal.shared.keyboard import wait_for_answer, watch_lines
from faristol.table_terminal.shared.services import ask_service, service_at
from faristol.text import LANGUAGES

CONNECT_TIMEOUT_SECONDS = 5.0
"""Timeout in seconds of the first connection; a later outage is waited out."""

GIVEN_BACK = N_("{case}: returned to the queue")
RULED = N_("{case}: ruled")
OPINION_GIVEN = N_("{case}: opinion recorded, waiting for the other judges")
TO_LEAVE = N_("q and Enter to leave")
YOURS_FOR = N_("yours for {seconds} {seconds:second|seconds}")

As = Annotated[str, typer.Option("--as", help="Id of the judge.")]
Case = Annotated[str, typer.Argument(help="Id of the case.")]
Language = Annotated[
    str, typer.Option(help=f"Only cases in this language: {', '.join(LANGUAGES)}.", callback=in_language)
]


def watch(
    judge: As,
    language: Language = "",
    once: Annotated[bool, typer.Option("--once", help="Show the queue and exit.")] = False,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Show the cases that a judge may take, the longest wait first, after each change."""

    async def follow(sitting: Judge) -> None:
        async for queue in sitting.queue(language):
            show_queue(queue, judge, json_output=json_output)
            if once:
                return

    ask_service("lexicon", address, follow, partial(Judge, judge_id=judge, patience=CONNECT_TIMEOUT_SECONDS))


def sit_down(
    judge: As,
    language: Language = "",
    cases: Annotated[int, typer.Option(min=0, help="Number of cases before the command ends; 0: no limit.")] = 0,
    address: Address = None,
    json_output: Annotated[
        bool,
        typer.Option("--json", help="Print each case as a line of JSON, and read its ruling as one line."),
    ] = False,
) -> None:
    """Take cases as they come and rule on them. The case remains yours while you think; quitting releases it.

    With --json a ruling is {"words": [{"tiles": ["A", "NY"], "valid": true, "reason": "…", "source": "…"}]}, and {}
    releases the case.
    """
    away = asyncio.Event()
    listening = ExitStack()

    def hear(typed: str) -> None:
        if typed.strip().lower() in ("q", "quit") or not typed:
            away.set()

    async def ask(file: pb.GetCaseFileResponse) -> Sequence[events.WordRuling] | None:
        if json_output:
            return await ask_program(file)
        listening.close()
        try:
            return await wait_for_answer(partial(ask_person, file))
        finally:
            listening.enter_context(watch_lines(hear))

    def report_ruling(case_id: str, answer: pb.RuleCaseResponse | None, problem: str) -> None:
        if json_output:
            ruled = answer is not None and answer.ruled
            outcome = {"case_id": case_id, "given": answer is not None, "ruled": ruled, "problem": problem}
            typer.echo(json.dumps(outcome, ensure_ascii=False))
        elif problem:
            typer.echo(problem)
        else:
            typer.echo(localize(GIVEN_BACK, case=case_id) if answer is None else _outcome(case_id, answer))

    def report_given_back(case_id: str) -> None:
        if not json_output:
            typer.echo(localize(GIVEN_BACK, case=case_id))

    def show_empty_queue(queue: pb.WatchQueueResponse) -> None:
        if not json_output and not queue.cases:
            show_queue(queue, judge, json_output=False)
            if sys.stdin.isatty():
                typer.echo(localize(TO_LEAVE))

    async def rule_on_all() -> None:
        async with service_at("lexicon", address) as channel:
            try:
                await judge_queue(
                    Judge(channel, judge, CONNECT_TIMEOUT_SECONDS),
                    language,
                    ask,
                    report_ruling,
                    show_empty_queue,
                    cases,
                    report_given_back,
                )
            except EOFError:
                return

    async def work() -> None:
        with listening:
            if not json_output:
                listening.enter_context(watch_lines(hear))
            sitting, leaving = asyncio.create_task(rule_on_all()), asyncio.create_task(away.wait())
            try:
                await asyncio.wait({sitting, leaving}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                leaving.cancel()
                if not sitting.done():
                    sitting.cancel()
                    await asyncio.wait({sitting})
            if not sitting.cancelled():
                sitting.result()

    run(work())


def claim(case: Case, judge: As, address: Address = None, json_output: AsJson = False) -> None:
    """Take a case and show its file. The claim expires without renewal, which `judge sit` does."""

    async def take(sitting: Judge) -> tuple[pb.ClaimCaseResponse, pb.GetCaseFileResponse]:
        return await sitting.claim(case), await sitting.file(case)

    claimed, file = ask_service("lexicon", address, take, partial(Judge, judge_id=judge))
    content = as_json(file) | {"seat": claimed.seat, "lease_seconds": claimed.lease_seconds}
    lines = [*file_lines(file), localize(YOURS_FOR, seconds=claimed.lease_seconds)]
    print_answer(content, lines, json_output=json_output, indent=None)


def release(case: Case, judge: As, address: Address = None, json_output: AsJson = False) -> None:
    """Release a case."""
    ask_service("lexicon", address, lambda sitting: sitting.release(case), partial(Judge, judge_id=judge))
    print_answer(
        {"case_id": case, "judge_id": judge}, localize(GIVEN_BACK, case=case), json_output=json_output, indent=None
    )


def rule(
    case: Case,
    judge: As,
    valid: Annotated[list[str] | None, typer.Option("--valid", help="A valid word; tiles separated by spaces.")] = None,
    invalid: Annotated[
        list[str] | None, typer.Option("--invalid", help="An invalid word; tiles separated by spaces.")
    ] = None,
    reason: Annotated[str, typer.Option(help="Reason for all words; required against the lexicon.")] = "",
    source: Annotated[
        str, typer.Option(help="Dictionary or grammar for all words; required against the lexicon.")
    ] = "",
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Take a case, unless you hold it, and rule on every word of it."""
    words = [(word, True) for word in valid or ()] + [(word, False) for word in invalid or ()]

    async def decide(sitting: Judge) -> pb.RuleCaseResponse:
        await sitting.claim(case)
        try:
            file = await sitting.file(case)
            rulings = [ruling(tiles_of(word, file), good, reason, source) for word, good in words]
            return await sitting.rule(case, rulings)
        except (StartError, grpc.aio.AioRpcError):
            with suppress(grpc.aio.AioRpcError):  # the claim is lost
                await sitting.release(case)
            raise

    answer = ask_service("lexicon", address, decide, partial(Judge, judge_id=judge))
    print_answer(answer, _outcome(case, answer), json_output=json_output, indent=None)


def _outcome(case_id: str, answer: pb.RuleCaseResponse) -> str:
    return localize(RULED if answer.ruled else OPINION_GIVEN, case=case_id)
