"""The record: the append-only event store, and what reads it. The database is the truth; all else is news of it."""

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
