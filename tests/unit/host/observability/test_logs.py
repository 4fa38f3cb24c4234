"""The log of a process."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from faristol.host.observability.logs import AUDIT, begin


@pytest.fixture
def audit() -> Iterator[logging.Logger]:
    logger = logging.getLogger(AUDIT)
    before = logger.level
    yield logger
    logger.setLevel(before)


def test_successful_actions_are_in_the_audit_log(audit: logging.Logger) -> None:
    audit.setLevel(logging.NOTSET)
    begin("WARNING", "text")
    assert audit.isEnabledFor(logging.INFO)


def test_a_program_that_grants_credentials_to_invented_people_leaves_them_out(audit: logging.Logger) -> None:
    audit.setLevel(logging.WARNING)
    begin("WARNING", "text")
    assert not audit.isEnabledFor(logging.INFO)
