from __future__ import annotations

import pytest

from faristol.casebook.document import CaseError
from faristol.host import StartError
from faristol.table_terminal.table.lines import Typed, read_typed, script_lines, steps_of

WHO = ("Anna", "Blai", "anna")


def test_a_script_is_one_step_to_a_line_or_the_steps_of_a_case() -> None:
    script = "# a comment\nAnna: turn pass\n\n- Blai: draw-tiles\n  with: {count: 4}\n  at: 1:30\nsheet\n"
    assert list(steps_of(script.splitlines(keepends=True))) == [
        Typed(2, "Anna: turn pass"),
        Typed(4, "- Blai: draw-tiles\n  with: {count: 4}\n  at: 1:30"),
        Typed(7, "sheet"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Blai: draw-tiles, with: {count: 4}, at: 1:30",
        "- Blai: draw-tiles\n  with: {count: 4}\n  at: 1:30",
        "{Blai: draw-tiles, at: 1:30, with: {count: 4}}",
        "- {Blai: draw-tiles, at: 1:30, with: {count: 4}}",
    ],
)
def test_a_step_reads_the_same_in_one_line_and_in_several(text: str) -> None:
    step = read_typed(Typed(1, text), WHO)
    assert not isinstance(step, str)
    assert (step.actor, step.verb, step.at_ms, step.fields["count"].number()) == ("Blai", "draw-tiles", 90_000, 4)


def test_words_behind_a_verb_may_have_commas() -> None:
    step = read_typed(Typed(1, "Anna: challenge E E N, A E"), WHO)
    assert not isinstance(step, str)
    assert step.argument is not None
    assert step.argument.text() == "E E N, A E"


def test_what_is_no_step_is_for_the_tool() -> None:
    assert read_typed(Typed(1, "rack Anna"), WHO) == "rack Anna"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Cesca: pass", "'Cesca'"),
        ("Anna: pass, score: 10", "'score'"),
        ("Anna: pass, Blai: pass", "one actor"),
        ("Anna: [", "this is not YAML"),
        ("Anna: pass, at: soon", "minutes and seconds"),
    ],
)
def test_what_cannot_be_understood_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(CaseError) as told:
        read_typed(Typed(7, text), WHO)
    assert told.value.line == 7
    assert said in told.value.problem


def test_a_script_is_read_in_lines_as_files_have_them() -> None:
    assert script_lines("\ufeffAnna: pass\r\nNúria: pass\n".encode()) == ["Anna: pass\n", "Núria: pass\n"]


def test_a_script_that_is_not_utf_8_is_told_with_its_line() -> None:
    with pytest.raises(StartError, match="the script cannot be read: line 2: byte 0xfa is not UTF-8"):
        script_lines("Anna: pass\nNúria: pass\n".encode("latin-1"))


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 100_000, "Anna: " + "[" * 100_000])
def test_a_line_of_a_hundred_thousand_brackets_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(CaseError, match="nested more than 30 levels deep"):
        read_typed(Typed(1, text), WHO)
