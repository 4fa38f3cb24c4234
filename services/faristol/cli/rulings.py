"""`faristol rulings …`: the record of rulings, for the public and for the committee that keeps the lexicon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.calling import Address, AsJson, as_json, asked
from faristol.cli.common import many
from faristol.host import StartError
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events

app = typer.Typer(no_args_is_help=True, help="The rulings of a tournament.")

Tournament = Annotated[str, typer.Argument(help="The tournament.")]


@app.command("list")
def list_rulings(
    tournament: Tournament,
    round_: Annotated[int, typer.Option("--round", min=0, help="Only of this round; of all closed ones when 0.")] = 0,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """List the rulings of closed rounds, as the public may see them."""

    async def pages(stub: pb_grpc.AdjudicationServiceAsyncStub) -> list[pb.PublicRuling]:
        request, found = pb.ListRulingsRequest(tournament_id=tournament, round=round_), list[pb.PublicRuling]()
        while True:
            answer = await stub.ListRulings(request)
            found += answer.rulings
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    found = asked(address, pages)
    if not found and not json_output:
        where = f"of round {round_}, or it is not closed" if round_ else "of closed rounds"
        typer.echo(f"no rulings {where}")
    for one in found:
        if json_output:
            typer.echo(json.dumps(as_json(one), ensure_ascii=False))
            continue
        words = ", ".join(
            f"{' '.join(each.word.faces)} {'good' if each.valid else 'no word'}" for each in one.ruled_words
        ) or ", ".join(" ".join(word.faces) for word in one.words)
        stands = "stands" if one.valid else "withdrawn"
        appeal = " on appeal" if one.appeal else ""
        typer.echo(f"{one.round}  {one.game_id}  {words}: play {stands}{appeal}  ({one.article})")


@app.command()
def export(
    tournament: Tournament,
    to: Annotated[Path | None, typer.Option(help="File to write; standard output when none is given.")] = None,
    address: Address = None,
) -> None:
    """Write every word that was ruled on, with reason and source, as CSV. For officials."""

    async def pieces(stub: pb_grpc.AdjudicationServiceAsyncStub) -> str:
        call = stub.ExportRulings(pb.ExportRulingsRequest(tournament_id=tournament))
        return "".join([piece.lines async for piece in call])

    text = asked(address, pieces)
    if to is None:
        typer.echo(text, nl=False)
        return
    try:
        to.write_text(text, encoding="utf-8", newline="")
    except OSError as problem:
        raise StartError(f"{to} cannot be written: {problem.strerror}") from problem
    typer.echo(f"{to}: {many(len(text.splitlines()) - 1, 'line')}")


@app.command()
def stats(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Say how long cases waited for their ruling: median, p95 and the longest."""
    request = pb.GetRulingTimesRequest(tournament_id=tournament)
    answer = asked(address, lambda stub: stub.GetRulingTimes(request))
    if json_output:
        typer.echo(json.dumps(as_json(answer)))
        return
    for one in answer.times:
        mode = events.Mode.Name(one.mode).removeprefix("MODE_").lower()
        median, p95, longest = (value / 1000 for value in (one.median_ms, one.p95_ms, one.longest_ms))
        typer.echo(
            f"{mode}: {many(one.rulings, 'ruling')}, median {median:.1f} s, p95 {p95:.1f} s, longest {longest:.1f} s, "
            f"{one.escalated} escalated, {one.returned} returned"
        )
    typer.echo(f"{answer.waiting} waiting")
