"""The awards of all prize lists of a tournament, with the prizes that players give up.

A rule may allow a person one prize. Each player then keeps one of the prizes that the lists would give, and gives the
others up, so that other players move up there. This is the exchange of Gale and Shapley ("College admissions and the
stability of marriage", 1962), with lists that propose: every list awards its prizes to its players, players with
several prizes keep the one that they prefer, and the lists that were refused award again without them. A player who
leaves a list never makes a prize there smaller for the others, because a group of equal points loses its last place.
So no later round can make a player regret a refusal, and the rounds end, since each removes a player from a list.

Players prefer the prize of the first list, or that of most money, by the rule. A list may stand apart, such as that of
the best game: its prizes are not counted.

Cost: one sharing of each list in a round, and as many rounds as refusals at most; a few in practice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from faristol.rules.prizes.sharing import PrizeEntrant, Share, Sharing, share


class Limit(Enum):
    """Rule on the number of prizes of a person."""

    SEVERAL = "several"
    FIRST_LIST = "first-list"
    MOST_MONEY = "most-money"


@dataclass(frozen=True, slots=True)
class PrizeList:
    """A prize list with its players."""

    number: int
    entrants: Sequence[PrizeEntrant]
    """In the order of their ranks."""
    amounts: Sequence[int]
    """Money of each place from the first."""
    things: Sequence[str] = ()
    """Prizes in kind of each place from the first; an empty text for no prize."""
    apart: bool = False
    """Whether its prizes are not counted."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A prize that a player gave up for one of another list."""

    number: int
    """Number of the list."""
    amount: int
    """Its money when the player gave it up."""


@dataclass(frozen=True, slots=True)
class Award:
    """A prize of a player, and the prizes given up for it."""

    share: Share
    given_up: tuple[GivenUp, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The awards of a list."""

    number: int
    awards: Sequence[Award]
    left_over: int
    """Money that no player gets, because the list has fewer players than places."""


def award(lists: Sequence[PrizeList], sharing: Sharing, limit: Limit, without: Collection[str] = ()) -> list[Outcome]:
    """Return the awards of each list, in the order of the lists, which is that of their priority.

    ``without`` are the players who take no prize.
    """
    gone: dict[int, set[str]] = {each.number: set(without) for each in lists}
    given_up: dict[str, list[GivenUp]] = {}
    while True:
        shared = {each.number: _share_without(each, sharing, gone[each.number]) for each in lists}
        refused = _refuse(lists, {number: found for number, (found, _) in shared.items()}, limit)
        if not refused:
            break
        for player_id, lost in refused:
            gone[lost.number].add(player_id)
            given_up.setdefault(player_id, []).append(lost)
    outcomes = []
    for each in lists:
        found, left_over = shared[each.number]
        awards = [Award(won, () if each.apart else tuple(given_up.get(won.player_id, ()))) for won in found]
        outcomes.append(Outcome(each.number, awards, left_over))
    return outcomes


def _share_without(each: PrizeList, sharing: Sharing, gone: Collection[str]) -> tuple[list[Share], int]:
    staying = [entrant for entrant in each.entrants if entrant.player_id not in gone]
    return share(staying, each.amounts, each.things, sharing)


def _refuse(
    lists: Sequence[PrizeList], shared: Mapping[int, Sequence[Share]], limit: Limit
) -> list[tuple[str, GivenUp]]:
    """Return the prizes that players with several give up, each with its player."""
    if limit is Limit.SEVERAL:
        return []
    offers: dict[str, list[tuple[int, Share]]] = {}
    for each in lists:
        if not each.apart:
            for won in shared[each.number]:
                offers.setdefault(won.player_id, []).append((each.number, won))
    refused = []
    for player_id, offered in offers.items():
        # Of equal prizes, max returns the first, which is that of the first list.
        kept = offered[0] if limit is Limit.FIRST_LIST else max(offered, key=lambda offer: offer[1].amount)
        refused += [(player_id, GivenUp(number, won.amount)) for number, won in offered if (number, won) != kept]
    return refused
