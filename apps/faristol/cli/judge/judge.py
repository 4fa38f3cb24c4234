"""`faristol judge …`: the queue of cases, and rulings on challenges."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Annotated

import grpc
import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.judge.case_file import file_lines, ruling, show_queue, tiles_of
from faristol.cli.judge.front_ends import GIVEN_BACK, FrontEnd, PersonFrontEnd, ProgramFrontEnd, format_outcome
from faristol.cli.options import in_language
from faristol.client.judge import Judge, judge_queue
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.table_terminal.shared.common import as_json, localize, run
from faristol.table_terminal.shared.services import service_at
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
    client: Client,
    judge: As,
    language: Language = "",
    once: Annotated[bool, typer.Option("--once", help="Show the queue and exit.")] = False,
) -> None:
    """Show the cases that a judge may take, the longest wait first, after each change."""

    async def follow(sitting: Judge) -> None:
        async for queue in sitting.queue(language):
            show_queue(queue, judge, json_output=client.json_output)
            if once:
                return

    client.ask("lexicon", follow, partial(Judge, judge_id=judge, patience=CONNECT_TIMEOUT_SECONDS))


def sit_down(
    client: ServiceClient,
    judge: As,
    language: Language = "",
    cases: Annotated[int, typer.Option(min=0, help="Number of cases before the command ends; 0: no limit.")] = 0,
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
        async with service_at("lexicon", client.address) as channel:
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


def claim(client: Client, case: Case, judge: As) -> None:
    """Take a case and show its file. The claim expires without renewal, which `judge sit` does."""

    async def take(sitting: Judge) -> tuple[pb.ClaimCaseResponse, pb.GetCaseFileResponse]:
        return await sitting.claim(case), await sitting.file(case)

    claimed, file = client.ask("lexicon", take, partial(Judge, judge_id=judge))
    content = as_json(file) | {"seat": claimed.seat, "lease_seconds": claimed.lease_seconds}
    lines = [*file_lines(file), localize(YOURS_FOR, seconds=claimed.lease_seconds)]
    client.print(content, lines, indent=None)


def release(client: Client, case: Case, judge: As) -> None:
    """Release a case."""
    client.ask("lexicon", lambda sitting: sitting.release(case), partial(Judge, judge_id=judge))
    client.print({"case_id": case, "judge_id": judge}, localize(GIVEN_BACK, case=case), indent=None)


def rule(
    client: Client,
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

    answer = client.ask("lexicon", decide, partial(Judge, judge_id=judge))
    client.print(answer, format_outcome(case, answer), indent=None)
