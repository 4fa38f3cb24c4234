"""The leaders for the special prizes of a tournament. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from google.protobuf.message import Message

from faristol.kernel.likeness import like
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage.rows import Game, Line, Round, ScoredWord, decode_tuples
from faristol.text.money import DEFAULT_CURRENCY

DEFAULT_PRIZE_KINDS: Sequence[pairing.PrizeKind.ValueType] = (
    pairing.PRIZE_KIND_BINGOS,
    pairing.PRIZE_KIND_HIGH_GAME,
    pairing.PRIZE_KIND_HIGH_PLAY,
    pairing.PRIZE_KIND_SPREAD,
)
"""Offered by default."""

PLAY_PRIZE_KINDS = frozenset((pairing.PRIZE_KIND_BINGOS, pairing.PRIZE_KIND_HIGH_PLAY))
"""Prizes computed from plays, not only from results."""

CRITERION_KINDS: Mapping[int, pairing.PrizeKind.ValueType] = {
    pairing.PRIZE_CRITERION_HIGH_GAME: pairing.PRIZE_KIND_HIGH_GAME,
    pairing.PRIZE_CRITERION_BINGOS: pairing.PRIZE_KIND_BINGOS,
    pairing.PRIZE_CRITERION_SPREAD: pairing.PRIZE_KIND_SPREAD,
}
"""Kinds of special prizes whose values rank a prize list, by its criterion."""

SPREAD_TABLE_PLAYERS = 2
"""Players of a table whose scores make a spread."""

Claim = tuple[int, results.PrizeWinner]
"""A value and the player with it."""


@dataclass(frozen=True, slots=True)
class Plays:
    """The plays of a tournament that count for the prizes: complete and not removed from the board."""

    bingos: Mapping[str, int]
    """By player, without players who have none."""
    best: Sequence[Play]
    """Those of the highest score."""
    recorded: bool
    """Whether the record has plays of any player."""


@dataclass(frozen=True, slots=True)
class Play:
    """A play with its round."""

    line: Line
    round: int

    def to_winner(self) -> results.PrizeWinner:
        """Return the player who made it as a winner."""
        words = decode_tuples(ScoredWord, self.line.words)
        word = "".join(words[0].faces) if words else ""
        return like(results.PrizeWinner, self.line, round=self.round, word=word)


@dataclass(frozen=True, slots=True)
class Offered:
    """The special prizes and the prize lists of a tournament, their rules and the players excluded from them."""

    kinds: Sequence[pairing.PrizeKind.ValueType] = DEFAULT_PRIZE_KINDS
    rules: pairing.PrizeRulesSet = field(
        default_factory=lambda: pairing.PrizeRulesSet(
            sharing=pairing.PRIZE_SHARING_NONE, limit=pairing.PRIZE_LIMIT_SEVERAL, currency=DEFAULT_CURRENCY
        )
    )
    lists: tuple[pairing.PrizeListSet, ...] = ()
    """In their order."""
    expelled: frozenset[str] = frozenset()
    """Expelled players: no book says what becomes of their prizes, and the next in line takes them."""


def apply_prize_event(before: Offered, event: Message) -> Offered:
    """Return the prizes of a tournament after one more of its events."""
    match event:
        case pairing.PrizesOffered():
            return replace(before, kinds=tuple(event.prizes))
        case pairing.PrizeRulesSet():
            return replace(before, rules=event)
        case pairing.PrizeListSet():
            others = [each for each in before.lists if each.list != event.list]
            others.insert(event.place - 1, event)
            return replace(before, lists=tuple(others))
        case pairing.PrizeListRemoved():
            return replace(before, lists=tuple(each for each in before.lists if each.list != event.list))
        case pairing.PlayerExpelled():
            return replace(before, expelled=before.expelled | {event.player_id})
        case pairing.ExpulsionLifted():
            return replace(before, expelled=before.expelled - {event.player_id})
    return before


def prizes(
    offered: Offered,
    rounds: Sequence[Round],
    plays: Plays,
    annulled: Collection[str] = (),
) -> list[results.Prize]:
    """Return the prizes, without names of players. Players with equal values share a prize.

    Scores and spread are of played games with a final result. ``plays`` exclude those of expelled players. ``annulled``
    are the players whose games count for no player (FIDE C.05 6.6): the spread excludes these games.
    """
    won = [
        _best(
            kind,
            (
                claim
                for claim in list_claims(kind, rounds, plays, annulled)
                if claim[1].player_id not in offered.expelled
            ),
        )
        for kind in offered.kinds
    ]
    for prize in won:
        prize.unrecorded = prize.kind in PLAY_PRIZE_KINDS and not plays.recorded
    return won


def list_claims(
    kind: pairing.PrizeKind.ValueType, rounds: Sequence[Round], plays: Plays, annulled: Collection[str] = ()
) -> Iterable[Claim]:
    """Return the values of players for a kind of prize, in no order; of plays, only the highest."""
    claims: Mapping[pairing.PrizeKind.ValueType, Callable[[], Iterable[Claim]]] = {
        pairing.PRIZE_KIND_BINGOS: lambda: _bingos(plays),
        pairing.PRIZE_KIND_HIGH_GAME: lambda: _scores(rounds),
        pairing.PRIZE_KIND_HIGH_PLAY: lambda: ((play.line.score, play.to_winner()) for play in plays.best),
        pairing.PRIZE_KIND_SPREAD: lambda: _spreads(rounds, annulled),
    }
    return claims[kind]()


def _best(kind: pairing.PrizeKind.ValueType, claims: Iterable[Claim]) -> results.Prize:
    """Return a prize with the players of the highest value; only values above 0 win."""
    found = [(value, winner) for value, winner in claims if value > 0]
    best = max((value for value, _ in found), default=0)
    winners = [winner for value, winner in found if value == best]
    winners.sort(key=lambda winner: (winner.player_id, winner.round))
    return results.Prize(kind=kind, value=best, winners=winners)


def _bingos(plays: Plays) -> Iterator[Claim]:
    for player_id, bingos in plays.bingos.items():
        yield bingos, results.PrizeWinner(player_id=player_id)


def _scores(rounds: Sequence[Round]) -> Iterator[Claim]:
    for number, game in _list_final_games(rounds):
        for seat in game.seats:
            yield seat.score, results.PrizeWinner(player_id=seat.player_id, game_id=game.game_id, round=number)


def _spreads(rounds: Sequence[Round], annulled: Collection[str]) -> Iterator[Claim]:
    spread: Counter[str] = Counter()
    for _, game in _list_final_games(rounds):
        if any(seat.player_id in annulled for seat in game.seats):
            for each in game.spread_adjustments:
                spread[each.player_id] += each.points if each.sanction else 0
            continue
        if len(game.seats) == SPREAD_TABLE_PLAYERS:
            first, second = game.seats
            spread[first.player_id] += first.score - second.score
            spread[second.player_id] += second.score - first.score
        for each in game.spread_adjustments:
            spread[each.player_id] += each.points
    for player_id, points in spread.items():
        yield points, results.PrizeWinner(player_id=player_id)


def _list_final_games(rounds: Sequence[Round]) -> Iterator[tuple[int, Game]]:
    """Yield the tables with a final result that is not a forfeit, each with its round."""
    for round_ in rounds:
        for game in round_.games:
            if game.final and not game.unplayed:
                yield round_.round, game
