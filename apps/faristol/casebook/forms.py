"""The notation of cases for commands and events: plays, tiles, words, times, and plain fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from io import BytesIO
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from PIL import Image

from faristol.casebook.document import CaseError, Value
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.kernel.refusal import fill as fill_places
from faristol.kernel.spellings import kebab, name_of, names_of
from faristol.kernel.times import NANOSECONDS_PER_MS, instant, timestamp
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.rules import Board, Direction, Notation, Placement, Square, Start, Tile, lay, read_tiles
from faristol.rules.tiles import BLANK, TileSet
from faristol.typed_input.fields import format_duration

START_NS = 1_704_535_200 * 1_000_000_000
"""The start of every case, 2024-01-06 10:00 UTC, in nanoseconds since 1970."""

CONTENT = "content"
"""The key of a case for the content of a picture."""

TEXTS = frozenset({"programme", "things"})
"""Repeated fields of texts: blanks are part of an item. Those of other fields separate tiles."""

SQUARE = "square"
"""The key of a case for ``row`` and ``column``."""


def moment(at_ms: int) -> Timestamp:
    """Return a time of a case in the form of commands and events."""
    return timestamp(START_NS + at_ms * NANOSECONDS_PER_MS)


def since_start(at: Timestamp) -> int:
    """Return the milliseconds since the start of a case."""
    return (instant(at) - START_NS) // NANOSECONDS_PER_MS


def play_of(value: Value, board: Board, tile_set: TileSet | None = None) -> tuple[Placement, ...]:
    """Parse a play: ``H8 C A S (A)``, or the tiles with their squares if they do not form a line.

    With a ``tile_set``, look-alikes stand for its tiles.
    """
    try:
        if value.is_mapping:
            return tuple(
                Placement(Notation.FISC.read(square).square, _tiles(tile.text(), tile_set)[0])
                for square, tile in value.keys().items()
            )
        return _parse_play(value, board, tile_set)
    except CaseError:
        raise
    except ValueError as error:
        raise value.wrong(str(error)) from error


def _parse_play(value: Value, board: Board, tile_set: TileSet | None) -> tuple[Placement, ...]:
    start, _, word = value.text().partition(" ")
    if not word:
        raise value.wrong(
            N_("expected a square and tiles such as `H8 C A S A`, got {text}"), {"text": repr(value.text())}
        )
    try:
        begins, word = Notation.FISC.read_first(value.text())
    except ValueError as error:
        raise value.wrong(
            N_("{text} is not a start of a word: expected a square such as H8 (across) or 8H (down)"),
            {"text": repr(start)},
        ) from error
    try:
        return lay(board, begins, _tiles(word, tile_set))
    except ValueError as error:
        raise value.wrong(
            N_("{word} does not fit at {start}: another tile lies on one of its squares"),
            {"word": word, "start": start},
        ) from error


def _tiles(text: str, tile_set: TileSet | None) -> tuple[Tile, ...]:
    """Parse tiles separated by spaces; with a set, other spellings are normalized to its faces."""
    if tile_set is None:
        return read_tiles(text)
    return tuple(
        Tile(tile_set.face(tile.face) or tile.face, tile.blank) for tile in read_tiles(tile_set.normalize(text))
    )


def board_of(table: game_pb2.GetGameResponse) -> Board:
    """Return the tiles on the board of a table."""
    return Board().place(Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in table.board)


def fill(message: Message, fields: Mapping[str, Value], board: Board, tile_set: TileSet | None = None) -> None:
    """Set the named fields, with hyphens for underscores. Raises ``CaseError`` for an unknown one."""
    known = message.DESCRIPTOR.fields_by_name
    for name, value in by_square(message, fields).items():
        field = known.get(name.replace("-", "_"))
        if field is None:
            raise value.no_such(f"field of {message.DESCRIPTOR.name}", name, map(kebab, known))
        _set(message, field, value, board, tile_set)


def start_of(value: Value) -> Start:
    """Parse a square and the direction of a word from it: ``H8`` across, ``8H`` down. Raises ``CaseError``."""
    try:
        return Notation.FISC.read(value.text())
    except ValueError as error:
        raise value.wrong(N_("expected a square such as H8, got {text}"), {"text": repr(value.text())}) from error


def by_square(message: Message, fields: Mapping[str, Value]) -> dict[str, Value]:
    """Return the fields with ``square: H8`` replaced by ``row`` and ``column``, if a message has those.

    In a message with ``across``, that is set too: ``H8`` across, ``8H`` down.
    """
    known = message.DESCRIPTOR.fields_by_name
    found = dict(fields)
    if SQUARE in fields and SQUARE not in known and {"row", "column"} <= set(known):
        value = found.pop(SQUARE)
        start = start_of(value)
        found |= {"row": value.saying(str(start.square.row)), "column": value.saying(str(start.square.col))}
        if "across" in known:
            found["across"] = value.saying("yes" if start.direction is Direction.ACROSS else "no")
    return found


def _set(message: Message, field: Any, value: Value, board: Board, tile_set: TileSet | None) -> None:
    if not field.is_repeated:
        if field.message_type is None:
            setattr(message, field.name, _scalar(field, value))
        else:
            _write(getattr(message, field.name), value, board, tile_set)
            getattr(message, field.name).SetInParent()
        return
    target: Any = getattr(message, field.name)
    if field.message_type is events_pb2.Placement.DESCRIPTOR:
        target.extend(placements(play_of(value, board, tile_set)))
    elif field.message_type is not None:
        for item in _separate(value):
            _write(target.add(), item, board, tile_set)
    elif field.name.endswith("_ids"):
        target.extend(name for item in value.items() for name in re.split(r"\s*(?:,|\s–\s)\s*", item.text()) if name)
    elif field.name in TEXTS:
        target.extend(item.text() for item in value.items())
    elif field.type == FieldDescriptor.TYPE_STRING:
        target.extend(face for item in value.items() for face in item.text().replace(",", " ").split())
    else:
        parts = (item.saying(part) for item in value.items() for part in item.text().replace(",", " ").split())
        target.extend(_scalar(field, part) for part in parts)


def placements(play: Iterable[Placement]) -> list[events_pb2.Placement]:
    """Convert the tiles of a play for commands."""
    return [
        events_pb2.Placement(
            row=square.row,
            column=square.col,
            face="" if tile.face == BLANK else tile.face,  # a blank without a stated letter
            blank=tile.blank or tile.face == BLANK,
        )
        for square, tile in play
    ]


def _separate(value: Value) -> list[Value]:
    """Return the items of a list, or of a text with commas between them."""
    return [
        item if not item.is_text else item.saying(part)
        for item in value.items()
        for part in (item.text().split(",") if item.is_text else ("",))
    ]


def _write(message: Message, value: Value, board: Board, tile_set: TileSet | None) -> None:
    if isinstance(message, Timestamp):
        message.CopyFrom(moment(value.milliseconds()))
    elif value.is_text and message.DESCRIPTOR.fields[0].name == "faces":
        message.faces.extend(value.text().split())  # type: ignore[attr-defined]
    else:
        fill(message, value.keys(), board, tile_set)


def _scalar(field: Any, value: Value) -> Any:
    if field.enum_type is not None:
        names = names_of(field.enum_type)
        if value.text() not in names:
            raise value.no_such(kebab(field.enum_type.name), value.text(), names)
        return names[value.text()]
    if field.type == FieldDescriptor.TYPE_BOOL:
        return value.truth()
    if field.type == FieldDescriptor.TYPE_STRING:
        return value.text()
    if field.type == FieldDescriptor.TYPE_BYTES and field.name == CONTENT:
        return content_of(value.text())
    if field.type == FieldDescriptor.TYPE_BYTES:
        raise value.wrong(f"{kebab(field.name)} is bytes, which no case writes")
    if ":" in value.text():
        return value.milliseconds() // (1 if field.name.endswith("_ms") else 1000)
    return value.number()


def by_name(problem: Exception, called: Callable[[str], str]) -> str:
    """Return the text of a failed command, with names for ids."""

    def name(param: Param) -> Param:
        return ", ".join(map(called, param.split(", "))) if isinstance(param, str) else param

    def say(text: str, params: Mapping[str, Param]) -> str:
        return fill_places(text, {key: name(param) for key, param in params.items()})

    match problem:
        case Refusal():
            return say(problem.message, problem.params)
        case NotFound() | AlreadyExists():
            return type(problem)(problem.kind, called(problem.wanted)).format_message(fill_places)  # type: ignore[arg-type]
        case Invalid():
            return problem.format_message(say)
    return str(problem)


def is_id(key: str) -> bool:
    """Check whether a field or key holds ids of players, teams, officials or games."""
    return key.replace("-", "_").endswith(("_id", "_ids", "_by"))


def format_message(message: Message, called: Callable[[str], str] = str, named: Collection[str] = ()) -> str:
    """Format a message in one line, as a case writes its fields.

    ``called`` returns the name for an id. Fields in ``named`` are written even with the default value.
    """
    return ", ".join(_fields(message, called, named)) or "nothing"


def _fields(message: Any, called: Callable[[str], str], named: Collection[str] = ()) -> Iterator[str]:
    known = message.DESCRIPTOR.fields_by_name
    on_board = {"row", "column"} <= set(known) and SQUARE not in known
    if on_board and not {"row", "column"}.isdisjoint({*named, *(field.name for field, _ in message.ListFields())}):
        direction = None
        if "across" in known:
            direction = Direction.ACROSS if message.across else Direction.DOWN
        yield f"{SQUARE}: {_square(Square(message.row, message.column), direction)}"
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_BYTES or (on_board and field.name in ("row", "column", "across")):
            continue
        value = getattr(message, field.name)
        written = bool(value) if field.is_repeated else message.HasField(field.name) if field.has_presence else value
        if written or field.name in named:
            yield f"{kebab(field.name)}: {_format_field(field, value, called)}"


def _square(square: Square, direction: Direction | None) -> str:
    """Format a square as cases do, or as its numbers if it is not on the board."""
    return Notation.FISC.write(Start(square, direction)) if direction and square.on_board else str(square)


def _format_field(field: Any, value: Any, called: Callable[[str], str]) -> str:
    if not field.is_repeated:
        return _one(field, value, called)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        inner = field.message_type.fields_by_name["value"]
        return "{" + ", ".join(f"{called(str(key))}: {_one(inner, value[key], called)}" for key in value) + "}"
    of_tiles = field.type == FieldDescriptor.TYPE_STRING and not is_id(field.name) and field.name not in TEXTS
    return (" " if of_tiles else ", ").join(_one(field, item, called) for item in value).join("" if of_tiles else "[]")


def _one(field: Any, value: Any, called: Callable[[str], str]) -> str:
    if isinstance(value, Timestamp):
        return format_duration(since_start(value))
    if isinstance(value, events_pb2.Word):
        return " ".join(value.faces)
    if field.message_type is not None:
        return "{" + ", ".join(_fields(value, called)) + "}"
    if field.enum_type is not None:
        return name_of(field.enum_type, value) or str(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return format_duration(value) if field.name.endswith("_ms") and value >= 0 else str(value)
    return (called(value) if is_id(field.name) else str(value)) or '""'


_SIZE = re.compile(r"(\d{1,4}) × (\d{1,4})")


def content_of(text: str) -> bytes:
    """Return a PNG file of a size in pixels, written as ``640 × 480``; any other text is a file with this text."""
    size = _SIZE.fullmatch(text)
    return text.encode() if size is None else _write_png(*map(int, size.groups()))


def _write_png(width: int, height: int) -> bytes:
    """Return a black picture, as a file with one bit for each pixel."""
    file = BytesIO()
    Image.new("1", (width, height)).save(file, "PNG")
    return file.getvalue()
