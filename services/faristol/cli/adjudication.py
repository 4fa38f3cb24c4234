"""`faristol judge mode | appoint | dismiss | layers | show`: what a director says about judges and the lexicon."""

from __future__ import annotations

import json
import uuid
from enum import StrEnum
from typing import Annotated

import typer

from faristol.cli.calling import Address, AsJson, as_json, asked, in_languages
from faristol.host.text import LANGUAGES
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events

app = typer.Typer()

Tournament = Annotated[str, typer.Argument(help="The tournament.")]
JudgeId = Annotated[str, typer.Argument(help="The judge: 1 to 40 of a-z, 0-9 and -.")]


class Rules(StrEnum):
    """Who rules."""

    AUTOMATIC = "automatic"
    JUDGE = "judge"
    PANEL = "panel"


MODES = {
    Rules.AUTOMATIC: events.MODE_AUTOMATIC,
    Rules.JUDGE: events.MODE_JUDGE,
    Rules.PANEL: events.MODE_PANEL,
}


@app.command()
def mode(
    tournament: Tournament,
    rules: Annotated[Rules, typer.Argument(help="The lexicon, one judge, or a panel.")],
    panel: Annotated[int, typer.Option(help="Judges of a panel, an odd number.")] = 0,
    lease: Annotated[int, typer.Option(help="Seconds that a claim lasts without a sign, at first 30.")] = 0,
    escalate_after: Annotated[int, typer.Option(help="Seconds after which the director may rule, at first 120.")] = 0,
    address: Address = None,
) -> None:
    """Say how challenges of a tournament are ruled on from now on."""
    request = pb.SetAdjudicationRequest(
        command_id=_command(),
        tournament_id=tournament,
        mode=MODES[rules],
        panel=3 if rules is Rules.PANEL and not panel else panel,
        lease_seconds=lease,
        escalate_after_seconds=escalate_after,
    )
    asked(address, lambda stub: stub.SetAdjudication(request))
    typer.echo(f"{tournament}: {rules}")


@app.command()
def appoint(
    tournament: Tournament,
    judge: JudgeId,
    languages: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            help=f"A language of which the judge takes cases: {', '.join(LANGUAGES)}. A director may do without.",
            callback=in_languages,
        ),
    ] = None,
    director: Annotated[
        bool, typer.Option("--director", help="Cases that wait for too long go to this judge, in any language.")
    ] = False,
    address: Address = None,
) -> None:
    """Let someone rule on cases of a tournament, or change in which languages and with what rights."""
    request = pb.AppointJudgeRequest(
        command_id=_command(), tournament_id=tournament, judge_id=judge, languages=languages or (), director=director
    )
    asked(address, lambda stub: stub.AppointJudge(request))
    typer.echo(f"{judge}: appointed")


@app.command()
def dismiss(tournament: Tournament, judge: JudgeId, address: Address = None) -> None:
    """Let someone rule no more."""
    request = pb.DismissJudgeRequest(command_id=_command(), tournament_id=tournament, judge_id=judge)
    asked(address, lambda stub: stub.DismissJudge(request))
    typer.echo(f"{judge}: dismissed")


@app.command()
def layers(
    tournament: Tournament,
    chosen: Annotated[list[str] | None, typer.Option("--layer", help="A layer that is to be on.")] = None,
    address: Address = None,
) -> None:
    """Switch layers of the lexicon on: these and no others. PES lets dictionaries be chosen until the first game."""
    request = pb.ChooseLayersRequest(command_id=_command(), tournament_id=tournament, layers=chosen or ())
    asked(address, lambda stub: stub.ChooseLayers(request))
    typer.echo(f"{tournament}: {', '.join(chosen or ()) or 'no layers'}")


@app.command()
def show(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Show how challenges of a tournament are ruled on, and by whom."""
    request = pb.GetAdjudicationRequest(tournament_id=tournament)
    answer = asked(address, lambda stub: stub.GetAdjudication(request))
    if json_output:
        typer.echo(json.dumps(as_json(answer), ensure_ascii=False))
        return
    rules = next(name for name, mode in MODES.items() if mode == answer.mode)
    judges = f" of {answer.panel}" if rules is Rules.PANEL else ""
    typer.echo(f"{rules}{judges}; claims last {answer.lease_seconds} s without a sign")
    typer.echo(f"to the director after {answer.escalate_after_seconds} s")
    if answer.layers:
        typer.echo(f"layers: {', '.join(answer.layers)}")
    for judge in answer.judges:
        rights = [" ".join(judge.languages), "director" if judge.director else ""]
        typer.echo("  ".join(["", judge.judge_id, *filter(None, rights)]))


def _command() -> str:
    return str(uuid.uuid4())
