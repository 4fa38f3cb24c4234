from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.chains import KEY, OTHER_KEY, chain, seal_events

from faristol.event_store.errors import CorruptData
from faristol.event_store.event import GENESIS
from faristol.event_store.integrity.checker import Checker
from faristol.event_store.integrity.keys import Keys, by_id
from faristol.event_store.integrity.merkle import stand_in
from faristol.event_store.integrity.seals import Seal
from faristol.event_store.stored import Stored

KEYS = by_id([KEY.public_key()])
STREAMS = ["game-cup-a", "game-cup-b", "game-cup-a", "clock-cup-a", "game-cup-b", "game-cup-a", "game-league-a"]

streams = st.lists(st.sampled_from(["game-a", "game-b", "clock-a", "case-a"]), min_size=1, max_size=30)


def check(
    events: Sequence[Stored], seals: Sequence[Seal] = (), keys: Keys | None = None, kept: Sequence[Seal] = ()
) -> Checker:
    checker = Checker(keys, kept=kept)
    waiting = list(seals)
    for event in events:
        checker.event(event)
        while waiting and waiting[0].to_position <= event.position:
            checker.seal(waiting.pop(0))
    for seal in waiting:
        checker.seal(seal)
    checker.end()
    return checker


@given(streams, st.integers(1, 7))
def test_what_was_written_and_sealed_is_right(names: list[str], size: int) -> None:
    events = chain(names)
    seals = seal_events(events, size)
    done = check(events, seals, KEYS if seals else None)
    assert (done.events, done.position, done.streams) == (len(names), len(names), len(set(names)))
    assert (done.seals, done.sealed) == (len(names) // size, len(names) // size * size)


CHANGES: dict[str, Any] = {
    "stream": "game-cup-z",
    "version": 9,
    "event_id": "00000000-0000-4000-8000-999999999999",
    "type": "faristol.game.v1.SheetSigned",
    "schema_version": 2,
    "tournament": "festa",
    "payload": b"",
    "metadata": "{}",
    "recorded_at": 0,
    "hash": bytes(32),
    "position": 9,
}


@pytest.mark.parametrize("column", CHANGES)
@given(st.integers(0, len(STREAMS) - 1))
def test_an_event_of_which_anything_was_changed_is_the_one_named(column: str, place: int) -> None:
    events = chain(STREAMS)
    events[place] = replace(events[place], **{column: CHANGES[column]})
    with pytest.raises(CorruptData, match=f"^position {place + 1}[ :]"):
        check(events)


@given(streams, st.data())
def test_an_event_that_is_missing_is_named(names: list[str], data: st.DataObject) -> None:
    events = chain(names)
    place = data.draw(st.integers(0, len(names) - 1))
    del events[place]
    if place == len(events):
        assert check(events).position == place
    else:
        with pytest.raises(CorruptData, match=f"^position {place + 1}: missing; the next event is at {place + 2}"):
            check(events)


def test_events_whose_hashes_were_made_anew_are_not_those_that_were_sealed() -> None:
    events = chain(STREAMS)
    seals = seal_events(events, 3)
    changed = chain(STREAMS, recorded_at=5)
    assert check(changed).events == len(STREAMS)
    with pytest.raises(CorruptData, match=r"^positions 1 to 3: these are not the events that were sealed"):
        check(changed, seals)


def test_events_of_two_streams_that_changed_places_are_not_those_that_were_sealed() -> None:
    events = chain(STREAMS)
    seals = seal_events(events, 3)
    events[3], events[4] = replace(events[4], position=4), replace(events[3], position=5)
    assert check(events).events == len(STREAMS)
    with pytest.raises(
        CorruptData, match=r"^positions 4 to 6: these are not the events that were sealed, or not in that"
    ):
        check(events, seals)


def test_a_stream_that_does_not_begin_at_its_beginning_is_told() -> None:
    (event,) = chain(["game-cup-a"])
    later = replace(event, version=2)
    later = replace(later, hash=later.hash_after(GENESIS))
    with pytest.raises(CorruptData, match=r"^position 1 .*: version 1 of the stream is missing"):
        check([later])


SEAL_CHANGES: dict[str, Any] = {
    "from_position": 1,
    "to_position": 5,
    "root": bytes(32),
    "previous": bytes(32),
    "key_id": "0" * 16,
    "sealed_at": 77,
    "signature": bytes(64),
}


@pytest.mark.parametrize("column", SEAL_CHANGES)
def test_a_seal_of_which_anything_was_changed_is_named(column: str) -> None:
    events = chain(STREAMS)
    seals = seal_events(events, 3)
    seals[1] = replace(seals[1], **{column: SEAL_CHANGES[column]})
    with pytest.raises(CorruptData, match=r"^positions? 4"):
        check(events, seals, KEYS)


def test_a_seal_that_is_missing_is_missed() -> None:
    events = chain(STREAMS)
    first, second = seal_events(events, 3)
    with pytest.raises(CorruptData, match=r"position 1: the seal of positions 4 to 6 does not follow position 0"):
        check(events, [second])
    with pytest.raises(CorruptData, match=r"the seal of positions 4 to 6 was not made after the previous seal"):
        check(events, [replace(first, sealed_at=5).sign_with(KEY), second], KEYS)


def test_seals_of_another_key_are_told() -> None:
    events = chain(STREAMS)
    with pytest.raises(CorruptData, match=r"was made with the key [0-9a-f]{16}, which was not given"):
        check(events, seal_events(events, 3, OTHER_KEY), KEYS)
    keys = by_id([KEY.public_key(), OTHER_KEY.public_key()])
    assert check(events, seal_events(events, 3, OTHER_KEY), keys).seals == 2


def test_a_key_shows_nothing_where_nothing_is_sealed() -> None:
    with pytest.raises(CorruptData, match=r"no event up to here is sealed"):
        check(chain(STREAMS), (), KEYS)
    assert check([], (), KEYS).events == 0


def test_a_seal_over_events_that_are_gone_is_told() -> None:
    events = chain(STREAMS)
    with pytest.raises(CorruptData, match=r"position 6: not there, and the seal of positions 4 to 6 is over it"):
        check(events[:5], seal_events(events, 3))


def test_a_record_that_was_written_anew_with_its_own_key_is_not_the_one_whose_seals_were_kept() -> None:
    kept = seal_events(chain(STREAMS), 3)
    events = chain(STREAMS, recorded_at=5)
    assert check(events, seal_events(events, 3), KEYS).seals == 2
    for outside in (kept, kept[1:], kept[:1]):
        with pytest.raises(CorruptData, match=r"differs from the seal that is stored outside"):
            check(events, seal_events(events, 3), KEYS, outside)
    with pytest.raises(CorruptData, match=r"position 4: .* which was stored outside, is missing here"):
        check(chain(STREAMS)[:3], kept[:1], KEYS, kept)


@given(st.lists(st.sampled_from(["game-cup-a", "game-cup-b", "game-league-a"]), min_size=1, max_size=30), st.data())
def test_a_part_is_checked_with_what_stands_in_for_the_rest(names: list[str], data: st.DataObject) -> None:
    events = chain(names)
    seals = seal_events(events, data.draw(st.integers(1, 9)))
    checker = Checker(KEYS if seals else None, part="cup")
    hidden: list[int] = []

    def show(seal: Seal) -> None:
        contents = [event.hash for event in events[seal.from_position - 1 : seal.to_position]]
        place = hidden[0] - seal.from_position
        checker.gap(hidden[0], hidden[-1], stand_in(contents, place, place + len(hidden)))
        hidden.clear()

    for event in events:
        over = next((seal for seal in seals if seal.from_position <= event.position <= seal.to_position), None)
        if event.tournament == "cup":
            if over and hidden:
                show(over)
            checker.event(event)
        elif over:
            hidden.append(event.position)
        if over and over.to_position == event.position:
            if hidden:
                show(over)
            checker.seal(over, tally(events, over))
    if checker.events:
        checker.end()
    assert checker.events == sum(event.tournament == "cup" for event in events)
    assert checker.seals == len(seals)


def tally(events: Sequence[Stored], seal: Seal) -> Counter[str]:
    return Counter(event.tournament for event in events[seal.from_position - 1 : seal.to_position])


def test_a_part_that_hides_an_event_of_its_own_behind_a_stand_in_is_told() -> None:
    events = chain(STREAMS)
    (seal,) = seal_events(events, 7)
    contents = [event.hash for event in events]
    for told, said in (
        (tally(events, seal), "5 events of tournament cup are here, and the seal of positions 1 to 7 is over 6"),
        (Counter(cup=5, league=2), "these are not the events that were sealed"),
        (Counter(cup=5, league=1), "these are not the events that were sealed"),
    ):
        checker = Checker(KEYS, part="cup")
        for event in events[:5]:
            checker.event(event)
        checker.gap(6, 7, stand_in(contents, 5, 7))
        with pytest.raises(CorruptData, match=f"^positions 1 to 7: {said}"):
            checker.seal(seal, told)


def test_an_event_of_another_tournament_is_no_part() -> None:
    events = chain(["game-league-a"])
    with pytest.raises(CorruptData, match=r"position 1 .* is not of tournament cup"):
        Checker(part="cup").event(events[0])


def test_a_part_without_what_stands_in_for_the_rest_is_not_what_was_sealed() -> None:
    events = chain(STREAMS)
    (seal,) = seal_events(events, 7)
    checker = Checker(part="cup")
    checker.event(events[0])
    checker.event(events[2].__class__(**{name: getattr(events[2], name) for name in events[2].__slots__}))
    with pytest.raises(CorruptData, match=r"position 2: not there"):
        checker.seal(seal)


def test_a_whole_record_has_no_place_for_what_stands_in() -> None:
    with pytest.raises(CorruptData, match=r"has no place in a whole record"):
        Checker().gap(1, 1, [bytes(32)])


@given(streams, st.data())
def test_a_check_that_begins_later_finds_the_same(names: list[str], data: st.DataObject) -> None:
    events = chain(names)
    after = data.draw(st.integers(0, len(names)))
    checker = Checker(after=after)
    unknown = checker.unknown(events[after:])
    heads = {event.stream: (event.version, event.hash) for event in events[:after]}
    checker.know({stream: heads[stream] for stream in unknown & heads.keys()})
    for event in events[after:]:
        checker.event(event)
    assert (checker.events, checker.position) == (len(names) - after, len(names))
