"""A case and the queue at a judge's terminal, the ruling typed or piped in, and the adjudication of a tournament."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import typer

from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2
from faristol.presentation.labels import RULING_MODES
from faristol.table_terminal.shared.common import as_json, localize
from faristol.table_terminal.shared.keyboard import forget_typed, wait_for_answer

ANSWERS = ("y", "n", "r", "q")
"""Answers of a judge on a word, in every language: valid, invalid, release the case, quit."""

NO_WORD_OF_CASE = N_("{given} is not a word of case {case}: expected {expected}")
NOTHING_WAITS = N_("no case is pending")
NOT_APPOINTED = N_("no case is pending: {judge} is not appointed as a judge of any tournament")
YOURS, APPEAL, ESCALATED = N_("yours"), N_("appeal"), N_("escalated")
CASE = N_("case {case} ({article}): lexicon {lexicon}")
CASE_WITH_LAYERS = N_("case {case} ({article}): lexicon {lexicon}, layers {layers}")
ARGUMENTS, NO_ARGUMENTS = N_("appeal: {arguments}"), N_("appeal, without arguments")
LISTED, NOT_LISTED = N_("in the lexicon"), N_("not in the lexicon")
ALWAYS, BY_SOURCE, OFF = N_("always"), N_("{layer} by {source}"), N_("{listing} (off)")
GOOD, NO_WORD = N_("good"), N_("no word")
WHICH = N_("{word}: y valid, n invalid, r return, q leave")
NO_ANSWER = N_("{given} is not a valid answer: expected {expected}")
REASON, SOURCE = N_("reason"), N_("source")
REASON_OR_NONE, SOURCE_OR_NONE = N_("reason (Enter for none)"), N_("source (Enter for none)")
AGAINST = N_("A ruling that differs from the lexicon needs a reason and a source.")


def tiles_of(text: str, file: pb.GetCaseFileResponse) -> Sequence[str]:
    """Find the word of the case that a text means: as tiles, or as text if only one word is written so.

    Raises ``StartError`` if no word matches, or several.
    """
    words = [tuple(listed.word.faces) for listed in file.words]
    named = [word for word in words if " ".join(word) == text.upper()]
    found = named or [word for word in words if "".join(word) == text.upper()]
    if len(found) != 1:
        expected = ", ".join(" ".join(word) for word in words)
        raise StartError(localize(NO_WORD_OF_CASE, given=repr(text), case=file.case_id, expected=expected))
    return found[0]


def ruling(tiles: Sequence[str], valid: bool, reason: str, source: str) -> events.WordRuling:  # noqa: FBT001
    """Return a ruling on one word."""
    return events.WordRuling(word=game_events.Word(faces=tiles), valid=valid, reason=reason, source=source)


def show_queue(queue: pb.WatchQueueResponse, judge_id: str, *, json_output: bool) -> None:
    """Print the cases waiting for a judge."""
    if json_output:
        cases = [as_json(case) for case in queue.cases]
        typer.echo(json.dumps({"cases": cases, "appointed": queue.appointed}, ensure_ascii=False))
        return
    now = datetime.now(UTC)
    nothing = localize(NOTHING_WAITS) if queue.appointed else localize(NOT_APPOINTED, judge=judge_id)
    typer.echo(localize(WAITING, count=len(queue.cases)) if queue.cases else nothing)
    for case in queue.cases:
        waited = (now - case.queued_at.ToDatetime(UTC)).total_seconds()
        marks = [
            localize(name)
            for name, on in ((YOURS, case.held), (APPEAL, case.appeal), (ESCALATED, case.escalated))
            if on
        ]
        words = ", ".join(" ".join(word.faces) for word in case.words)
        typer.echo(f"  {case.case_id}  {case.language}  {waited:.0f} s  {words}  {' '.join(marks)}".rstrip())


def file_lines(file: pb.GetCaseFileResponse) -> Iterator[str]:
    """Yield the lines of the file of a case."""
    lexicon = f"{file.lexicon.name} {file.edition}"
    text, layers = CASE_WITH_LAYERS if file.layers else CASE, ", ".join(file.layers)
    yield localize(text, case=file.case_id, article=file.article, lexicon=lexicon, layers=layers)
    if file.appeal:
        yield localize(ARGUMENTS, arguments=file.arguments) if file.arguments else localize(NO_ARGUMENTS)
    for word in file.words:
        listed = ", ".join(map(_listing, word.listings))
        answer = localize(LISTED if word.valid else NOT_LISTED)
        yield f"  {' '.join(word.word.faces)}: {answer}  {listed}".rstrip()
        for before in word.earlier:
            ruled = localize(GOOD if before.valid else NO_WORD)
            yield f"    {before.tournament_id}: {ruled}  {before.reason}  {before.source}".rstrip()


def ask_person(file: pb.GetCaseFileResponse) -> list[events.WordRuling] | None:
    """Ask at the terminal, ignoring earlier keystrokes. Raises ``EOFError`` if the judge quits."""
    typer.echo("\n".join(file_lines(file)))
    forget_typed()
    rulings = []
    for case_word in file.words:
        try:
            ruled = _ask_of_word(case_word)
        except typer.Abort:
            raise EOFError from None
        if ruled is None:
            return None
        rulings.append(ruled)
    return rulings


def _ask_of_word(case_word: pb.WordFile) -> events.WordRuling | None:
    """Ask until a word is ruled on. Return None to release the case; raises ``EOFError`` if the judge quits.

    A ruling against the lexicon without reason or source repeats the question, so that a typing error can be corrected.
    """
    question = localize(WHICH, word=" ".join(case_word.word.faces))
    while True:
        typed = str(typer.prompt(question, default="y" if case_word.valid else "n"))
        answer = typed.strip().lower()
        if answer not in ANSWERS:
            typer.echo(localize(NO_ANSWER, given=repr(typed), expected=", ".join(ANSWERS)))
            continue
        if answer == "q":
            raise EOFError
        if answer == "r":
            return None
        valid = answer == "y"
        against = valid != case_word.valid
        reason = _line(REASON if against else REASON_OR_NONE)
        source = _line(SOURCE if against else SOURCE_OR_NONE) if reason or not against else ""
        if not against or (reason and source):
            return ruling(case_word.word.faces, valid, reason, source)
        typer.echo(localize(AGAINST))


def _line(question: str) -> str:
    """Ask a question and return the line typed; empty for Enter."""
    return str(typer.prompt(localize(question), default="", show_default=False)).strip()


def _listing(place: lexicon_pb2.Listing) -> str:
    """Format a listing of a word in the lexicon: layer, source, and whether it is off."""
    text = place.layer or localize(ALWAYS)
    if place.source:
        text = localize(BY_SOURCE, layer=text, source=place.source)
    return text if place.on else localize(OFF, listing=text)


async def ask_program(file: pb.GetCaseFileResponse) -> list[events.WordRuling] | None:
    """Ask by lines of JSON. Raises ``EOFError`` at the end of the input, ``StartError`` for a malformed ruling."""
    typer.echo(json.dumps(as_json(file), ensure_ascii=False))
    line = await wait_for_answer(sys.stdin.readline)
    if not line:
        raise EOFError
    try:
        given: dict[str, Any] = json.loads(line)
        if given and "words" not in given:
            raise ValueError("no words; {} returns the case")
        if not all(isinstance(word["valid"], bool) for word in given.get("words", [])):
            raise ValueError("valid is true or false")
        return [
            ruling(
                [str(tile) for tile in word["tiles"]],
                word["valid"],
                str(word.get("reason", "")),
                str(word.get("source", "")),
            )
            for word in given.get("words", [])
        ] or None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StartError(
            f'{line.strip()[:200]!r} is not a ruling ({error}): expected {{"words": [{{"tiles": […], "valid": true}}]}}'
        ) from error


NO_LAYERS = N_("no layers")
CLAIMS = N_("{mode}; claims expire after {seconds} s without activity")
PANEL_CLAIMS = N_("{mode} ({count}); claims expire after {seconds} s without activity")
TO_DIRECTOR = N_("to the director after {seconds} s")
LAYERS = N_("layers: {layers}")
DIRECTOR = N_("director")
WAITING = N_("{count} pending")
TIMES = N_(
    "{mode}: {count} {count:ruling|rulings}, median {median} s, p95 {p95} s, longest {longest} s, "
    "{escalated} escalated, {returned} returned"
)


def format_adjudication(answer: pb.GetAdjudicationResponse) -> Iterator[str]:
    """Yield the lines of `judge show`: mode, escalation to the director, and the judges."""
    claims = PANEL_CLAIMS if answer.mode == events.MODE_PANEL else CLAIMS
    yield localize(claims, mode=localize(RULING_MODES[answer.mode]), count=answer.panel, seconds=answer.lease_seconds)
    yield localize(TO_DIRECTOR, seconds=answer.escalate_after_seconds)
    if answer.layers:
        yield localize(LAYERS, layers=", ".join(answer.layers))
    for judge in answer.judges:
        rights = [" ".join(judge.languages), localize(DIRECTOR) if judge.director else ""]
        yield "  ".join(["", judge.judge_id, *filter(None, rights)])


def format_ruling_times(answer: pb.GetRulingTimesResponse) -> Iterator[str]:
    """Yield the lines of `ruling stats`: waiting times of rulings, and the number of waiting cases."""
    for times in answer.times:
        in_ms = {"median": times.median_ms, "p95": times.p95_ms, "longest": times.longest_ms}
        yield localize(
            TIMES,
            mode=localize(RULING_MODES[times.mode]),
            count=times.rulings,
            **{name: round(ms / 1000, 1) for name, ms in in_ms.items()},
            escalated=times.escalated,
            returned=times.returned,
        )
    yield localize(WAITING, count=answer.waiting)
