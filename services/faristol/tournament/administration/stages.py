"""Stages of a championship: tournaments whose players qualify in earlier ones. Pure.

A stage is a division of the championship with a tournament of its own, so that pairings, tables, standings, ratings and
pages work as everywhere. Its first event names the places that qualify; its players are registered with a seed once the
earlier tournaments are finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.championship import counts_points
from faristol.tournament.administration.divisions import are_tables_free, check_one_championship
from faristol.tournament.administration.qualification import count_places
from faristol.tournament.conditions import check_meets_at_tables, check_not_removed
from faristol.tournament.rounds.systems import determine_rounds
from faristol.tournament.situation import Situation
from faristol.tournament.state import Stage, TournamentState

MAX_STAGE_PLACES = 1_000
"""Limit of the places of a tournament that qualify."""

MIN_PLAYERS_COUNT = 2
"""Least number of players of a stage."""

MAX_SOURCES_COUNT = 16
"""Limit of the tournaments in which the players of a stage qualify."""

MAX_GROUPS_COUNT = 16
"""Limit of groups of a stage."""


def plan_stage(request: pb.CreateStageRequest, sources: Sequence[TournamentState]) -> Stage:
    """Return the stage that a command describes; ``sources`` are its tournaments, that of the command first.

    Raises ``Invalid`` for places, groups or sources outside their limits. Raises ``Refusal`` for sources of different
    championships, or for a tournament of teams or of duplicate games.
    """
    first_place, last_place = request.first_place or 1, request.last_place
    check_range("first_place", first_place, 1, MAX_STAGE_PLACES)
    check_range("last_place", last_place, first_place, MAX_STAGE_PLACES)
    if len(sources) > MAX_SOURCES_COUNT:
        raise Invalid("source_ids", N_("expected at most {most}"), {"most": MAX_SOURCES_COUNT - 1})
    if len({source.tournament_id for source in sources}) < len(sources):
        raise Invalid("source_ids", N_("a tournament is given twice"))
    if not 0 <= request.groups <= MAX_GROUPS_COUNT or request.groups == 1:
        raise Invalid("groups", N_("expected 2 to {most}, or 0 without groups"), {"most": MAX_GROUPS_COUNT})
    if not (1 if request.groups else 0) <= request.group <= request.groups:
        raise Invalid("group", N_("expected the number of one of the groups, from 1"))
    check_range("final_place", request.final_place, 0, MAX_STAGE_PLACES)
    if request.carry_over not in events.CarryOver.values():
        raise Invalid("carry_over", N_("expected all, half, or the points against those who qualified as well"))
    if request.carry_over and request.by_rating:
        raise Invalid("carry_over", N_("places by rating have no points to carry over"))
    for source in sources:
        _check_source(source, sources[0])
    stage = Stage(
        number=1 + max(source.stage_number for source in sources),
        source_ids=tuple(source.tournament_id for source in sources),
        first_place=first_place,
        last_place=last_place,
        by_rating=request.by_rating,
        groups=request.groups,
        group=request.group,
        final_place=request.final_place or first_place,
        carry_over=request.carry_over,
    )
    if count_places(stage) < MIN_PLAYERS_COUNT:
        raise Invalid(
            "last_place",
            N_("only {places} qualifies; expected places for {least} players or more"),
            {"places": count_places(stage), "least": MIN_PLAYERS_COUNT},
        )
    return stage


def _check_source(source: TournamentState, first: TournamentState) -> None:
    """Raise ``Refusal`` for a tournament in which no player can qualify for a stage."""
    check_not_removed(source)
    check_meets_at_tables(Situation(source, source.latest).ruleset)
    if source.teams:
        raise Refusal("STAGE_OF_TEAMS", N_("{name} is a tournament of teams: it has no stages."), {"name": source.name})
    check_one_championship(first, source)


def check_carries_over(stage: Stage, ruleset: Ruleset) -> None:
    """Raise ``Invalid`` for carried points in a stage that is not ranked by points."""
    if stage.carry_over and not counts_points(ruleset):
        raise Invalid("carry_over", N_("the format of the stage ranks no players by points"))


def count_rounds(stage: Stage, ruleset: Ruleset) -> int:
    """Return the number of rounds that the format of a stage has for all its places.

    Raises ``Invalid`` if the format does not determine it.
    """
    rounds = determine_rounds(count_places(stage), ruleset)
    if rounds is not None:
        return rounds
    raise Invalid("rounds", N_("is missing; expected the number of rounds of the stage"))


def copy_settings(source: TournamentState, at: Timestamp, beside: Sequence[TournamentState]) -> list[Message]:
    """Return the events that give a stage the halls and the settings of its first source.

    It gets no halls if one of the stages ``beside`` it has their tables: a table cannot be in two of them.
    """
    copied: list[Message] = []
    if source.halls and are_tables_free(source.halls, beside):
        halls = [hall.message() for hall in source.halls]
        copied.append(events.HallsSet(halls=halls, top_tables=source.top_tables, occurred_at=at))
    if source.publication:
        copied.append(events.PairingPublicationSet(publication=source.publication, occurred_at=at))
    check = source.result_check
    if check.wanted or check.players_enter:
        copied.append(like(events.ResultCheckSet, check, occurred_at=at))
    if source.second_official:
        copied.append(events.SecondOfficialSet(required=True, occurred_at=at))
    return copied


def of_stage(state: TournamentState, divisions: Sequence[TournamentState]) -> tuple[TournamentState, ...]:
    """Return the divisions of the stage of a tournament: players and tables are shared with other stages only."""
    return tuple(each for each in divisions if each.stage_number == state.stage_number)


def with_stage(created: events.TournamentCreated, stage: Stage) -> events.TournamentCreated:
    """Return the creation of a tournament as a stage."""
    staged = deepcopy(created)
    staged.stage.CopyFrom(stage.message())
    return staged
