"""The restore drill as the job runs it, on an archive of a real championship."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.component.processes import Child, faristol, free_port, wait_until_serving

DRILL = Path(__file__).parents[2] / "deploy" / "components" / "backups" / "drill.py"

pytestmark = [pytest.mark.nightly, pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]


def drill(archive: Path, address: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(DRILL), str(archive), address], capture_output=True, text=True, timeout=300, check=False
    )


def test_a_restored_archive_has_the_standings_that_are_served_and_another_has_not(tmp_path: Path) -> None:
    data, archive = tmp_path / "data", tmp_path / "record"
    played = faristol("demo", "--players", "6", "--rounds", "5", "--seed", "3", "--data", str(data), timeout=300)
    assert played.returncode == 0, played.stderr
    exported = faristol("record", "export", str(archive), "--with-people", "--data", str(data), timeout=120)
    assert exported.returncode == 0, exported.stderr
    port, http = free_port(), free_port()
    up = Child(["up", "--data", str(data), "--http", str(http), "--grpc", str(port)], {}, tmp_path / "up.log")
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
        done = drill(archive, f"http://127.0.0.1:{http}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 tournaments, 0 different" in done.stdout
    finally:
        up.terminate()
    broken = tmp_path / "broken"
    shutil.copy(archive, broken)
    content = bytearray(broken.read_bytes())
    content[len(content) // 2] ^= 1
    broken.write_bytes(content)
    assert drill(broken, f"http://127.0.0.1:{http}").returncode != 0
