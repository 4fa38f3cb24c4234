"""How a desk knows a command again."""

from __future__ import annotations

from faristol.host.desk import digest
from faristol.pb.pairing.v1 import pairing_pb2

ANNA = pairing_pb2.RegisterPlayerRequest(
    command_id="c", tournament_id="cup", player_id="anna", name="Anna", club="Prat"
)


def registered(**changes: str) -> pairing_pb2.RegisterPlayerRequest:
    request = pairing_pb2.RegisterPlayerRequest()
    request.CopyFrom(ANNA)
    for name, value in changes.items():
        setattr(request, name, value)
    return request


def test_another_command_has_another_digest() -> None:
    assert digest(registered(player_id="biel")) != digest(ANNA)
    assert digest(pairing_pb2.PairRoundRequest(command_id="c", tournament_id="cup")) != digest(
        pairing_pb2.StartRoundRequest(command_id="c", tournament_id="cup")
    )


def test_the_digest_that_is_kept_tells_nothing_of_a_name_or_a_club() -> None:
    assert digest(registered(name="Aina", club="")) == digest(ANNA)
    assert ANNA.name == "Anna", "the request itself is left alone"
