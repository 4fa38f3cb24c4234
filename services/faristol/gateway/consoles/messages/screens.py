"""Page of the director's console with the screens of a tournament and their pictures."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.gateway.consoles.director.page import DirectorPage, DirectorPageDep, page_of_forms
from faristol.gateway.consoles.forms import Given
from faristol.gateway.http.forms import file_of
from faristol.kernel.screens import MAX_PICTURE_BYTES, format_screen_code
from faristol.kernel.spellings import labels_of, name_of
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb

PAGE = "screens"
PROGRAMME = "programme."
"""Prefix of the fields with the parts of a programme."""

PICTURE_ROOM_BYTES = 1_000
"""Bytes beyond the limit of a picture that are read, so that the service can name the limit."""


def _in_places(given: Given) -> Given:
    """Return a form with the parts of a programme in the order of the numbers beside them.

    A part without a valid number stays at the place that it has on the page.
    """
    ticked = [key for key in given if key.startswith(PROGRAMME)]
    shown = {key: number for number, key in enumerate(sorted(ticked, key=_number_of), 1)}

    def place(key: str) -> tuple[int, int]:
        text = given.get(f"place.{key.removeprefix(PROGRAMME)}", "").strip()
        return int(text) if text.isascii() and text.isdecimal() else _number_of(key), shown[key]

    others = {key: value for key, value in given.items() if key not in shown}
    return others | {f"{PROGRAMME}{number}": given[key] for number, key in enumerate(sorted(ticked, key=place), 1)}


def _number_of(key: str) -> int:
    text = key.removeprefix(PROGRAMME)
    return int(text[:9]) if text.isascii() and text.isdecimal() else 0


def list_in_order(choices: Sequence[tuple[str, str, str]], chosen: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the parts of a programme in its order, and the others below them."""
    places = {value: number for number, value in enumerate(chosen)}
    return sorted(choices, key=lambda choice: places.get(choice[0], len(places)))


def spell_part(part: events.ScreenPart, pictures: Mapping[str, str]) -> str:
    """Return a part of a programme as it is written in the form."""
    name = name_of(events.ScreenContent.DESCRIPTOR, part.content)
    value = part.hall or pictures.get(part.digest, part.digest) or (str(part.table) if part.table else "")
    return f"{name}:{value}" if value else name


def list_choices(halls: Sequence[str], pictures: Sequence[str], tables: Sequence[int]) -> list[tuple[str, str, str]]:
    """Return the parts that a programme may have: as written, the English label, and the object."""
    labels = labels_of(events.ScreenContent.DESCRIPTOR)
    found = [("seats", labels[events.SCREEN_CONTENT_SEATS], "")]
    found += [(f"seats:{hall}", labels[events.SCREEN_CONTENT_SEATS], hall) for hall in halls]
    found += [
        (name_of(events.ScreenContent.DESCRIPTOR, content), labels[content], "")
        for content in (
            events.SCREEN_CONTENT_STANDINGS,
            events.SCREEN_CONTENT_COUNTDOWN,
            events.SCREEN_CONTENT_MESSAGES,
        )
    ]
    found += [(f"game:{table}", labels[events.SCREEN_CONTENT_GAME], str(table)) for table in tables]
    return found + [(f"picture:{name}", labels[events.SCREEN_CONTENT_PICTURE], name) for name in pictures]


async def _show(console: DirectorPage) -> Response:
    asked = pb.ListScreensRequest(tournament_id=console.tournament_id, min_position=console.done)
    listed = await console.calls.ask(asked)
    pictures = {picture.digest: picture.name for picture in listed.pictures}
    tables = sorted(seat.table for seat in console.last.pairings)[:3] if console.last else []
    shown = {part.table for screen in listed.screens for part in screen.programme if part.table}
    return await console.show(
        "director/screens.html",
        PAGE,
        screens=listed.screens,
        pictures=listed.pictures,
        free=[format_screen_code(code) for code in listed.free_codes],
        coded=format_screen_code,
        written={screen.code: [spell_part(part, pictures) for part in screen.programme] for screen in listed.screens},
        choices=list_choices(
            [hall.name for hall in console.tournament.halls], list(pictures.values()), sorted({*tables, *shown})
        ),
        in_order=list_in_order,
        contents=labels_of(events.ScreenContent.DESCRIPTOR),
        now_ms=console.now_ms,
    )


routes = page_of_forms(PAGE, _show, _in_places)


@routes.post("/tournaments/{tournament_id}/console/screens/picture")
async def add_picture(
    request: Request, console: DirectorPageDep, name: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Add the picture in the body. A script of the page sends it; the answer has the address of the page, or errors."""
    content = await file_of(request, MAX_PICTURE_BYTES + PICTURE_ROOM_BYTES)
    command = pairing.AddPictureRequest(
        command_id=str(uuid.uuid4()), tournament_id=console.tournament_id, name=name, content=content
    )
    answer = await console.ask(command, {"content": "", "name": name})
    if answer is None:
        return JSONResponse({"problem": console.refused or " ".join(console.errors.values())}, 409)
    return JSONResponse({"next": f"{console.address}/{PAGE}?done={answer.position}"})
