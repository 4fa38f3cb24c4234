"""Every module runs on Linux, macOS and Windows, with and without the optional packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from faristol.host.system import get_descriptor_limit, hold_lock, lock_file, raise_descriptor_limit

POSIX_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
"""Modules of the standard library that Windows does not have."""
OPTIONAL_MODULES = ("llvmlite", "numba", "pkcs11", "plutoprint")
"""Modules of the packages of the extras."""
NEEDS_EXTRA = "faristol.gateway.print.typesetter"
"""The program of a process that is started only if its package is installed."""

IMPORT_ALL = f"""
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({POSIX_MODULES + OPTIONAL_MODULES!r}))  # None: an import fails
import faristol
names = [found.name for found in pkgutil.walk_packages(faristol.__path__, "faristol.")]
for name in names:
    if not name.endswith("__main__") and name != {NEEDS_EXTRA!r}:
        importlib.import_module(name)
print(len(names))
"""


def test_every_module_can_be_imported_without_modules_of_posix_and_of_extras() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 900


def test_a_locked_file_refuses_another_lock_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("a+") as first, path.open("a+") as second:
        lock_file(first)
        with pytest.raises(OSError, match=r"."):
            lock_file(second)
        first.close()
        lock_file(second)


def test_the_lock_of_a_block_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with hold_lock(path), path.open("a+") as other, pytest.raises(OSError, match=r"."):
        lock_file(other)
    with path.open("a+") as other:
        lock_file(other)


def test_the_limit_of_open_files_is_raised_and_never_lowered() -> None:
    before = get_descriptor_limit()
    raise_descriptor_limit(1)
    assert get_descriptor_limit() == before
    raise_descriptor_limit(before + 1)
    assert get_descriptor_limit() >= before
