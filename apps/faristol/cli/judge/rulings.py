"""`faristol ruling …`: the record of rulings, for the public and for the lexicon committee."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from faristol.cli.client import Client
from faristol.cli.judge.case_file import GOOD, NO_WORD
from faristol.cli.options import Output, Tournament
from faristol.cli.tournament.export import write
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.table_terminal.shared.common import as_json, localize
from faristol.table_terminal.shared.names import tournament_meant

NONE_OF_ROUND = N_("no rulings in round {round}, or it is not closed")
NONE_OF_ANY = N_("no rulings in closed rounds")
PLAYS: Mapping[tuple[bool, bool], str] = {
    (False, True): N_("play stands"),
    (False, False): N_("play withdrawn"),
    (True, True): N_("play stands on appeal"),
    (True, False): N_("play withdrawn on appeal"),
}
"""Outcome of a play: by whether an appeal ruled on it, and whether it is valid."""
WRITTEN = N_("{file}: {count} {count:line|lines}")


def list_rulings(
    client: Client,
    tournament: Tournament,
    round_: Annotated[int, typer.Option("--round", min=0, max=999, help="Only this round; 0: all closed rounds.")] = 0,
) -> None:
    """List the rulings of closed rounds in their public form."""

    async def pages(stub: Any) -> list[pb.PublicRuling]:
        tournament_id = await tournament_meant(tournament, client.address)
        request, found = pb.ListRulingsRequest(tournament_id=tournament_id, round=round_), list[pb.PublicRuling]()
        while True:
            answer = await stub.ListRulings(request)
            found += answer.rulings
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    found = client.ask("lexicon", pages)
    if not found and not client.json_output:
        typer.echo(localize(NONE_OF_ROUND, round=round_) if round_ else localize(NONE_OF_ANY))
    for ruling in found:
        if client.json_output:
            typer.echo(json.dumps(as_json(ruling), ensure_ascii=False))
            continue
        words = ", ".join(
            f"{' '.join(ruled.word.faces)} {localize(GOOD if ruled.valid else NO_WORD)}" for ruled in ruling.ruled_words
        ) or ", ".join(" ".join(word.faces) for word in ruling.words)
        play = localize(PLAYS[ruling.appeal, ruling.valid])
        typer.echo(f"{ruling.round}  {ruling.game_id}  {words}: {play}  ({ruling.article})")


def export(client: Client, tournament: Tournament, output: Output = None) -> None:
    """Write every word that was ruled on, with reason and source, as CSV or JSON. For officials."""

    async def pieces(stub: Any) -> str:
        found = await tournament_meant(tournament, client.address)
        return "".join(
            [piece.lines async for piece in stub.ExportRulings(pb.ExportRulingsRequest(tournament_id=found))]
        )

    text = client.ask("lexicon", pieces)
    if client.json_output:
        text = json.dumps(list(csv.DictReader(text.splitlines())), ensure_ascii=False, indent=2) + "\n"
    write(text, output)
    if output:
        typer.echo(localize(WRITTEN, file=str(output), count=len(text.splitlines()) - 1), err=True)
