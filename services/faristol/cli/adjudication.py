"""`faristol judge mode | appoint | dismiss | layers | show`: what a director says about judges and the lexicon."""

from __future__ import annotations

import json
import uuid
from enum import StrEnum
from typing import Annotated

import typer

from faristol.cli.calling import Address, AsJson, as_json, asked, in_languages
from faristol.cli.common import run, tell_answer
from faristol.cli.completing import Tournament
from faristol.cli.names import tournament_meant
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.text import LANGUAGES, say
from faristol.text.terminal import language_of_terminal

APPOINTED, DISMISSED = N_("{judge}: appointed"), N_("{judge}: dismissed")
NO_LAYERS = N_("no layers")
CLAIMS = N_("{mode}; claims last {seconds} s without a sign")
PANEL_CLAIMS = N_("{mode} of {count}; claims last {seconds} s without a sign")
TO_DIRECTOR = N_("to the director after {seconds} s")
LAYERS = N_("layers: {layers}")
DIRECTOR = N_("director")

app = typer.Typer()

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

MODE_NAMES = {
    events.MODE_AUTOMATIC: N_("automatic"),
    events.MODE_JUDGE: N_("judge"),
    events.MODE_PANEL: N_("panel"),
}


@app.command()
def mode(
    tournament: Tournament,
    rules: Annotated[Rules, typer.Argument(help="The lexicon, one judge, or a panel.")],
    panel: Annotated[int, typer.Option(help="Judges of a panel, an odd number.")] = 0,
    lease: Annotated[int, typer.Option(help="Seconds that a claim lasts without a sign, at first 30.")] = 0,
    escalate_after: Annotated[int, typer.Option(help="Seconds after which the director may rule, at first 120.")] = 0,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Say how challenges of a tournament are ruled on from now on."""
    tournament = run(tournament_meant(tournament, address))
    request = pb.SetAdjudicationRequest(
        command_id=_command(),
        tournament_id=tournament,
        mode=MODES[rules],
        panel=3 if rules is Rules.PANEL and not panel else panel,
        lease_seconds=lease,
        escalate_after_seconds=escalate_after,
    )
    asked(address, lambda stub: stub.SetAdjudication(request))
    text = f"{tournament}: {_said(MODE_NAMES[MODES[rules]])}"
    tell_answer(text, {"tournament_id": tournament, "mode": rules.value}, json_output=json_output)


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
    json_output: AsJson = False,
) -> None:
    """Let someone rule on cases of a tournament, or change in which languages and with what rights."""
    tournament = run(tournament_meant(tournament, address))
    request = pb.AppointJudgeRequest(
        command_id=_command(), tournament_id=tournament, judge_id=judge, languages=languages or (), director=director
    )
    asked(address, lambda stub: stub.AppointJudge(request))
    text = _said(APPOINTED, judge=judge)
    tell_answer(text, {"tournament_id": tournament, "judge_id": judge}, json_output=json_output)


@app.command()
def dismiss(tournament: Tournament, judge: JudgeId, address: Address = None, json_output: AsJson = False) -> None:
    """Let someone rule no more."""
    tournament = run(tournament_meant(tournament, address))
    request = pb.DismissJudgeRequest(command_id=_command(), tournament_id=tournament, judge_id=judge)
    asked(address, lambda stub: stub.DismissJudge(request))
    text = _said(DISMISSED, judge=judge)
    tell_answer(text, {"tournament_id": tournament, "judge_id": judge}, json_output=json_output)


@app.command()
def layers(
    tournament: Tournament,
    chosen: Annotated[list[str] | None, typer.Option("--layer", help="A layer that is to be on.")] = None,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Switch layers of the lexicon on: these and no others. PES lets dictionaries be chosen until the first game."""
    tournament = run(tournament_meant(tournament, address))
    request = pb.ChooseLayersRequest(command_id=_command(), tournament_id=tournament, layers=chosen or ())
    asked(address, lambda stub: stub.ChooseLayers(request))
    text = f"{tournament}: {', '.join(chosen) if chosen else _said(NO_LAYERS)}"
    tell_answer(text, {"tournament_id": tournament, "layers": chosen or []}, json_output=json_output)


@app.command()
def show(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """Show how challenges of a tournament are ruled on, and by whom."""
    tournament = run(tournament_meant(tournament, address))
    request = pb.GetAdjudicationRequest(tournament_id=tournament)
    answer = asked(address, lambda stub: stub.GetAdjudication(request))
    if json_output:
        typer.echo(json.dumps(as_json(answer), ensure_ascii=False))
        return
    claims = PANEL_CLAIMS if answer.mode == events.MODE_PANEL else CLAIMS
    mode_name = _said(MODE_NAMES[answer.mode])
    typer.echo(_said(claims, mode=mode_name, count=answer.panel, seconds=answer.lease_seconds))
    typer.echo(_said(TO_DIRECTOR, seconds=answer.escalate_after_seconds))
    if answer.layers:
        typer.echo(_said(LAYERS, layers=", ".join(answer.layers)))
    for judge in answer.judges:
        rights = [" ".join(judge.languages), _said(DIRECTOR) if judge.director else ""]
        typer.echo("  ".join(["", judge.judge_id, *filter(None, rights)]))


def _command() -> str:
    return str(uuid.uuid4())


def _said(text: str, **params: str | int) -> str:
    return say(text, params, language_of_terminal())
