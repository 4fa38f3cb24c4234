"""Reasons for an impossible pairing, and the exceptions that an arbiter can make (FIDE C.04.3 1.9.3). Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from faristol.kernel.refusal import N_, Refusal
from faristol.tournament.byes.allocated import no_bye_left
from faristol.tournament.engines.dutch.field import Bools, PlayerArrays, field_of
from faristol.tournament.engines.dutch.matched_graph import Matching
from faristol.tournament.engines.dutch.player import DutchRound

ARTICLE = "FIDE C.04.3 1.9.3"


class WaivedRule(Enum):
    """A rule that the arbiter may set aside to make a pairing possible."""

    REMATCH = "rematch"
    """Two players meet again (C1)."""
    COLOUR = "colour"
    """Two players with an absolute preference for the same colour meet (C3)."""
    FORBIDDEN = "forbidden"
    """A forbidden pair meets."""
    BYE = "bye"
    """A player has a second bye (C2)."""


MESSAGES = {
    WaivedRule.REMATCH: N_("Let {players} meet again."),
    WaivedRule.COLOUR: N_("Let {players} meet although both are due the same colour."),
    WaivedRule.FORBIDDEN: N_("Let {players} meet although they are kept apart."),
    WaivedRule.BYE: N_("Give {players} a second bye."),
}
"""The sentence of each way for an arbiter."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The fewest exceptions from one rule, as pairs of numbers, or as single numbers for byes.

    Pairs can be passed as ``Round.kept``; single numbers can be left out of ``Round.players``.
    """

    way: WaivedRule
    exceptions: tuple[tuple[int, ...], ...]


def impossible(field: PlayerArrays) -> Refusal:
    """Return the most specific refusal for an impossible pairing."""
    count = len(field.players)
    odd = count % 2 == 1
    if odd and not field.may_rest.any():
        return no_bye_left(count, "FIDE C.04.3 C2")
    for index, player in enumerate(field.players):
        if not field.may_meet[index].any() and not (odd and field.may_rest[index]):
            return Refusal(
                "NO_OPPONENT_LEFT",
                N_("Player {player} may meet no remaining player; the arbiter decides."),
                {"player": player.number},
                article=ARTICLE,
            )
    return Refusal(
        "NO_PAIRING",
        N_("The {players} players cannot all be paired within the rules; the arbiter decides."),
        {"players": count},
        article=ARTICLE,
    )


def choices(a_round: DutchRound) -> tuple[Choice, ...]:
    """Return the rules that suffice each by itself, the fewest exceptions first; empty if a pairing exists."""
    kept = {number for pair in a_round.kept for number in pair}
    ranking = tuple(player for player in a_round.ranking() if player.number not in kept)
    field = field_of(ranking, a_round)
    if _fewest(field, field.may_meet, field.may_rest) == ():
        return ()
    strangers = tuple(replace(player, opponents=frozenset()) for player in ranking)
    found = []
    for way, wider in (
        (WaivedRule.FORBIDDEN, field_of(ranking, replace(a_round, forbidden=frozenset()))),
        (WaivedRule.COLOUR, field_of(ranking, replace(a_round, colours=False))),
        (WaivedRule.REMATCH, field_of(strangers, a_round)),
        (WaivedRule.BYE, replace(field, may_rest=np.ones(len(ranking), np.bool_))),
    ):
        exceptions = _fewest(field, wider.may_meet, wider.may_rest)
        if exceptions:
            found.append(Choice(way, exceptions))
    return tuple(sorted(found, key=lambda choice: len(choice.exceptions)))


def _fewest(field: PlayerArrays, may_meet: Bools, may_rest: Bools) -> tuple[tuple[int, ...], ...] | None:
    """Return the fewest exceptions with which all players are paired, or None if that is impossible.

    Exceptions are pairs and byes that the field does not allow. Ties go to players nearest in the order.
    """
    count = len(field.players)
    size = count + count % 2
    edge = np.zeros((size, size), np.bool_)
    edge[:count, :count] = may_meet
    allowed = np.zeros((size, size), np.bool_)
    allowed[:count, :count] = field.may_meet
    if size > count:
        edge[count, :count] = edge[:count, count] = may_rest
        allowed[count, :count] = allowed[:count, count] = field.may_rest
    extra = edge & ~allowed
    place = np.arange(size)
    distance = np.abs(np.subtract.outer(place, place)).astype(np.int64)
    weight = np.stack([-extra.astype(np.int64), -distance * extra], axis=2)
    matching = Matching(weight, edge)
    if not matching.complete:
        return None
    pairs = [(vertex, matching.mate(vertex)) for vertex in range(count) if vertex < matching.mate(vertex)]
    return tuple(
        tuple(field.players[vertex].number for vertex in pair if vertex < count) for pair in pairs if extra[pair]
    )
