"""The bracket of a knock-out: matches of several games, and the places that they decide. Pure.

A bracket is a row of slots, as many as the next power of two: a player in each, or an empty one, whose neighbour has a
bye. The two players of neighbouring slots play a match. Its winner goes on for the better half of the places of their
group, its loser for the other half, as far as places are played off. The matches of a level begin when those of the
level before are all decided. Players that are out share the places that they would have played for.

Two players meet in at most one match, so that the games of a match are all games between its players.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.standings.results import Result, RoundOutcome, TableResult

EMPTY_SLOT = ""
"""A slot without a player: the neighbour has a bye."""

_POINTS: Mapping[RoundOutcome, int] = {RoundOutcome.WIN: 2, RoundOutcome.DRAW: 1, RoundOutcome.LOSS: 0}
"""Half points of a game in a match."""


class DecidedBy(StrEnum):
    """The criterion that decided a match."""

    POINTS = "points"
    SPREAD = "spread"
    """Equal points after all games of the match, and the sum of the spreads."""
    EXTRA_GAME = "extra-game"
    WITHDRAWAL = "withdrawal"
    BYE = "bye"


@dataclass(frozen=True, slots=True)
class MatchFormat:
    """The length of the matches of a bracket."""

    games: int = 1
    """Number of games of a match; it ends as soon as it is decided."""
    final_games: int | None = None
    """The same of the final; None for ``games``."""
    placed: int = 2
    """How many of the first places are played off: 2 for a final, 4 for a match for the third place as well."""
    by_spread: bool = True
    """Whether the sum of the spreads decides after equal points, before further games do."""

    @classmethod
    def of(cls, ruleset: Ruleset) -> MatchFormat:
        """Return the format that rules have."""
        law = ruleset.championship
        return cls(law.match_games, law.final_games, law.placed, law.match_tie == "spread")


@dataclass(frozen=True, slots=True)
class MatchGame:
    """A game of a match with a result."""

    round: int
    half_points: tuple[int, int]
    """Half points of the players of the match, in their order."""
    scores: tuple[int, int]
    played: bool
    """Whether it was begun; False for a forfeit."""


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match of a bracket."""

    level: int
    """Level of the bracket, from 1."""
    first_place: int
    """Best place for which the players still play."""
    last_place: int
    """Worst place for which they still play."""
    players: tuple[str, str]
    """The players by their slots; ``EMPTY_SLOT`` for a bye."""
    most_games: int
    """Number of games, without further ones after a tie."""
    games: tuple[MatchGame, ...] = ()
    """In the order of the rounds."""
    winner: str = ""
    """The winner; empty if the match is not decided, or if both players have left."""
    decided_by: DecidedBy | None = None
    """None while it is not decided."""

    @property
    def half_points(self) -> tuple[int, int]:
        """The half points of its games, in the order of the players."""
        return sum(game.half_points[0] for game in self.games), sum(game.half_points[1] for game in self.games)

    @property
    def spread(self) -> int:
        """The sum of the spreads of the first player in its played games."""
        return sum(game.scores[0] - game.scores[1] for game in self.games if game.played)

    @property
    def loser(self) -> str:
        """The other player of a decided match; empty if both have left."""
        if not self.winner:
            return EMPTY_SLOT
        first, second = self.players
        return second if self.winner == first else first


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracket after some games."""

    matches: tuple[BracketMatch, ...]
    """By level, then by the place for which they are played."""
    places: Mapping[str, tuple[int, int]]
    """The best and the worst place that each player has or can still have; equal if it is certain."""

    @property
    def open_matches(self) -> tuple[BracketMatch, ...]:
        """The matches of the present level that are not decided."""
        return tuple(match for match in self.matches if match.decided_by is None)

    @property
    def is_decided(self) -> bool:
        """Whether no match is left to play."""
        return not self.open_matches

    @property
    def levels(self) -> int:
        """Number of levels of the bracket, played or not."""
        return count_levels(len(self.places))


def count_levels(players: int) -> int:
    """Return the number of levels of a bracket with a number of players."""
    return max(players - 1, 0).bit_length()


def most_rounds_of(players: int, form: MatchFormat) -> int:
    """Return the number of rounds that a bracket takes at most, without further games after ties."""
    levels = count_levels(players)
    if not levels:
        return 0
    last = form.games if form.final_games is None else form.final_games
    if form.placed > 2:  # another match of the last level can be longer than the final
        last = max(last, form.games)
    return (levels - 1) * form.games + last


def arrange_seeds(seeds: Sequence[str]) -> tuple[str, ...]:
    """Return the slots of a bracket for players in the order of their seeds, best first.

    The first two seeds can meet in the final only, the first four in the semi-finals, and so on; the best seeds have
    the byes.
    """
    order = [0]
    while len(order) < len(seeds):
        last = 2 * len(order) - 1
        order = [seed for better in order for seed in (better, last - better)]
    return tuple(seeds[seed] if seed < len(seeds) else EMPTY_SLOT for seed in order)


def follow_bracket(
    slots: Sequence[str],
    form: MatchFormat,
    results: Iterable[Result | TableResult],
    left: Iterable[str] = (),
) -> Bracket:
    """Return the bracket of ``slots`` after ``results``; ``left`` are the players who have left the tournament.

    Results of other pairs have no effect. Raises ``ValueError`` if the number of slots is not a power of two.
    """
    if len(slots) & (len(slots) - 1) or not slots:
        raise ValueError(f"a bracket has 1, 2, 4, 8 … slots, not {len(slots)}")
    players = [player for player in slots if player]
    games = _games_by_pair(results)
    gone = frozenset(left)
    places = {player: (1, len(players)) for player in players}
    matches: list[BracketMatch] = []
    groups: list[tuple[int, tuple[str, ...]]] = [(1, tuple(slots))]
    level = 0
    while groups:
        level += 1
        _note_places(places, groups, len(players))
        groups = [(best, group) for best, group in groups if len(group) > 1 and best < max(form.placed, 2)]
        of_level = [
            _build_match(level, best, len(group), pair, form, games, gone)
            for best, group in groups
            for pair in zip(group[::2], group[1::2], strict=True)
        ]
        matches += [_limit_places(match, len(players)) for match in of_level if any(match.players)]
        if any(match.decided_by is None for match in of_level):
            break
        groups = _split_groups(groups, of_level)
    return Bracket(tuple(matches), MappingProxyType(places))


def _games_by_pair(results: Iterable[Result | TableResult]) -> Mapping[frozenset[str], Sequence[Result]]:
    games: defaultdict[frozenset[str], list[Result]] = defaultdict(list)
    for result in results:
        if isinstance(result, Result) and result.second is not None:
            games[frozenset((result.first, result.second))].append(result)
    for each in games.values():
        each.sort(key=lambda result: result.round)
    return games


def _note_places(places: dict[str, tuple[int, int]], groups: Iterable[tuple[int, Sequence[str]]], players: int) -> None:
    """Set the places for which the players of each group play."""
    for best, group in groups:
        for player in filter(None, group):
            places[player] = (min(best, players), min(best + len(group) - 1, players))


def _build_match(
    level: int,
    best: int,
    size: int,
    pair: tuple[str, str],
    form: MatchFormat,
    games: Mapping[frozenset[str], Sequence[Result]],
    gone: frozenset[str],
) -> BracketMatch:
    is_final = best == 1 and size == 2
    most = form.final_games if is_final and form.final_games is not None else form.games
    first, second = pair
    if not (first and second):
        return BracketMatch(level, best, best + size - 1, pair, most, (), first or second, DecidedBy.BYE)
    found = tuple(_game_of(first, result) for result in games.get(frozenset(pair), ()))
    winner, by = _decide(pair, found, most, gone, by_spread=form.by_spread)
    return BracketMatch(level, best, best + size - 1, pair, most, found, winner, by)


def _game_of(first: str, result: Result) -> MatchGame:
    """Return a game of the match whose first player is ``first``."""
    points = _POINTS[result.outcomes[0]], _POINTS[result.outcomes[1]]
    scores = result.first_score, result.second_score
    if result.first != first:
        points, scores = (points[1], points[0]), (scores[1], scores[0])
    return MatchGame(result.round, points, scores, result.played)


def _decide(
    pair: tuple[str, str], games: Sequence[MatchGame], most: int, gone: frozenset[str], *, by_spread: bool
) -> tuple[str, DecidedBy | None]:
    """Return the winner of a match and the criterion; ``("", None)`` if it is not decided."""
    lead = spread = 0
    for number, game in enumerate(games, 1):
        lead += game.half_points[0] - game.half_points[1]
        spread += game.scores[0] - game.scores[1] if game.played else 0
        if abs(lead) > 2 * max(most - number, 0):
            return pair[0 if lead > 0 else 1], DecidedBy.POINTS if number <= most else DecidedBy.EXTRA_GAME
        if number == most and by_spread and spread:
            return pair[0 if spread > 0 else 1], DecidedBy.SPREAD
    staying = [player for player in pair if player not in gone]
    if len(staying) == len(pair):
        return "", None
    return staying[0] if staying else "", DecidedBy.WITHDRAWAL


def _limit_places(match: BracketMatch, players: int) -> BracketMatch:
    """Return the match with places of a tournament of ``players``: empty slots have none."""
    if match.last_place <= players:
        return match
    return BracketMatch(
        match.level,
        match.first_place,
        players,
        match.players,
        match.most_games,
        match.games,
        match.winner,
        match.decided_by,
    )


def _split_groups(
    groups: Iterable[tuple[int, Sequence[str]]], matches: Iterable[BracketMatch]
) -> list[tuple[int, tuple[str, ...]]]:
    """Return the groups of the next level: of each group the winners, then the losers."""
    after = []
    of_level = iter(matches)
    for best, group in groups:
        own = [next(of_level) for _ in range(len(group) // 2)]
        after.append((best, tuple(match.winner for match in own)))
        after.append((best + len(group) // 2, tuple(match.loser for match in own)))
    return after
