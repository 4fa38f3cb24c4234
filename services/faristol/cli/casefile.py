"""A case and the queue at a judge's terminal, and the ruling that is typed or piped in."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import click
import typer

from faristol.cli.calling import as_json
from faristol.host import StartError
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events


def tiles_of(text: str, file: pb.GetCaseFileResponse) -> Sequence[str]:
    """The word of the case that a person means: as tiles, or as text where one word alone is written so.

    Raises ``StartError`` when it is none of them, or could be two.
    """
    words = [tuple(one.word.faces) for one in file.words]
    named = [word for word in words if " ".join(word) == text.upper()]
    found = named or [word for word in words if "".join(word) == text.upper()]
    if len(found) != 1:
        expected = ", ".join(" ".join(word) for word in words)
        raise StartError(f"{text!r} is no word of case {file.case_id}: expected {expected}")
    return found[0]


def ruling(tiles: Sequence[str], valid: bool, reason: str, source: str) -> events.WordRuling:  # noqa: FBT001
    """A ruling on one word."""
    return events.WordRuling(word=game_events.Word(faces=tiles), valid=valid, reason=reason, source=source)


def show_queue(queue: pb.WatchQueueResponse, judge_id: str, *, json_output: bool) -> None:
    """Print the cases that wait for a judge."""
    if json_output:
        cases = [as_json(case) for case in queue.cases]
        typer.echo(json.dumps({"cases": cases, "appointed": queue.appointed}, ensure_ascii=False))
        return
    now = datetime.now(UTC)
    nothing = (
        "nothing waits" if queue.appointed else f"nothing waits: no tournament has appointed {judge_id} as a judge"
    )
    typer.echo(f"{len(queue.cases)} waiting" if queue.cases else nothing)
    for case in queue.cases:
        waited = (now - case.queued_at.ToDatetime(UTC)).total_seconds()
        marks = [
            name for name, on in (("yours", case.held), ("appeal", case.appeal), ("escalated", case.escalated)) if on
        ]
        words = ", ".join(" ".join(word.faces) for word in case.words)
        typer.echo(f"  {case.case_id}  {case.language}  {waited:.0f} s  {words}  {' '.join(marks)}".rstrip())


def show_file(file: pb.GetCaseFileResponse) -> None:
    """Print what is known of a case."""
    layers = f", layers {', '.join(file.layers)}" if file.layers else ""
    typer.echo(f"case {file.case_id} ({file.article}): lexicon {file.lexicon.name} {file.edition}{layers}")
    if file.appeal:
        typer.echo(f"appeal: {file.arguments or 'no arguments'}")
    for one in file.words:
        listed = ", ".join(
            f"{place.layer or 'always'}{f' by {place.source}' if place.source else ''}{'' if place.on else ' (off)'}"
            for place in one.listings
        )
        answer = "in the lexicon" if one.valid else "not in the lexicon"
        typer.echo(f"  {' '.join(one.word.faces)}: {answer}  {listed}".rstrip())
        for before in one.earlier:
            said = "good" if before.valid else "no word"
            typer.echo(f"    {before.tournament_id}: {said}  {before.reason}  {before.source}".rstrip())


def ask_person(file: pb.GetCaseFileResponse) -> list[events.WordRuling] | None:
    """Ask at the terminal. Raises ``EOFError`` when the judge leaves."""
    show_file(file)
    rulings = []
    for one in file.words:
        word = " ".join(one.word.faces)
        try:
            answer = typer.prompt(
                f"{word}: y good, n no word, r give back, q leave",
                type=click.Choice(["y", "n", "r", "q"]),
                show_choices=False,
                default="y" if one.valid else "n",
            )
            if answer == "q":
                raise EOFError
            if answer == "r":
                return None
            valid = answer == "y"
            against = valid != one.valid
            reason = typer.prompt("reason", default=None if against else "", show_default=False)
            source = typer.prompt("source", default=None if against else "", show_default=False)
        except typer.Abort:
            raise EOFError from None
        rulings.append(ruling(one.word.faces, valid, reason, source))
    return rulings


async def ask_program(file: pb.GetCaseFileResponse) -> list[events.WordRuling] | None:
    """Ask by lines of JSON. Raises ``EOFError`` at the end of the input, ``StartError`` for what is no ruling."""
    typer.echo(json.dumps(as_json(file), ensure_ascii=False))
    line = await asyncio.to_thread(sys.stdin.readline)
    if not line:
        raise EOFError
    try:
        given: dict[str, Any] = json.loads(line)
        if given and "words" not in given:
            raise ValueError("no words; {} gives the case back")
        if not all(isinstance(one["valid"], bool) for one in given.get("words", [])):
            raise ValueError("valid is true or false")
        return [
            ruling(
                [str(tile) for tile in one["tiles"]],
                one["valid"],
                str(one.get("reason", "")),
                str(one.get("source", "")),
            )
            for one in given.get("words", [])
        ] or None
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise StartError(
            f'{line.strip()[:200]!r} is no ruling ({problem}): expected {{"words": [{{"tiles": […], "valid": true}}]}}'
        ) from problem
