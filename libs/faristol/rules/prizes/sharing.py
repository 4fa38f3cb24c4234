"""The sharing of the money of one prize list between its players.

Players stand in groups of equal points. A group occupies as many places as it has players, and the money of these
places is divided inside the group by one of three rules:

- not shared: each place has its money. Players whom no tie-break separates divide the money of their places equally;
- equal shares: the money of the places of the group is added and divided equally;
- the Hort system: half of the money of each place goes to the player of the place, and the other halves are added and
  divided equally in the group.

Amounts are whole numbers of the smallest unit of the currency, and none is lost. If a division leaves units over, the
players who are ranked first get one unit more. Half of an odd amount is rounded down for the place, and the unit goes
to the shared halves. So all shares of a group together are exactly the money of its places.

Prizes in kind are never divided: each goes to the player of its place. Players whom no tie-break separates draw lots.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
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
