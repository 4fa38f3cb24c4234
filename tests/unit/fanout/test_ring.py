from __future__ import annotations

from dataclasses import dataclass

import pytest

from faristol.fanout.frames import FRAME_BATCH_SIZE
from faristol.fanout.ring import Gone, Ring


@dataclass(frozen=True)
class Of:
    """Topic of the events with these names; empty for all."""

    names: str = ""

    def has(self, event: str, /) -> bool:
        return not self.names or event in self.names


@dataclass
class Letter:
    """Event that is a letter, and is ready, not yet or no longer."""

    position: int
    event: str
    state: str = "ready"
    fingerprint: str = ""

    def frame(self, topic: Of, /) -> bytes | None:
        if self.state == "gone":
            raise Gone
        return self.event.encode() if self.state == "ready" else None


def build_ring(*entries: Letter, capacity: int = 100) -> Ring:
    ring = Ring(capacity)
    for entry in entries:
        ring.add([entry], entry.position, entry.fingerprint)
    return ring


def test_an_event_that_is_not_ready_delays_only_topics_that_have_it_and_none_is_left_out() -> None:
    late = Letter(4, "b", "pending")
    ring = build_ring(Letter(1, "a", fingerprint="f1"), Letter(3, "b"), late, Letter(7, "a"), Letter(8, "b"))
    assert ring.after(Of("a"), 0)[::2] == (b"aa", 8)
    assert ring.after(Of("b"), 0)[::2] == (b"b", 3)
    assert ring.after(Of("b"), 3)[::2] == (b"", 3)
    assert ring.after(Of(), 0)[::2] == (b"ab", 3)
    late.state = "ready"
    assert ring.after(Of("b"), 3)[::2] == (b"bb", 8)
    assert ring.after(Of(), 3)[::2] == (b"bab", 8)
    assert ring.after(Of("c"), 8)[::2] == (b"", 8)


def test_what_is_gone_is_read_from_the_record_and_what_comes_before_it_is_sent() -> None:
    ring = build_ring(Letter(1, "a"), Letter(2, "b", "gone"), Letter(3, "a"))
    assert ring.after(Of(), 0)[::2] == (b"a", 1)
    with pytest.raises(Gone):
        ring.after(Of(), 1)
    assert ring.after(Of("a"), 0)[::2] == (b"aa", 3)


def test_the_ring_is_complete_after_its_beginning_whatever_it_drops() -> None:
    ring = build_ring(*(Letter(2 * number, "a") for number in range(1, 30)), capacity=10)
    assert 10 <= (ring.position - ring.before) / 2 <= 20
    for position in range(ring.before, ring.position + 2):
        assert len(ring.after(Of(), position).frames) == (ring.position - position + 1) // 2
    with pytest.raises(Gone):
        ring.after(Of(), ring.before - 1)


@pytest.mark.parametrize("most", [1, 4, 100])
def test_entries_are_listed_in_order_without_a_gap_by_any_number(most: int) -> None:
    ring = build_ring(*(Letter(2 * number, "a") for number in range(1, 30)), capacity=10)
    position, found = ring.before, list[int]()
    while listed := ring.list_after(position, most):
        assert len(listed) <= most
        found += [entry.position for entry in listed]
        position = found[-1]
    assert found == list(range(ring.before + 2, ring.position + 1, 2))


def test_a_batch_is_bounded_and_the_next_begins_behind_it() -> None:
    ring = build_ring(*(Letter(number, "ab"[number % 2]) for number in range(1, 3 * FRAME_BATCH_SIZE)), capacity=1_000)
    position, sizes = 0, []
    while (found := ring.after(Of("a"), position)).position > position:
        position = found.position
        sizes.append(len(found.frames))
    assert sizes == [FRAME_BATCH_SIZE, FRAME_BATCH_SIZE // 2 - 1]
    assert position == ring.position


def test_a_fingerprint_is_known_of_events_in_the_ring_and_of_its_end() -> None:
    ring = build_ring(Letter(1, "a", fingerprint="f1"), Letter(4, "a", fingerprint="f4"))
    ring.add([], 6, "f6")
    assert [ring.fingerprint_at(position) for position in (0, 1, 2, 4, 5, 6, 7)] == ["", "f1", "", "f4", "", "f6", ""]
    ring.restart(2, "f2")
    assert (ring.fingerprint_at(2), ring.fingerprint_at(1), ring.before) == ("f2", "", 2)
