"""The fan-out of live events to many viewers. README.md describes its interface."""

from faristol.fanout.fanout import MAX_POSITIONS_AHEAD, Fanout, Source
from faristol.fanout.frames import (
    FRAME_BATCH_SIZE,
    OPENING,
    UNREADABLE,
    Batch,
    batch,
    chunk,
    format_id,
    heartbeat,
    parse_id,
)
from faristol.fanout.replays import Unavailable
from faristol.fanout.ring import Entry, Gone, RecentEntries, Topic
from faristol.fanout.viewers import Connection, Listener, Viewer
