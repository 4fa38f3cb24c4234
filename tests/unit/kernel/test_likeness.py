"""Messages made from values with fields of the same names, and back."""

from dataclasses import dataclass

from faristol.kernel.likeness import like, read_shared_fields
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb


@dataclass(frozen=True)
class Hall:
    name: str
    last_table: int | None
    created_at: int = 0


@dataclass(frozen=True)
class Sanction:
    player_id: str
    rounds: tuple[int, ...]
    occurred_at: object = None


def test_fields_of_the_same_name_are_copied_and_others_take_precedence() -> None:
    assert like(events.Hall, Hall("A", None), first_table=1) == events.Hall(name="A", first_table=1)
    assert like(events.Hall, Hall("A", 7), last_table=8) == events.Hall(name="A", last_table=8)


def test_only_set_fields_of_the_same_type_of_a_message_are_copied() -> None:
    request = pb.SanctionPlayerRequest(player_id="anna", rounds=[3, 4], decided_by=["head"])
    request.occurred_at.FromSeconds(60)
    made = like(events.PlayerSanctioned, request, decided_by=["jury"])
    assert made.player_id == "anna"
    assert list(made.rounds) == [3, 4]
    assert list(made.decided_by) == ["jury"]
    assert made.occurred_at.seconds == 60
    assert not like(events.PlayerSanctioned, pb.SanctionPlayerRequest()).HasField("occurred_at")
    assert not like(pb.RegisterPlayerRequest, events.Hall(name="A")).HasField("occurred_at")


def test_plain_fields_of_a_message_become_those_of_a_data_class() -> None:
    event = events.PlayerSanctioned(player_id="anna", rounds=[3])
    event.occurred_at.FromSeconds(60)
    assert read_shared_fields(event, Sanction) == {"player_id": "anna", "rounds": (3,)}
