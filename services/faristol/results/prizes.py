"""Who is ahead for the special prizes of a tournament. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.likeness import like
from faristol.results.rows import Game, Line, Round, ScoredWord, unpacked

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
class Plays:
    """What the plays of a tournament come to for the prizes: those that stand, complete and not taken off the board."""

    bingos: Mapping[str, int]
    """Of each player who has any."""
    best: Sequence[Play]
    """Those of the highest score."""
    recorded: bool
    """The record has some plays, of whom ever."""


@dataclass(frozen=True, slots=True)
class Play:
    """A play with its round."""

    line: Line
    round: int

    def won(self) -> results.PrizeWinner:
        """Whoever made it."""
        words = unpacked(ScoredWord, self.line.words)
        word = "".join(words[0].faces) if words else ""
        return like(results.PrizeWinner, self.line, round=self.round, word=word)


@dataclass(frozen=True, slots=True)
class Offer:
    """The prizes of a tournament, and who takes none."""

    kinds: Sequence[pairing.PrizeKind.ValueType] = ALL
    expelled: frozenset[str] = frozenset()
    """Players who were expelled: no book says what becomes of their prizes, and the next in line takes them."""


def offered(before: Offer, fact: Message) -> Offer:
    """The prizes of a tournament after one more of its facts."""
    match fact:
        case pairing.PrizesOffered():
            return replace(before, kinds=tuple(fact.prizes))
        case pairing.PlayerExpelled():
            return replace(before, expelled=before.expelled | {fact.player_id})
        case pairing.ExpulsionLifted():
            return replace(before, expelled=before.expelled - {fact.player_id})
    return before


def prizes(
    offer: Offer,
    rounds: Sequence[Round],
    plays: Plays,
) -> list[results.Prize]:
    """The prizes, without names of players. Equals share a prize.

    Scores and spread are those of games that were played and of which the result is final. ``plays`` are of who was not
    expelled.
    """
    claims: Mapping[pairing.PrizeKind.ValueType, Callable[[], Iterable[Claim]]] = {
        pairing.PRIZE_KIND_BINGOS: lambda: _bingos(plays),
        pairing.PRIZE_KIND_HIGH_GAME: lambda: _scores(rounds),
        pairing.PRIZE_KIND_HIGH_PLAY: lambda: ((play.line.score, play.won()) for play in plays.best),
        pairing.PRIZE_KIND_SPREAD: lambda: _spreads(rounds),
    }
    won = [
        _best(kind, (claim for claim in claims[kind]() if claim[1].player_id not in offer.expelled))
        for kind in offer.kinds
    ]
    for prize in won:
        prize.unrecorded = prize.kind in OF_PLAYS and not plays.recorded
    return won


def _best(kind: pairing.PrizeKind.ValueType, claims: Iterable[Claim]) -> results.Prize:
    """Whoever has the most; nobody for nothing."""
    found = [(value, winner) for value, winner in claims if value > 0]
    best = max((value for value, _ in found), default=0)
    winners = [winner for value, winner in found if value == best]
    winners.sort(key=lambda winner: (winner.player_id, winner.round))
    return results.Prize(kind=kind, value=best, winners=winners)


def _bingos(plays: Plays) -> Iterator[Claim]:
    for player_id, bingos in plays.bingos.items():
        yield bingos, results.PrizeWinner(player_id=player_id)


def _scores(rounds: Sequence[Round]) -> Iterator[Claim]:
    for number, game in _played(rounds):
        for seat in game.seats:
            yield seat.score, results.PrizeWinner(player_id=seat.player_id, game_id=game.game_id, round=number)


def _spreads(rounds: Sequence[Round]) -> Iterator[Claim]:
    spread: Counter[str] = Counter()
    for _, game in _played(rounds):
        if len(game.seats) == PAIR:
            first, second = game.seats
            spread[first.player_id] += first.score - second.score
            spread[second.player_id] += second.score - first.score
        for each in game.spread_adjustments:
            spread[each.player_id] += each.points
    for player_id, points in spread.items():
        yield points, results.PrizeWinner(player_id=player_id)


def _played(rounds: Sequence[Round]) -> Iterator[tuple[int, Game]]:
    """The tables with a final result that is no forfeit, each with its round."""
    for round_ in rounds:
        for game in round_.games:
            if game.final and not game.unplayed:
                yield round_.round, game
