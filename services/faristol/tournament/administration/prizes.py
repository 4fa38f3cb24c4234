"""Special prizes, and prize lists with their rules. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.likeness import like
from faristol.kernel.names import MAX_CATEGORY_CHARACTERS, check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_open, check_registered
from faristol.tournament.situation import PairingCommand, Situation, Undo, latest, latest_about, set_as_before
from faristol.tournament.state import TournamentState

CURRENCY = re.compile("[A-Z]{3}")

MAX_PRIZE_LISTS_COUNT = 100
"""Limit of the prize lists of a tournament."""

MAX_PLACES_COUNT = 200
"""Limit of the places of a prize list."""

MAX_AMOUNT_NUMBER = 10**13
"""Limit of an amount, in the smallest unit of the currency."""


def offer_prizes(situation: Situation, request: pb.OfferPrizesRequest) -> list[Message]:
    """Set the special prizes, replacing all earlier ones (PES ΣΤ).

    Raises ``Invalid`` if a prize is unknown or listed twice, ``Refusal`` if the tournament is over.
    """
    check_open(situation.state)
    prizes, known = request.prizes, [number for number in events.PrizeKind.values() if number]
    if not set(prizes) <= set(known) or len(set(prizes)) < len(prizes):
        names = ", ".join(events.PrizeKind.Name(number) for number in known)
        raise Invalid("prizes", N_("expected one or more of {known}, each once"), {"known": names})
    return [situation.event(events.PrizesOffered, prizes=prizes)]


def set_prize_rules(situation: Situation, request: pb.SetPrizeRulesRequest) -> list[Message]:
    """Set the sharing, the number of prizes of a person and the currency of the prize lists.

    Raises ``Invalid`` for an unknown rule or currency, ``Refusal`` for a person who is not a player.
    """
    check_open(situation.state)
    if request.sharing not in _list_known(events.PrizeSharing):
        raise Invalid("sharing", N_("is missing; expected the rule of sharing"))
    if request.limit not in _list_known(events.PrizeLimit):
        raise Invalid("limit", N_("is missing; expected the number of prizes of a person"))
    currency = request.currency.strip().upper()
    if not CURRENCY.fullmatch(currency):
        raise Invalid(
            "currency",
            N_("expected a code of three letters, such as EUR, got {given}"),
            {"given": repr(request.currency[:20])},
        )
    return [
        situation.event(
            events.PrizeRulesSet,
            request,
            currency=currency,
            player_ids=_check_registered(situation.state, request.player_ids),
        )
    ]


def set_prize_list(situation: Situation, request: pb.SetPrizeListRequest) -> list[Message]:
    """Add a prize list, or change one.

    Raises ``Invalid`` for a malformed field, and for amounts that rise from one place to the next: sharing needs
    falling ones. Raises ``Refusal`` for an unknown list and for a person who is not a player.
    """
    state = situation.state
    check_open(state)
    number = request.list or max((*state.prize_lists, state.most_prize_lists), default=0) + 1
    if request.list and request.list not in state.prize_lists:
        raise _build_unknown_refusal(request.list)
    if not request.list and len(state.prize_lists) >= MAX_PRIZE_LISTS_COUNT:
        raise Refusal(
            "TOO_MANY_PRIZE_LISTS",
            N_("There are already {count} prize lists, the most that a tournament can have."),
            {"count": MAX_PRIZE_LISTS_COUNT},
        )
    criterion = request.criterion or events.PRIZE_CRITERION_PLACE
    if criterion not in _list_known(events.PrizeCriterion):
        raise Invalid("criterion", N_("is unknown; expected the ranking of the list"))
    is_chosen = criterion == events.PRIZE_CRITERION_CHOSEN
    if request.player_ids and not is_chosen:
        raise Invalid("player_ids", N_("names players, but the criterion is not the choice of the organiser"))
    _check_years(request)
    there = len(state.prize_lists) + (not request.list)
    place = request.place or (state.prize_lists.index(number) + 1 if request.list else there)
    check_range("place", place, 1, there)
    return [
        situation.event(
            events.PrizeListSet,
            request,
            list=number,
            name=check_name("name", request.name),
            criterion=criterion,
            category=check_name("category", request.category, empty=True, longest=MAX_CATEGORY_CHARACTERS),
            club=check_name("club", request.club, empty=True),
            amounts=_check_amounts(request.amounts),
            things=_check_things(request.things),
            player_ids=_check_registered(state, request.player_ids),
            place=place,
        )
    ]


def remove_prize_list(situation: Situation, request: pb.RemovePrizeListRequest) -> list[Message]:
    """Remove a prize list. Raises ``Refusal`` for an unknown one."""
    check_open(situation.state)
    if request.list not in situation.state.prize_lists:
        raise _build_unknown_refusal(request.list)
    return [situation.event(events.PrizeListRemoved, request)]


def _list_known(kind: Any) -> Collection[int]:
    return [number for number in kind.values() if number]


def _build_unknown_refusal(number: int) -> Refusal:
    return Refusal("NO_PRIZE_LIST", N_("There is no prize list {list}."), {"list": number})


def _check_registered(state: TournamentState, player_ids: Sequence[str]) -> list[str]:
    """Return players, each once. Raises ``Refusal`` if one is not registered."""
    named = list(dict.fromkeys(player_ids))
    check_registered(state, *named)
    return named


def _check_years(request: pb.SetPrizeListRequest) -> None:
    for field in ("born_from", "born_until"):
        year = getattr(request, field)
        if year and not 1900 <= year <= 2099:  # the years that the contract of personal details allows
            raise Invalid(field, N_("expected a year of four digits, such as 2008, got {given}"), {"given": year})
    if request.born_from and request.born_until and request.born_until < request.born_from:
        raise Invalid(
            "born_until",
            N_("expected {first} or later, got {given}"),
            {"first": request.born_from, "given": request.born_until},
        )


def _check_amounts(amounts: Sequence[int]) -> Sequence[int]:
    if len(amounts) > MAX_PLACES_COUNT:
        raise Invalid("amounts", N_("has too many places; expected {most} at most"), {"most": MAX_PLACES_COUNT})
    for amount in amounts:
        check_range("amounts", amount, 0, MAX_AMOUNT_NUMBER)
    for place, (better, worse) in enumerate(pairwise(amounts), 2):
        if worse > better:
            raise Invalid(
                "amounts",
                N_("place {place} has more money than the place before it; expected the same or less"),
                {"place": place},
            )
    return amounts


def _check_things(things: Sequence[str]) -> list[str]:
    if len(things) > MAX_PLACES_COUNT:
        raise Invalid("things", N_("has too many places; expected {most} at most"), {"most": MAX_PLACES_COUNT})
    return [check_name("things", thing, empty=True) for thing in things]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.OfferPrizesRequest: PairingCommand(offer_prizes, of_tables=True, rests_on=(events.PrizesOffered,)),
    pb.SetPrizeRulesRequest: PairingCommand(set_prize_rules, of_tables=True, rests_on=(events.PrizeRulesSet,)),
    pb.SetPrizeListRequest: PairingCommand(
        set_prize_list,
        of_tables=True,
        tells=events.PrizeListSet,
        rests_on=(events.PrizeListSet, events.PrizeListRemoved),
    ),
    pb.RemovePrizeListRequest: PairingCommand(
        remove_prize_list, of_tables=True, rests_on=(events.PrizeListSet, events.PrizeListRemoved)
    ),
}


def _rules_before(act: events.PrizeRulesSet, before: Sequence[Message]) -> Message:
    """Build the command that sets the earlier rules; without any, those that apply by default."""
    earlier = latest(events.PrizeRulesSet, before)
    return pb.SetPrizeRulesRequest(
        sharing=earlier.sharing or events.PRIZE_SHARING_NONE,
        limit=earlier.limit or events.PRIZE_LIMIT_SEVERAL,
        currency=earlier.currency or act.currency,
        player_ids=earlier.player_ids,
    )


def _removed_list(act: events.PrizeListRemoved, before: Sequence[Message]) -> Message:
    """Build the command that adds a removed list again, as the last one and with a new number."""
    earlier = latest_about(act, "list", (events.PrizeListSet,), before)
    return like(pb.SetPrizeListRequest, earlier or events.PrizeListSet(), list=0, place=0, occurred_at=None)


_list_before = set_as_before(
    "list", (events.PrizeListSet, events.PrizeListRemoved), (pb.SetPrizeListRequest, pb.RemovePrizeListRequest)
)

UNDO: Mapping[type[Message], Undo] = {
    events.PrizeRulesSet: Undo(_rules_before, thing=("prize rules",)),
    events.PrizeListSet: Undo(_list_before, thing=("prize list", "list")),
    events.PrizeListRemoved: Undo(_removed_list, thing=("prize list", "list")),
}
