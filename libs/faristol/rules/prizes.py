"""Prize lists: the sharing of their money, and the choice between several prizes of a person.

The sum of the money that players get and of the money left over is the money offered, to the smallest unit of the
currency, under every rule of sharing.

Players of one list stand in groups of equal points. A group occupies as many places as it has players, and the money of
these places is divided inside the group by one of three rules:

- not shared: each place has its money. Players whom no tie-break separates divide the money of their places equally;
- equal shares: the money of the places of the group is added and divided equally;
- the Hort system: half of the money of each place goes to the player of the place, and the other halves are added and
  divided equally in the group.

Amounts are whole numbers of the smallest unit of the currency, and none is lost. If a division leaves units over, the
players who are ranked first get one unit more. Half of an odd amount is rounded down for the place, and the unit goes
to the shared halves. Prizes in kind are never divided: each goes to the player of its place. Players whom no tie-break
separates draw lots.

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

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby


class Sharing(Enum):
    """Rule of sharing."""

    NONE = "none"
    EQUAL = "equal"
    HORT = "hort"


@dataclass(frozen=True, slots=True)
class PrizeEntrant:
    """A player in a prize list."""

    player_id: str
    points: Hashable
    """Players with equal points are neighbours, and share."""
    rank: Hashable
    """Equal for players whom no tie-break separates; they have equal points too."""


@dataclass(frozen=True, slots=True)
class Share:
    """The prizes of a player in a list."""

    player_id: str
    place: int
    """From 1; players of equal rank have the first of their places."""
    amount: int = 0
    things: tuple[str, ...] = ()
    by_lot: bool = False
    """Whether the prizes in kind are drawn by lot between the players of equal rank."""
    sharers: int = 1
    """Number of players whose places' money was added, this one included."""

    @property
    def is_prize(self) -> bool:
        """Whether the player gets a prize."""
        return self.amount > 0 or bool(self.things)


def share(
    entrants: Sequence[PrizeEntrant], amounts: Sequence[int], things: Sequence[str], sharing: Sharing
) -> tuple[list[Share], int]:
    """Return the prizes of the players of a list, in their order, and the money left over.

    ``entrants`` are in the order of their ranks. ``amounts`` and ``things`` are those of each place from the first. An
    empty text stands for no prize. Money is left over if there are fewer players than places.
    """
    shares: list[Share] = []
    offered = max(len(amounts), len(things))
    for _, grouped in groupby(entrants, key=lambda entrant: entrant.points):
        if (first := len(shares)) >= offered:
            break
        shares += _share_in_group(list(grouped), first, amounts, things, sharing)
    return [each for each in shares if each.is_prize], sum(amounts[len(shares) :])


def _share_in_group(
    group: Sequence[PrizeEntrant], first: int, amounts: Sequence[int], things: Sequence[str], sharing: Sharing
) -> Iterator[Share]:
    """Yield the prizes of players with equal points, whose first place is ``first``, from 0."""
    places = [amounts[place] if place < len(amounts) else 0 for place in range(first, first + len(group))]
    match sharing:
        case Sharing.NONE:
            own, common = places, 0
        case Sharing.EQUAL:
            own, common = [0] * len(places), sum(places)
        case Sharing.HORT:
            own = [amount // 2 for amount in places]
            common = sum(places) - sum(own)
    shared = divide(common, len(group))
    done = 0
    for _, equals in groupby(group, key=lambda entrant: entrant.rank):
        tied = list(equals)
        here = slice(done, done + len(tied))
        divided = divide(sum(own[here]), len(tied))
        won = tuple(thing for thing in things[first + done : first + done + len(tied)] if thing)
        sharers = len(tied) if sharing is Sharing.NONE else len(group)
        for player, amount, more in zip(tied, divided, shared[here], strict=True):
            by_lot = len(tied) > 1 and bool(won)
            yield Share(player.player_id, first + done + 1, amount + more, won, by_lot, sharers)
        done += len(tied)


def divide(amount: int, parts: int) -> list[int]:
    """Divide an amount into equal whole parts; the first ones are greater by 1 if it does not divide evenly."""
    each, more = divmod(amount, parts)
    return [each + (place < more) for place in range(parts)]


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


__all__ = ["Award", "GivenUp", "Limit", "Outcome", "PrizeEntrant", "PrizeList", "Share", "Sharing", "award", "share"]
