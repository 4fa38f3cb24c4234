"""Divisions of a championship, each a tournament, and the constraints between them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.divisions import find_division
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.conditions import build_expelled_refusal, check_not_removed, check_open
from faristol.tournament.situation import Situation
from faristol.tournament.state import HallRange, TournamentState

MAX_DIVISIONS = 20
"""Limit of divisions in a championship: an entry in one reads all others."""


def add_division(situation: Situation, added: events.Division, *, first_division: str) -> list[Message]:
    """Add a tournament as a division of the championship whose first division is that of ``situation``.

    ``first_division`` names the first division if it has no name yet; else it is empty or the same name. Raises
    ``Invalid`` if a name is missing. Raises ``Refusal`` if the first division is itself a further division, or over; a
    later stage can follow one that is over.
    Raises ``Refusal`` if there are too many divisions, or if a name is taken.
    """
    first = situation.state
    if not added.name:
        raise Invalid("division", N_("is missing; expected the name of the division"))
    if added.stage:
        check_not_removed(first)
    else:
        check_open(first)
    if first.division_of:
        raise Refusal(
            "NOT_FIRST_DIVISION",
            N_("{tournament} is itself a division of {first}: use that one."),
            {"tournament": first.tournament_id, "first": first.division_of},
        )
    own = events.Division(tournament_id=first.tournament_id, name=first_division)
    occurred_at = situation.occurred_at
    new_events: list[Message] = []
    if not first.division:
        if not first_division:
            raise Invalid(
                "first_division",
                N_("is missing; expected a name, because {tournament} is not a division yet"),
                {"tournament": first.tournament_id},
            )
        new_events.append(events.DivisionAdded(division=own, occurred_at=occurred_at))
    elif first_division and first_division != first.division:
        raise Refusal(
            "DIVISION_NAMED",
            N_("{tournament} is already division {division}."),
            {"tournament": first.tournament_id, "division": first.division},
        )
    if len(first.divisions) >= MAX_DIVISIONS:
        raise Refusal("TOO_MANY_DIVISIONS", N_("A championship has at most {most} divisions."), {"most": MAX_DIVISIONS})
    _check_name_free(first.divisions or (own,), added.name)
    return [*new_events, events.DivisionAdded(division=added, occurred_at=occurred_at)]


def rename_division(of_first: Situation, of_division: Situation, name: str) -> events.DivisionRenamed:
    """Rename a division of a championship, or remove its name if ``name`` is empty.

    Raises ``Refusal`` if it has no name, has this name already, or if the name is taken. Raises ``Refusal`` for the
    removal of the name of a tournament that is not removed, or of a first division with further ones.
    """
    first, division = of_first.state, of_division.state
    own = next((each for each in first.divisions if each.tournament_id == division.tournament_id), None)
    if own is None:
        raise Refusal(
            "NO_DIVISION", N_("{name} has no name as a division or a stage."), {"name": division.tournament_id}
        )
    if name == own.name:
        raise Refusal("SAME_NAME", N_("The name is {name} already: specify another."), {"name": name})
    if not name:
        _check_name_removable(first, division, own)
    else:
        _check_name_free([each for each in first.divisions if each is not own], name)
    renamed = events.Division(tournament_id=own.tournament_id, name=name, stage=own.stage)
    return events.DivisionRenamed(division=renamed, before=own.name, occurred_at=of_first.occurred_at)


def _check_name_free(divisions: Sequence[events.Division], name: str) -> None:
    """Raise ``Refusal`` if one of these divisions has a name."""
    if other := find_division(divisions, name):
        raise Refusal(
            "DIVISION_TAKEN",
            N_("Division {division} is already {tournament}."),
            {"division": other.name, "tournament": other.tournament_id},
        )


def check_one_championship(tournament: TournamentState, other: TournamentState) -> None:
    """Raise ``Refusal`` for tournaments of different championships."""
    if tournament.first_division != other.first_division:
        raise Refusal(
            "OTHER_CHAMPIONSHIP",
            N_("{tournament} and {other} are not divisions of one championship."),
            {"tournament": tournament.tournament_id, "other": other.tournament_id},
        )


def _check_name_removable(first: TournamentState, division: TournamentState, own: events.Division) -> None:
    """Raise ``Refusal`` if the name of a division cannot be removed."""
    is_first = division.tournament_id == first.tournament_id
    if is_first and len(first.divisions) > 1:
        raise Refusal(
            "HAS_DIVISIONS",
            N_("{name} has other divisions or stages: remove these and their names first."),
            {"name": own.name},
        )
    if not is_first and not division.removed:
        raise Refusal(
            "DIVISION_STANDS",
            N_("{name} is not removed: remove the tournament first (`tournament remove {tournament}`)."),
            {"name": own.name, "tournament": division.tournament_id},
        )


def check_in_no_other(player_id: str, divisions: Sequence[TournamentState]) -> None:
    """Raise ``Refusal`` if a player takes part in another division or was expelled from it.

    A player who withdrew before any round takes no part in it.
    """
    for other in divisions:
        player = other.player(player_id)
        if player is None:
            continue
        if player.expelled:
            raise build_expelled_refusal(player)
        if not player.never_came:
            raise Refusal(
                "ALREADY_IN_DIVISION",
                N_("{player} is in division {division} ({tournament}): a player cannot be in two divisions."),
                {"player": player_id, "division": other.division, "tournament": other.tournament_id},
                subject=f"tournaments/{other.tournament_id}",
            )


def check_not_moved(situation: Situation, act: Any) -> None:
    """Raise ``Refusal`` for the undo of half a move between divisions: the player would be in none.

    ``act`` is the player's registration or reinstatement. Players move only before the first round.
    """
    for other in () if situation.state.played else situation.divisions:
        player = other.player(act.player_id)
        if player is not None and player.never_came:
            raise Refusal(
                "MOVED",
                N_(
                    "{player} was earlier moved out of division {division} ({tournament}): move them back, or withdraw "
                    "them."
                ),
                {"player": act.player_id, "division": other.division, "tournament": other.tournament_id},
                subject=f"tournaments/{other.tournament_id}",
            )


def check_tables(halls: Sequence[HallRange], divisions: Sequence[TournamentState]) -> None:
    """Raise ``Refusal`` for tables that another division has or plays at. Hall names may be shared."""
    wanted = {table for hall in halls for table in hall.tables}
    for other in divisions:
        if shared := sorted(wanted & _tables_of(other)):
            raise Refusal(
                "TABLES_OF_DIVISION",
                N_("Division {division} ({tournament}) has the tables {tables}: a table cannot be in two divisions."),
                {"division": other.division, "tournament": other.tournament_id, "tables": _ranges(shared)},
                subject=f"tournaments/{other.tournament_id}",
            )


def are_tables_free(halls: Sequence[HallRange], divisions: Sequence[TournamentState]) -> bool:
    """Check whether no division has a table of these halls, or plays at one."""
    return all(_tables_of(other).isdisjoint(table for hall in halls for table in hall.tables) for other in divisions)


def _tables_of(division: TournamentState) -> set[int]:
    """Return the tables of a division, with those of its open round, which may be in former halls."""
    if division.over:
        return set()
    current = division.open_round
    playing = {pairing.table for pairing in current.pairings if pairing.hall} if current is not None else set()
    return playing.union(*(hall.tables for hall in division.halls))


def _ranges(tables: Sequence[int]) -> str:
    """Format sorted table numbers as ranges: ``3, 8–10``."""
    parts: list[list[int]] = []
    for table in tables:
        if parts and table == parts[-1][-1] + 1:
            parts[-1][1:] = [table]
        else:
            parts.append([table])
    return ", ".join("–".join(map(str, part)) for part in parts)
