"""Who is ahead for the special prizes of a tournament. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results

ALL: Sequence[pairing.PrizeKind.ValueType] = (
    pairing.PRIZE_KIND_BINGOS,
    pairing.PRIZE_KIND_HIGH_GAME,
    pairing.PRIZE_KIND_HIGH_PLAY,
    pairing.PRIZE_KIND_SPREAD,
)
"""Until the organiser says otherwise."""

OF_PLAYS = frozenset((pairing.PRIZE_KIND_BINGOS, pairing.PRIZE_KIND_HIGH_PLAY))
"""Prizes that rest on plays, and not on results alone."""

PAIR = 2
"""Players of a table whose scores make a spread."""

Claim = tuple[int, results.PrizeWinner]
"""How much somebody has, and whoever that is."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a game comes to for the prizes: the plays that stand, complete and not taken off the board."""

    bingos: Mapping[str, int]
    """Of each player who has any."""
    best_plays: tuple[Claim, ...]
    """The plays of the highest score in the game."""


def figures(game: results.GetGameResponse) -> Figures:
    """The same of the game as the public reads it."""
    standing = [entry for entry in game.entries if entry.kind == results.ENTRY_KIND_PLAY and entry.complete]
    best = max((entry.score for entry in standing), default=0)
    return Figures(
        Counter(entry.player_id for entry in standing if entry.bingo),
        tuple((entry.score, _play(game, entry)) for entry in standing if entry.score == best),
    )


def _play(game: results.GetGameResponse, entry: results.Entry) -> results.PrizeWinner:
    return results.PrizeWinner(
        player_id=entry.player_id,
        game_id=game.game_id,
        round=game.round,
        word="".join(entry.words[0].word.faces) if entry.words else "",
        coordinates=entry.coordinates,
    )


def offered(before: Sequence[pairing.PrizeKind.ValueType], fact: Message) -> Sequence[pairing.PrizeKind.ValueType]:
    """The prizes of a tournament after one more of its facts."""
    return tuple(fact.prizes) if isinstance(fact, pairing.PrizesOffered) else before


def prizes(
    kinds: Iterable[pairing.PrizeKind.ValueType],
    rounds: Sequence[results.GetPairingsResponse],
    games: Sequence[Figures],
) -> list[results.Prize]:
    """The prizes, without names of players. Equals share a prize.

    Scores and spread are those of games that were played and of which the result is final.
    """
    claims: Mapping[pairing.PrizeKind.ValueType, Callable[[], Iterable[Claim]]] = {
        pairing.PRIZE_KIND_BINGOS: lambda: _bingos(games),
        pairing.PRIZE_KIND_HIGH_GAME: lambda: _scores(rounds),
        pairing.PRIZE_KIND_HIGH_PLAY: lambda: (play for game in games for play in game.best_plays),
        pairing.PRIZE_KIND_SPREAD: lambda: _spreads(rounds),
    }
    won = [_best(kind, claims[kind]()) for kind in kinds]
    for prize in won:
        prize.unrecorded = prize.kind in OF_PLAYS and not any(game.best_plays for game in games)
    return won


def _best(kind: pairing.PrizeKind.ValueType, claims: Iterable[Claim]) -> results.Prize:
    """Whoever has the most; nobody for nothing."""
    found = [(value, winner) for value, winner in claims if value > 0]
    best = max((value for value, _ in found), default=0)
    winners = [winner for value, winner in found if value == best]
    winners.sort(key=lambda winner: (winner.player_id, winner.round))
    return results.Prize(kind=kind, value=best, winners=winners)


def _bingos(games: Sequence[Figures]) -> Iterator[Claim]:
    count: Counter[str] = Counter()
    for game in games:
        count.update(game.bingos)
    for player_id, bingos in count.items():
        yield bingos, results.PrizeWinner(player_id=player_id)


def _scores(rounds: Sequence[results.GetPairingsResponse]) -> Iterator[Claim]:
    for number, table in _played(rounds):
        for seat in table.seats:
            yield seat.score, results.PrizeWinner(player_id=seat.player_id, game_id=table.game_id, round=number)


def _spreads(rounds: Sequence[results.GetPairingsResponse]) -> Iterator[Claim]:
    spread: Counter[str] = Counter()
    for _, table in _played(rounds):
        if len(table.seats) == PAIR:
            first, second = table.seats
            spread[first.player_id] += first.score - second.score
            spread[second.player_id] += second.score - first.score
        for one in table.spread_adjustments:
            spread[one.player_id] += one.points
    for player_id, points in spread.items():
        yield points, results.PrizeWinner(player_id=player_id)


def _played(rounds: Sequence[results.GetPairingsResponse]) -> Iterator[tuple[int, results.Table]]:
    """The tables with a final result that is no forfeit, each with its round."""
    for round_ in rounds:
        for table in round_.tables:
            if table.final and not table.unplayed:
                yield round_.round, table
