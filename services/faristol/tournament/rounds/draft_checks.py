"""The checks of a pairing that is not public: matters that officials may want to change by hand. Pure.

A check is advice: it never prevents a publication. The reasons that do are in ``drafts.against_publication``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.rounds.past import past_of
from faristol.tournament.rounds.systems import SYSTEMS_WITHOUT_HAND_PAIRS
from faristol.tournament.state import Pairing, RoundState, TournamentState

MAX_STARTS_DIFFERENCE_COUNT = 2
"""Largest difference between the games that a player started and the others, without a check."""

MAX_EQUAL_STARTS_COUNT = 2
"""Largest number of consecutive games that a player started, or did not start, without a check."""


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """A matter of a pairing."""

    kind: pb.DraftCheckKind.ValueType
    message: str
    """The msgid of its sentence."""
    params: Mapping[str, Any]
    table: int = 0
    """Number of the table, from 1; 0 if it is about no table."""
    player_ids: tuple[str, ...] = ()


def list_checks(
    state: TournamentState,
    ruleset: Ruleset,
    played: RoundState,
    clubs: Mapping[str, str],
    *,
    outdated: bool = False,
) -> list[DraftCheck]:
    """Return the checks of a pairing: those of the whole round first, then by table.

    ``clubs`` has the clubs of the players, by player id. ``outdated`` states that results or rules have changed since.
    """
    found = [*_of_round(state, ruleset, played, outdated=outdated)]
    for table in played.pairings:
        found += _of_pairs(state, ruleset, table, clubs)
        found += _of_starts(state, ruleset, played, table)
        found += _of_places(state, table)
    return found


def _of_round(state: TournamentState, ruleset: Ruleset, played: RoundState, *, outdated: bool) -> Iterator[DraftCheck]:
    if outdated:
        text = N_("Results or rules have changed since round {round} was paired: pair it again to apply them.")
        yield DraftCheck(pb.DRAFT_CHECK_KIND_CHANGED_SINCE, text, {"round": played.number})
    if played.bye and any(past.as_bye for past in past_of(state, ruleset, played.bye, played.number)):
        text = N_("{player} has the bye, and has had one before.")
        yield DraftCheck(pb.DRAFT_CHECK_KIND_SECOND_BYE, text, {"player": played.bye}, player_ids=(played.bye,))


def _of_pairs(
    state: TournamentState, ruleset: Ruleset, table: Pairing, clubs: Mapping[str, str]
) -> Iterator[DraftCheck]:
    meet_again = ruleset.championship.system in SYSTEMS_WITHOUT_HAND_PAIRS
    for first, second in combinations(table.player_ids, 2):
        params = {"first": first, "second": second, "table": table.table}
        where: dict[str, Any] = {"table": table.table, "player_ids": (first, second)}
        earlier = [played.number for played in state.played if _meet(played, first, second)]
        if earlier and not meet_again:
            text = N_("Table {table}: {first} and {second} met in round {round}.")
            yield DraftCheck(pb.DRAFT_CHECK_KIND_MET_BEFORE, text, params | {"round": earlier[-1]}, **where)
        if frozenset((first, second)) in state.forbidden:
            text = N_("Table {table}: {first} and {second} are a forbidden pair.")
            yield DraftCheck(pb.DRAFT_CHECK_KIND_FORBIDDEN, text, params, **where)
        if clubs.get(first) and clubs.get(first) == clubs.get(second):
            text = N_("Table {table}: {first} and {second} belong to the same club.")
            yield DraftCheck(pb.DRAFT_CHECK_KIND_SAME_CLUB, text, params, **where)


def _meet(played: RoundState, first: str, second: str) -> bool:
    return any(first in table.player_ids and second in table.player_ids for table in played.pairings)


def _of_starts(state: TournamentState, ruleset: Ruleset, played: RoundState, table: Pairing) -> Iterator[DraftCheck]:
    """Yield the players of a table of two with uneven starts, if the pairing decides them."""
    if not ruleset.start.by_pairing or len(table.player_ids) != 2:
        return
    for place, player_id in enumerate(table.player_ids):
        starts = [past.first for past in past_of(state, ruleset, player_id, played.number) if past.played]
        starts.append(place == 0)
        same = _count_last_equal(starts)
        params = {
            "player": player_id,
            "table": table.table,
            "starts": sum(starts),
            "games": len(starts),
            "count": same,
        }
        where: dict[str, Any] = {"table": table.table, "player_ids": (player_id,)}
        if abs(2 * sum(starts) - len(starts)) > MAX_STARTS_DIFFERENCE_COUNT:
            text = N_("Table {table}: {player} would have started {starts} of {games} games.")
            yield DraftCheck(pb.DRAFT_CHECK_KIND_STARTS, text, params, **where)
        elif same > MAX_EQUAL_STARTS_COUNT:
            started = N_("Table {table}: {player} would start {count} games in a row.")
            followed = N_("Table {table}: {player} would play second in {count} games in a row.")
            yield DraftCheck(pb.DRAFT_CHECK_KIND_STARTS, started if starts[-1] else followed, params, **where)


def _count_last_equal(starts: list[bool]) -> int:
    """Count the last elements that are equal to the last one."""
    return next((count for count, each in enumerate(reversed(starts)) if each != starts[-1]), len(starts))


def _of_places(state: TournamentState, table: Pairing) -> Iterator[DraftCheck]:
    for player_id in table.player_ids:
        player = state.player(player_id)
        if player is not None and player.table is not None and player.table != table.table:
            text = N_("Table {table}: {player} has the fixed table {fixed}.")
            params = {"table": table.table, "player": player_id, "fixed": player.table}
            yield DraftCheck(pb.DRAFT_CHECK_KIND_FIXED_TABLE, text, params, table.table, (player_id,))
    if state.halls and not any(table.table in hall for hall in state.halls):
        text = N_("Table {table} is in no hall.")
        yield DraftCheck(pb.DRAFT_CHECK_KIND_NO_HALL, text, {"table": table.table}, table.table)
