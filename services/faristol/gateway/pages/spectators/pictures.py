"""Picture of a game's board for link previews, cached by content."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.ruleset_lookup import tile_values
from faristol.presentation.unplayed_results import format_score
from faristol.rules.board import BOARD_SIZE, CENTRE, PREMIUMS, Premium, Square
from faristol.text import SOURCE

WIDTH, HEIGHT = 1200, 630
"""Size of a preview in pixels, as sites expect it."""

SQUARE_PX = 40
"""Pixels of a square including its border."""

PICTURE_CACHE_SIZE = 200
"""Limit of cached pictures, about 25 kB each."""

_PAPER, _INK, _MUTED, _FREE = "#faf7f0", "#23201a", "#6b6456", "#ece5d3"
_TILE, _EDGE, _TILE_INK, _BLANK = "#f3e2b8", "#c3a468", "#2b2416", "#96392e"
_COLOURS: Mapping[Premium, str] = {
    Premium.TRIPLE_WORD: "#b4483b",
    Premium.DOUBLE_WORD: "#e9b3a6",
    Premium.TRIPLE_LETTER: "#2d6f8f",
    Premium.DOUBLE_LETTER: "#b3d5e0",
    Premium.NONE: _FREE,
}


class DrawnTile(NamedTuple):
    """Tile on the board."""

    row: int
    column: int
    face: str
    blank: bool
    value: int


class PictureContent(NamedTuple):
    """Content of a picture."""

    title: str
    beside: str
    players: tuple[tuple[str, str], ...]
    """Names and scores as text; the name of an erased player is empty."""
    tiles: tuple[DrawnTile, ...]


def build_drawing(game: pb.GetGameResponse, beside: str) -> PictureContent:
    """Return the content of a game's picture, with the text ``beside`` below its title."""
    values = tile_values(game.ruleset)
    return PictureContent(
        game.tournament_name,
        beside,
        tuple((seat.name, format_score(game, seat, SOURCE)) for seat in game.seats),
        tuple(
            DrawnTile(tile.row, tile.column, tile.face, tile.blank, 0 if tile.blank else values.get(tile.face, 0))
            for tile in sorted(game.board, key=lambda tile: (tile.row, tile.column))
        ),
    )


@lru_cache(PICTURE_CACHE_SIZE)
def picture(shown: PictureContent) -> bytes:
    """Draw the picture as PNG."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(image)
    top = (HEIGHT - BOARD_SIZE * SQUARE_PX) // 2
    _draw_board(pen, shown.tiles, top, top)
    _draw_names(pen, shown, BOARD_SIZE * SQUARE_PX + 2 * top + 25)
    held = BytesIO()
    image.quantize(64).save(held, "PNG", optimize=True)
    return held.getvalue()


def _draw_board(pen: ImageDraw.ImageDraw, tiles: Sequence[DrawnTile], left: int, top: int) -> None:
    laid = {(tile.row, tile.column): tile for tile in tiles}
    for row in range(BOARD_SIZE):
        for column in range(BOARD_SIZE):
            x, y = left + column * SQUARE_PX, top + row * SQUARE_PX
            box = (x, y, x + SQUARE_PX - 2, y + SQUARE_PX - 2)
            if tile := laid.get((row, column)):
                _draw_tile(pen, tile, box)
                continue
            square = Square(row, column)
            pen.rounded_rectangle(box, 3, fill=_COLOURS[PREMIUMS[square]])
            if square == CENTRE:
                pen.text((x + 19, y + 18), "★", fill=_BLANK, font=_font(24), anchor="mm")


def _draw_tile(pen: ImageDraw.ImageDraw, tile: DrawnTile, box: tuple[int, int, int, int]) -> None:
    pen.rounded_rectangle(box, 4, fill=_EDGE)
    pen.rounded_rectangle((box[0], box[1], box[2], box[3] - 3), 4, fill=_TILE)
    size = 25 if len(tile.face) == 1 else 17
    ink = _BLANK if tile.blank else _TILE_INK
    pen.text((box[0] + 17, box[1] + 17), tile.face, fill=ink, font=_font(size), anchor="mm")
    if tile.value:
        pen.text((box[2] - 3, box[3] - 3), str(tile.value), fill=ink, font=_font(10), anchor="rs")


def _draw_names(pen: ImageDraw.ImageDraw, shown: PictureContent, left: int) -> None:
    width = WIDTH - left - 30
    pen.text((left, 30), _fitting(shown.title, 30, width), fill=_INK, font=_font(30))
    pen.text((left, 75), _fitting(shown.beside, 22, width), fill=_MUTED, font=_font(22))
    room = (HEIGHT - 190) // max(len(shown.players), 1)
    size = min(96, room // 2)
    for place, (name, score) in enumerate(shown.players):
        y = 150 + place * room
        pen.line((left, y, WIDTH - 30, y), fill=_EDGE, width=3)
        pen.text((left, y + 14), _fitting(name or "–", 32, width), fill=_INK, font=_font(32))
        pen.text((left, y + 58), score, fill=_BLANK, font=_font(size))


def _fitting(text: str, size: int, width: int) -> str:
    """Shorten a text to a width in pixels."""
    font = _font(size)
    if font.getlength(text) <= width:
        return text
    ends = range(1, len(text) + 1)
    fits = bisect_right(ends, float(width), key=lambda end: font.getlength(f"{text[:end].rstrip()}…"))
    return f"{text[:fits].rstrip()}…"


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font of the board, Latin and Greek, in a size in pixels."""
    content = (resources.files("faristol.gateway") / "fonts" / "board.ttf").read_bytes()
    return ImageFont.truetype(BytesIO(content), size)
