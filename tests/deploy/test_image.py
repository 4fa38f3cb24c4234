"""The requirements of the image: pinned, not root, no writes to its root file system."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

Dockerfile = tuple[tuple[str, str], ...]


@pytest.fixture
def last_stage(dockerfile: Dockerfile) -> Dockerfile:
    """Return the instructions that make the image itself."""
    return dockerfile[max(place for place, (word, _) in enumerate(dockerfile) if word == "FROM") :]


def rest_of(instructions: Dockerfile, word: str) -> list[str]:
    return [rest for found, rest in instructions if found == word]


def read_pins(lock: Path) -> dict[str, str]:
    """Return each requirement of a lock file with its version and hashes."""
    found = re.findall(r"^(\S+?)(==.*(?:\n    --hash=.*)+)", lock.read_text(), re.MULTILINE)
    return {name: " ".join(rest.split()) for name, rest in found}


def test_the_image_runs_as_the_user_that_the_pods_ask_for(last_stage: Dockerfile) -> None:
    assert rest_of(last_stage, "USER") == ["10001:10001"]
    pod = (ROOT / "deploy" / "base" / "pod.yaml").read_text()
    assert "runAsUser: 10001" in pod
    assert "runAsGroup: 10001" in pod


def test_the_image_starts_faristol(last_stage: Dockerfile) -> None:
    assert rest_of(last_stage, "ENTRYPOINT") == ['["faristol"]']


def test_everything_installed_is_pinned_by_its_hash(dockerfile: Dockerfile) -> None:
    installed = [rest for rest in rest_of(dockerfile, "RUN") if re.search(r" pip .*\b(install|wheel)\b", rest)]
    assert installed
    for command in installed:
        from_nowhere_else = "--no-deps" in command and ("--no-index" in command or "--no-build-isolation" in command)
        assert "--require-hashes" in command or from_nowhere_else, command


def test_everything_imported_is_installed_in_the_image_or_is_an_extra() -> None:
    installed = {name.lower() for name in read_pins(ROOT / "requirements.lock")} | extras()
    origins = metadata.packages_distributions()
    for source in sorted([*ROOT.glob("libs/**/*.py"), *ROOT.glob("services/**/*.py"), *ROOT.glob("apps/**/*.py")]):
        for module in list_imports(source) - sys.stdlib_module_names - {"faristol"}:
            # several distributions contain `google`; a pinned one contains the imported part
            names = {name.lower().replace("_", "-") for name in origins.get(module, [module])}
            assert names & installed, f"{source.relative_to(ROOT)} imports {module}, which requirements.lock lacks"


def extras() -> set[str]:
    """Return the optional packages: code that needs one reports it if it is missing."""
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return {re.split(r"[^\w-]", each)[0] for name, needed in offered.items() if name != "dev" for each in needed}


def list_imports(source: Path) -> set[str]:
    """Return the top-level modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_what_builds_the_package_is_what_the_lock_pins() -> None:
    build = read_pins(ROOT / "deploy" / "image" / "build.lock")
    assert "hatchling" in build
    everything = read_pins(ROOT / "requirements-dev.lock")
    assert build == {name: everything[name] for name in build}


def test_both_stages_have_one_base_with_a_version(dockerfile: Dockerfile) -> None:
    bases = {rest.split()[0] for rest in rest_of(dockerfile, "FROM")}
    assert bases == {"${PYTHON}"}
    (base,) = (rest for rest in rest_of(dockerfile, "ARG") if rest.startswith("PYTHON="))
    assert re.fullmatch(r"PYTHON=python:3\.\d+-slim-\w+@sha256:[0-9a-f]{64}", base)


def test_one_edition_of_the_lexicon_is_installed_when_the_image_is_built(dockerfile: Dockerfile) -> None:
    assert any(
        rest.endswith("faristol lexicon install catalan --digest ${CATALAN}") for rest in rest_of(dockerfile, "RUN")
    )
    (pinned_edition,) = (rest for rest in rest_of(dockerfile, "ARG") if rest.startswith("CATALAN="))
    assert re.fullmatch(r"CATALAN=[0-9a-f]{64}", pinned_edition)


def test_the_image_writes_to_its_volumes_only(image_environment: dict[str, str]) -> None:
    paths = {key: value for key, value in image_environment.items() if value.startswith("/") and key != "PATH"}
    assert paths
    for key, path in paths.items():
        assert path.startswith(("/tmp", "/data")), key  # a path in the container


def test_everything_that_the_image_copies_is_there_and_sent_to_the_builder(dockerfile: Dockerfile) -> None:
    ignore = (ROOT / ".dockerignore").read_text().splitlines()
    sent = {line.removeprefix("!") for line in ignore if line.startswith("!")}
    assert "*" in ignore
    for rest in rest_of(dockerfile, "COPY"):
        if rest.startswith("--from="):
            continue
        *sources, _ = rest.split()
        for source in sources:
            assert (ROOT / source).exists(), source
            assert source in sent, source
