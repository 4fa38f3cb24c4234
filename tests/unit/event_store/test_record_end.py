"""The cached end of the record has no head that an unseen event may have changed."""

from __future__ import annotations

from datetime import UTC, datetime

from faristol.event_store import Metadata, Recorded
from faristol.event_store.append.group_commit import _RecordEnd


def event(position: int, stream: str) -> Recorded:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Recorded(position, stream, 1, "", "t", 1, "", b"", Metadata(), at, bytes([position]))


def test_a_transaction_after_unseen_events_drops_the_heads_before_them() -> None:
    end = _RecordEnd()
    end.follow(2, [event(3, "b")])
    end.learn(5, 6, b"6", {"c": (1, b"6")})  # events 4 and 5 of other processes may be of stream b
    assert (end.position, end.heads) == (6, {"c": (1, b"6")})


def test_events_that_are_read_without_a_gap_keep_the_other_heads() -> None:
    end = _RecordEnd()
    end.follow(0, [event(1, "a"), event(2, "b")])
    end.follow(1, [event(2, "b"), event(3, "c")])
    assert (end.position, end.hash, [*end.heads]) == (3, bytes([3]), ["a", "b", "c"])
    end.follow(4, [event(5, "d")])  # event 4 may be of any stream
    assert (end.position, [*end.heads]) == (5, ["d"])
    end.follow(1, [event(2, "b")])  # an old read
    assert end.position == 5
