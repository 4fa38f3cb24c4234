"""Slips of duplicate games as they are typed: in a list, on the collector's page, at a terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.typed_input.fields import parse_value

ILLEGIBLE = "#"
"""Text for an illegible part of a slip."""

_HANDED = events.Slip.DESCRIPTOR.fields_by_name["handed"]
_PARTS = ("coordinates", "word", "score", "handed")


def slip_of(fields: Mapping[str, str], player_id: str = "") -> events.Slip:
    """Return the slip of ``coordinates``, ``word``, ``score`` and ``handed``; an empty ``handed`` means in time.

    Raises ``Invalid`` for an unknown manner of handing in.
    """
    coordinates, word, score, handed = (fields.get(name, "").strip() for name in _PARTS)
    return events.Slip(
        player_id=player_id,
        coordinates="" if coordinates == ILLEGIBLE else coordinates,
        word="" if word == ILLEGIBLE else word,
        score=score,
        coordinates_illegible=coordinates == ILLEGIBLE,
        word_illegible=word == ILLEGIBLE,
        handed=parse_value(_HANDED, handed or "in-time"),
    )
