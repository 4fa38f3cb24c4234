"""The objects for Kubernetes, rendered by the kubectl of this machine."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""That of libyaml takes a tenth of the time."""

Object = dict[str, Any]
"""A Kubernetes object, as in its manifest."""


@cache
def render_folder(folder: str) -> tuple[Object, ...]:
    done = subprocess.run(["kubectl", "kustomize", str(DEPLOY / folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"kubectl kustomize deploy/{folder}: {done.stderr}"
    assert done.stderr == "", "kustomize warns of what later versions will refuse"
    return tuple(yaml.load_all(done.stdout, Loader=LOADER))


@pytest.fixture(scope="session")
def render() -> Callable[[str], tuple[Object, ...]]:
    """Return the function that renders a folder of ``deploy/``."""
    if shutil.which("kubectl") is None:
        pytest.skip("there is no kubectl on this machine to render the manifests with")
    return render_folder


OVERLAYS = ("overlays/dev", "overlays/small", "overlays/production")


@pytest.fixture(params=["base", *OVERLAYS])
def objects(request: pytest.FixtureRequest, render: Callable[[str], tuple[Object, ...]]) -> tuple[Object, ...]:
    """Return all objects in the base and in each overlay."""
    return render(request.param)


@pytest.fixture(params=OVERLAYS)
def cell(request: pytest.FixtureRequest, render: Callable[[str], tuple[Object, ...]]) -> tuple[Object, ...]:
    """Return all objects in each overlay, which is a whole cell."""
    return render(request.param)


@pytest.fixture
def production(render: Callable[[str], tuple[Object, ...]]) -> tuple[Object, ...]:
    """Return all objects in the production overlay."""
    return render("overlays/production")


@pytest.fixture
def development(render: Callable[[str], tuple[Object, ...]]) -> tuple[Object, ...]:
    """Return all objects in the development overlay."""
    return render("overlays/dev")


@pytest.fixture(scope="session")
def version() -> str:
    """Return the version of the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return str(project["version"])


@pytest.fixture(scope="session")
def dockerfile() -> tuple[tuple[str, str], ...]:
    """Return the image's instructions, as word and rest, continued lines joined."""
    text = (DEPLOY / "image" / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return tuple((word, " ".join(rest.split())) for word, _, rest in (line.partition(" ") for line in lines))


@pytest.fixture(scope="session")
def image_environment(dockerfile: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the variables that the image sets."""
    last = max(place for place, (word, _) in enumerate(dockerfile) if word == "FROM")
    pairs = [pair for word, rest in dockerfile[last:] if word == "ENV" for pair in rest.split()]
    return dict(pair.split("=", 1) for pair in pairs)
