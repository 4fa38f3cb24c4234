"""Files that are written as a whole: a reader never sees half a file, and a loss of power leaves none.

The content is synced to the disk before the file gets its name, and the name before the caller continues.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWNER_ONLY_BITS = 0o600
"""Permissions of a file with a secret."""
READABLE_BITS = 0o644
"""Permissions of a file that every user may read."""


def replace_file(path: Path, content: bytes, mode: int = READABLE_BITS) -> None:
    """Write a file, also in place of an existing one; its folder must exist. Raises ``OSError``."""
    with _written_beside(path, content, mode) as part:
        part.replace(path)  # after it is closed: Windows does not rename an open file


def create_file(path: Path, content: bytes, mode: int = READABLE_BITS) -> None:
    """Write a file; its folder must exist. Raises ``FileExistsError`` for an existing one, and ``OSError``."""
    with _written_beside(path, content, mode) as part:
        try:
            path.hardlink_to(part)
        except FileExistsError:
            raise
        except OSError:  # the file system has no hard links
            if path.exists():
                raise FileExistsError(path) from None
            part.replace(path)


@contextmanager
def _written_beside(path: Path, content: bytes, mode: int) -> Iterator[Path]:
    """Yield a synced file in the same folder, and sync the names of the folder afterwards."""
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY_FLAG, mode), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        yield part
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    _sync_names(path.parent)


_BINARY_FLAG = getattr(os, "O_BINARY", 0)
"""On Windows, a file descriptor without it would change the ends of lines."""


def _sync_names(folder: Path) -> None:
    if sys.platform == "win32":  # it writes names with their files
        return
    names = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(names)
    finally:
        os.close(names)


def replace_link(path: Path, target: Path) -> None:
    """Make ``path`` a link to ``target``, relative to its folder, also in place of an existing file.

    It is a hard link if users may not make symbolic ones, as on Windows. Raises ``OSError``.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        temporary = Path(folder) / "link"
        try:
            temporary.symlink_to(os.path.relpath(target, path.parent))
        except OSError:
            temporary.hardlink_to(target)
        temporary.replace(path)
