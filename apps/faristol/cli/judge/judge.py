"""`faristol judge …`: the queue of cases, and rulings on challenges."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Annotated

import grpc
import typer

from faristol.cli.judge.case_file import file_lines, ruling, show_queue, tiles_of
from faristol.cli.judge.front_ends import GIVEN_BACK, FrontEnd, PersonFrontEnd, ProgramFrontEnd, format_outcome
from faristol.cli.options import Address, AsJson, in_language
from faristol.client.judge import Judge, judge_queue
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.table_terminal.shared.common import as_json, localize, print_answer, run
from faristol.table_terminal.shared.services import ask_service, service_at
from faristol.text import LANGUAGES

CONNECT_TIMEOUT_SECONDS = 5.0
"""Timeout in seconds of the first connection; a later outage is waited out."""

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
    """Take cases in order and rule on them. The case remains yours while you think; quitting releases it.

    With --json a ruling is {"words": [{"tiles": ["A", "NY"], "valid": true, "reason": "…", "source": "…"}]}, and {}
    releases the case.
    """
    front_end: FrontEnd = ProgramFrontEnd() if json_output else PersonFrontEnd(judge)

    async def rule_on_all() -> None:
        async with service_at("lexicon", address) as channel:
            with suppress(EOFError):
                await judge_queue(
                    Judge(channel, judge, CONNECT_TIMEOUT_SECONDS),
                    language,
                    front_end.ask,
                    front_end.report_ruling,
                    front_end.report_queue,
                    cases,
                    front_end.report_release,
                )

    run(front_end.run(rule_on_all()))


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
    print_answer(answer, format_outcome(case, answer), json_output=json_output, indent=None)
