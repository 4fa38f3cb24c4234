"""Pages that other sites may show in a frame, and their descriptions for programs that embed links (oEmbed)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from fastapi import Query

from faristol.presentation.page_addresses import expand_short_path, game_path, tournament_path
from faristol.text import LANGUAGES

EMBEDDABLE = re.compile(r"/games/[^/]+/embed|/tournaments/[^/]+/embed/(standings|pairings|screen)")
"""Paths of the pages that may be framed. Cookies do not change them, and clicks change no state."""

THEMES = ("light", "dark")
"""Themes that a frame can fix; with any other value the reader's system chooses."""

Theme = Annotated[str, Query(pattern="^(light|dark|auto)?$")]
"""Colour theme, as a parameter of an embeddable page, which reads it from the query."""


class _Kind(NamedTuple):
    """Page that has an embeddable form."""

    path: re.Pattern[str]
    """Path of the page with the group ``id`` and perhaps ``round``."""
    embed: str
    """Name of the embeddable page of a tournament; empty for a game."""
    width_px: int
    height_px: int
    query: tuple[str, ...] = ()
    """Parameters that are passed on to the embeddable page."""


_EMBED_KINDS = (
    _Kind(re.compile(r"/tournaments/(?P<id>[^/]+)(/embed/standings)?"), "standings", 600, 640, ("category",)),
    _Kind(re.compile(r"/tournaments/(?P<id>[^/]+)/round/(?P<round>[0-9]{1,5})"), "pairings", 600, 640),
    _Kind(re.compile(r"/tournaments/(?P<id>[^/]+)/embed/pairings"), "pairings", 600, 640, ("round",)),
    _Kind(re.compile(r"/tournaments/(?P<id>[^/]+)(/embed)?/screen"), "screen", 960, 540, ("hall",)),
    _Kind(re.compile(r"/games/(?P<id>[^/]+)(/(embed|replay))?"), "", 420, 560),
)


class Embed(NamedTuple):
    """Embeddable form of a page."""

    path: str
    """Encoded path with its query."""
    width_px: int
    height_px: int
    tournament_id: str
    """Id of the tournament; empty for a game."""
    game_id: str
    """Id of the game; empty for a page of a tournament."""


def is_embeddable(path: str) -> bool:
    """Check whether other sites may show the page at ``path`` in a frame."""
    return EMBEDDABLE.fullmatch(path) is not None


def theme_of(path: str, query: Mapping[str, str]) -> str:
    """Return the theme of an embeddable page, ``light`` or ``dark``; empty if the reader's system chooses."""
    theme = query.get("theme", "")
    return theme if is_embeddable(path) and theme in THEMES else ""


def embed_of(path: str, query: Mapping[str, str]) -> Embed | None:
    """Return the embeddable form of the page at an unquoted path; None if it has none."""
    for kind in _EMBED_KINDS:
        if not (found := kind.path.fullmatch(path)):
            continue
        groups = found.groupdict()
        asked = {name: query[name] for name in kind.query if query.get(name)}
        if groups.get("round"):
            asked["round"] = groups["round"]
        if query.get("theme") in THEMES:
            asked["theme"] = query["theme"]
        if query.get("lang") in LANGUAGES:
            asked["lang"] = query["lang"]
        of_tournament, of_game = (groups["id"], "") if kind.embed else ("", groups["id"])
        embed = tournament_path(of_tournament, "embed", kind.embed) if kind.embed else game_path(of_game, "embed")
        address = embed + (f"?{urlencode(asked)}" if asked else "")
        return Embed(address, kind.width_px, kind.height_px, of_tournament, of_game)
    return None


def embed_of_url(url: str, site: str) -> Embed | None:
    """Return the embeddable form of the page at a URL; None if it has none or is outside of ``site``.

    A short address has the form of its page.
    """
    try:
        given, own = urlsplit(url), urlsplit(site)
        is_own = given.scheme in ("http", "https") and given.netloc.lower() == own.netloc.lower()
        query = dict(parse_qsl(given.query))
    except ValueError:
        return None
    return embed_of(expand_short_path(unquote(given.path.rstrip("/"))), query) if is_own else None


def oembed_path(path: str, query: Mapping[str, str], site: str) -> str:
    """Return the path of the description of the page at ``path``, for its head; empty if it has none."""
    if embed_of(path, query) is None:
        return ""
    parameters = {name: query[name] for name in ("category", "hall", "lang", "round", "theme") if query.get(name)}
    url = site + quote(path) + (f"?{urlencode(parameters)}" if parameters else "")
    return "/oembed?" + urlencode({"url": url, "format": "json"})
