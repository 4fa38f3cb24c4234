"""Archives are pruned by rule: each of the last hours, the last one of each day for a while, and then none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faristol.cli.main import app
from faristol.event_store.archive.retention import list_expired, moment_of

NOW = datetime(2026, 11, 28, 18, 0, tzinfo=UTC)


def format_name(at: datetime) -> str:
    return f"record-{at:%Y%m%dT%H%M%S}Z.archive"


def hourly(days: int) -> list[str]:
    return [format_name(NOW - timedelta(hours=hours)) for hours in range(24 * days)]


def test_hours_then_days_then_none() -> None:
    names = hourly(40)
    kept = set(names) - set(list_expired(names, NOW, hours=48, days=30))
    assert {format_name(NOW - timedelta(hours=hours)) for hours in range(49)} <= kept
    by_day: dict[str, list[str]] = {}
    for name in kept:
        by_day.setdefault(name[7:15], []).append(name)
    assert len(by_day) == 31, "today, and thirty days before"
    older = {day: found for day, found in by_day.items() if day < "20261126"}
    assert all(found == [f"record-{day}T230000Z.archive"] for day, found in older.items())
    assert list_expired(sorted(kept), NOW, hours=48, days=30) == [], "what is kept once is kept the next time"


def test_the_newest_archive_and_other_files_stay_however_old_they_are() -> None:
    old = [format_name(NOW - timedelta(days=400)), format_name(NOW - timedelta(days=401))]
    others = ["erasures.json", "record-20200101T000000Z.archive.part", "record-99999999T999999Z.archive", "record.db"]
    assert list_expired([*old, *others], NOW, hours=0, days=0) == [old[1]]
    assert moment_of("record-99999999T999999Z.archive") is None
    assert list_expired([], NOW, hours=48, days=30) == []


def test_one_archive_a_day_is_kept_for_as_many_days_as_are_said() -> None:
    names = hourly(5)
    kept = sorted(set(names) - set(list_expired(names, NOW, hours=0, days=2)))
    assert kept == [
        format_name(datetime(2026, 11, day, hour, tzinfo=UTC)) for day, hour in ((26, 23), (27, 23), (28, 18))
    ]


def test_the_command_removes_in_a_folder_and_only_names_what_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARISTOL_ARCHIVE_HOURS", "1")
    monkeypatch.setenv("FARISTOL_ARCHIVE_DAYS", "0")
    old, new = "record-20200101T000000Z.archive", "record-20200101T010000Z.archive"
    for name in (old, new, "erasures.json"):
        (tmp_path / name).touch()
    run = CliRunner().invoke
    asked = run(app, ["record", "prune", "--names", "-"], input=f"{old}\n{new}\nerasures.json\n")
    assert (asked.exit_code, asked.output) == (0, f"{old}\n")
    assert run(app, ["record", "prune", "--names", "-"], input=f"{new}\n").output == "", "not even an empty line"
    assert "1 archive removed, 2 files kept" in run(app, ["record", "prune", str(tmp_path)]).output
    assert {each.name for each in tmp_path.iterdir()} == {new, "erasures.json"}
    assert run(app, ["record", "prune"]).exit_code == 2
