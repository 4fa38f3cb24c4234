"""Screens, their programmes and pictures. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.names import check_name, tidy
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.screens import (
    MAX_PICTURE_BYTES,
    MAX_PICTURE_PX,
    check_screen_code,
    size_of_picture,
)
from faristol.kernel.spellings import names_of
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_hall, check_not_removed
from faristol.tournament.rounds.tables import most_tables
from faristol.tournament.situation import PairingCommand, Situation, Undo, latest_about
from faristol.tournament.state import TournamentState

MAX_SCREENS_COUNT = 50
"""Limit of the screens of a tournament."""

MAX_PICTURES_COUNT = 30
"""Limit of the pictures of a tournament."""

MAX_PARTS_COUNT = 30
"""Limit of the parts of a programme."""

DEFAULT_PAGE_SECONDS = 9
"""Seconds for each page of a part by default."""

MIN_PAGE_SECONDS, MAX_PAGE_SECONDS = 3, 600
"""Limits of the seconds for each page of a part."""


_CONTENTS = {name: number for name, number in names_of(events.ScreenContent.DESCRIPTOR).items() if number}
PARTS_EXPECTED = "seats, seats:HALL, standings, countdown, messages, game:TABLE, picture:NAME"
_PART_EXPECTED = N_("{given} is not a part of a programme; expected {expected}")


def set_screen(situation: Situation, request: pb.SetScreenRequest) -> list[Message]:
    """Name a screen and set its programme.

    Raises ``Invalid`` for a code that no screen has, and for a malformed part. Raises ``Refusal`` for an unknown hall
    or picture, a name of another screen, or too many screens.
    """
    state = situation.state
    check_not_removed(state)
    code, name = check_screen_code("code", request.code), check_name("name", request.name)
    others = {known: screen for known, screen in state.screens.items() if known != code}
    if name in others.values():
        raise Refusal("SCREEN_NAME_TAKEN", N_("Another screen is already named {name}."), {"name": name})
    if len(others) >= MAX_SCREENS_COUNT:
        raise Refusal("TOO_MANY_SCREENS", N_("There are already {most} screens."), {"most": MAX_SCREENS_COUNT})
    seconds = request.seconds or DEFAULT_PAGE_SECONDS
    check_range("seconds", seconds, MIN_PAGE_SECONDS, MAX_PAGE_SECONDS)
    given = [part for part in map(tidy, request.programme) if part] or ("seats", "standings")
    if len(given) > MAX_PARTS_COUNT:
        raise Invalid("programme", N_("expected {most} at most"), {"most": MAX_PARTS_COUNT})
    programme = [_part(situation, part) for part in given]
    return [situation.event(events.ScreenSet, code=code, name=name, programme=programme, seconds=seconds)]


def _part(situation: Situation, given: str) -> events.ScreenPart:
    """Parse a part of a programme. Raises ``Invalid`` or ``Refusal``."""
    state = situation.state
    word, _, value = (part.strip() for part in given.partition(":"))
    content = events.ScreenContent.ValueType(_CONTENTS.get(word.lower(), 0))
    wrong = Invalid("programme", _PART_EXPECTED, {"given": repr(given[:60]), "expected": PARTS_EXPECTED})
    part = events.ScreenPart(content=content)
    match content:
        case events.SCREEN_CONTENT_SEATS:
            check_hall(state, value)
            part.hall = value
        case events.SCREEN_CONTENT_GAME:
            if not (value.isascii() and value.isdigit() and 1 <= int(value[:6]) <= most_tables(situation.ruleset)):
                raise wrong
            part.table = int(value)
        case events.SCREEN_CONTENT_PICTURE:
            part.digest = _find_picture(state, value)
        case events.SCREEN_CONTENT_UNSPECIFIED:
            raise wrong
        case _:
            if value:
                raise wrong
    return part


def _find_picture(state: TournamentState, wanted: str) -> str:
    """Return the digest of a picture by its digest or name. Raises ``Refusal``."""
    for digest, name in state.pictures.items():
        if wanted and wanted in (digest, name):
            return digest
    known = ", ".join(state.pictures.values()) or "–"
    params = {"picture": wanted[:100], "pictures": known}
    raise Refusal("NO_SUCH_PICTURE", N_("There is no picture {picture}; there are: {pictures}."), params)


def remove_screen(situation: Situation, request: pb.RemoveScreenRequest) -> list[Message]:
    """Remove a screen, by its code or name. Raises ``Refusal`` if there is no such screen."""
    state = situation.state
    check_not_removed(state)
    wanted = tidy(request.code)
    code = next((code for code, name in state.screens.items() if name == wanted), "")
    code = code or check_screen_code("code", request.code)
    if code not in state.screens:
        raise Refusal("NO_SUCH_SCREEN", N_("The tournament has no screen {code}."), {"code": code})
    return [situation.event(events.ScreenRemoved, code=code)]


def add_picture(situation: Situation, request: pb.AddPictureRequest) -> list[Message]:
    """Add a picture for screens.

    Raises ``Invalid`` for another type of file, or one that is too large. Raises ``Refusal`` for a picture or name that
    the tournament already has.
    """
    state = situation.state
    check_not_removed(state)
    name = check_name("name", request.name)
    content = request.content
    if len(content) > MAX_PICTURE_BYTES:
        params = {"size": len(content) // 1_000, "most": MAX_PICTURE_BYTES // 1_000}
        raise Invalid("content", N_("has {size} kB; expected {most} kB at most"), params)
    width, height = size_of_picture(content)
    if not width or not height:
        raise Invalid("content", N_("is not a picture; expected PNG, JPEG or WebP"))
    if max(width, height) > MAX_PICTURE_PX:
        params = {"width": width, "height": height, "most": MAX_PICTURE_PX}
        raise Invalid("content", N_("has {width} × {height} pixels; expected {most} at most"), params)
    digest = hashlib.sha256(content).hexdigest()
    if digest in state.pictures or name in state.pictures.values():
        text = N_("The tournament already has this picture, or one named {name}.")
        raise Refusal("PICTURE_KNOWN", text, {"name": name})
    if len(state.pictures) >= MAX_PICTURES_COUNT:
        raise Refusal("TOO_MANY_PICTURES", N_("There are already {most} pictures."), {"most": MAX_PICTURES_COUNT})
    return [situation.event(events.PictureAdded, digest=digest, name=name)]


def remove_picture(situation: Situation, request: pb.RemovePictureRequest) -> list[Message]:
    """Remove a picture that no screen shows, by its digest or name. Raises ``Refusal``."""
    state = situation.state
    check_not_removed(state)
    digest = _find_picture(state, tidy(request.digest))
    if digest in state.shown_pictures:
        raise Refusal(
            "PICTURE_SHOWN",
            N_("A screen shows the picture {name}: change its programme first."),
            {"name": state.pictures[digest]},
        )
    return [situation.event(events.PictureRemoved, digest=digest)]


def store_picture(request: pb.AddPictureRequest) -> tuple[str, Message]:
    """Return the stream and the event with the content of a picture."""
    digest = hashlib.sha256(request.content).hexdigest()
    return f"picture-{digest}", events.PictureStored(digest=digest, content=request.content)


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SetScreenRequest: PairingCommand(set_screen, tells=events.ScreenSet),
    pb.RemoveScreenRequest: PairingCommand(remove_screen),
    pb.AddPictureRequest: PairingCommand(add_picture, tells=events.PictureAdded, stores=store_picture),
    pb.RemovePictureRequest: PairingCommand(remove_picture),
}


def _spell(part: events.ScreenPart) -> str:
    """Return a part of a programme as it is written in a command."""
    name = next(name for name, number in _CONTENTS.items() if number == part.content)
    value = part.hall or part.digest or (str(part.table) if part.table else "")
    return f"{name}:{value}" if value else name


def _screen_before(act: events.ScreenSet | events.ScreenRemoved, before: Sequence[Message]) -> Message:
    """Build the command that restores the screen before an event."""
    earlier = latest_about(act, "code", (events.ScreenSet, events.ScreenRemoved), before)
    if isinstance(earlier, events.ScreenSet):
        programme = [_spell(part) for part in earlier.programme]
        return pb.SetScreenRequest(code=act.code, name=earlier.name, programme=programme, seconds=earlier.seconds)
    return pb.RemoveScreenRequest(code=act.code)


UNDO: Mapping[type[Message], Undo] = {
    events.ScreenSet: Undo(_screen_before, thing=("screen", "code")),
    events.ScreenRemoved: Undo(_screen_before, thing=("screen", "code")),
    events.PictureAdded: Undo(pb.RemovePictureRequest, thing=("picture", "digest")),
    events.PictureRemoved: Undo(thing=("picture", "digest")),
}
