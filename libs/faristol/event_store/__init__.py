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

_NAMES = {
    "append.decision": (
        "AppendCommand",
        "Appended",
        "Checkpoint",
        "Conflict",
        "Decision",
        "Guard",
        "Stale",
        "Unacceptable",
        "Write",
    ),
    "errors": ("RecordError", "RecordUnavailable"),
    "event": ("Metadata", "Recorded"),
    "folds": ("Loaded", "load", "load_at_once"),
    "record": ("Record",),
    "upcasters": ("UnreadableEvent", "message_class"),
}

__getattr__ = names_of(__name__, _NAMES)
