"""The record: the append-only event store and its readers. The database is the source of truth.

Names are imported lazily: a command that calls a service needs the errors, but not SQLAlchemy.
"""

from typing import TYPE_CHECKING

from faristol.kernel.lazy import names_of

if TYPE_CHECKING:
    from faristol.record.decision import (
        Appended,
        Checkpoint,
        Command,
        Conflict,
        Decision,
        Guard,
        Stale,
        Unacceptable,
        Write,
    )
    from faristol.record.errors import RecordAway, RecordError
    from faristol.record.event import Metadata, Recorded
    from faristol.record.folds import Loaded, load, load_at_once
    from faristol.record.record import Record
    from faristol.record.upcasters import UnreadableEvent, message_class

__all__ = [
    "Appended",
    "Checkpoint",
    "Command",
    "Conflict",
    "Decision",
    "Guard",
    "Loaded",
    "Metadata",
    "Record",
    "RecordAway",
    "RecordError",
    "Recorded",
    "Stale",
    "Unacceptable",
    "UnreadableEvent",
    "Write",
    "load",
    "load_at_once",
    "message_class",
]

_MODULES = {
    "Appended": "decision",
    "Checkpoint": "decision",
    "Command": "decision",
    "Conflict": "decision",
    "Decision": "decision",
    "Guard": "decision",
    "Loaded": "folds",
    "Metadata": "event",
    "Record": "record",
    "RecordAway": "errors",
    "RecordError": "errors",
    "Recorded": "event",
    "Stale": "decision",
    "Unacceptable": "decision",
    "UnreadableEvent": "upcasters",
    "Write": "decision",
    "load": "folds",
    "load_at_once": "folds",
    "message_class": "upcasters",
}

__getattr__ = names_of(__name__, _MODULES)
