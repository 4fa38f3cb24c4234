"""A plugin of pytest that records the tests of each line, for the campaign."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from coverage import Coverage

OUT = "MUTANTS_COVERAGE"
"""The environment variable with the file to write."""
SOURCES = "MUTANTS_SOURCES"
"""The environment variable with the folders whose lines are recorded, separated by ``os.pathsep``."""


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before any module of the product is imported, because a constant of a module is a line too."""
    early_config.pluginmanager.register(Lines(os.environ[SOURCES].split(os.pathsep), Path(os.environ[OUT])))


class Lines:
    """Notes the tests of every line: ``{"lines": {file: {line: [test, …]}}, "seconds": {test: seconds}}``."""

    def __init__(self, sources: list[str], out: Path) -> None:
        self._out = out
        self._seconds: dict[str, float] = {}
        include = [pattern for source in sources for pattern in (source, f"{source}/*")]
        self._coverage = Coverage(data_file=None, include=include, config_file=False)
        self._coverage.start()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Attribute the lines that run from here on to this test."""
        self._coverage.switch_context(item.nodeid)
        yield

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the duration of each test."""
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the recorded lines."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = {
            file: {str(line): sorted(filter(None, tests)) for line, tests in data.contexts_by_lineno(file).items()}
            for file in data.measured_files()
        }
        self._out.write_text(json.dumps({"lines": lines, "seconds": self._seconds}), encoding="utf-8")
