"""The machines of the cells: their disks, which keep what was synced, and their clocks, which may be wrong."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
WRITEBACK_SECONDS = 30.0
"""Age from which the kernel has written a file that no program synced."""
NEW_SUFFIX = ".tmp"
"""End of the name of a copy that is being made."""


def build_library(folder: Path) -> Path | None:
    """Compile the library that a process loads, and return its file; None on a machine without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = folder / "machine.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def list_descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    found: list[int] = []
    with suppress(OSError):
        for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()):
            found += [child, *list_descendants(child)]
    return found


def end_processes(pids: Sequence[int]) -> None:
    """End processes at once, and wait until they have ended."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        while _runs(pid):
            time.sleep(0.01)


def _runs(pid: int) -> bool:
    """Check whether a process runs: one that has ended waits for its parent as a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Machine:
    """The disk and the clock of one cell."""

    def __init__(self, library: Path, data: Path, disk: Path, hours: float = 0) -> None:
        """``data`` is the folder of the cell. Its clock is wrong by ``hours``."""
        self._data = data.absolute()
        self._disk = disk.absolute()
        self._disk.mkdir(parents=True, exist_ok=True)
        self.variables: Mapping[str, str] = {
            "LD_PRELOAD": str(library.absolute()),
            "MACHINE_DATA": str(self._data),
            "MACHINE_DISK": str(self._disk),
            "MACHINE_SECONDS": str(round(hours * 3_600)),
        }
        """Variables of the environment of its process."""

    def lose_power(self, pid: int) -> int:
        """End a process with those that it started, and drop the bytes that were not synced.

        Return the number of files that lose bytes.
        """
        end_processes([pid, *list_descendants(pid)])
        changed = 0
        for path in [path for path in self._data.rglob("*") if path.is_file()]:
            kept = self._disk / str(path.relative_to(self._data)).replace("/", "%")
            if path.name.endswith("-shm"):  # shared memory of SQLite
                path.unlink()
            elif kept.exists():
                content = kept.read_bytes()
                changed += content != path.read_bytes()
                path.write_bytes(content)
            elif time.time() - path.stat().st_mtime < WRITEBACK_SECONDS and path.name != "log":
                changed += path.stat().st_size > 0
                path.write_bytes(b"")
        for path in self._disk.glob(f"*{NEW_SUFFIX}"):
            path.unlink()
        return changed
