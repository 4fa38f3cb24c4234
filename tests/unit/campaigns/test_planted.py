"""Every planted bug fits the present code."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaigns.planted.bugs import BUGS, Bug, NotPlanted

ROOT = Path(__file__).parents[3]


def test_twenty_bugs_can_be_planted_in_the_present_code(tmp_path: Path) -> None:
    assert len({bug.description for bug in BUGS}) == len(BUGS) == 20
    for bug in BUGS:
        file = tmp_path / bug.path
        file.parent.mkdir(parents=True, exist_ok=True)
        content = (ROOT / bug.path).read_bytes()
        file.write_bytes(content)
        assert bug.plant(tmp_path) == content
        compile(file.read_text(encoding="utf-8"), str(file), "exec")


def test_a_bug_whose_code_has_changed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("other = 1\n")
    with pytest.raises(NotPlanted, match="is there 0 times"):
        Bug("a defect", "file.py", "wanted = 1", "wanted = 2").plant(tmp_path)
