"""Texts about halls and their cells: kept commands, the plan of a hall, the place of a table in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from faristol.kernel.names import is_official
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.presentation.history import UNNAMED_OFFICIAL, game_params
from faristol.presentation.names import Roster
from faristol.text import say, translations

KEPT_COMMANDS: Mapping[str, str] = {
    "ReportResult": N_("report of a player"),
    "ConfirmResult": N_("confirmation or dispute of the result"),
    "EnterResult": N_("entry of the result"),
    "EnterSignedSheet": N_("entry of the result from the signed sheet"),
    "GiveForfeit": N_("forfeit"),
    "CorrectResult": N_("correction of the result"),
    "CorrectOwnResult": N_("correction of the result"),
    "DecideDispute": N_("decision of the dispute"),
    "SanctionPlayer": N_("sanction after the game"),
    "WithdrawKeptCommand": N_("withdrawal of a command"),
}
"""What a kept command is, by its method."""


def describe_kept(kept: pb.KeptCommand, known: Roster, language: str) -> str:
    """Return the game of a kept command, what the command is, the result after it, and its author."""
    game = game_params(kept.game_id, known, language)["game"]
    what = say(KEPT_COMMANDS.get(kept.method, kept.method), {}, language)
    scores = "–".join(str(score.score) for score in kept.scores)
    author = kept.actor_name or known.name(kept.actor)
    if author == kept.actor and is_official(author):
        author = say(UNNAMED_OFFICIAL, {}, language)
    return ", ".join(filter(None, (game, f"{what} {scores}".rstrip(), author)))


def describe_refusal(kept: pb.KeptCommand, language: str) -> str:
    """Return why the championship refused a command that a hall had kept; empty if it did not."""
    return say(kept.text, {each.name: each.value for each in kept.parameters}, language) if kept.text else ""


ROW_FROM_ENTRANCE = N_("Row {row} from the entrance, place {place} from the left.")
PLACE_FROM_ENTRANCE = N_("Row {row}, place {place} from the entrance.")
PLACE = N_("Row {row}, place {place} from the left.")
ENTRANCE = N_("Entrance: {side}.")
STAGE = N_("Stage: {side}.")

MARKS = (("entrance", N_("Entrance")), ("stage", N_("Stage of the hall")))
"""The marks of a plan: the field of a hall, and the label."""


class HallPlan(NamedTuple):
    """The plan of a hall, the first row above."""

    rows: list[list[int]]
    """Tables of each row, from left to right."""
    marks: dict[int, list[str]]
    """Labels of the marks on each side, to be translated."""


def build_plan(hall: events.Hall) -> HallPlan | None:
    """Return the plan of a hall; None if it has none."""
    if not hall.row_tables:
        return None
    rows: list[list[int]] = []
    first = hall.first_table
    while first <= hall.last_table:
        length = hall.row_tables[min(len(rows), len(hall.row_tables) - 1)]
        row = list(range(first, min(first + length, hall.last_table + 1)))
        first += length
        rows.append(row[::-1] if hall.rows_turn and len(rows) % 2 else row)
    marks: dict[int, list[str]] = {}
    for field, label in MARKS:
        marks.setdefault(getattr(hall, field), []).append(label)
    return HallPlan(rows, marks)


def describe_place(hall: events.Hall, table: int, language: str) -> str:
    """Return where a table stands: its row, its place in the row, and the sides of the entrance and the stage.

    Rows and places are counted from the entrance if the plan has it. The text is empty without a plan or the table.
    """
    plan = build_plan(hall)
    found = next(((number, row) for number, row in enumerate(plan.rows, 1) if table in row), None) if plan else None
    if plan is None or found is None:
        return ""
    (number, row), text = found, PLACE
    place = row.index(table) + 1
    match hall.entrance:
        case events.HALL_SIDE_FIRST_ROW:
            text = ROW_FROM_ENTRANCE
        case events.HALL_SIDE_LAST_ROW:
            text, number = ROW_FROM_ENTRANCE, len(plan.rows) + 1 - number
        case events.HALL_SIDE_LEFT:
            text = PLACE_FROM_ENTRANCE
        case events.HALL_SIDE_RIGHT:
            text, place = PLACE_FROM_ENTRANCE, len(row) + 1 - place
    sides, read = labels_of(events.HallSide.DESCRIPTOR), translations(language).gettext
    said = [say(text, {"row": number, "place": place}, language)]
    for side, named in ((hall.entrance, ENTRANCE), (hall.stage, STAGE)):
        if side:
            said.append(say(named, {"side": read(sides[side])}, language))
    return " ".join(said)
