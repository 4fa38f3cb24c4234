"""Atomic writes: a reader never sees half a file, even after a power failure."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` atomically, replacing an existing file; the folder must exist."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        temporary = Path(file.name)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)  # after it is closed: Windows does not rename an open file
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def link_whole(path: Path, target: Path) -> None:
    """Make ``path`` a link to ``target``, relative to its folder, atomically, replacing an existing file.

    It is a hard link if users may not make symbolic ones, as on Windows.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        temporary = Path(folder) / "link"
        try:
            temporary.symlink_to(os.path.relpath(target, path.parent))
        except OSError:
            temporary.hardlink_to(target)
        temporary.replace(path)
