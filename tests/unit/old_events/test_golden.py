"""Old events stay readable: every event of every version ever released, by its bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor
from tests.unit.old_events.golden import (
    FOLDER,
    Changed,
    definition,
    event_descriptors,
    keep,
    kept_of,
    path_of,
    reads_as,
)

from faristol.event_store.upcasters import Upcasters, upcasters
from faristol.pb.game.v1 import events_pb2

PASSED: Descriptor = events_pb2.Passed.DESCRIPTOR
EXCHANGED: Descriptor = events_pb2.Exchanged.DESCRIPTOR


@pytest.mark.parametrize("event", event_descriptors(), ids=lambda event: event.full_name)
def test_an_event_is_defined_as_it_was_when_its_version_was_released(event: Descriptor) -> None:
    kept = kept_of(event.full_name).get(str(upcasters.version(event.full_name)))
    assert kept, f"no bytes of {event.full_name} are kept: run `make golden`"
    assert kept["definition"] == definition(event), f"{event.full_name} changed: raise the version in its meaning"


@pytest.mark.parametrize("event", event_descriptors(), ids=lambda event: event.full_name)
def test_every_version_ever_released_reads_as_it_should(event: Descriptor) -> None:
    current, kept = upcasters.version(event.full_name), kept_of(event.full_name)
    for version in range(1, current + 1):
        for example in kept[str(version)]["examples"]:
            assert reads_as(event.full_name, version, example, upcasters) == example["reads_as"][str(current)]


def test_nothing_is_kept_of_what_is_no_event() -> None:
    kept = [name for path in FOLDER.iterdir() for name in json.loads(path.read_text())]
    assert sorted(kept) == sorted(event.full_name for event in event_descriptors())


def test_an_event_that_changed_without_a_version_is_not_kept_over_the_old_one(tmp_path: Path) -> None:
    keep(tmp_path, [PASSED], Upcasters({}))
    path = path_of(PASSED.full_name, tmp_path)
    before = path.read_text().replace(definition(PASSED), definition(EXCHANGED))
    path.write_text(before)
    with pytest.raises(Changed, match="Passed is not what it was at version 1"):
        keep(tmp_path, [PASSED], Upcasters({}))
    assert path.read_text() == before


def test_a_new_version_is_kept_beside_the_old_one_whose_bytes_stay(tmp_path: Path) -> None:
    keep(tmp_path, [PASSED, EXCHANGED], Upcasters({}))
    before = kept_of(PASSED.full_name, tmp_path)["1"]
    assert keep(tmp_path, [PASSED], Upcasters({})) == []

    def raise_turn(payload: bytes) -> bytes:
        passed = events_pb2.Passed.FromString(payload)
        passed.turn += 1
        return passed.SerializeToString()

    later = Upcasters({PASSED.full_name: 2}, {(PASSED.full_name, 1): raise_turn})
    assert keep(tmp_path, [PASSED], later) == [path_of(PASSED.full_name, tmp_path)]
    assert kept_of(PASSED.full_name, tmp_path).keys() == {"1", "2"}
    assert kept_of(EXCHANGED.full_name, tmp_path).keys() == {"1"}
    after = kept_of(PASSED.full_name, tmp_path)["1"]
    for old, new in zip(before["examples"], after["examples"], strict=True):
        assert new["bytes"] == old["bytes"]
        assert new["reads_as"]["1"] == old["reads_as"]["1"]
        assert new["reads_as"]["2"]["turn"] == old["reads_as"]["1"].get("turn", 0) + 1


def test_two_definitions_that_differ_in_a_part_alone_differ() -> None:
    digests = [definition(event) for event in event_descriptors()]
    assert len(set(digests)) == len(digests)
