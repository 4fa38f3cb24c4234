"""What is kept of what the public reads: which addresses, and after which news an answer may be another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from faristol.kernel import facts
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb


class Shows(Enum):
    """What an address shows, by which it is known what news concerns it."""

    TOURNAMENTS = auto()
    """All tournaments, and how far each is."""
    TOURNAMENT = auto()
    """Something of a tournament that no score of a running game is in."""
    SCORES = auto()
    """Something of a tournament with the scores of running games; of one round where the address names one."""
    GAME = auto()
    """A game."""
    DUPLICATES = auto()
    """The duplicate games of a tournament, with what is scored of a running one."""
    PLAYER = auto()
    """A player across tournaments, without the scores of running games but duplicate ones; or what a search finds."""


_API = "/api/v1/tournaments/{tournament_id}"

KEPT: Mapping[str, Shows] = {
    "/": Shows.TOURNAMENTS,
    "/t/{tournament_id}": Shows.DUPLICATES,
    "/t/{tournament_id}/standings/{player_id}": Shows.TOURNAMENT,
    "/t/{tournament_id}/teams": Shows.TOURNAMENT,
    "/t/{tournament_id}/teams/{team_id}": Shows.TOURNAMENT,
    "/t/{tournament_id}/crosstable": Shows.SCORES,
    "/t/{tournament_id}/prizes": Shows.SCORES,
    "/t/{tournament_id}/r/{number}": Shows.SCORES,
    "/t/{tournament_id}/players": Shows.TOURNAMENT,
    "/t/{tournament_id}/rulings": Shows.TOURNAMENT,
    "/t/{tournament_id}/files": Shows.TOURNAMENT,
    "/g/{game_id}": Shows.GAME,
    "/games/{game_id}/replay": Shows.GAME,
    "/games/{game_id}/embed": Shows.GAME,
    "/games/{game_id}/overlay": Shows.GAME,
    "/games/{game_id}/board.png": Shows.GAME,
    "/tournaments/{tournament_id}/feed.atom": Shows.TOURNAMENT,
    "/tournaments/{tournament_id}/rounds.ics": Shows.TOURNAMENT,
    "/api/v1/games/{game_id}/racks": Shows.GAME,
    "/t/{tournament_id}/embed/standings": Shows.DUPLICATES,
    "/t/{tournament_id}/embed/pairings": Shows.SCORES,
    "/t/{tournament_id}/embed/screen": Shows.DUPLICATES,
    "/players/{player_id}": Shows.PLAYER,
    "/search": Shows.PLAYER,
    "/tournaments/{tournament_id}/find": Shows.DUPLICATES,
    "/tournaments/{tournament_id}/screen": Shows.DUPLICATES,
    "/api/v1/players": Shows.PLAYER,
    "/api/v1/players/{player_id}": Shows.PLAYER,
    "/api/v1/tournaments": Shows.TOURNAMENTS,
    _API: Shows.TOURNAMENT,
    f"{_API}/standings": Shows.TOURNAMENT,
    f"{_API}/standings.csv": Shows.TOURNAMENT,
    f"{_API}/teams": Shows.TOURNAMENT,
    f"{_API}/teams.csv": Shows.TOURNAMENT,
    f"{_API}/team-standings": Shows.TOURNAMENT,
    f"{_API}/team-standings.csv": Shows.TOURNAMENT,
    f"{_API}/crosstable": Shows.SCORES,
    f"{_API}/crosstable.csv": Shows.SCORES,
    f"{_API}/rounds/{{number}}/pairings": Shows.SCORES,
    f"{_API}/rounds/{{number}}/pairings.csv": Shows.SCORES,
    f"{_API}/games": Shows.SCORES,
    f"{_API}/prizes": Shows.SCORES,
    f"{_API}/players": Shows.TOURNAMENT,
    f"{_API}/rulings": Shows.TOURNAMENT,
    f"{_API}/ratings": Shows.TOURNAMENT,
    f"{_API}/ratings.csv": Shows.TOURNAMENT,
    f"{_API}/report.trf": Shows.SCORES,
    "/duplicate/{game_id}": Shows.GAME,
    "/duplicate/{game_id}/screen": Shows.GAME,
    "/duplicate/{game_id}/players/{player_id}": Shows.GAME,
    "/t/{tournament_id}/duplicate": Shows.DUPLICATES,
    f"{_API}/duplicate-standings": Shows.DUPLICATES,
    "/api/v1/duplicate/{game_id}": Shows.GAME,
    "/api/v1/duplicate/{game_id}/standings": Shows.GAME,
    "/api/v1/duplicate/{game_id}/sheets": Shows.GAME,
    "/api/v1/games/{game_id}": Shows.GAME,
    "/api/v1/games/{game_id}.gcg": Shows.GAME,
}
"""By the path of its route. What is not here is made anew each time: streams, the status, seals, and all that is of who
is signed in."""

_OF_A_TABLE = frozenset((options.CHANGE_SHEET, options.CHANGE_SCORE, options.CHANGE_INCIDENTS, options.CHANGE_CLOCKS))
_OF_OFFICIALS = frozenset((options.CHANGE_WAITS,))
_OF_DUPLICATE = frozenset((options.CHANGE_DUPLICATE,))
_ABOVE_TABLES = (
    frozenset(options.Change.values()) - _OF_A_TABLE - _OF_OFFICIALS - _OF_DUPLICATE - {options.CHANGE_UNSPECIFIED}
)


def _names(kinds: Iterable[facts.Kind]) -> frozenset[str]:
    return frozenset(kind.DESCRIPTOR.name for kind in kinds)


OF_TOURNAMENT = _names(facts.that_change(*_ABOVE_TABLES))
"""Events after which anything of a tournament may be another, but for what is within a running game."""

OF_SCORES = _names(facts.that_change(options.CHANGE_SCORE)) - OF_TOURNAMENT
"""Further events after which the scores of a running game are others."""

OF_DUPLICATES = _names(facts.that_change(*_OF_DUPLICATE))
"""Further events after which the standings of duplicate games are others."""

OF_GAME = _names(facts.that_change(*_OF_A_TABLE, options.CHANGE_RESULT))
"""Events after which a game is another, where they name no game."""

OF_GROUPS = _names([duplicate_events.SlipCorrected])
"""Events that change standings after all groups have played, which are standings of the other groups too."""

OF_DIVISIONS = pairing.DivisionAdded.DESCRIPTOR.name
"""Of one tournament, and shown by all of its championship."""


Mark = tuple[str, str, int]
"""Something that news can be about: its kind, a tournament or a game, and a round or 0."""

_GAME, _TOURNAMENT, _SCORES, _DUPLICATES = "game", "tournament", "scores", "duplicates"
_GAMES: Mark = ("games", "", 0)
_GROUPS: Mark = ("groups", "", 0)
"""Any duplicate game: groups of several tournaments can be one classification, once all of them have played."""
_ALL_DUPLICATES: Mark = (_DUPLICATES, "", 0)
_TOURNAMENTS: Mark = ("tournaments", "", 0)
_DIVISIONS: Mark = ("divisions", "", 0)


def marks_of(news: pb.FollowResponse) -> list[Mark]:
    """What a piece of news leaves its mark on: a few, however much is kept that it concerns."""
    found: list[Mark] = []
    if news.game_id:
        found.append((_GAME, news.game_id, 0))
    elif news.type in OF_GAME:
        found.append(_GAMES)
    if news.type in OF_GROUPS:
        found.append(_GROUPS)
    if news.type == OF_DIVISIONS:
        found.append(_DIVISIONS)
    if news.type in OF_TOURNAMENT:
        found += [_TOURNAMENTS, (_TOURNAMENT, news.tournament_id, 0)]
    elif news.type in OF_SCORES:
        found += [(_SCORES, news.tournament_id, number) for number in {0, news.round}]
    elif news.type in OF_DUPLICATES:
        found += [(_DUPLICATES, news.tournament_id, 0), _ALL_DUPLICATES]
    return found


@dataclass(frozen=True, slots=True)
class Resource:
    """One thing that the public reads."""

    shows: Shows
    tournament_id: str = ""
    """Empty for all of them, and for a game."""
    game_id: str = ""
    round: int = 0
    """0 for no round."""

    def marks(self) -> tuple[Mark, ...]:
        """What news leaves its mark on, after which it may be another: some of ``marks_of`` the news."""
        if self.shows is Shows.GAME:
            of_groups = (_GROUPS,) if place_of_duplicate(self.game_id)[0] else ()
            return _GAMES, (_GAME, self.game_id, 0), *of_groups
        of_tournament = (_TOURNAMENT, self.tournament_id, 0) if self.tournament_id else _TOURNAMENTS
        match self.shows:
            case Shows.SCORES:
                more: tuple[Mark, ...] = ((_SCORES, self.tournament_id, self.round),)
            case Shows.DUPLICATES:
                more = ((_DUPLICATES, self.tournament_id, 0),)
            case Shows.PLAYER:
                more = (_ALL_DUPLICATES,)
            case _:
                more = ()
        return _DIVISIONS, of_tournament, *more


@dataclass(frozen=True, slots=True)
class Address:
    """A route, and which parameters its answer depends on."""

    path: re.Pattern[str]
    shows: Shows | None
    """None where nothing is kept."""
    known: frozenset[str]
    """The parameters of its query."""
    is_page: bool
    is_embeddable: bool = False
    """Other sites show it in a frame, without cookies."""

    def resource(self, found: Mapping[str, str]) -> Resource | None:
        """The one that the parameters of a path name; None where nothing is kept, and for a path that is malformed."""
        number = found.get("number", "0")
        if self.shows is None or not (number.isascii() and number.isdigit() and len(number) < 6):
            return None
        return Resource(self.shows, found.get("tournament_id", ""), found.get("game_id", ""), int(number))
