"""Codes of hall screens, and the types of pictures. Pure.

A screen has a random token, known to it only. Its code is a part of the digest of the token, with a check
character, so that a mistyped code is found out without a list of screens. The code does not permit to report for the
screen, and a screen shows only public content.
"""

from __future__ import annotations

import hashlib
import re

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""The letters of Crockford's base 32, without those that are read as digits."""

CODE_LENGTH = 8
"""Characters of a code, the last of which checks the others."""

_TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{22}")
_READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1", "U": "V"})

MAX_PICTURE_BYTES = 500_000
"""Limit of a picture, in bytes."""

MAX_PICTURE_PX = 4_096
"""Limit of the width and height of a picture, in pixels."""


def code_of_screen(token: str) -> str:
    """Return the code of a screen by its token. Raises ``Invalid`` for a malformed token."""
    if not _TOKEN_PATTERN.fullmatch(token):
        raise Invalid("token", N_("expected 22 letters, digits, hyphens and underscores"))
    number = int.from_bytes(hashlib.sha256(f"faristol screen {token}".encode()).digest()[:5])
    digits = [_ALPHABET[(number >> 5 * place) & 31] for place in range(CODE_LENGTH - 1)]
    return "".join([*digits, _check_character(digits)])


def _check_character(digits: list[str]) -> str:
    """Return the character that finds each single wrong character, and nearly each swap of neighbours.

    The weights are odd, so no other digit in a place yields the same sum modulo 32.
    """
    return _ALPHABET[sum((2 * place + 1) * _ALPHABET.index(digit) for place, digit in enumerate(digits)) & 31]


def check_screen_code(field: str, given: str) -> str:
    """Return a code as stored. Raises ``Invalid`` for a code that no screen can have."""
    code = re.sub(r"[\s-]", "", given).upper().translate(_READ_AS)
    if len(code) != CODE_LENGTH or any(letter not in _ALPHABET for letter in code):
        raise Invalid(
            field,
            N_("{given} is not the code of a screen; expected {count} letters and digits, as the screen shows them"),
            {"given": repr(given[:40]), "count": CODE_LENGTH},
        )
    if _check_character(list(code[:-1])) != code[-1]:
        raise Invalid(field, N_("{given} has a wrong character: no screen has this code"), {"given": repr(given[:40])})
    return code


def format_screen_code(code: str) -> str:
    """Return a code in two groups, to be read aloud."""
    half = CODE_LENGTH // 2
    return f"{code[:half]}-{code[half:]}"


def media_type_of(content: bytes) -> str:
    """Return the media type of a picture by its content; empty for any other content than PNG, JPEG and WebP."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else ""


def size_of_picture(content: bytes) -> tuple[int, int]:
    """Return the width and height of a picture in pixels, from its header; zeros if they cannot be read."""
    try:
        match media_type_of(content):
            case "image/png":
                return int.from_bytes(content[16:20]), int.from_bytes(content[20:24])
            case "image/webp":
                return _size_of_webp(content)
            case "image/jpeg":
                return _size_of_jpeg(content)
    except IndexError:
        pass
    return 0, 0


def _size_of_webp(content: bytes) -> tuple[int, int]:
    match content[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(content[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = content[26:28], content[28:30]
            return int.from_bytes(width, "little") & 0x3FFF, int.from_bytes(height, "little") & 0x3FFF
    return 0, 0


def _size_of_jpeg(content: bytes) -> tuple[int, int]:
    """Read the first frame header (SOF0 to SOF15, without DHT, JPG and DAC) of ITU T.81."""
    place = 2
    while content[place] == 0xFF:
        marker = content[place + 1]
        if marker == 0xFF:
            place += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(content[place + 7 : place + 9]), int.from_bytes(content[place + 5 : place + 7])
        else:
            place += 2 + int.from_bytes(content[place + 2 : place + 4])
    return 0, 0
