"""Screens, their programmes and pictures."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.screens import (
    MAX_PICTURE_BYTES,
    check_screen_code,
    code_of_screen,
    format_screen_code,
    media_type_of,
    size_of_picture,
)
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.handler import COMMANDS

TOKEN = "f" * 22
CODE = code_of_screen(TOKEN)


def png(width: int = 8, height: int = 8, more: bytes = b"") -> bytes:
    """Return a picture, with bytes after its end."""
    pixels = zlib.compress(b"".join(b"\x00" + b"\x80" * 3 * width for _ in range(height)))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", pixels), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body + more


def stage() -> Hall:
    """Return a tournament with two halls and a picture."""
    hall = Hall({f"p{number}": 2000 - number for number in range(1, 5)})
    halls = [events.Hall(name="A", first_table=1, last_table=2), events.Hall(name="B", first_table=11, last_table=12)]
    hall.carry_out(pb.SetHallsRequest(halls=halls))
    hall.carry_out(pb.AddPictureRequest(name="Cafès Font", content=png()))
    return hall


def reason(hall: Hall, request: Any) -> str:
    """Return the reason of the refusal of a command, or its malformed field."""
    with pytest.raises((Refusal, Invalid)) as problem:
        hall.decide(request)
    against: Any = problem.value
    return against.reason if isinstance(against, Refusal) else against.field


@pytest.mark.parametrize("token", [TOKEN, "fr8ijCbxDoEo80_uKI3B3g", "c2rxh-QPgHIFUFhRmBmVcA", "-" * 22])
def test_a_code_with_a_wrong_character_is_no_code(token: str) -> None:
    code = code_of_screen(token)
    assert check_screen_code("code", f" {format_screen_code(code).lower()} ") == code
    for place, right in enumerate(code):
        for letter in "0123456789ABCDEFGHJKMNPQRSTVWXYZ".replace(right, ""):
            with pytest.raises(Invalid):
                check_screen_code("code", code[:place] + letter + code[place + 1 :])


def test_letters_that_are_read_as_digits_are_the_digits() -> None:
    for wrong in ("", "ABC", "!" * 8):
        with pytest.raises(Invalid):
            check_screen_code("code", wrong)
    code = next(code for number in range(1_000) if "1" in (code := code_of_screen(f"{number:022}")))
    assert check_screen_code("code", code.replace("1", "l")) == code


def test_a_programme_is_read_as_it_is_written_and_restored_by_the_undo() -> None:
    hall = stage()
    written = ["seats:A", "standings", "countdown", "messages", "game:2", "picture:Cafès Font"]
    (first,) = hall.carry_out(pb.SetScreenRequest(code=CODE, name="Left", programme=written, seconds=15))
    assert isinstance(first, events.ScreenSet)
    parts = [(part.content, part.hall, part.table, bool(part.digest)) for part in first.programme]
    assert parts == [
        (events.SCREEN_CONTENT_SEATS, "A", 0, False),
        (events.SCREEN_CONTENT_STANDINGS, "", 0, False),
        (events.SCREEN_CONTENT_COUNTDOWN, "", 0, False),
        (events.SCREEN_CONTENT_MESSAGES, "", 0, False),
        (events.SCREEN_CONTENT_GAME, "", 2, False),
        (events.SCREEN_CONTENT_PICTURE, "", 0, True),
    ]
    hall.carry_out(pb.SetScreenRequest(code=CODE, name="Right"))
    (back,) = hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    first.occurred_at.CopyFrom(back.occurred_at)  # type: ignore[attr-defined]
    assert back == first


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"code": "ABCD"}, "code"),
        ({"name": ""}, "name"),
        ({"seconds": 2}, "seconds"),
        ({"programme": ["weather"]}, "programme"),
        ({"programme": ["countdown:5"]}, "programme"),
        ({"programme": ["game:x"]}, "programme"),
        ({"programme": ["seats"] * 31}, "programme"),
        ({"programme": ["seats:C"]}, "NO_SUCH_HALL"),
        ({"programme": ["picture:None"]}, "NO_SUCH_PICTURE"),
        ({"name": "Taken"}, "SCREEN_NAME_TAKEN"),
    ],
)
def test_a_screen_that_cannot_be_set_says_why(fields: dict[str, Any], why: str) -> None:
    hall = stage()
    hall.carry_out(pb.SetScreenRequest(code=code_of_screen("g" * 22), name="Taken"))
    assert reason(hall, pb.SetScreenRequest(**{"code": CODE, "name": "Left", **fields})) == why


def test_a_picture_that_a_screen_shows_stays() -> None:
    hall = stage()
    hall.carry_out(pb.SetScreenRequest(code=CODE, name="Left", programme=["picture:Cafès Font"]))
    assert reason(hall, pb.RemovePictureRequest(digest="Cafès Font")) == "PICTURE_SHOWN"
    hall.carry_out(pb.RemoveScreenRequest(code="Left"))
    assert reason(hall, pb.RemoveScreenRequest(code=CODE)) == "NO_SUCH_SCREEN"
    hall.carry_out(pb.RemovePictureRequest(digest="Cafès Font"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "content"),
        (b"", "content"),
        (b"\xff\xd8\xff", "content"),
        (png(4_097, 1), "content"),
        (png(more=bytes(MAX_PICTURE_BYTES)), "content"),
        (png(), "PICTURE_KNOWN"),
    ],
)
def test_a_file_that_is_no_small_picture_is_refused(content: bytes, why: str) -> None:
    assert reason(stage(), pb.AddPictureRequest(name="Other", content=content)) == why


def test_the_content_of_a_picture_is_on_a_stream_of_its_own() -> None:
    request = pb.AddPictureRequest(name="Font", content=png())
    stores = COMMANDS[pb.AddPictureRequest].stores
    assert stores is not None
    stream, stored = stores(request)
    assert isinstance(stored, events.PictureStored)
    assert stream == f"picture-{stored.digest}"
    assert all(not isinstance(event, events.PictureStored) for event in stage().events)


def test_the_size_of_each_type_of_picture_is_in_its_header() -> None:
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 20, 30) + b"\x01"
    lossy = b"RIFF....WEBPVP8 ....\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", 30, 20)
    extended = b"RIFF....WEBPVP8X....\x00\x00\x00\x00" + (29).to_bytes(3, "little") + (19).to_bytes(3, "little")
    for content, kind in ((jpeg, "image/jpeg"), (lossy, "image/webp"), (extended, "image/webp")):
        assert media_type_of(content) == kind
        assert size_of_picture(content) == (30, 20)
