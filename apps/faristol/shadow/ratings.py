"""The ratings that another program has after its rounds, against those of the same results by the same system. Pure.

Ratings of an unknown system are not compared, and the comparison says so. The system of NASPA has rules for unrated
players, for players with few earlier games, for ratings that pass a limit of factors and for long tournaments that are
not published. Values that depend on them, also through an opponent, are left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from faristol.kernel.refusal import N_, Param
from faristol.rating.elo import Factor
from faristol.rating.games import Change, Rated, RatedGame, of_table
from faristol.rating.glicko import Glicko2
from faristol.rating.naspa import Naspa
from faristol.rating.systems import NASPA_2, SYSTEMS_BY_NAME, RatingSystem
from faristol.rules.tournament_files import FileDivision, FilePlayer, TournamentFile
from faristol.shadow.difference import Difference, DifferenceKind, Sentence

NO_COMPARED_RATINGS = "none"
"""Name of a system for ratings that are not compared."""

RATING_AFTER = N_("{name} has the rating {there} after round {round} there, {here} by {system}.")
NOT_WANTED = N_("Ratings after the rounds are not compared.")
NO_RATINGS = N_("Ratings after the rounds are not compared: the source has none.")
UNNAMED_SYSTEM = N_(
    "Ratings after the rounds are not compared: the source does not name their system. Name it by --rating-system: "
    "{known}."
)
FOREIGN_SYSTEM = N_(
    "Ratings after the rounds are not compared: this program does not have their system {system}. If it equals one of "
    "{known}, name that by --rating-system."
)
SYSTEM_OF_LISTS = N_("Ratings after the rounds are not compared: those of {system} depend on earlier lists.")
COMPARED = N_("Ratings after the rounds: {count} {count:value|values} compared by {system}.")
COMPARED_IN_PART = N_(
    "Ratings after the rounds: {count} {count:value|values} compared by {system}, {others} not: those depend on "
    "unrated players, earlier games or unpublished parts of the system."
)

_TSH_NASPA_PATTERN = re.compile(r"naspa(-[a-z]+)?")
"""Names of tsh for the system of NASPA, each for a list such as ``naspa-csw``."""

SEGMENT_ROUNDS = 16
"""Most rounds that NASPA rates at once; a longer tournament is rated in equal parts."""

PROVISIONAL_GAMES_COUNT = 50
"""Earlier games with which a player has the usual factors of NASPA."""


@dataclass(frozen=True, slots=True)
class RatingComparison:
    """The differences of ratings, and a sentence on the extent of the comparison."""

    note: Sentence
    differences: tuple[Difference, ...] = ()
    system: str = ""
    """Name of the system of this program; empty if ratings are not compared."""
    compared: int = 0
    """Number of compared values."""
    left_out: int = 0
    """Number of values that the system does not determine."""


def compare_ratings(tournament: TournamentFile, chosen: str = "") -> RatingComparison:
    """Compare the ratings of the first division after each round.

    ``chosen`` names the system; if it is empty, the file does. Ratings after a round without all results are compared
    only if the program is this one, which computes them after each result.
    """
    division = tournament.divisions[0]
    if chosen == NO_COMPARED_RATINGS:
        return RatingComparison(Sentence(NOT_WANTED))
    if not any(value is not None for player in division.players for value in player.ratings):
        return RatingComparison(Sentence(NO_RATINGS))
    named = chosen or tournament.rating_system
    is_naspa = tournament.program == "tsh" and _TSH_NASPA_PATTERN.fullmatch(named)
    system = NASPA_2 if is_naspa else SYSTEMS_BY_NAME.get(named)
    known = ", ".join(name for name, each in SYSTEMS_BY_NAME.items() if not isinstance(each, Glicko2))
    if system is None:
        message = FOREIGN_SYSTEM if named else UNNAMED_SYSTEM
        return RatingComparison(Sentence(message, {"system": named, "known": known} if named else {"known": known}))
    if isinstance(system, Glicko2):
        return RatingComparison(Sentence(SYSTEM_OF_LISTS, {"system": system.name}))
    return _Comparison(tournament, system).compare()


class _Comparison:
    """The comparison of one division by one system."""

    def __init__(self, tournament: TournamentFile, system: RatingSystem) -> None:
        self.division: FileDivision = tournament.divisions[0]
        self.system = system
        self.is_own = tournament.program == "faristol"
        self.last = self.division.rounds if self.is_own else self.division.complete_rounds
        rounds = max(tournament.rounds, self.division.rounds)
        is_of_naspa = isinstance(system, Naspa) and not self.is_own
        self.segment = ceil(rounds / ceil(rounds / SEGMENT_ROUNDS)) if is_of_naspa else rounds
        """Rounds that are rated at once."""
        self.is_of_naspa = is_of_naspa

    def compare(self) -> RatingComparison:
        """Compare round by round."""
        found: list[Difference] = []
        compared = left_out = 0
        for number in range(1, self.last + 1):
            told = {
                place: value
                for place, player in enumerate(self.division.players, 1)
                if number <= len(player.ratings) and (value := player.ratings[number - 1]) is not None
            }
            if not told:
                continue
            if number > self.segment:
                left_out += len(told)
                continue
            changes, doubtful = self._rate(number)
            for place, value in told.items():
                if place in doubtful:
                    left_out += 1
                    continue
                compared += 1
                if value != changes[place - 1].after:
                    found.append(self._describe(number, place, value, changes[place - 1].after))
        params: dict[str, Param] = {"count": compared, "system": self.system.name}
        note = Sentence(COMPARED_IN_PART, {**params, "others": left_out}) if left_out else Sentence(COMPARED, params)
        return RatingComparison(note, tuple(found), self.system.name, compared, left_out)

    def _rate(self, number: int) -> tuple[Sequence[Change], set[int]]:
        """Return the changes by the results up to a round, and the players whose changes are not determined."""
        players = [self._to_rated(place, player) for place, player in enumerate(self.division.players, 1)]
        games = tuple(self._list_games(number))
        changes = self.system.rate(players, games)
        if not self.is_of_naspa:
            return changes, set()
        uncertain = {
            place
            for place, player in enumerate(self.division.players, 1)
            if player.rating is None or (player.games is not None and player.games < PROVISIONAL_GAMES_COUNT)
        }
        met = _list_opponents(games)
        uncertain |= {other for place in list(uncertain) for other in met.get(place, ())}
        uncertain |= {place for place, change in enumerate(changes, 1) if self._passes_limit(change)}
        return changes, uncertain | {other for place in uncertain for other in met.get(place, ())}

    def _to_rated(self, place: int, player: FilePlayer) -> Rated:
        return Rated(str(place), player.rating or player.start_rating, unrated=player.rating is None)

    def _list_games(self, number: int) -> Iterator[RatedGame]:
        for own, player in enumerate(self.division.players, 1):
            for cell in player.rounds[:number]:
                if cell.opponent > own and cell.is_played:
                    assert cell.score is not None
                    assert cell.against is not None
                    yield from of_table(((str(own), cell.score), (str(cell.opponent), cell.against)))

    def _passes_limit(self, change: Change) -> bool:
        """Check whether the factors of the two ratings of a player differ."""
        factors: Sequence[Factor] = self.system.base.factors if isinstance(self.system, Naspa) else ()
        return any(
            min(change.before, change.after) < factor.rating_from <= max(change.before, change.after)
            for factor in factors[1:]
        )

    def _describe(self, number: int, place: int, there: int, here: int) -> Difference:
        name = self.division.name_of(place)
        params: dict[str, Param] = {
            "name": name,
            "round": number,
            "there": there,
            "here": here,
            "system": self.system.name,
        }
        return Difference(DifferenceKind.RATING, Sentence(RATING_AFTER, params), "", number, name)


def _list_opponents(games: Sequence[RatedGame]) -> dict[int, set[int]]:
    met: dict[int, set[int]] = {}
    for game in games:
        met.setdefault(int(game.first), set()).add(int(game.second))
        met.setdefault(int(game.second), set()).add(int(game.first))
    return met
