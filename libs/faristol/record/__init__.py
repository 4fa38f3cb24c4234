"""The record: the append-only event store, and what reads it. The database is the truth; all else is news of it."""

from faristol.record.decision import Appended, Checkpoint, Command, Conflict, Decision, Guard, Stale, Write
from faristol.record.event import Metadata, Recorded, message_class
from faristol.record.folding import Loaded, load
from faristol.record.record import Record, RecordError

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
    "RecordError",
    "Recorded",
    "Stale",
    "Write",
    "load",
    "message_class",
]
