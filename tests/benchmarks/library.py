"""The `eventsourcing` library, with which the record is compared: its own recorders with their defaults."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import ApplicationRecorder, StoredEvent
from sqlalchemy import make_url


def environment(url: str) -> dict[str, str]:
    """Return the environment with which the library uses the database at ``url``."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": parsed.database or ""}
    host = parsed.query.get("host") or parsed.host or ""
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": parsed.database or "",
        "POSTGRES_HOST": host if isinstance(host, str) else host[0],
        "POSTGRES_PORT": str(parsed.port or 5432),
        "POSTGRES_USER": parsed.username or "",
        "POSTGRES_PASSWORD": parsed.password or "none",
    }


def appends(recorder: ApplicationRecorder, payload: bytes, count: int, callers: int) -> float:
    """Return the appends per second of one event each, from concurrent threads, which is how this library is called."""

    def caller() -> None:
        stream = uuid.uuid4()
        for version in range(1, count // callers + 1):
            recorder.insert_events([StoredEvent(stream, version, "faristol.game.v1:Passed", payload)])

    threads = [threading.Thread(target=caller) for _ in range(callers)]
    return count / time_call(lambda: _run(threads))


def _run(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def time_call(work: Callable[[], object]) -> float:
    """Return the seconds that ``work`` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class Tally(Aggregate):
    """Counts turns: the least that can be rehydrated."""

    def __init__(self) -> None:
        self.turns = 0
        self.last = ""

    @event("TurnPassed")
    def turn_passed(self, turn: int, player_id: str) -> None:
        """Count one turn, after which ``turn`` turns were taken."""
        self.turns = turn
        self.last = player_id


def tallies(streams: int, events: int) -> list[Tally]:
    """Return aggregates with this number of events each, which are not saved."""
    made = [Tally() for _ in range(streams)]
    for tally in made:
        for turn in range(1, events):
            tally.turn_passed(turn, "anna-puig")
    return made


def rehydration(url: str, stored: Sequence[Tally]) -> float:
    """Return the events per second that are read and applied, once these aggregates are saved."""
    app: Application[uuid.UUID] = Application(env=environment(url))
    count = 0
    for tally in stored:
        saved = app.mapper
        pending = [saved.to_stored_event(each) for each in tally.pending_events]
        app.recorder.insert_events(pending)
        count += len(pending)

    def read() -> None:
        for tally in stored:
            found: Tally = app.repository.get(tally.id)
            assert found.version == len(tally.pending_events)

    try:
        return count / time_call(read)
    finally:
        app.close()
