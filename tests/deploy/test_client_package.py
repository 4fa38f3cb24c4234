"""The client is a separate package, without the platform."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "client"

IMPORTED = """
import sys
sys.path = [path for path in sys.path if not path.rstrip("/").endswith(("/libs", "/services", "/apps"))]
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
sys.path.insert(0, sys.argv[1])
import faristol.client.results as results
assert results.__file__.startswith(sys.argv[1]), results.__file__
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"grpc", "nats", "numba", "fastapi", "sqlalchemy", "google"}))
"""


def test_the_client_is_built_and_imported_without_the_platform(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(FOLDER)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL, timeout=120)
    (wheel,) = tmp_path.glob("faristol_client-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        code = [name for name in archive.namelist() if name.endswith(".py")]
        archive.extractall(tmp_path / "installed")
    assert sorted(code) == ["faristol/client/models.py", "faristol/client/results.py"]
    command = [sys.executable, "-c", IMPORTED, str(tmp_path / "installed")]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert said.stdout.strip() == "[]"


def test_the_client_has_the_version_and_the_needs_of_the_platform() -> None:
    own, whole = (tomllib.loads((at / "pyproject.toml").read_text())["project"] for at in (FOLDER, ROOT))
    assert own["version"] == whole["version"]
    assert set(own["dependencies"]) <= set(whole["dependencies"])
