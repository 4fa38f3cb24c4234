"""Screens and pictures: how events change them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.storage.rows import StoredPart, StoredPicture, StoredScreen, Tournament


def set_screen(tournament: Tournament, event: pairing.ScreenSet, position: int) -> None:
    """Add a screen, or change it in place."""
    programme = [[*StoredPart(part.content, part.hall, part.table, part.digest)] for part in event.programme]
    changed = StoredScreen(event.code, event.name, programme, event.seconds, position)
    known = {screen.code: screen for screen in tournament.screens}
    tournament.screens = tuple({**known, event.code: changed}.values())


def remove_screen(tournament: Tournament, event: pairing.ScreenRemoved, position: int) -> None:
    """Remove a screen."""
    tournament.screens = tuple(screen for screen in tournament.screens if screen.code != event.code)


def add_picture(tournament: Tournament, event: pairing.PictureAdded, position: int) -> None:
    """Add a picture."""
    tournament.pictures += (StoredPicture(event.digest, event.name),)


def remove_picture(tournament: Tournament, event: pairing.PictureRemoved, position: int) -> None:
    """Remove a picture."""
    tournament.pictures = tuple(picture for picture in tournament.pictures if picture.digest != event.digest)


SCREEN_HANDLERS: Mapping[type[Message], Any] = {
    pairing.ScreenSet: set_screen,
    pairing.ScreenRemoved: remove_screen,
    pairing.PictureAdded: add_picture,
    pairing.PictureRemoved: remove_picture,
}
"""The effect of an event with its position on the screens and pictures of a tournament."""
