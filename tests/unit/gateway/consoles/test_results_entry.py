"""Typed results on a page: corrections, confirmations, disputes, and signed sheets."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.unit.table_terminal.results_entry.test_calls import round_of, table

from faristol.gateway.consoles.results_entry.entry import (
    FROM_SHEET,
    ResultEntry,
    Rights,
    confirm_all,
    encode_shown_scores,
    from_sheet,
    read,
)
from faristol.gateway.consoles.results_entry.page import add_rounds_after, describe_saved
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.typed_input.results.doubts import as_labelled
from faristol.typed_input.results.tables import Tables

DIRECTOR = Rights("eva", corrects=True, corrects_own=True, gives_up=True)
SCORER = Rights("pep", corrects_own=True)


def standing(by: str, *, blind: bool = False, confirmed: str = "") -> Tables:
    """Return a round in which a scorer entered the result of table 2, and a second person confirms results."""
    made = table(2, 400, 350, by=by)
    made.actor = by
    made.check = pairing.RESULT_CHECK_PHASE_CONFIRMED if confirmed else pairing.RESULT_CHECK_PHASE_OPEN
    made.confirmed_by.extend([confirmed] if confirmed else [])
    tables = round_of(table(1), made)
    tables.listed.second_person, tables.listed.blind = True, blind
    return tables


def type_result(tables: Tables, rights: Rights, *words: str, **more: str) -> ResultEntry:
    fields: Mapping[str, str] = {
        "command_id": str(uuid.uuid4()),
        **dict(zip(("table", "first", "second"), words, strict=False)),
        **more,
    }
    return read(fields, tables, "cup", rights, "en")


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("9", "400", "350"), "table"),
        (("1", "4000", "350"), "first"),
        (("1", "400", "35"), "second"),
        (("1", "37O", "350"), "first"),
        (("1", "400", "ff"), "first"),
        (("1", "400", ""), "second"),
        (("1", "380", "380"), "second"),
    ],
)
def test_the_field_in_doubt_is_named(words: tuple[str, ...], field: str) -> None:
    assert type_result(round_of(table(1)), SCORER, *words).field == field


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"how_first": "ff"}, (["anna-1"], [], [])),
        ({"first": "ff"}, (["anna-1"], [], [])),
        ({"second": "φφ"}, (["blai-1"], [], [])),
        ({"second": "-", "how_first": "ff"}, (["anna-1"], [], [])),
        ({"how_first": "ff", "how_second": "ff"}, (["anna-1", "blai-1"], [], [])),
        ({"first": "210", "second": "180", "how_second": "a"}, ([], ["blai-1"], [210, 180])),
        ({"first": "412", "second": "378", "how_first": "", "how_second": ""}, ([], [], [412, 378])),
    ],
)
def test_a_phone_with_a_keyboard_of_numbers_says_forfeits_and_who_left_by_buttons(
    more: dict[str, str], expected: tuple[list[str], list[str], list[int]]
) -> None:
    entry = type_result(round_of(table(1)), SCORER, "1", **more)
    assert isinstance(entry.command, pairing.EnterResultsRequest), entry
    (result,) = entry.command.results
    assert (list(result.forfeited_by), list(result.abandoned_by), [score.score for score in result.scores]) == expected


def test_a_refusal_on_a_page_names_the_button_and_no_command_of_the_terminal() -> None:
    said = as_labelled("Per canviar res cal reobrir-la abans: `standings reopen`.", "ca")
    assert said == "Per canviar res cal reobrir-la abans: «Retira-la» a «Premis i classificació final»."


def test_a_refusal_on_a_page_has_the_labels_of_the_page_and_no_fields_of_the_service() -> None:
    said = as_labelled("Anna is playing copa: say with running_game whether; give winner_id, or abandoned_by.", "en")
    assert said.startswith("Anna is playing copa: say with “The game in progress” whether; give “Outcome”, or `a`.")


def test_what_was_typed_before_and_is_open_is_asked_about() -> None:
    entry = type_result(round_of(table(1)), SCORER, "1", "400", "350", before="400 – 400")
    assert entry.doubts == ["table 1 was already typed as 400 – 400, which is still open"]
    sure = type_result(round_of(table(1)), SCORER, "1", "400", "350", before="400 – 400", sure=entry.sure)
    assert isinstance(sure.command, pairing.EnterResultsRequest)


def test_a_helper_corrects_what_they_entered_until_somebody_has_confirmed_it() -> None:
    tables = standing("pep")
    asked = type_result(tables, SCORER, "2", "401", "350")
    assert "This result would replace it." in asked.doubts[0]
    done = type_result(tables, SCORER, "2", "401", "350", sure=asked.sure)
    assert isinstance(done.command, pairing.CorrectOwnResultRequest)
    for other in (standing("pep", confirmed="ona"), standing("ona")):
        refused = type_result(other, SCORER, "2", "401", "350")
        assert refused.command is None
        assert refused.problem.endswith("is already recorded. An arbiter can correct it.")
    assert isinstance(
        type_result(tables, DIRECTOR, "2", "401", "350", sure=asked.sure).command, pairing.CorrectResultRequest
    )


def test_a_second_person_who_types_the_same_confirms_it() -> None:
    confirmed = type_result(standing("ona"), SCORER, "2", "400", "350")
    assert isinstance(confirmed.command, pairing.ConfirmResultRequest)
    assert not confirmed.command.disputed
    own = type_result(standing("pep"), SCORER, "2", "400", "350")
    assert own.command is None
    assert "is already recorded" in own.stands


def test_where_results_are_typed_blind_another_result_is_a_dispute_and_tells_nothing_of_the_first() -> None:
    tables = standing("ona", blind=True)
    other = type_result(tables, SCORER, "2", "405a", "350")
    assert isinstance(other.command, pairing.ConfirmResultRequest)
    assert (other.command.disputed, other.command.note) == (True, "405a – 350")
    assert tables.is_hidden(2, "pep")
    assert not tables.is_hidden(2, "ona")
    assert describe_saved(tables, 2, SCORER, "en") == ""  # for any table in the address
    assert "400" in describe_saved(tables, 2, replace(SCORER, subject="ona"), "en")
    assert "400" in describe_saved(tables, 2, DIRECTOR, "en")


def test_all_that_was_shown_is_confirmed_and_neither_ones_own_nor_what_was_not_shown() -> None:
    tables = standing("ona")
    form = {"command_id": str(uuid.uuid4()), "seen": encode_shown_scores(tables[2])}
    assert [each.game_id for each in confirm_all(form, tables, "cup", "pep").results] == ["cup-r3-t2"]
    assert not confirm_all(form, tables, "cup", "ona").results
    assert not confirm_all({**form, "seen": "2:400:351"}, tables, "cup", "pep").results


def test_a_table_that_is_kept_takes_its_result_from_the_signed_sheet_once_that_is_said() -> None:
    tables = round_of(table(1))
    entry = type_result(tables, DIRECTOR, "1", "401", "398")
    asked = from_sheet(entry, "cup-r3-t1 is being played at its table.", "en")
    assert (asked.command, asked.sure) == (None, FROM_SHEET + entry.sure)
    done = type_result(tables, DIRECTOR, "1", "401", "398", sure=asked.sure)
    assert isinstance(done.command, pairing.EnterSignedSheetRequest)
    assert [score.score for score in done.command.scores] == [401, 398]
    changed = type_result(
        tables, DIRECTOR, "1", "402", "398", sure=asked.sure
    )  # different scores need a new confirmation
    assert isinstance(changed.command, pairing.EnterResultsRequest)
    assert replace(changed, sure=asked.sure) != done


def test_a_correction_names_its_author_and_the_rounds_that_were_paired_before_it() -> None:
    tables = standing("eva")
    tables[2].corrected = True
    assert "corrected by eva at" in tables.standing(2)
    played = [results.Round(round=number) for number in (1, 2, 3)]
    said = add_rounds_after("2 · Anna", results.Tournament(played=played), 1, 2, "en")
    assert said == "2 · Anna. Rounds paired with the earlier result: 2."
