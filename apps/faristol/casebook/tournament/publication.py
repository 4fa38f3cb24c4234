"""The publication of the draft of a case at its time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from faristol.casebook.case import TOURNAMENT_ID
from faristol.casebook.hosts.services import Services
from faristol.kernel.times import Instant
from faristol.tournament.publication_timer import PublicationTimer


class ScheduledPublication:
    """The time at which the draft of a tournament is published.

    The timer of a cell counts seconds of the computer, in which the time of a case does not pass.
    """

    def __init__(self, services: Services, now: Callable[[], datetime]) -> None:
        """``now`` returns the time of the case."""
        self._services = services
        self._timer = PublicationTimer(services.record, now)
        self._checked: Instant = 0

    async def append_due_events(self, until: Instant) -> None:
        """Publish the draft if it is due by ``until``, and run all reactions to it."""
        if until > self._checked:
            self._checked = until
            await self._timer.publish_if_due(TOURNAMENT_ID)
            await self._services.settle()
