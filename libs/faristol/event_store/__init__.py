"""The record: the append-only event store and its readers. The database is the source of truth.

Names are imported lazily: a command that calls a service needs the errors, but not SQLAlchemy.
"""

from typing import TYPE_CHECKING

from faristol.kernel.lazy import names_of

if TYPE_CHECKING:
    from faristol.event_store.append.decision import (
        AppendCommand,
        Appended,
        Checkpoint,
        Conflict,
        Decision,
        Guard,
        Stale,
        Unacceptable,
        Write,
    )
    from faristol.event_store.errors import RecordError, RecordUnavailable
    from faristol.event_store.event import Metadata, Recorded
    from faristol.event_store.folds import Loaded, load, load_at_once
    from faristol.event_store.record import Record
    from faristol.event_store.upcasters import UnreadableEvent, message_class

_MODULES = {
    "Appended": "append.decision",
    "Checkpoint": "append.decision",
    "AppendCommand": "append.decision",
    "Conflict": "append.decision",
    "Decision": "append.decision",
    "Guard": "append.decision",
    "Loaded": "folds",
    "Metadata": "event",
    "Record": "record",
    "RecordUnavailable": "errors",
    "RecordError": "errors",
    "Recorded": "event",
    "Stale": "append.decision",
    "Unacceptable": "append.decision",
    "UnreadableEvent": "upcasters",
    "Write": "append.decision",
    "load": "folds",
    "load_at_once": "folds",
    "message_class": "upcasters",
}

__getattr__ = names_of(__name__, _MODULES)
