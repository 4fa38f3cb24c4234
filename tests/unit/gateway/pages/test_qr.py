"""A QR code contains its link, on a page and at a terminal."""

from __future__ import annotations

import re

import segno

from faristol.client.links import qr_code, sign_in_link
from faristol.gateway.pages.qr import qr

LINK = sign_in_link("https://results.example/", "fd3jaglxdfga7jgtq6jbakruds2jj5ld7d5i4zsbeviztn4uidzq")


def test_a_link_has_its_code_in_the_fragment() -> None:
    assert LINK == "https://results.example/sign-in#fd3jaglxdfga7jgtq6jbakruds2jj5ld7d5i4zsbeviztn4uidzq"


def test_the_picture_of_a_page_has_the_squares_of_the_link_and_no_style() -> None:
    drawn = str(qr(LINK))
    assert "style" not in drawn
    squares = [list(row) for row in segno.make_qr(LINK, error="m").matrix_iter(border=4)]
    side = len(squares)
    assert f'viewBox="0 0 {side} {side}"' in drawn
    read = [[0] * side for _ in range(side)]
    (path,) = re.findall(r'stroke="#000"[^>]* d="([^"]+)"|d="([^"]+)"[^>]* stroke="#000"', drawn)
    x, y = 0.0, 0.0
    for kind, numbers in re.findall(r"([Mmh])([-\d. ]+)", "".join(path)):
        values = [float(number) for number in numbers.split()]
        if kind == "h":
            for at in range(int(x), int(x + values[0])):
                read[int(y)][at] = 1
            x += values[0]
        else:
            x, y = (values[0], values[1]) if kind == "M" else (x + values[0], y + values[1])
    assert read == squares


def test_a_terminal_shows_the_squares_of_the_link_in_half_blocks() -> None:
    squares = [list(row) for row in segno.make_qr(LINK, error="l").matrix_iter(border=2)]
    lines = qr_code(LINK).split("\n")
    light = [[" ▄▀█".index(sign) for sign in line] for line in lines]
    upper_and_lower = [[[sign >> 1 for sign in row], [sign & 1 for sign in row]] for row in light]
    read = [[1 - shown for shown in row] for pair in upper_and_lower for row in pair]
    assert read[: len(squares)] == squares
