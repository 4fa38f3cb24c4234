"""The line of a hall knows since when it is lost, after a restart too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc

from faristol.hall.line import Line
from faristol.host.halls.heard import HEARD

NOW = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)


async def start(folder: Path, at: datetime) -> Line:
    """Return the line of a cell that starts at a time, to an address without a server."""
    return Line(grpc.aio.insecure_channel("127.0.0.1:1"), lambda: at, folder)


async def test_a_cell_that_starts_again_without_a_line_knows_when_the_championship_last_answered(
    tmp_path: Path,
) -> None:
    assert (await start(tmp_path, NOW)).behind_since is None
    first = await start(tmp_path, NOW)
    first.hear()
    later = await start(tmp_path, NOW + timedelta(minutes=3))
    assert (later.heard_at, later.behind_since) == (NOW, NOW)
    later.hear()
    assert later.behind_since is None


async def test_a_damaged_file_with_the_time_stops_no_start(tmp_path: Path) -> None:
    for damaged in (b"", b"\xff", b"2026-05-02", b"2026-05-02T10:00:00"):
        (tmp_path / HEARD).write_bytes(damaged)
        assert (await start(tmp_path, NOW)).heard_at is None
