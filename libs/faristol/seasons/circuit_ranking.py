"""The ranking of a circuit from the results of its tournaments. Pure.

A tournament gives points by the basis of the circuit's rule, times its weight. The best results of a player count, as
many as the rule says. Points are whole hundredths, rounded once for each result, half up: the sum of the results is the
total, and every machine computes the same. Equal players share the points of the places that they share.

Players with equal points are told apart by the criteria of the rule in their order. A criterion is applied to the group
of players who are still equal, and splits it; players that no criterion tells apart share the place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from faristol.pb.season.v1 import events_pb2 as events
from faristol.seasons.model import CircuitRule

PLACE_LIMIT = 10
"""The last place that the criterion of best places counts."""

SHARE_FACTOR = 1_000_000
"""Millionths of the points in the games between tied players."""

Values = tuple[int, ...]
"""The values of a criterion, compared in order: the highest first."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A played game of two, for one of its players."""

    game_id: str
    round: int
    opponent_id: str
    opponent_rating: int
    """In points."""
    half_points: int
    """2 for a win, 1 for a draw, 0 for a loss."""


@dataclass(frozen=True, slots=True)
class PlacedPlayer:
    """A player in the standings of a tournament."""

    place: int
    games: Sequence[PlayedGame] = ()
    """In the order of the rounds; needed for the basis of ratings, and for games between tied players."""


@dataclass(frozen=True, slots=True)
class CircuitEvent:
    """A finished tournament of a circuit."""

    tournament_id: str
    percent: int
    """Weight of its points."""
    players: Mapping[str, PlacedPlayer]
    """By player id."""


@dataclass(frozen=True, slots=True)
class CircuitScore:
    """The result of a player in a tournament of a circuit."""

    tournament_id: str
    place: int
    shared_by: int
    """Number of players that share the place."""
    points: int
    """In hundredths."""
    counts: bool
    """Whether it is one of the best results that count."""


@dataclass(frozen=True, slots=True)
class RankedPlayer:
    """The line of a player in the ranking of a circuit."""

    player_id: str
    place: int
    """Equal players share it; 0 for a player with too few tournaments."""
    points: int
    """In hundredths."""
    scores: Sequence[CircuitScore]
    """In the order of the tournaments."""
    tie_breaks: Sequence[tuple[events.CircuitTieBreak.ValueType, Values]] = ()
    """The values that told the player apart from others with equal points, in their order."""


@dataclass(slots=True)
class _Standing:
    """A player while the circuit is ranked."""

    player_id: str
    scores: list[CircuitScore]
    points: int
    tie_breaks: list[tuple[events.CircuitTieBreak.ValueType, Values]] = field(default_factory=list)


def rank_circuit(rule: CircuitRule, tournaments: Sequence[CircuitEvent]) -> list[RankedPlayer]:
    """Return the ranking after finished tournaments, given in their order.

    Players with fewer tournaments than the rule demands come last, by their points, without a place.
    """
    scores: defaultdict[str, list[CircuitScore]] = defaultdict(list)
    for tournament in tournaments:
        for player_id, score in _score_tournament(rule, tournament):
            scores[player_id].append(score)
    players = []
    for player_id, own in sorted(scores.items()):
        marked = _mark_best(own, rule.best_of)
        players.append(_Standing(player_id, marked, sum(score.points for score in marked if score.counts)))
    enough = [player for player in players if len(player.scores) >= rule.min_tournaments]
    few = [player for player in players if len(player.scores) < rule.min_tournaments]
    lines, place = list[RankedPlayer](), 1
    for group in _order(enough, rule, tournaments):
        lines += [_build_ranked(player, place) for player in group]
        place += len(group)
    few.sort(key=lambda player: (-player.points, player.player_id))
    return [*lines, *(_build_ranked(player, 0) for player in few)]


def _build_ranked(player: _Standing, place: int) -> RankedPlayer:
    return RankedPlayer(player.player_id, place, player.points, tuple(player.scores), tuple(player.tie_breaks))


def _score_tournament(rule: CircuitRule, tournament: CircuitEvent) -> Iterator[tuple[str, CircuitScore]]:
    """Yield the result of each player of a tournament. All count until the best are selected."""
    sharing = Counter(player.place for player in tournament.players.values())
    size = len(tournament.players)
    for player_id, player in sorted(tournament.players.items()):
        shared_by = sharing[player.place]
        places = range(player.place, player.place + shared_by)
        match rule.basis:
            case events.POINTS_BASIS_PLACE:
                points = sum(rule.place_points[place - 1] for place in places if place <= len(rule.place_points))
                hundredths = _divide(points * tournament.percent, shared_by)
            case events.POINTS_BASIS_FIELD:
                hundredths = _divide(sum(size - place + 1 for place in places) * tournament.percent, shared_by)
            case events.POINTS_BASIS_RATING:
                won = sum(game.opponent_rating * game.half_points for game in player.games)
                hundredths = _divide(won * tournament.percent, 200)
            case _:
                raise ValueError(f"{rule.basis} is no basis of points")
        yield (
            player_id,
            CircuitScore(tournament.tournament_id, player.place, shared_by, hundredths, counts=True),
        )


def _divide(dividend: int, divisor: int) -> int:
    """Divide numbers that are not negative, and round half up."""
    return (2 * dividend + divisor) // (2 * divisor)


def _mark_best(scores: Sequence[CircuitScore], best_of: int) -> list[CircuitScore]:
    """Mark the best results as those that count; of equal ones, the earlier."""
    if not best_of or len(scores) <= best_of:
        return list(scores)
    best = set(sorted(range(len(scores)), key=lambda at: (-scores[at].points, at))[:best_of])
    return [
        CircuitScore(score.tournament_id, score.place, score.shared_by, score.points, counts=at in best)
        for at, score in enumerate(scores)
    ]


def _order(
    players: Collection[_Standing], rule: CircuitRule, tournaments: Sequence[CircuitEvent]
) -> Iterator[list[_Standing]]:
    """Yield groups of equal players, best first."""
    for _, group in groupby(sorted(players, key=lambda player: -player.points), key=lambda player: player.points):
        yield from _split(list(group), rule.tie_breaks, tournaments)


def _split(
    group: list[_Standing],
    tie_breaks: Sequence[events.CircuitTieBreak.ValueType],
    tournaments: Sequence[CircuitEvent],
) -> Iterator[list[_Standing]]:
    """Yield the parts of a group of equal players, best first, by the criteria in their order."""
    if len(group) == 1 or not tie_breaks:
        yield group
        return
    values = CRITERIA[tie_breaks[0]](group, tournaments)
    for player in group:
        player.tie_breaks.append((tie_breaks[0], values[player.player_id]))

    def value_of(player: _Standing) -> Values:
        return values[player.player_id]

    for _, part in groupby(sorted(group, key=value_of, reverse=True), key=value_of):
        yield from _split(list(part), tie_breaks[1:], tournaments)


def _compare_best_results(group: Iterable[_Standing], tournaments: Sequence[CircuitEvent]) -> Mapping[str, Values]:
    return {
        player.player_id: tuple(sorted((score.points for score in player.scores if score.points), reverse=True))
        for player in group
    }


def _compare_all_results(group: Iterable[_Standing], tournaments: Sequence[CircuitEvent]) -> Mapping[str, Values]:
    return {player.player_id: (sum(score.points for score in player.scores),) for player in group}


def _compare_places(group: Iterable[_Standing], tournaments: Sequence[CircuitEvent]) -> Mapping[str, Values]:
    found = {}
    for player in group:
        count = Counter(score.place for score in player.scores)
        found[player.player_id] = tuple(count[place] for place in range(1, PLACE_LIMIT + 1))
    return found


def _compare_latest(group: Iterable[_Standing], tournaments: Sequence[CircuitEvent]) -> Mapping[str, Values]:
    found = {}
    for player in group:
        points = {score.tournament_id: score.points for score in player.scores}
        found[player.player_id] = tuple(points.get(each.tournament_id, 0) for each in reversed(tournaments))
    return found


def _compare_head_to_head(group: Sequence[_Standing], tournaments: Sequence[CircuitEvent]) -> Mapping[str, Values]:
    """Return the share of points in the games between the players; equal values if two of them have not met."""
    ids = {player.player_id for player in group}
    half_points, games = Counter[str](), Counter[str]()
    met = set[frozenset[str]]()
    for tournament in tournaments:
        for player_id in ids & tournament.players.keys():
            for game in tournament.players[player_id].games:
                if game.opponent_id in ids:
                    half_points[player_id] += game.half_points
                    games[player_id] += 1
                    met.add(frozenset((player_id, game.opponent_id)))
    if len(met) < len(ids) * (len(ids) - 1) // 2:
        return dict.fromkeys(ids, ())
    return {
        player_id: (_divide(half_points[player_id] * SHARE_FACTOR, 2 * games[player_id]),) for player_id in sorted(ids)
    }


CRITERIA: Mapping[
    events.CircuitTieBreak.ValueType, Callable[[list[_Standing], Sequence[CircuitEvent]], Mapping[str, Values]]
] = {
    events.CIRCUIT_TIE_BREAK_BEST_RESULTS: _compare_best_results,
    events.CIRCUIT_TIE_BREAK_ALL_RESULTS: _compare_all_results,
    events.CIRCUIT_TIE_BREAK_PLACES: _compare_places,
    events.CIRCUIT_TIE_BREAK_HEAD_TO_HEAD: _compare_head_to_head,
    events.CIRCUIT_TIE_BREAK_LATEST: _compare_latest,
}
"""The function that gives the values of each criterion for a group of players with equal points."""
