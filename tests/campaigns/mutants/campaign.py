"""A campaign: the tests of every line, a sample of mutants, and the verdict on each."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from queue import Queue

from tests.campaigns.mutants import coverage_plugin
from tests.campaigns.mutants.mutation import Mutation, mutations

ROOT = Path(__file__).parents[3]
PACKAGES = ("libs", "services", "apps")
"""Folders of the product, as Python finds it."""
EXTRA_TIMEOUT_SECONDS = 20.0
"""Seconds that tests may take beyond three times their usual time. A slower mutant is caught."""


DUTCH = "services/faristol/tournament/engines/dutch"

COMPILED = {
    f"{DUTCH}/blossom.py": f"{DUTCH}/matched_graph.py",
}
"""Files of which no line is seen while it runs, for it is compiled, and the file that calls each."""


class Verdict(StrEnum):
    """The outcome of a mutant."""

    KILLED = "killed"
    """A test failed."""
    SLOW = "slow"
    """The tests did not come to an end."""
    SURVIVED = "survived"
    """Every test that runs the line passed."""
    UNTESTED = "untested"
    """No test runs the line."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutation of a file of the product."""

    path: str
    """From the root of the repository."""
    mutation: Mutation

    def __str__(self) -> str:
        return f"{self.path}:{self.mutation.line}: {self.mutation.what}"


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant and its outcome."""

    mutant: Mutant
    verdict: Verdict
    tests: int
    """How many tests run its line."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The tests of each line, and their durations."""

    by_file: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the line of a mutant, the quickest first.

        A line that runs at the import of its module belongs to every test of that module, and a compiled line to every
        test of its callers.
        """
        caller = COMPILED.get(mutant.path)
        of_file = self.by_file.get(caller or mutant.path, {})
        found = [] if caller else of_file.get(mutant.mutation.line)
        if found is None:
            return []
        tests = found or {test for tests in of_file.values() for test in tests}
        return sorted(tests, key=lambda test: (self.seconds.get(test, 0.0), test))


def measure_lines(folder: Path, rooms: Sequence[str], suites: Sequence[str]) -> Lines:
    """Run the suites once without a mutant. Raises ``RuntimeError`` when a test fails."""
    out = folder / "coverage.json"
    environment = {
        coverage_plugin.OUT: str(out),
        coverage_plugin.SOURCES: os.pathsep.join(str(ROOT / room) for room in rooms),
    }
    done = _pytest(ROOT, ["-p", coverage_plugin.__name__, *suites], environment, timeout=None)
    if done.returncode:
        raise RuntimeError(f"the tests fail without any mutant:\n{done.stdout[-4_000:]}")
    said = json.loads(out.read_text(encoding="utf-8"))
    by_file = {
        str(Path(file).relative_to(ROOT)): {int(line): tests for line, tests in lines.items()}
        for file, lines in said["lines"].items()
    }
    return Lines(by_file, said["seconds"])


def sample(rooms: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """Return ``count`` mutants of the packages at random, or all of them if there are fewer."""
    files = sorted(file for room in rooms for file in _sources(ROOT / room))
    every = [
        Mutant(str(file.relative_to(ROOT)), mutation) for file in files for mutation in mutations(file.read_bytes())
    ]
    return random.Random(seed).sample(every, min(count, len(every)))


def try_mutants(
    folder: Path, mutants: Sequence[Mutant], lines: Lines, jobs: int, tell: Callable[[Tried], None]
) -> list[Tried]:
    """Try mutants in copies of the repository, ``jobs`` at a time."""
    copies: Queue[Path] = Queue()
    for number in range(jobs):
        copies.put(copy_repository(folder / f"copy-{number}"))

    def run(mutant: Mutant) -> Tried:
        tests = lines.tests_of(mutant)
        if not tests:
            return Tried(mutant, Verdict.UNTESTED, 0)
        copy = copies.get()
        try:
            return Tried(mutant, _verdict(copy, mutant, tests, lines), len(tests))
        finally:
            copies.put(copy)

    found = []
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(run, mutants):
            tell(outcome)
            found.append(outcome)
    return found


def as_json(found: Sequence[Tried]) -> list[dict[str, object]]:
    """Return the tried mutants, for a file."""
    return [
        {
            "mutant": str(outcome.mutant),
            **asdict(outcome.mutant.mutation),
            "verdict": outcome.verdict,
            "tests": outcome.tests,
        }
        for outcome in found
    ]


def _verdict(copy: Path, mutant: Mutant, tests: Sequence[str], lines: Lines) -> Verdict:
    """Put a mutant in the place of its file, run the tests until one fails, and put the file back."""
    file = copy / mutant.path
    source = file.read_bytes()
    file.write_bytes(mutant.mutation.apply_to(source))
    asked = copy / "tests-of-the-mutant"
    asked.write_text("\n".join(tests), encoding="utf-8")
    timeout = EXTRA_TIMEOUT_SECONDS + 3 * sum(lines.seconds.get(test, 0.0) for test in tests)
    try:
        done = _pytest(copy, ["-x", f"@{asked}"], {}, timeout)
    except subprocess.TimeoutExpired:
        return Verdict.SLOW
    finally:
        file.write_bytes(source)
    return Verdict.KILLED if done.returncode else Verdict.SURVIVED


def _pytest(
    root: Path, arguments: Sequence[str], environment: dict[str, str], timeout: float | None
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*(str(root / package) for package in PACKAGES), str(root)])
    quiet = ["-q", "-p", "no:cacheprovider", f"--basetemp={root}/.pytest-of-mutants"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *quiet, *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        timeout=timeout,
        capture_output=True,
        text=True,
        check=False,
    )


def copy_repository(copy: Path) -> Path:
    """Return a copy of the repository as it is here, with the generated code."""
    shutil.rmtree(copy, ignore_errors=True)
    left_out = shutil.ignore_patterns("__pycache__", ".venv", ".git", "var", ".*_cache", ".hypothesis", "node_modules")
    shutil.copytree(ROOT, copy, ignore=left_out)
    return copy


def _sources(room: Path) -> Iterator[Path]:
    return iter([room]) if room.is_file() else room.rglob("*.py")
