"""The arbiter of a table is not a player of it."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message
from tests.unit.table.hall import Hall, rules

from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import game_pb2
from faristol.table.decide import GAME_COMMANDS

OF_ARBITER = [kind for kind in GAME_COMMANDS if "arbiter_id" in kind.DESCRIPTOR.fields_by_name]
FIELDS: dict[type[Message], dict[str, Any]] = {
    game_pb2.CorrectPlayRequest: {"turn": 1},
    game_pb2.CorrectTotalRequest: {"player_id": "anna"},
    game_pb2.SettleBlankRequest: {"row": 7, "column": 8},
}
"""The fields that a command needs before its arbiter is checked."""


@pytest.mark.parametrize("kind", OF_ARBITER, ids=lambda kind: kind.DESCRIPTOR.name)
@pytest.mark.parametrize("player_id", ["anna", "biel"])
def test_nobody_is_arbiter_of_the_own_table(kind: type[Message], player_id: str) -> None:
    hall = Hall(rules("fise"), racks=["S ? L E R T I", "U E N T S O L"])
    hall.turn("H8 S (O) L")
    if kind is game_pb2.SettleCountRequest:
        hall.do(game_pb2.DisputeCountRequest(player_id="anna"))
    before = len(hall.events)

    with pytest.raises(Refusal) as refused:
        hall.do(kind(**FIELDS.get(kind, {}), arbiter_id=player_id))

    assert (refused.value.reason, refused.value.params["officials"]) == ("OWN_GAME", player_id)
    assert len(hall.events) == before


def test_who_plays_at_another_table_can_be_arbiter_of_this_one() -> None:
    hall = Hall(rules("fise"), racks=["S E L E R T I", "U E N T S O L"])
    hall.do(game_pb2.AssignArbiterRequest(arbiter_id="carla"))
    assert hall.game.arbiter == "carla"
