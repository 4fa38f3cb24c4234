"""The bracket of a knock-out: matches of several games, and the places that they decide. Pure.

A bracket is a row of slots, as many as the next power of two: a player in each, or an empty one, whose neighbour has a
bye. The two players of neighbouring slots play a match. Its winner goes on for the better half of the places of their
group, its loser for the other half, as far as places are played off. The matches of a level begin when those of the
level before are all decided. Players that are out share the places that they would have played for.

Two players meet in at most one match, so that the games of a match are all games between its players.

With a repechage after a level, its losers have a second way in: neighbouring losers play a match in a level of their
own, and the winners join the players that are still in. All of them go on in a new bracket, the unbeaten players first
by their seeds, then those of the repechage by theirs; it can have byes again. The losers of earlier levels are out.
Only here two players can meet in a second match: its games are those after the first one was decided.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    repechage: int = 0
    """The level whose losers have a second way in; 0 without a repechage."""

    @classmethod
    def of(cls, ruleset: Ruleset) -> MatchFormat:
        """Return the format that rules have."""
        law = ruleset.championship
        return cls(law.match_games, law.final_games, law.placed, law.match_tie == "spread", law.repechage)


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
    repechage: bool = False
    """Whether it is a match between losers of the level before, for a second way in."""

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
    levels: int
    """Number of levels, played or not, with that of a repechage."""

    @property
    def open_matches(self) -> tuple[BracketMatch, ...]:
        """The matches of the present level that are not decided."""
        return tuple(match for match in self.matches if match.decided_by is None)

    @property
    def is_decided(self) -> bool:
        """Whether no match is left to play."""
        return not self.open_matches


def count_levels(players: int) -> int:
    """Return the number of levels of a bracket with a number of players, without a repechage."""
    return max(players - 1, 0).bit_length()


def count_after_repechage(players: int, level: int) -> int:
    """Return the number of players that go on after a repechage of the losers of ``level``; 0 if it has no losers."""
    levels = count_levels(players)
    if not 1 <= level <= levels:
        return 0
    winners: int = 1 << levels - level
    losers = players - winners if level == 1 else winners
    return winners + (losers + 1) // 2


def most_rounds_of(players: int, form: MatchFormat) -> int:
    """Return the number of rounds that a bracket takes at most, without further games after ties."""
    levels = count_levels(players)
    if after := count_after_repechage(players, form.repechage):
        before = (form.repechage + 1) * form.games
        return before + most_rounds_of(after, replace(form, repechage=0))
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
    course = _Course(form, _games_by_pair(results), frozenset(left))
    seeds = _order_by_seed(slots)
    course.note_places([(1, slots)], len(seeds))
    after = count_after_repechage(len(seeds), form.repechage)
    if not after:
        course.play_levels([(1, tuple(slots))], len(seeds))
        return course.bracket(count_levels(len(seeds)))
    levels = form.repechage + 1 + count_levels(after)
    going_on = course.play_repechage(tuple(slots), seeds)
    if going_on:
        course.play_levels([(1, arrange_seeds(going_on))], len(going_on))
    return course.bracket(levels)


class _Course:
    """A bracket while its levels are followed one after the other."""

    def __init__(
        self, form: MatchFormat, games: Mapping[frozenset[str], Sequence[Result]], gone: frozenset[str]
    ) -> None:
        self._form = form
        self._games = games
        self._gone = gone
        self._taken: Counter[frozenset[str]] = Counter()
        """Games of each pair that belong to an earlier match."""
        self._places: dict[str, tuple[int, int]] = {}
        self._matches: list[BracketMatch] = []
        self._level = 0
        self._can_be_final = True
        """Whether a match for the first two places is the final: not before a repechage."""

    def bracket(self, levels: int) -> Bracket:
        """Return the bracket so far."""
        return Bracket(tuple(self._matches), MappingProxyType(self._places), levels)

    def note_places(self, groups: Iterable[tuple[int, Sequence[str]]], players: int) -> None:
        """Set the places for which the players of each group play, of the first ``players`` places."""
        for best, group in groups:
            for player in filter(None, group):
                self._places[player] = (min(best, players), min(best + len(group) - 1, players))

    def play_levels(self, groups: list[tuple[int, tuple[str, ...]]], players: int) -> None:
        """Follow the levels of a bracket of ``players`` as far as they are decided. Each group has a best place."""
        while groups:
            self.note_places(groups, players)
            groups = [(best, group) for best, group in groups if len(group) > 1 and best < max(self._form.placed, 2)]
            of_level = self._play_level(groups, players)
            if any(match.decided_by is None for match in of_level):
                break
            groups = _split_groups(groups, of_level)

    def play_repechage(self, slots: tuple[str, ...], seeds: Sequence[str]) -> list[str]:
        """Follow the levels up to the repechage, and that; return the players that go on, best seed first.

        Return an empty list if they are not known yet.
        """
        place_of = {player: place for place, player in enumerate(seeds)}
        self._can_be_final = False
        of_level: list[BracketMatch] = []
        for _ in range(self._form.repechage):
            of_level = self._play_level([(1, slots)], len(seeds))
            if any(match.decided_by is None for match in of_level):
                return []
            winners, losers = ([getattr(match, side) for match in of_level] for side in ("winner", "loser"))
            self.note_places([(1, winners), (1 + len(winners), losers)], len(seeds))
            slots = tuple(winners)
        unbeaten = sorted(filter(None, slots), key=place_of.__getitem__)
        losers = [match.loser for match in of_level if match.loser]
        going_on = len(unbeaten) + (len(losers) + 1) // 2
        self.note_places([(1, [*unbeaten, *losers])], len(seeds))
        for player in unbeaten:
            self._places[player] = (1, going_on)
        padded = [*losers, *([EMPTY_SLOT] if len(losers) % 2 else [])]
        matches = self._play_level([(1, tuple(padded))], len(unbeaten) + len(losers), repechage=True)
        if any(match.decided_by is None for match in matches):
            return []
        out = [match.loser for match in matches if match.loser]
        for player in out:
            self._places[player] = (going_on + 1, going_on + len(out))
        self._can_be_final = True
        saved = sorted((match.winner for match in matches if match.winner), key=place_of.__getitem__)
        return [*unbeaten, *saved]

    def _play_level(
        self, groups: Sequence[tuple[int, tuple[str, ...]]], players: int, *, repechage: bool = False
    ) -> list[BracketMatch]:
        """Return the matches of a level, whose number is counted here, those without players included."""
        self._level += 1
        of_level = [
            self._build_match(best, players if repechage else len(group), pair, repechage=repechage)
            for best, group in groups
            for pair in zip(group[::2], group[1::2], strict=True)
        ]
        self._matches += [_limit_places(match, players) for match in of_level if any(match.players)]
        return of_level

    def _build_match(self, best: int, size: int, pair: tuple[str, str], *, repechage: bool) -> BracketMatch:
        form = self._form
        is_final = best == 1 and size == 2 and self._can_be_final
        most = form.final_games if is_final and form.final_games is not None else form.games
        first, second = pair
        last = best + size - 1
        if not (first and second):
            winner = first or second
            return BracketMatch(self._level, best, last, pair, most, (), winner, DecidedBy.BYE, repechage)
        between = frozenset(pair)
        played = self._games.get(between, ())[self._taken[between] :]
        found = tuple(_game_of(first, result) for result in played)
        winner, by, number = _decide(pair, found, most, self._gone, by_spread=form.by_spread)
        if form.repechage:  # further games belong to a later match of the two
            found = found[:number]
            self._taken[between] += number
        return BracketMatch(self._level, best, last, pair, most, found, winner, by, repechage)


def _order_by_seed(slots: Sequence[str]) -> list[str]:
    """Return the players of the slots of a bracket in the order of their seeds."""
    numbers = arrange_seeds([str(number) for number in range(len(slots))])
    return [player for _, player in sorted(zip(map(int, numbers), slots, strict=True)) if player]


def _games_by_pair(results: Iterable[Result | TableResult]) -> Mapping[frozenset[str], Sequence[Result]]:
    games: defaultdict[frozenset[str], list[Result]] = defaultdict(list)
    for result in results:
        if isinstance(result, Result) and result.second is not None:
            games[frozenset((result.first, result.second))].append(result)
    for each in games.values():
        each.sort(key=lambda result: result.round)
    return games


def _game_of(first: str, result: Result) -> MatchGame:
    """Return a game of the match whose first player is ``first``."""
    points = _POINTS[result.outcomes[0]], _POINTS[result.outcomes[1]]
    scores = result.first_score, result.second_score
    if result.first != first:
        points, scores = (points[1], points[0]), (scores[1], scores[0])
    return MatchGame(result.round, points, scores, result.played)


def _decide(
    pair: tuple[str, str], games: Sequence[MatchGame], most: int, gone: frozenset[str], *, by_spread: bool
) -> tuple[str, DecidedBy | None, int]:
    """Return the winner of a match, the criterion and the number of its games; no winner and no criterion if open."""
    lead = spread = 0
    for number, game in enumerate(games, 1):
        lead += game.half_points[0] - game.half_points[1]
        spread += game.scores[0] - game.scores[1] if game.played else 0
        if abs(lead) > 2 * max(most - number, 0):
            by = DecidedBy.POINTS if number <= most else DecidedBy.EXTRA_GAME
            return pair[0 if lead > 0 else 1], by, number
        if number == most and by_spread and spread:
            return pair[0 if spread > 0 else 1], DecidedBy.SPREAD, number
    staying = [player for player in pair if player not in gone]
    if len(staying) == len(pair):
        return "", None, len(games)
    return staying[0] if staying else "", DecidedBy.WITHDRAWAL, len(games)


def _limit_places(match: BracketMatch, players: int) -> BracketMatch:
    """Return the match with places of a tournament of ``players``: empty slots have none."""
    if match.last_place <= players:
        return match
    return replace(match, last_place=players)


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
