from __future__ import annotations

from pathlib import Path

import pytest

from faristol.host import StartError
from faristol.table_terminal.table.journal import Journal
from faristol.table_terminal.table.lines import Typed

PASS = Typed(1, "Anna: pass")


def test_a_step_that_was_not_carried_out_is_there_again_with_its_id(tmp_path: Path) -> None:
    file = tmp_path / "new" / "cup.jsonl"
    with pytest.raises(ConnectionError), Journal(file).keeping(PASS) as step_id:
        raise ConnectionError
    ((kept, typed),) = Journal(file).list_unfinished()
    assert (kept, typed.text) == (step_id, PASS.text)


def test_a_step_that_was_done_is_not(tmp_path: Path) -> None:
    file = tmp_path / "cup.jsonl"
    with pytest.raises(ConnectionError), Journal(file).keeping(PASS) as step_id:
        raise ConnectionError
    with Journal(file).keeping(PASS, step_id) as again:
        assert again == step_id
    assert Journal(file).list_unfinished() == []


def test_a_command_is_sent_again_as_it_was_the_first_time(tmp_path: Path) -> None:
    file = tmp_path / "cup.jsonl"
    assert Journal(file).as_sent("7", b"first") == b"first"
    assert Journal(file).as_sent("7", b"otherwise") == b"first"
    assert Journal(None).as_sent("7", b"otherwise") == b"otherwise"


def test_a_line_that_was_cut_off_by_a_crash_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "cup.jsonl"
    with pytest.raises(ConnectionError), Journal(file).keeping(PASS):
        raise ConnectionError
    with file.open("a", encoding="utf-8") as written:
        written.write('{"id": "0')
    with pytest.raises(ConnectionError), Journal(file).keeping(PASS):
        raise ConnectionError
    assert len(Journal(file).list_unfinished()) == 2


def test_a_journal_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(StartError, match="the journal"):
        Journal(tmp_path / "taken" / "cup.jsonl")


@pytest.mark.parametrize("line", ["3", "{}", "[]", '{"id": 3}', '{"command": "7"}', '{"command": "7", "request": "é"}'])
def test_a_journal_that_holds_something_else_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "cup.jsonl"
    file.write_text(f'{{"id": "0", "text": "Anna: pass"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(StartError, match=r"the journal .* cannot be read and written: "):
        Journal(file)


def test_a_journal_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "cup.jsonl"
    Journal(file)
    assert file.stat().st_mode & 0o777 == 0o600
