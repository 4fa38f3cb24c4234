"""Pairs under the director's hand: kept apart, or made. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.model import Tournament
from faristol.pairing.past import past_of
from faristol.pairing.systems import CYCLES
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset


def forbid(
    state: Tournament, ruleset: Ruleset, *, player_ids: Sequence[str], at: datetime | None, now: datetime
) -> list[Message]:
    """Keep two players, or two teams, apart in the rounds to come.

    Refused where each meets each, and for a pair made by hand.
    """
    pair = _pair(state, player_ids)
    _check_by_hand(ruleset)
    if frozenset(pair) in state.forbidden:
        raise Refusal(
            "PAIR_FORBIDDEN", "", N_("{one} and {other} are kept apart already."), {"one": pair[0], "other": pair[1]}
        )
    number = len(state.played) + 1
    if _is_kept(state, number, pair):
        raise Refusal(
            "PAIR_KEPT",
            "",
            N_("{one} and {other} have been paired by hand in round {round}: release that pair first."),
            {"one": pair[0], "other": pair[1], "round": number},
        )
    return [events.PairForbidden(player_ids=sorted(pair), occurred_at=to_timestamp(conditions.moment(state, at, now)))]


def allow(state: Tournament, *, player_ids: Sequence[str], at: datetime | None, now: datetime) -> list[Message]:
    """Let two players, or two teams, meet who were kept apart."""
    pair = _pair(state, player_ids)
    if frozenset(pair) not in state.forbidden:
        raise Refusal(
            "PAIR_NOT_FORBIDDEN", "", N_("{one} and {other} are not kept apart."), {"one": pair[0], "other": pair[1]}
        )
    return [events.PairAllowed(player_ids=sorted(pair), occurred_at=to_timestamp(conditions.moment(state, at, now)))]


def keep(
    state: Tournament,
    ruleset: Ruleset,
    *,
    player_ids: Sequence[str],
    rematch: bool,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Make a pair of the next round by hand; the others are paired around it.

    Players who have met may meet again only where the arbiter says so (FIDE C.04.3 1.9.3).
    """
    pair = _pair(state, player_ids)
    _check_by_hand(ruleset)
    number = len(state.played) + 1
    if number > state.rounds:
        raise Refusal("NO_ROUND_LEFT", "", N_("All {rounds} rounds have been paired."), {"rounds": state.rounds})
    if frozenset(pair) in state.forbidden:
        raise Refusal(
            "PAIR_FORBIDDEN",
            "",
            N_("{one} and {other} are kept apart: let them meet first."),
            {"one": pair[0], "other": pair[1]},
        )
    there = {one.player_id for one in state.to_pair(number)}
    for player_id in pair:
        if player_id not in there:
            raise Refusal(
                "NOT_TO_PAIR",
                "",
                N_("{player} is not there to be paired in round {round}."),
                {"player": player_id, "round": number},
            )
        if any(player_id in kept for kept in state.kept.get(number, ())):
            raise Refusal(
                "PAIR_KEPT",
                "",
                N_("{player} has been paired by hand in round {round} already."),
                {"player": player_id, "round": number},
            )
    met = any(one.opponent == pair[1] for one in past_of(state, ruleset, pair[0], number))
    if met and not rematch:
        raise Refusal(
            "MET_BEFORE",
            ruleset.article("championship.system"),
            N_("{one} and {other} have met before; the arbiter has to say that they meet again."),
            {"one": pair[0], "other": pair[1]},
        )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.PairKept(round=number, player_ids=pair, rematch=met, occurred_at=occurred_at)]


def release(state: Tournament, *, player_ids: Sequence[str], at: datetime | None, now: datetime) -> list[Message]:
    """Leave a pair made by hand to the way of pairing again."""
    pair = _pair(state, player_ids)
    number = len(state.played) + 1
    if not _is_kept(state, number, pair):
        raise Refusal(
            "PAIR_NOT_KEPT",
            "",
            N_("{one} and {other} have not been paired by hand in round {round}."),
            {"one": pair[0], "other": pair[1], "round": number},
        )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.PairReleased(round=number, player_ids=pair, occurred_at=occurred_at)]


def _is_kept(state: Tournament, number: int, pair: tuple[str, str]) -> bool:
    """Whether a pair of a round was made by hand."""
    return any(set(kept) == set(pair) for kept in state.kept.get(number, ()))


def _pair(state: Tournament, player_ids: Sequence[str]) -> tuple[str, str]:
    """Two different players of the tournament. Raises ``Invalid`` for anything else."""
    if state.over:
        raise conditions.over(state)
    if len(player_ids) != 2 or player_ids[0] == player_ids[1]:
        raise Invalid(
            "player_ids",
            N_("are {players}; expected two different players"),
            {"players": ", ".join(player_ids) or "–"},
        )
    for player_id in player_ids:
        if state.player(player_id) is None:
            raise conditions.not_registered(state, player_id)
    return player_ids[0], player_ids[1]


def _check_by_hand(ruleset: Ruleset) -> None:
    if ruleset.championship.system == "lot":
        raise Refusal(
            "PAIRED_BY_LOT",
            ruleset.article("championship.system"),
            N_("The lot makes the tables: no pair is made or forbidden by hand."),
        )
    if ruleset.championship.system in CYCLES or ruleset.championship.system == "match":
        raise Refusal(
            "PAIRED_BY_TABLE",
            ruleset.article("championship.system"),
            N_("Each meets each by the table of rounds: no pair is made or forbidden by hand."),
        )
