"""The bundle of a release starts Faristol with its own Python."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest
from deploy.bundle import STARTERS, find_python, main, pack


@pytest.mark.parametrize("system", ["linux", "macos"])
def test_a_bundle_starts_faristol_with_its_own_python_from_any_folder(system: str, tmp_path: Path) -> None:
    folder = tmp_path / "Faristol"
    (folder / "python" / "bin").mkdir(parents=True)
    python = folder / "python" / "bin" / "python3"
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    packed = pack(folder, tmp_path / "dist", system, "9.9.9")
    assert packed.name.startswith(f"faristol-9.9.9-{system}-")

    subprocess.run(["unzip", "-q", str(packed), "-d", str(tmp_path / "a folder")], check=True)
    starter = tmp_path / "a folder" / "Faristol" / STARTERS[system][0]
    done = subprocess.run([str(starter)], capture_output=True, text=True, check=True, cwd="/", env={"HOME": "/home/me"})
    assert done.stdout.split() == ["-m", "faristol.cli", "up", "--network", "--data", "/home/me/Faristol"]


def test_a_bundle_of_windows_has_a_command_beside_its_python(tmp_path: Path) -> None:
    folder = tmp_path / "Faristol"
    (folder / "python").mkdir(parents=True)
    (folder / "python" / "python.exe").touch()
    with zipfile.ZipFile(pack(folder, tmp_path / "dist", "windows", "9.9.9")) as packed:
        command = packed.read("Faristol/Faristol.cmd").decode()
        assert "Faristol/python/python.exe" in packed.namelist()
    assert '"%~dp0python\\python.exe" -m faristol.cli up --network' in command


def test_the_python_of_uv_is_found_beside_its_own_folders_and_links(tmp_path: Path) -> None:
    (tmp_path / ".temp").mkdir()
    (tmp_path / ".lock").touch()
    made = tmp_path / "cpython-3.12.16-linux-x86_64-gnu"
    made.mkdir()
    (tmp_path / "cpython-3.12-linux-x86_64-gnu").symlink_to(made.name)
    assert find_python(tmp_path) == made.resolve()


def test_a_folder_without_one_wheel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="has 0 wheels of Faristol: expected one"):
        main(str(tmp_path), str(tmp_path / "dist"))
