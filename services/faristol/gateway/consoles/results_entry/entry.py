"""Typed results of a page: parsing, doubts, and the resulting command. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from google.protobuf.message import Message

from faristol.gateway.consoles.commands import form_id
from faristol.kernel.quotation import shorten_text
from faristol.kernel.refusal import N_, Param
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.text import say
from faristol.typed_input.fields import parse_number
from faristol.typed_input.results.doubts import OPEN_BEFORE
from faristol.typed_input.results.lines import (
    ABANDONED_MARK,
    FORFEIT,
    UNSCORED_MARK,
    InvalidLine,
    ParsedResult,
    is_forfeit,
    parse_result,
    seat_in_doubt,
    table_of,
)
from faristol.typed_input.results.tables import Tables, correct_result, names_at

OPEN = (pairing.RESULT_CHECK_PHASE_OPEN, pairing.RESULT_CHECK_PHASE_DISPUTED)
"""States of a result that another person must confirm."""

SEATS = ("first", "second", "third", "fourth")
"""Score fields, in the order of the pairing."""

NEEDS_ARBITER = N_("{standing} is already recorded. An arbiter can correct it.")
GIVE_UP = N_(
    "If the signed sheet shows this result and the table is no longer scored, send it once more. The "
    "turns of the table then stay on the record as abandoned."
)
FROM_SHEET = "sheet-"
"""Prefix of the confirming value for a result of a signed sheet."""
CORRECTS = N_("{standing} is already recorded. This result would replace it.")
MAX_TYPED_CHARACTERS = 40
"""Limit in characters of earlier input for a table in a form."""


@dataclass(frozen=True, slots=True)
class ResultEntry:
    """Parsed form with a result."""

    table: int = 0
    """Table number; 0 if invalid."""
    command: Message | None = None
    """Command to send; None if a message must be shown first."""
    problem: str = ""
    """Error of the input."""
    doubts: Sequence[str] = field(default_factory=tuple)
    """Doubts about the result; it is accepted if it is sent again."""
    sure: str = ""
    """Value that confirms these scores when the form is sent again."""
    stands: str = ""
    """Recorded result, if it is the same."""
    field: str = ""
    """Field to focus after a problem or doubt."""


@dataclass(frozen=True, slots=True)
class Rights:
    """User and rights on a recorded result."""

    subject: str
    corrects: bool = False
    """May correct any result."""
    corrects_own: bool = False
    """May correct a result of the same user until it is confirmed."""
    gives_up: bool = False
    """May discard the record of a table in favour of its signed sheet."""


@dataclass(frozen=True, slots=True)
class _Form:
    """Form with its context."""

    fields: Mapping[str, str]
    tables: Tables
    tournament_id: str
    command_id: str
    rights: Rights
    language: str

    def say(self, text: str, **params: Param) -> str:
        return say(text, params, self.language)


def read(fields: Mapping[str, str], tables: Tables, tournament_id: str, rights: Rights, language: str) -> ResultEntry:
    """Parse a form with ``table`` and the scores of its seats. Raises ``HTTPException`` for a form without an id."""
    form = _Form(fields, tables, tournament_id, str(form_id(fields)), rights, language)
    number = 0
    words: list[str] = []
    try:
        number = table_of(fields.get("table", "").strip(), tables.players)
        names = names_at(tables[number])
        words = _words(fields, len(names))
        if any(words):
            for name, word in zip(names, words, strict=True):
                if not word:
                    raise InvalidLine(N_("Type the score of {name}, or ff if {name} was absent."), name=name)
        return _decide_entry(parse_result(number, [word for word in words if word], len(names)), form)
    except InvalidLine as slip:
        field = SEATS[words.index("") if "" in words else seat_in_doubt(words)] if number else "table"
        return ResultEntry(number, problem=form.say(slip.text, **slip.params), field=field)


def _words(fields: Mapping[str, str], seats: int) -> list[str]:
    """Return the input for each seat: typed, or chosen by a button on phones with a numeric keyboard.

    If the only opponent of a player was absent, the player's score may be left out: the rule book has it.
    """
    how = [fields.get(f"how_{seat}", "") for seat in SEATS[:seats]]
    words = [fields.get(seat, "").strip() for seat in SEATS[:seats]]
    is_complete = FORFEIT in how or (seats == 2 and any(map(is_forfeit, words)))
    came = UNSCORED_MARK if is_complete else ""
    return [
        FORFEIT
        if way == FORFEIT
        else f"{word}{ABANDONED_MARK}"
        if way == ABANDONED_MARK and word.isdecimal()
        else word or came
        for way, word in zip(how, words, strict=True)
    ]


def _decide_entry(typed: ParsedResult, form: _Form) -> ResultEntry:
    tables = form.tables
    table = tables[typed.table]
    if tables.stands(typed):
        return _confirm_same_result(typed, table, form)
    if table.scores:
        if not form.rights.corrects and tables.is_hidden(typed.table, form.rights.subject):
            return _build_dispute(typed, table, form)
        if not form.rights.corrects and not _is_own(table, form.rights):
            text = form.say(NEEDS_ARBITER, standing=tables.standing(typed.table))
            return ResultEntry(typed.table, problem=text, field="table")
    sure = _mark(typed, table)
    found = tables.doubts(typed)
    doubts = [form.say(doubt.text, **doubt.params) for doubt in found]
    if before := form.fields.get("before", ""):
        doubts.insert(0, form.say(OPEN_BEFORE, table=typed.table, typed=shorten_text(before[:MAX_TYPED_CHARACTERS])))
    if table.scores:
        doubts.insert(0, form.say(CORRECTS, standing=tables.standing(typed.table)))
    confirmed = form.fields.get("sure", "")
    if doubts and confirmed not in (sure, FROM_SHEET + sure):
        seat = next((doubt.seat for doubt in found if doubt.seat is not None), len(typed.scores) - 1)
        return ResultEntry(typed.table, doubts=doubts, sure=sure, field=SEATS[seat])
    result = tables.result(typed)
    about: dict[str, Any] = {"command_id": form.command_id, "tournament_id": form.tournament_id}
    if table.scores:
        kind = pairing.CorrectResultRequest if form.rights.corrects else pairing.CorrectOwnResultRequest
        return ResultEntry(typed.table, correct_result(kind(**about), table, result), sure=sure)
    if confirmed == FROM_SHEET + sure and not result.forfeited_by:
        sheet = pairing.EnterSignedSheetRequest(
            game_id=result.game_id,
            scores=result.scores,
            abandoned_by=result.abandoned_by,
            winner_id=result.winner_id,
            **about,
        )
        return ResultEntry(typed.table, sheet, sure=sure)
    return ResultEntry(typed.table, pairing.EnterResultsRequest(results=[result], **about), sure=sure)


def _is_own(table: pairing.TableResult, rights: Rights) -> bool:
    """Check whether the user entered the recorded result and it is unconfirmed."""
    is_own = table.entered and table.actor == rights.subject
    return rights.corrects_own and is_own and not table.confirmed_by


def _confirm_same_result(typed: ParsedResult, table: pairing.TableResult, form: _Form) -> ResultEntry:
    """Handle the same result entered again: it confirms the first, if a second person must confirm."""
    stands = form.say(N_("{standing} is already recorded."), standing=form.tables.standing(typed.table))
    is_second = table.check in OPEN and table.actor != form.rights.subject
    if not (form.tables.listed.second_person and is_second):
        return ResultEntry(typed.table, stands=stands)
    return ResultEntry(typed.table, _build_confirmation(table, form))


def _build_dispute(typed: ParsedResult, table: pairing.TableResult, form: _Form) -> ResultEntry:
    """Return the dispute of a result by a user who entered a different one blind. An official decides."""
    note = " – ".join(score.written for score in typed.scores)
    return ResultEntry(typed.table, _build_confirmation(table, form, disputed=True, note=note))


def _build_confirmation(table: pairing.TableResult, form: _Form, *, disputed: bool = False, note: str = "") -> Message:
    return pairing.ConfirmResultRequest(
        command_id=form.command_id,
        tournament_id=form.tournament_id,
        game_id=table.game_id,
        scores=table.scores,
        disputed=disputed,
        note=note,
    )


def from_sheet(entry: ResultEntry, refusal: str, language: str) -> ResultEntry:
    """Return the question whether the signed sheet replaces the record of an open table."""
    asked = [refusal, say(GIVE_UP, {}, language)]
    return replace(entry, command=None, doubts=asked, sure=FROM_SHEET + entry.sure, field=SEATS[0])


def _mark(typed: ParsedResult, table: pairing.TableResult) -> str:
    """Return a hash of the typed and the recorded scores."""
    said = f"{typed} {[score.score for score in table.scores]}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def confirm_all(
    fields: Mapping[str, str], tables: Tables, tournament_id: str, subject: str
) -> pairing.ConfirmResultsRequest:
    """Return the confirmation of all results as a form showed them, except those of the same user.

    Raises ``HTTPException`` for a form without an id.
    """
    asked = form_id(fields)
    shown_ = {part for part in fields.get("seen", "").split(" ") if part}
    results = [
        pairing.ShownResult(game_id=table.game_id, scores=table.scores)
        for table in tables.listed.tables
        if table.check == pairing.RESULT_CHECK_PHASE_OPEN
        and table.actor != subject
        and not table.decided_elsewhere
        and encode_shown_scores(table) in shown_
    ]
    return pairing.ConfirmResultsRequest(command_id=str(asked), tournament_id=tournament_id, results=results)


def encode_shown_scores(table: pairing.TableResult) -> str:
    """Return the value by which a form states the shown scores: ``11:412:378``."""
    return ":".join(map(str, (table.table, *(score.score for score in table.scores))))


def read_report(fields: Mapping[str, str], table: pairing.TableResult, tournament_id: str, player_id: str) -> Message:
    """Return the report of a player, from a form with the scores of the table.

    Raises ``Invalid`` for a score that is no number, and ``HTTPException`` for a form without an id.
    """
    request = pairing.ReportResultRequest(
        command_id=str(form_id(fields)), tournament_id=tournament_id, game_id=table.game_id, player_id=player_id
    )
    _add_scores(request.scores, fields, table)
    return request


def read_decision(fields: Mapping[str, str], table: pairing.TableResult, tournament_id: str) -> Message:
    """Return the decision on a disputed result, from a form with the scores that are right.

    Raises ``Invalid`` for a score that is no number, and ``HTTPException`` for a form without an id.
    """
    request = pairing.DecideDisputeRequest(
        command_id=str(form_id(fields)),
        tournament_id=tournament_id,
        game_id=table.game_id,
        note=fields.get("note", ""),
    )
    _add_scores(request.scores, fields, table)
    return request


def read_withdrawal(fields: Mapping[str, str], tournament_id: str) -> Message:
    """Return the withdrawal of a command that a hall keeps. Raises ``HTTPException`` for a form without an id."""
    return pairing.WithdrawKeptCommandRequest(
        command_id=str(form_id(fields)),
        tournament_id=tournament_id,
        kept_command_id=fields.get("kept_command_id", ""),
        note=fields.get("note", ""),
    )


def _add_scores(scores: Any, fields: Mapping[str, str], table: pairing.TableResult) -> None:
    """Add the typed score of each seat. Raises ``Invalid``."""
    for seat, player in zip(SEATS, table.players, strict=False):
        name = player.name or player.player_id
        scores.add(player_id=player.player_id, score=parse_number(name, fields.get(seat, "")))


def confirmation(fields: Mapping[str, str], table: pairing.TableResult, tournament_id: str) -> Message:
    """Return the confirmation or dispute of the scores that a form showed.

    Raises ``ValueError`` for invalid scores, and ``HTTPException`` for a form without an id.
    """
    request = pairing.ConfirmResultRequest(
        command_id=str(form_id(fields)),
        tournament_id=tournament_id,
        game_id=table.game_id,
        disputed=fields.get("says") == "wrong",
        player_id=fields.get("player_id", ""),
        on_paper=fields.get("says") == "paper",
        note=fields.get("note", ""),
    )
    for seat, player in zip(SEATS, table.players, strict=False):
        request.scores.add(player_id=player.player_id, score=int(fields.get(f"seen_{seat}", "")[:9]))
    if request.disputed and any(fields.get(seat, "").strip() for seat in SEATS):
        _add_scores(request.scores_claimed, fields, table)
    return request
