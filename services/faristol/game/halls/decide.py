"""Decisions on the hall cells of a tournament: they join, are released, and an arbiter decides on late events. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.game.halls.model import Halls, JoinedHall
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb

KEY_BYTES = 32
"""Bytes of a public Ed25519 key."""

MAX_ADDRESS_CHARACTERS = 200
"""Characters of the address of a hall cell."""

MAX_VERSION_CHARACTERS = 40
"""Characters of the version of a program."""

_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~%:/\[\]-]+")
"""Addresses of pages: devices of the hall open them, and officials read them."""

_VERSION = re.compile(r"[A-Za-z0-9.+_-]*")


def join(
    halls: Halls, request: pb.JoinHallRequest, names: Collection[str], at: Timestamp, salt: bytes
) -> list[Message]:
    """Return the event by which a hall cell joins; none if it has joined with the same values.

    ``names`` are those of the halls of the tournament. ``salt`` are random bytes for the draws of the tournament, which
    only the first cell brings. Raises ``NotFound`` for another hall, ``Refusal`` if another key
    has joined for the hall or was released, and ``Invalid`` for malformed values.
    """
    if request.hall not in names:
        raise NotFound("hall", request.hall)
    if len(request.key) != KEY_BYTES:
        raise Invalid("key", N_("expected a public Ed25519 key of {size} bytes"), {"size": KEY_BYTES})
    for name, most in (("address", MAX_ADDRESS_CHARACTERS), ("version", MAX_VERSION_CHARACTERS)):
        if len(getattr(request, name)) > most:
            raise Invalid(name, N_("expected at most {most} characters"), {"most": most})
    if request.address and not _ADDRESS.fullmatch(request.address):
        raise Invalid("address", N_("expected an address such as https://192.168.8.2:8080"))
    if not _VERSION.fullmatch(request.version):
        raise Invalid("version", N_("expected a version such as 0.1.0"))
    joined = halls.joined.get(request.hall)
    if joined is None and request.key in halls.keys.get(request.hall, ()):
        raise Refusal(
            "HALL_RELEASED",
            N_("The cell of the hall {hall} was released: it needs a new record to join again."),
            {"hall": request.hall},
        )
    if joined is not None and joined.key != request.key:
        raise Refusal(
            "HALL_JOINED",
            N_("Another cell has joined for the hall {hall}: the director must release it first."),
            {"hall": request.hall},
        )
    if joined is not None and (joined.address, joined.version) == (request.address, request.version):
        return []
    return [
        events.HallJoined(
            hall=request.hall,
            key=request.key,
            address=request.address,
            version=request.version,
            draw_salt=b"" if halls.draw_salt else salt,
            occurred_at=at,
        )
    ]


def find_joined(halls: Halls, hall: str, names: Collection[str]) -> JoinedHall:
    """Return the cell that has joined for a hall of the tournament, whose halls have ``names``.

    Raises ``Refusal`` if none has, and ``NotFound`` for an unknown hall.
    """
    joined = halls.joined.get(hall)
    if joined is not None:
        return joined
    if hall not in names:
        raise NotFound("hall", hall)
    raise Refusal(
        "HALL_NOT_JOINED",
        N_(
            "The hall {hall} has no laptop: none has joined, or the director released it. Tables that it had can be "
            "taken back."
        ),
        {"hall": hall},
    )


def release(halls: Halls, request: pb.ReleaseHallRequest, names: Collection[str], at: Timestamp) -> list[Message]:
    """Return the event that releases a hall. Raises the exceptions of ``find_joined``."""
    find_joined(halls, request.hall, names)
    return [events.HallReleased(hall=request.hall, note=request.note, occurred_at=at)]


def decide_aside(halls: Halls, request: pb.DecideKeptAsideRequest, at: Timestamp, added: int = 0) -> list[Message]:
    """Return the verdict on events that were kept aside. A later verdict replaces it.

    ``added`` is the number of the hall's events that are added to the table with it. Raises ``Invalid`` for an unknown
    number or verdict, ``Refusal`` if it is the present verdict.
    """
    kept = halls.aside.get(request.number)
    if kept is None:
        raise Invalid("number", N_("no events of a hall were kept aside under this number"))
    if request.verdict not in events.AsideVerdict.values() or not request.verdict:
        raise Invalid("verdict", N_("expected a verdict on the events"))
    if not request.arbiter_id:
        raise Invalid("arbiter_id", N_("is missing; expected the id of the arbiter"))
    if kept.verdict == request.verdict:
        raise Refusal("SAME_VERDICT", N_("The verdict on these events is this one already."))
    return [
        events.KeptAsideDecided(
            number=request.number,
            verdict=request.verdict,
            arbiter_id=request.arbiter_id,
            note=request.note,
            occurred_at=at,
            added=added,
        )
    ]
