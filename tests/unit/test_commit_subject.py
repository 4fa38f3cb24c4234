"""Subjects of commits are checked as docs/style.md says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.style.commit_subject import find_fault, main


@pytest.mark.parametrize(
    "subject",
    [
        "Add a limit to the results of a search",
        "Fix the order of names in Spanish",
        "Merge branch 'main' of the federation",
        'Revert "Add a limit"',
        "fixup! Whatever stands here",
    ],
)
def test_a_subject_in_the_imperative_is_accepted(subject: str) -> None:
    assert find_fault(subject) == ""


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("", "empty"),
        ("Adds a limit", "'Adds'"),
        ("Let a limit be added", "'Let'"),
        ("Say what the limit is", "'Say'"),
        ("Add a limit.", "full stop"),
        ("Add " + "very " * 14 + "much", "characters"),
    ],
)
def test_another_subject_is_refused_with_its_fault(subject: str, fault: str) -> None:
    assert fault in find_fault(subject)


def test_the_hook_reads_the_first_line_that_is_no_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = tmp_path / "message"
    message.write_text("# Please enter the message\n\nAdd a limit\n\nLet it be 5.\n", encoding="utf-8")
    assert main([str(message)]) == 0
    message.write_text("Hold that limits are there\n", encoding="utf-8")
    assert main([str(message)]) == 1
    assert "'Hold'" in capsys.readouterr().err
