"""The isolation of failures in the deadlines of one game from those of others."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import metrics

from faristol.consumers.stopped import is_transient

_log = logging.getLogger(__name__)
_failing = metrics.get_meter("faristol.clock").create_gauge(
    "faristol.clock.failing", unit="{clock}", description="clocks whose deadlines cannot be computed or written"
)


class Failures:
    """The games whose deadlines cannot be computed or written, and the reasons. Each reason is logged once."""

    def __init__(self, timer: str) -> None:
        """``timer`` is the attribute of the metric that names the timer."""
        self._attributes = {"timer": timer}
        self._told: dict[str, str] = {}
        """The last error, by game."""

    @contextmanager
    def of(self, game_id: str) -> Iterator[None]:
        """Catch and record any exception of one game, except an unavailable database.

        Use ``in`` to check whether the game fails.
        """
        try:
            yield
        except Exception as error:
            if is_transient(error):
                raise
            text = f"{type(error).__name__}: {error}"
            if self._told.get(game_id) != text:
                _log.exception("the deadlines of %s fail; other games are not affected", game_id)
            self._told[game_id] = text
        else:
            if self._told.pop(game_id, None):
                _log.warning("the deadlines of %s are met again", game_id)
        self._measure()

    def __contains__(self, game_id: str) -> bool:
        """Check whether the last attempt at the deadlines of a game failed."""
        return game_id in self._told

    def forget(self, game_id: str) -> None:
        """Forget a game without deadlines."""
        if self._told.pop(game_id, None):
            self._measure()

    def _measure(self) -> None:
        _failing.set(len(self._told), self._attributes)
