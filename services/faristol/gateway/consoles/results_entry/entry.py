"""What is typed for a result on a page: read, doubted, and made a command. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import Message

from faristol.gateway.consoles.commands import form_id
from faristol.kernel.quotation import shown
from faristol.kernel.refusal import N_
from faristol.office.results.doubts import OPEN_BEFORE
from faristol.office.results.lines import Given, Slip, given, seat_in_doubt, table_of
from faristol.office.results.tables import Tables, names_at
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.text import say

SEATS = ("first", "second", "third", "fourth")
"""The fields of the scores, in the order of the pairing."""

NO_SCORE = N_("Type the score of {name}, or ff where they did not come.")
STANDS = N_("{standing} stands already.")
CORRECTS = N_("{standing} stands already. Send it again to correct it.")
LONGEST_TYPED = 40
"""Characters of what was typed for a table before, as a form gives it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A form with a result, as it was read."""

    table: int = 0
    """0 where no table could be read."""
    command: Message | None = None
    """What is to be done; None where something is to be said first."""
    problem: str = ""
    """Why it cannot be read."""
    doubts: Sequence[str] = field(default_factory=tuple)
    """What is implausible in it: sent again it is taken as it is."""
    sure: str = ""
    """What the form has to hold to be taken as it is: it is good for these scores alone."""
    stands: str = ""
    """The result that stands already, where it is the same."""
    field: str = ""
    """The field in doubt, where there is a problem or a doubt."""


def read(fields: Mapping[str, str], tables: Tables, tournament_id: str, language: str) -> Entry:
    """A form with ``table`` and the scores of its seats. Raises ``HTTPException`` for a form without an id."""
    command_id = str(form_id(fields))
    number = 0
    words: list[str] = []
    try:
        number = table_of(fields.get("table", "").strip(), tables.players)
        names = names_at(tables[number])
        words = [fields.get(seat, "").strip() for seat in SEATS[: len(names)]]
        if any(words):
            for name, word in zip(names, words, strict=True):
                if not word:
                    raise Slip(NO_SCORE, name=name)
        typed = given(number, [word for word in words if word], len(names))
        return _decided(typed, fields, tables, command_id, tournament_id, language)
    except Slip as slip:
        field = SEATS[_seat_in_doubt(words)] if number else "table"
        return Entry(number, problem=say(slip.text, slip.params, language), field=field)


def _seat_in_doubt(words: Sequence[str]) -> int:
    """The place of the score that a form has in doubt, from 0."""
    return words.index("") if "" in words else seat_in_doubt(words)


def _decided(
    typed: Given, fields: Mapping[str, str], tables: Tables, command_id: str, tournament_id: str, language: str
) -> Entry:
    table = tables[typed.table]
    if tables.stands(typed):
        return Entry(typed.table, stands=say(STANDS, {"standing": tables.standing(typed.table)}, language))
    sure = _mark(typed, table)
    found = tables.doubts(typed)
    doubts = [say(doubt.text, doubt.params, language) for doubt in found]
    if before := fields.get("before", ""):
        told = {"table": typed.table, "typed": shown(before[:LONGEST_TYPED])}
        doubts.insert(0, say(OPEN_BEFORE, told, language))
    if table.scores:
        doubts.insert(0, say(CORRECTS, {"standing": tables.standing(typed.table)}, language))
    if doubts and fields.get("sure") != sure:
        seat = next((doubt.seat for doubt in found if doubt.seat is not None), len(typed.scores) - 1)
        return Entry(typed.table, doubts=doubts, sure=sure, field=SEATS[seat])
    result = tables.result(typed)
    if table.scores:
        return Entry(typed.table, _correction(table, result, command_id, tournament_id))
    return Entry(
        typed.table, pairing.EnterResultsRequest(command_id=command_id, tournament_id=tournament_id, results=[result])
    )


def _correction(table: pairing.TableResult, result: pairing.GameResult, command_id: str, tournament_id: str) -> Message:
    """Another result in place of the one that was seen."""
    asked: dict[str, Any] = {"scores": result.scores, "winner_id": result.winner_id}
    if result.forfeited_by:
        came = [player.player_id for player in table.players if player.player_id not in result.forfeited_by]
        asked = {"unplayed": True, "lost_by_all": not came, "winner_id": came[0] if len(came) == 1 else ""}
    return pairing.CorrectResultRequest(
        command_id=command_id,
        tournament_id=tournament_id,
        game_id=table.game_id,
        scores_before=table.scores,
        **asked,
    )


def _mark(typed: Given, table: pairing.TableResult) -> str:
    """What tells these scores in view of those that stand from all others."""
    said = f"{typed} {[score.score for score in table.scores]}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def confirmation(fields: Mapping[str, str], table: pairing.TableResult, tournament_id: str) -> Message:
    """The confirmation of the scores that a form showed, or that they are wrong.

    Raises ``ValueError`` for scores that are none, and ``HTTPException`` for a form without an id.
    """
    request = pairing.ConfirmResultRequest(
        command_id=str(form_id(fields)),
        tournament_id=tournament_id,
        game_id=table.game_id,
        disputed=fields.get("says") == "wrong",
        player_id=fields.get("player_id", ""),
        note=fields.get("note", ""),
    )
    for seat, player in zip(SEATS, table.players, strict=False):
        request.scores.add(player_id=player.player_id, score=int(fields.get(f"seen_{seat}", "")[:9]))
    return request
