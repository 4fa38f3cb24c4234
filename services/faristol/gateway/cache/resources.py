"""Cached public resources: their addresses, and the notifications that invalidate them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from faristol.kernel import event_types
from faristol.kernel.topics import OF_DIVISIONS, place_of_duplicate
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.results.v1 import results_pb2 as pb


class PageContent(Enum):
    """Content of an address, which determines the relevant notifications."""

    TOURNAMENTS = auto()
    """All tournaments with their progress."""
    TOURNAMENT = auto()
    """Part of a tournament without scores of running games."""
    SCORES = auto()
    """Part of a tournament with scores of running games; of one round if the address names it."""
    GAME = auto()
    """Game."""
    DUPLICATES = auto()
    """Duplicate games of a tournament, with scored turns of running ones."""
    PLAYER = auto()
    """Player across tournaments, with scores of running duplicate games only; or the matches of a search."""


_API = "/api/v1/tournaments/{tournament_id}"

CACHED_ROUTES: Mapping[str, PageContent] = {
    "/": PageContent.TOURNAMENTS,
    "/tournaments/{tournament_id}": PageContent.DUPLICATES,
    "/tournaments/{tournament_id}/standings/{player_id}": PageContent.TOURNAMENT,
    "/tournaments/{tournament_id}/teams": PageContent.TOURNAMENT,
    "/tournaments/{tournament_id}/teams/{team_id}": PageContent.TOURNAMENT,
    "/tournaments/{tournament_id}/crosstable": PageContent.SCORES,
    "/tournaments/{tournament_id}/prospects": PageContent.TOURNAMENT,
    "/tournaments/{tournament_id}/prizes": PageContent.SCORES,
    "/tournaments/{tournament_id}/round/{number}": PageContent.SCORES,
    "/tournaments/{tournament_id}/players": PageContent.TOURNAMENT,
    "/tournaments/{tournament_id}/rulings": PageContent.TOURNAMENT,
    "/tournaments/{tournament_id}/files": PageContent.TOURNAMENT,
    "/games/{game_id}": PageContent.GAME,
    "/games/{game_id}/replay": PageContent.GAME,
    "/games/{game_id}/embed": PageContent.GAME,
    "/games/{game_id}/overlay": PageContent.GAME,
    "/games/{game_id}/board.png": PageContent.GAME,
    "/tournaments/{tournament_id}/feed.atom": PageContent.TOURNAMENT,
    "/tournaments/{tournament_id}/rounds.ics": PageContent.TOURNAMENT,
    "/api/v1/games/{game_id}/racks": PageContent.GAME,
    "/tournaments/{tournament_id}/embed/standings": PageContent.DUPLICATES,
    "/tournaments/{tournament_id}/embed/pairings": PageContent.SCORES,
    "/tournaments/{tournament_id}/embed/screen": PageContent.DUPLICATES,
    "/players/{player_id}": PageContent.PLAYER,
    "/search": PageContent.PLAYER,
    "/tournaments/{tournament_id}/find": PageContent.DUPLICATES,
    "/tournaments/{tournament_id}/screen": PageContent.DUPLICATES,
    "/api/v1/players": PageContent.PLAYER,
    "/api/v1/players/{player_id}": PageContent.PLAYER,
    "/api/v1/tournaments": PageContent.TOURNAMENTS,
    _API: PageContent.TOURNAMENT,
    f"{_API}/messages": PageContent.TOURNAMENT,
    f"{_API}/standings": PageContent.TOURNAMENT,
    f"{_API}/standings.csv": PageContent.TOURNAMENT,
    f"{_API}/teams": PageContent.TOURNAMENT,
    f"{_API}/teams.csv": PageContent.TOURNAMENT,
    f"{_API}/team-standings": PageContent.TOURNAMENT,
    f"{_API}/team-standings.csv": PageContent.TOURNAMENT,
    f"{_API}/prospects": PageContent.TOURNAMENT,
    f"{_API}/crosstable": PageContent.SCORES,
    f"{_API}/crosstable.csv": PageContent.SCORES,
    f"{_API}/rounds/{{number}}/pairings": PageContent.SCORES,
    f"{_API}/rounds/{{number}}/pairings.csv": PageContent.SCORES,
    f"{_API}/games": PageContent.SCORES,
    f"{_API}/prizes": PageContent.SCORES,
    f"{_API}/awards": PageContent.SCORES,
    f"{_API}/players": PageContent.TOURNAMENT,
    f"{_API}/rulings": PageContent.TOURNAMENT,
    f"{_API}/ratings": PageContent.TOURNAMENT,
    f"{_API}/ratings.csv": PageContent.TOURNAMENT,
    f"{_API}/report.trf": PageContent.SCORES,
    f"{_API}/tsh.zip": PageContent.SCORES,
    f"{_API}/results.tou": PageContent.SCORES,
    f"{_API}/crosstable.txt": PageContent.SCORES,
    "/duplicate/{game_id}": PageContent.GAME,
    "/duplicate/{game_id}/screen": PageContent.GAME,
    "/duplicate/{game_id}/players/{player_id}": PageContent.GAME,
    "/tournaments/{tournament_id}/duplicate": PageContent.DUPLICATES,
    f"{_API}/duplicate-standings": PageContent.DUPLICATES,
    "/api/v1/duplicate/{game_id}": PageContent.GAME,
    "/api/v1/duplicate/{game_id}/standings": PageContent.GAME,
    "/api/v1/duplicate/{game_id}/sheets": PageContent.GAME,
    "/api/v1/games/{game_id}": PageContent.GAME,
    "/api/v1/games/{game_id}.gcg": PageContent.GAME,
}
"""Content by route path. Other routes are not cached: streams, the status, seals, and private pages."""

_OF_A_TABLE = frozenset((options.CHANGE_SHEET, options.CHANGE_SCORE, options.CHANGE_INCIDENTS, options.CHANGE_CLOCKS))
_OF_NO_TOURNAMENT = _OF_A_TABLE | {
    options.CHANGE_WAITS,
    options.CHANGE_SCREENS,
    options.CHANGE_BROADCAST,
    options.CHANGE_DUPLICATE,
    options.CHANGE_UNSPECIFIED,
}


def _names(kinds: Iterable[event_types.Kind]) -> frozenset[str]:
    return frozenset(kind.DESCRIPTOR.name for kind in kinds)


OF_TOURNAMENT = _names(event_types.types_that_change(*{*options.Change.values()} - _OF_NO_TOURNAMENT))
"""Events that may change any part of a tournament except for the inside of a running game."""

OF_SCORES = _names(event_types.types_that_change(options.CHANGE_SCORE)) - OF_TOURNAMENT
"""Further events that change the scores of running games."""

OF_DUPLICATES = _names(event_types.types_that_change(options.CHANGE_DUPLICATE))
"""Further events that change the standings of duplicate games."""

OF_GAME = _names(event_types.types_that_change(*_OF_A_TABLE, options.CHANGE_RESULT))
"""Events that change a game, if they name none."""

OF_GROUPS = _names([duplicate_events.SlipCorrected])
"""Events that change standings after all groups have played, which the other groups share."""


Mark = tuple[str, str, int]
"""Subject of notifications: its kind, a tournament or a game, and a round or 0."""

_GAME, _TOURNAMENT, _SCORES, _DUPLICATES = "game", "tournament", "scores", "duplicates"
_GAMES: Mark = ("games", "", 0)
_GROUPS: Mark = ("groups", "", 0)
"""Any duplicate game: groups of several tournaments can share standings after all have played."""
_ALL_DUPLICATES: Mark = (_DUPLICATES, "", 0)
_ALL_TOURNAMENTS_MARK: Mark = ("tournaments", "", 0)
_DIVISIONS: Mark = ("divisions", "", 0)


def marks_of(news: pb.FollowResponse) -> list[Mark]:
    """Return the marks of a notification. Their number does not depend on the number of cached answers."""
    found: list[Mark] = []
    if news.game_id:
        found.append((_GAME, news.game_id, 0))
    elif news.type in OF_GAME:
        found.append(_GAMES)
    if news.type in OF_GROUPS:
        found.append(_GROUPS)
    if news.type in OF_DIVISIONS:
        found.append(_DIVISIONS)
    if news.type in OF_TOURNAMENT:
        found += [_ALL_TOURNAMENTS_MARK, (_TOURNAMENT, news.tournament_id, 0)]
    elif news.type in OF_SCORES:
        found += [(_SCORES, news.tournament_id, number) for number in {0, news.round}]
    elif news.type in OF_DUPLICATES:
        found += [(_DUPLICATES, news.tournament_id, 0), _ALL_DUPLICATES]
    return found


@dataclass(frozen=True, slots=True)
class Resource:
    """Public resource."""

    shows: PageContent
    tournament_id: str = ""
    """Tournament; empty for all of them, and for a game."""
    game_id: str = ""
    round: int = 0
    """Round; 0 for none."""

    def marks(self) -> tuple[Mark, ...]:
        """Return the marks whose notifications may change it, a subset of those of ``marks_of``."""
        if self.shows is PageContent.GAME:
            of_groups = (_GROUPS,) if place_of_duplicate(self.game_id)[0] else ()
            return _GAMES, (_GAME, self.game_id, 0), *of_groups
        of_tournament = (_TOURNAMENT, self.tournament_id, 0) if self.tournament_id else _ALL_TOURNAMENTS_MARK
        match self.shows:
            case PageContent.SCORES:
                more: tuple[Mark, ...] = ((_SCORES, self.tournament_id, self.round),)
            case PageContent.DUPLICATES:
                more = ((_DUPLICATES, self.tournament_id, 0),)
            case PageContent.PLAYER:
                more = (_ALL_DUPLICATES,)
            case _:
                more = ()
        return _DIVISIONS, of_tournament, *more


@dataclass(frozen=True, slots=True)
class Address:
    """Route and the parameters of its answer."""

    path: re.Pattern[str]
    shows: PageContent | None
    """Content; None if it is not cached."""
    known: frozenset[str]
    """Query parameters."""
    is_page: bool
    is_embeddable: bool = False
    """True if other sites may show it in a frame, without cookies."""

    def resource(self, found: Mapping[str, str]) -> Resource | None:
        """Return the resource of path parameters; None if it is not cached or the path is invalid."""
        number = found.get("number", "0")
        if self.shows is None or not (number.isascii() and number.isdigit() and len(number) < 6):
            return None
        return Resource(self.shows, found.get("tournament_id", ""), found.get("game_id", ""), int(number))
