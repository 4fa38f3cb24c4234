"""A hall knows the credentials for its tables, and none of another hall."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Any

import pytest
from tests.unit.access_control.holders import build_credential

from faristol.access_control.roles import ARBITER, DIRECTOR, FEDERATION, JUDGE, PLAYER, SCORER, TREASURER, Role
from faristol.credentials.halls import HallCells, HallPlaces, watch_places
from faristol.host.halls.kept import Keys
from faristol.pb.pairing.v1 import events_pb2 as events

GREAT, SMALL = "Sala Gran", "Sala Petita"
EVENTS = (
    events.HallsSet(
        halls=[
            events.Hall(name=SMALL, first_table=1, last_table=1),
            events.Hall(name=GREAT, first_table=2, last_table=9),
        ]
    ),
    events.RoundPaired(
        round=1,
        pairings=[
            events.Pairing(table=1, hall=SMALL, player_ids=["ana", "bel"]),
            events.Pairing(table=2, hall=GREAT, player_ids=["cai", "dol"]),
        ],
    ),
    events.RoundPaired(
        round=2,
        pairings=[
            events.Pairing(table=1, hall=SMALL, player_ids=["ana", "cai"]),
            events.Pairing(table=2, hall=GREAT, player_ids=["bel", "dol"]),
        ],
    ),
)
CELLS = HallCells(
    "open",
    Keys(by_hall=MappingProxyType({GREAT: b"g" * 32, SMALL: b"s" * 32})),
    reduce(watch_places, EVENTS, HallPlaces()),
)


@pytest.mark.parametrize(
    ("role", "scope", "halls"),
    [
        (SCORER, {"tables": [2]}, {GREAT}),
        (SCORER, {"tables": [1, 2]}, {GREAT, SMALL}),
        (SCORER, {"tables": [12]}, set()),
        (SCORER, {"halls": [SMALL]}, {SMALL}),
        (ARBITER, {}, {GREAT, SMALL}),
        (DIRECTOR, {}, {GREAT, SMALL}),
        (JUDGE, {}, set()),
        (TREASURER, {}, set()),
        (FEDERATION, {"tournaments": []}, set()),
    ],
)
def test_an_official_is_known_in_the_halls_of_their_scope(role: Role, scope: dict[str, Any], halls: set[str]) -> None:
    credential = build_credential(role, **{"tournaments": ["open"], **scope})
    assert {hall for hall in (GREAT, SMALL) if CELLS.has(credential, hall)} == halls
    other = build_credential(role, **{**scope, "tournaments": ["closed"]})
    assert not any(CELLS.has(other, hall) for hall in (GREAT, SMALL))


def test_a_player_is_known_where_they_have_sat_and_gets_the_code_of_the_last_hall() -> None:
    seen = {
        player: {hall for hall in (GREAT, SMALL) if CELLS.has(_player(player), hall)}
        for player in ("ana", "bel", "cai", "eva")
    }
    assert seen == {"ana": {SMALL}, "bel": {GREAT, SMALL}, "cai": {GREAT, SMALL}, "eva": set()}
    assert [list(CELLS.halls_of(_player(player))) for player in ("ana", "bel", "cai", "eva")] == [
        [SMALL],
        [GREAT],
        [SMALL],
        [],
    ]


def test_only_officials_of_some_tables_get_codes_with_their_credential() -> None:
    assert list(CELLS.halls_of(build_credential(SCORER, tournaments=["open"], tables=[2]))) == [GREAT]
    assert list(CELLS.halls_of(build_credential(ARBITER, tournaments=["open"]))) == []


def _player(player: str) -> Any:
    return build_credential(PLAYER, tournaments=["open"], player=player)


def test_the_digest_changes_with_all_that_the_credentials_of_a_hall_depend_on() -> None:
    moved = CELLS.places.seat([(SMALL, "dol")])
    others = [
        CELLS.digest_with(8),
        replace(CELLS, version=1).digest_with(7),
        replace(CELLS, places=moved).digest_with(7),
        replace(CELLS, places=replace(CELLS.places, tables={GREAT: range(2, 12)})).digest_with(7),
    ]
    assert CELLS.digest_with(7) not in others
    assert len({*others}) == len(others)
    assert CELLS.digest_with(7) == replace(CELLS).digest_with(7)
