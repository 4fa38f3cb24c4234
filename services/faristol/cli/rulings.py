"""`faristol ruling …`: the record of rulings, for the public and for the committee that keeps the lexicon."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.adjudication import MODE_NAMES
from faristol.cli.calling import Address, AsJson, as_json, asked
from faristol.cli.casefile import GOOD, NO_WORD, WAITING
from faristol.cli.common import run
from faristol.cli.completing import Tournament
from faristol.cli.names import tournament_meant
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.text import number, say
from faristol.text.terminal import language_of_terminal

NONE_OF_ROUND = N_("no rulings of round {round}, or it is not closed")
NONE_OF_ANY = N_("no rulings of closed rounds")
STANDS = N_("play stands")
WITHDRAWN = N_("play withdrawn")
STANDS_ON_APPEAL = N_("play stands on appeal")
WITHDRAWN_ON_APPEAL = N_("play withdrawn on appeal")
CANNOT_WRITE = N_("{file} cannot be written: {problem}")
WRITTEN = N_("{file}: {count} {count:line|lines}")
TIMES = N_(
    "{mode}: {count} {count:ruling|rulings}, median {median} s, p95 {p95} s, longest {longest} s, "
    "{escalated} escalated, {returned} returned"
)


def list_rulings(
    tournament: Tournament,
    round_: Annotated[
        int, typer.Option("--round", min=0, max=999, help="Only of this round; of all closed ones when 0.")
    ] = 0,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """List the rulings of closed rounds, as the public may see them."""

    async def pages(stub: pb_grpc.AdjudicationServiceAsyncStub) -> list[pb.PublicRuling]:
        tournament_id = await tournament_meant(tournament, address)
        request, found = pb.ListRulingsRequest(tournament_id=tournament_id, round=round_), list[pb.PublicRuling]()
        while True:
            answer = await stub.ListRulings(request)
            found += answer.rulings
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    found = asked(address, pages)
    if not found and not json_output:
        typer.echo(_said(NONE_OF_ROUND, round=round_) if round_ else _said(NONE_OF_ANY))
    for one in found:
        if json_output:
            typer.echo(json.dumps(as_json(one), ensure_ascii=False))
            continue
        words = ", ".join(
            f"{' '.join(each.word.faces)} {_said(GOOD if each.valid else NO_WORD)}" for each in one.ruled_words
        ) or ", ".join(" ".join(word.faces) for word in one.words)
        if one.appeal:
            play = STANDS_ON_APPEAL if one.valid else WITHDRAWN_ON_APPEAL
        else:
            play = STANDS if one.valid else WITHDRAWN
        typer.echo(f"{one.round}  {one.game_id}  {words}: {_said(play)}  ({one.article})")


def export(
    tournament: Tournament,
    to: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; standard output when none is given.")
    ] = None,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Write every word that was ruled on, with reason and source, as CSV or JSON. For officials."""

    async def pieces(stub: pb_grpc.AdjudicationServiceAsyncStub) -> str:
        found = await tournament_meant(tournament, address)
        call = stub.ExportRulings(pb.ExportRulingsRequest(tournament_id=found))
        return "".join([piece.lines async for piece in call])

    text = asked(address, pieces)
    if json_output:
        text = json.dumps(list(csv.DictReader(text.splitlines())), ensure_ascii=False, indent=2) + "\n"
    if to is None:
        typer.echo(text, nl=False)
        return
    try:
        to.write_text(text, encoding="utf-8", newline="")
    except OSError as problem:
        raise StartError(_said(CANNOT_WRITE, file=str(to), problem=problem.strerror or str(problem))) from problem
    typer.echo(_said(WRITTEN, file=str(to), count=len(text.splitlines()) - 1), err=True)


def stats(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Say how long cases waited for their ruling: median, p95 and the longest."""
    request = pb.GetRulingTimesRequest(tournament_id=run(tournament_meant(tournament, address)))
    answer = asked(address, lambda stub: stub.GetRulingTimes(request))
    if json_output:
        typer.echo(json.dumps(as_json(answer)))
        return
    for times in answer.times:
        typer.echo(
            _said(
                TIMES,
                mode=_said(MODE_NAMES[times.mode]),
                count=times.rulings,
                median=_seconds(times.median_ms),
                p95=_seconds(times.p95_ms),
                longest=_seconds(times.longest_ms),
                escalated=times.escalated,
                returned=times.returned,
            )
        )
    typer.echo(_said(WAITING, count=answer.waiting))


def _seconds(milliseconds: int) -> str:
    """Seconds to a tenth, as the person at the terminal writes numbers."""
    return number(round(milliseconds / 1000, 1), language_of_terminal())


def _said(text: str, **params: str | int) -> str:
    return say(text, params, language_of_terminal())
