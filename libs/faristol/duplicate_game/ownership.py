"""The cell that decides on the slips of a hall: the championship, or the cell of the hall. Pure.

Each hall of a duplicate game has a stream of its own, so the idea of ``faristol.table.ownership`` holds for it as for a
table: the stream states its owner, and each cell compares that with its own key before every decision. The game itself,
with its racks, times and master plays, belongs to the championship.

The scores of slips are in the stream of the hall too, so its owner scores them: the cell of a hall does it when it has
the completed turn. They follow from the slips, the rack and the words, so the championship computes them again when it
gets them.
"""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.duplicate_game.hall import Hall
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events

SLIPS_HANDED_OVER = "SLIPS_HANDED_OVER"
"""Reason of the refusal of a command on slips that the cell of their hall has."""


def check_own_slips(hall: Hall, cell_key: bytes, *, is_lost: bool = False) -> None:
    """Check that the cell with this key decides on the slips of a hall. Raises ``Refusal``, which names its owner.

    ``is_lost`` is whether the cell knows that its championship took them back, beside what its own record says.
    """
    if hall.owner_key == cell_key and not is_lost:
        return
    if hall.owner_key and not is_lost:
        raise Refusal(
            SLIPS_HANDED_OVER,
            N_("The hall {hall} has its slips on its own computer: enter them there, or take them back first."),
            {"hall": hall.owner_hall},
        )
    raise Refusal(
        "SLIPS_OF_CHAMPIONSHIP",
        N_("The slips of the hall {hall} belong to the championship: enter them on its pages."),
        {"hall": hall.name or "–"},
    )


def hand_over_slips(hall: Hall, key: bytes, at: Instant) -> list[Message]:
    """Return the event that hands the slips of a hall over to a cell; none if it has them already.

    Raises ``Refusal`` if another cell has them.
    """
    if hall.owner_key == key:
        return []
    if hall.owner_key:
        raise Refusal(
            SLIPS_HANDED_OVER,
            N_("An earlier laptop of the hall {hall} has its slips: take them back first."),
            {"hall": hall.owner_hall},
        )
    at = max(at, hall.handed_at)
    return [events.SlipsHandedOver(hall=hall.name, key=key, epoch=hall.epoch + 1, occurred_at=timestamp(at))]


def take_back_slips(hall: Hall, note: str, at: Instant) -> list[Message]:
    """Return the event by which the championship takes the slips of a hall back; none if no cell has them."""
    if not hall.owner_key:
        return []
    at = max(at, hall.handed_at)
    return [events.SlipsTakenBack(epoch=hall.epoch + 1, note=note, occurred_at=timestamp(at))]
