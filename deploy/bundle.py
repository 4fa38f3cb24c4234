"""Make a zip file with Python, Faristol and all packages, for a computer of this system without Python.

``python deploy/bundle.py WHEELS OUT`` installs the wheel of the folder WHEELS with the packages that
requirements-core.lock pins, and writes OUT/faristol-VERSION-SYSTEM.zip. Python is the standalone build that uv installs
(github.com/astral-sh/python-build-standalone): it can be moved to any folder. Unpacked, the bundle starts with a double
click on ``Faristol``, and serves the pages to the phones of the network. Its data are in the folder ``Faristol`` of the
user.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON_VERSION = "3.12"

STARTERS = {
    "windows": (
        "Faristol.cmd",
        '@echo off\r\n"%~dp0python\\python.exe" -m faristol.cli up --network --data "%USERPROFILE%\\Faristol"'
        "\r\npause\r\n",
    ),
    "macos": (
        "Faristol.command",
        '#!/bin/sh\nexec "$(dirname "$0")/python/bin/python3" -m faristol.cli up --network --data "$HOME/Faristol"\n',
    ),
    "linux": (
        "Faristol.sh",
        '#!/bin/sh\nexec "$(dirname "$0")/python/bin/python3" -m faristol.cli up --network --data "$HOME/Faristol"\n',
    ),
}
"""The program of each system that a user starts: its name and its content."""


def name_system() -> str:
    """Return the name of this system: a key of ``STARTERS``."""
    return {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")


def install(wheel: Path, folder: Path) -> None:
    """Install Python in ``folder``/python, and the wheel with its packages into it. Raises ``CalledProcessError``."""
    uv = [sys.executable, "-m", "uv"]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        subprocess.run([*uv, "python", "install", "--install-dir", scratch, PYTHON_VERSION], check=True)
        find_python(Path(scratch)).rename(folder / "python")
    python = folder / "python" / ("python.exe" if name_system() == "windows" else "bin/python3")
    pip = [*uv, "pip", "install", "--python", str(python), "--break-system-packages"]
    lock = ROOT / "requirements-core.lock"
    subprocess.run([*pip, "--only-binary", ":all:", "--require-hashes", "-r", str(lock)], check=True)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    subprocess.run([str(python), "-m", "faristol.cli", "--version"], check=True)


def find_python(installed: Path) -> Path:
    """Return the folder of the Python that uv installed in a folder.

    Beside it are folders of uv whose names begin with a dot, and a link to it: a junction on Windows.
    """
    (made,) = {path.resolve() for path in installed.iterdir() if path.is_dir() and not path.name.startswith(".")}
    return made


def pack(folder: Path, out: Path, system: str, version: str) -> Path:
    """Write the starter of a system into ``folder``, and pack the folder; return the zip file."""
    name, content = STARTERS[system]
    starter = folder / name
    starter.write_bytes(content.encode())
    starter.chmod(0o755)
    out.mkdir(parents=True, exist_ok=True)
    made = out / f"faristol-{version}-{system}-{platform.machine().lower()}"
    return Path(shutil.make_archive(str(made), "zip", folder.parent, folder.name))


def main(wheels: str, out: str) -> None:
    """Make the bundle of this system from the one wheel of a folder. Raises ``SystemExit`` without one."""
    found = list(Path(wheels).glob("faristol-*.whl"))
    if len(found) != 1:
        raise SystemExit(f"{wheels} has {len(found)} wheels of Faristol: expected one")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "Faristol"
        folder.mkdir()
        install(found[0].absolute(), folder)
        print(pack(folder, Path(out).absolute(), name_system(), found[0].name.split("-")[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
