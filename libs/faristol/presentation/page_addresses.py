"""Addresses of pages: the one place that defines the address of a tournament, a game, a season or a player.

Every page of a tournament is below ``/tournaments/ID``, every page of a game at a table below ``/games/ID``, those of a
season are below ``/seasons/ID``, and that of a player is ``/players/ID``. Pages of a duplicate game are below
``/duplicate/ID``, as in the JSON API: it has slips and a screen instead of a board with clocks. The short forms
``/t/ID`` and ``/g/ID`` are for typing by hand: the gateway redirects them permanently, and no page links to them.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

_SHORT_FORMS = {"t": "tournaments", "g": "games"}
"""First segment of an address, by its short form."""

ENCODED_CACHE_SIZE = 16_384
"""Encoded segments: a page of standings has some hundred links, to the players of a few tournaments."""

OWN_DAY_PATH = "/me"
"""Address of the page of a signed-in player's day."""

_SHORT_ROUND = "r"
_ROUND = "round"


def tournament_path(tournament_id: str, *segments: str | int) -> str:
    """Return the encoded path of a tournament's page, or of the page at ``segments`` below it."""
    return _join("/tournaments", tournament_id, segments)


def round_path(tournament_id: str, number: int) -> str:
    """Return the encoded path of a round's page: the pairings and results of round ``number``."""
    return tournament_path(tournament_id, _ROUND, number)


def game_path(game_id: str, *segments: str | int) -> str:
    """Return the encoded path of the page of a game at a table, or of the page at ``segments`` below it."""
    return _join("/games", game_id, segments)


def player_path(player_id: str) -> str:
    """Return the encoded path of a player's page."""
    return _join("/players", player_id, ())


def season_path(season_id: str, *segments: str) -> str:
    """Return the encoded path of a season's page, or of a circuit, or of a player in a circuit."""
    return _join("/seasons", season_id, segments)


def rating_list_path(number: int) -> str:
    """Return the path of the page of a numbered rating list."""
    return f"/ratings/{number}"


def federation_season_path(season_id: str) -> str:
    """Return the encoded path of the page on which the federation changes a season."""
    return _join("/federation/seasons", season_id, ())


def career_path(player_id: str, *segments: str) -> str:
    """Return the encoded path of the page of a player's career, or of the games against an opponent."""
    return _join("/players", player_id, ("career", *segments))


def duplicate_path(game_id: str, *segments: str | int) -> str:
    """Return the encoded path of a duplicate game's page, or of the page at ``segments`` below it."""
    return _join("/duplicate", game_id, segments)


def _join(root: str, id_: str, segments: tuple[str | int, ...]) -> str:
    return "/".join((root, encode_segment(id_), *(encode_segment(str(each)) for each in segments)))


@lru_cache(ENCODED_CACHE_SIZE)
def encode_segment(segment: str) -> str:
    """Encode an id as one segment of a path."""
    return quote(segment, safe="")


def expand_short_path(path: str) -> str:
    """Return the full form of a decoded path: ``/t/lliga/r/2`` is ``/tournaments/lliga/round/2``.

    A path without a short form is returned unchanged.
    """
    root, *rest = path.removeprefix("/").split("/")
    if root not in _SHORT_FORMS or not rest:
        return path
    if root == "t" and rest[1:2] == [_SHORT_ROUND]:
        rest[1] = _ROUND
    return "/".join(("", _SHORT_FORMS[root], *rest))
