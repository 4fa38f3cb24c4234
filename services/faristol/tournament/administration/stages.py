"""Stages of a championship: tournaments whose players qualify in earlier ones. Pure.

A stage is a division of the championship with a tournament of its own, so that pairings, tables, standings, ratings and
pages work as everywhere. Its first event names the places that qualify; its players are registered with a seed once the
earlier tournaments are finished.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.standings.bracket import MatchFormat, most_rounds_of
from faristol.tournament.administration.divisions import are_tables_free
from faristol.tournament.conditions import check_meets_at_tables, check_not_removed, check_open
from faristol.tournament.engines import round_robin
from faristol.tournament.rounds.knock_out import is_decided
from faristol.tournament.rounds.ranking import initial_ranking, standing_of
from faristol.tournament.rounds.systems import CYCLES
from faristol.tournament.situation import Situation
from faristol.tournament.state import Phase, PlayerState, Stage, TournamentState

MAX_STAGE_PLACES = 1_000
"""Limit of the places of a tournament that qualify."""

MIN_PLAYERS_COUNT = 2
"""Least number of players of a stage."""

MAX_SOURCES_COUNT = 16
"""Limit of the tournaments in which the players of a stage qualify."""

MAX_GROUPS_COUNT = 16
"""Limit of groups of a stage."""


@dataclass(frozen=True, slots=True)
class QualifyingTournament:
    """A tournament in which players qualify, with its rules."""

    state: TournamentState
    ruleset: Ruleset


def plan_stage(request: pb.CreateStageRequest, sources: Sequence[TournamentState]) -> Stage:
    """Return the stage that a command describes; ``sources`` are its tournaments, that of the command first.

    Raises ``Invalid`` for places, groups or sources outside their limits. Raises ``Refusal`` for sources of different
    championships, or for a tournament of teams or of duplicate games.
    """
    first_place, last_place = request.first_place or 1, request.last_place
    if not 1 <= first_place <= MAX_STAGE_PLACES:
        raise Invalid("first_place", N_("expected 1 to {most}"), {"most": MAX_STAGE_PLACES})
    if not first_place <= last_place <= MAX_STAGE_PLACES:
        params = {"least": first_place, "most": MAX_STAGE_PLACES}
        raise Invalid("last_place", N_("expected {least} to {most}"), params)
    if len(sources) > MAX_SOURCES_COUNT:
        raise Invalid("source_ids", N_("expected at most {most}"), {"most": MAX_SOURCES_COUNT - 1})
    if len({source.tournament_id for source in sources}) < len(sources):
        raise Invalid("source_ids", N_("a tournament is given twice"))
    if not 0 <= request.groups <= MAX_GROUPS_COUNT or request.groups == 1:
        raise Invalid("groups", N_("expected 2 to {most}, or 0 without groups"), {"most": MAX_GROUPS_COUNT})
    if not (1 if request.groups else 0) <= request.group <= request.groups:
        raise Invalid("group", N_("expected the number of one of the groups, from 1"))
    if not 0 <= request.final_place <= MAX_STAGE_PLACES:
        raise Invalid("final_place", N_("expected 1 to {most}"), {"most": MAX_STAGE_PLACES})
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
        raise Refusal(
            "STAGE_OF_TEAMS", "", N_("{name} is a tournament of teams: it has no stages."), {"name": source.name}
        )
    if source.first_division != first.first_division:
        raise Refusal(
            "OTHER_CHAMPIONSHIP",
            "",
            N_("{tournament} and {other} are not divisions of one championship."),
            {"tournament": first.tournament_id, "other": source.tournament_id},
        )


def count_places(stage: Stage) -> int:
    """Return the number of players that a stage has if all places are taken."""
    places = stage.last_place - stage.first_place + 1
    if stage.groups:
        dealt = [place for place in range(places) if _group_of(place, stage.groups) == stage.group]
        return len(dealt) * len(stage.source_ids)
    return places * len(stage.source_ids)


def count_rounds(stage: Stage, ruleset: Ruleset) -> int:
    """Return the number of rounds that the format of a stage has for all its places.

    Raises ``Invalid`` if the format does not determine it.
    """
    players, system = count_places(stage), ruleset.championship.system
    if system == "knock-out":
        return max(most_rounds_of(players, MatchFormat.of(ruleset)), 1)
    if system in CYCLES:
        return round_robin.rounds_of(players, CYCLES[system])
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
        copied.append(
            events.ResultCheckSet(
                second_person=check.second_person,
                players=check.players,
                blind=check.blind,
                players_enter=check.players_enter,
                occurred_at=at,
            )
        )
    return copied


def qualify(situation: Situation, sources: Sequence[QualifyingTournament]) -> list[Message]:
    """Register the players that qualified for a stage, by their seeds.

    Seeds follow the places, and among equal places the order of the sources: the winners of all groups come first.
    Players that have withdrawn do not qualify, and those behind them move up. Raises ``Refusal`` if the tournament is
    no stage, has players already, if a source is not finished, or if no player qualifies.
    """
    state = situation.state
    check_open(state)
    stage = state.stage
    if stage is None:
        raise Refusal("NO_STAGE", "", N_("{name} is no stage in which players qualify."), {"name": _name_of(state)})
    if state.players:
        raise Refusal(
            "STAGE_HAS_PLAYERS", "", N_("The players of {name} are registered already."), {"name": _name_of(state)}
        )
    for source in sources:
        _check_finished(source, stage)
    qualified = [
        events.QualifiedPlayer(player_id=player.player_id, source_id=source.state.tournament_id, place=place)
        for source in sources
        for place, player in _list_qualified(source, stage)
    ]
    if not qualified:
        raise Refusal("NO_PLAYER_QUALIFIES", "", N_("No player has one of the places that qualify."))
    qualified.sort(key=lambda each: each.place)  # stable: equal places stay in the order of the sources
    players = {player.player_id: player for source in sources for player in source.state.players}
    at = situation.occurred_at
    registered = [
        events.PlayerRegistered(
            player_id=each.player_id,
            rating=players[each.player_id].rating,
            unrated=players[each.player_id].unrated,
            category=players[each.player_id].category,
            seed_number=seed,
            occurred_at=at,
        )
        for seed, each in enumerate(qualified, 1)
    ]
    return [events.PlayersQualified(players=qualified, occurred_at=at), *registered]


def _name_of(state: TournamentState) -> str:
    """Return the name of a tournament with that of its stage."""
    return f"{state.name} {state.division}".strip()


def _check_finished(source: QualifyingTournament, stage: Stage) -> None:
    """Raise ``Refusal`` if the places of a source can still change by its rounds."""
    state = source.state
    if stage.by_rating or state.over or is_decided(state, source.ruleset):
        return
    closed = sum(played.phase is Phase.CLOSED for played in state.played)
    if closed < state.rounds:
        raise Refusal(
            "SOURCE_NOT_FINISHED",
            "",
            N_("{name} is not finished: {closed} of {rounds} rounds are closed."),
            {"name": _name_of(state), "closed": closed, "rounds": state.rounds},
            subject=f"tournaments/{state.tournament_id}",
        )


def _list_qualified(source: QualifyingTournament, stage: Stage) -> Iterator[tuple[int, PlayerState]]:
    """Yield the players of a source that qualify, with their places among those that take part."""
    state = source.state
    order = initial_ranking(state) if stage.by_rating or not state.played else standing_of(state, source.ruleset)
    there = [player for each in order if (player := state.player(each)) is not None and player.withdrawn is None]
    for place, player in enumerate(there[stage.first_place - 1 : stage.last_place], stage.first_place):
        if not stage.groups or _group_of(place - stage.first_place, stage.groups) == stage.group:
            yield place, player


def _group_of(index: int, groups: int) -> int:
    """Return the group of a place, counted from 0: groups are dealt from the first to the last and back."""
    turn, position = divmod(index, groups)
    return groups - position if turn % 2 else position + 1


def of_stage(state: TournamentState, divisions: Sequence[TournamentState]) -> tuple[TournamentState, ...]:
    """Return the divisions of the stage of a tournament: players and tables are shared with other stages only."""
    return tuple(each for each in divisions if each.stage_number == state.stage_number)


def with_stage(created: events.TournamentCreated, stage: Stage) -> events.TournamentCreated:
    """Return the creation of a tournament as a stage."""
    staged = events.TournamentCreated()
    staged.CopyFrom(created)
    staged.stage.CopyFrom(stage.message())
    return staged
