"""Folds of events about rounds, games and results. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC
from types import MappingProxyType
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules.standings import SpreadAdjustment
from faristol.tournament.state.player import with_key, without_key
from faristol.tournament.state.team import TeamState
from faristol.tournament.state.tournament import (
    GameDecision,
    GameSanction,
    Phase,
    RoundState,
    TournamentState,
)

T = TypeVar("T")


def with_round(state: TournamentState, number: int, **changed: Any) -> TournamentState:
    """Return the tournament with the ``changed`` fields of a round."""
    rounds = tuple(replace(played, **changed) if played.number == number else played for played in state.played)
    return replace(state, played=rounds)


def _apply_round_paired(state: TournamentState, event: events.RoundPaired) -> TournamentState:
    added = RoundState.of(event)
    teams = tuple(_seed_team(state, team, added) for team in state.teams)
    return replace(state, teams=teams, played=(*state.played, added), draft=None)


def _apply_round_unpaired(
    state: TournamentState, event: events.RoundUnpaired | events.RoundUnpublished
) -> TournamentState:
    # A player who came back after the pairing takes part when the round is paired again.
    players = tuple(
        replace(player, missed=player.missed - {event.round}, let_back=player.let_back - {event.round})
        for player in state.players
    )
    teams = tuple(_unseed_team(team, event.round) for team in state.teams)
    gone = {pairing.game_id: pairing.player_ids for pairing in state.played[event.round - 1].pairings}
    unpaired = MappingProxyType({**state.unpaired, **gone})
    return replace(state, players=players, teams=teams, played=state.played[: event.round - 1], unpaired=unpaired)


def _seed_team(state: TournamentState, team: TeamState, paired: RoundState) -> TeamState:
    """Fix the seeding of a team at its first pairing; its rating follows from it."""
    if team.first_round is not None or team.team_id not in paired.team_ids:
        return team
    never_came = {player.player_id for player in state.players if player.never_came}
    seeding = tuple(player_id for player_id in team.line_up if player_id not in never_came)
    return replace(team, seeding=seeding, first_round=paired.number)


def _unseed_team(team: TeamState, number: int) -> TeamState:
    """Undo the effects of a round's pairing on a team: its missed round and its seeding."""
    entry = replace(team.entry, missed=team.entry.missed - {number})
    if team.first_round == number:
        return replace(team, entry=entry, seeding=(), first_round=None)
    return replace(team, entry=entry)


def _apply_result_corrected(state: TournamentState, event: events.ResultCorrected) -> TournamentState:
    before = state.played[event.round - 1].decided[event.game_id]
    after = _with_result(state, event, before.apply_correction(event))
    return after if event.by_sanction else _by_official(after, event)


def _with_result(
    state: TournamentState, event: events.ResultRecorded | events.ResultCorrected, decided: GameDecision
) -> TournamentState:
    played = state.played[event.round - 1]
    scores = tuple(score.score for score in event.scores)
    results, all_decided = played.results, played.decided
    return with_round(
        state,
        event.round,
        results=with_key(results, event.game_id, scores),
        decided=with_key(all_decided, event.game_id, decided),
    )


def _apply_result_entered(state: TournamentState, event: events.ResultEntered) -> TournamentState:
    played = state.played[event.round - 1]
    postponed, entered = played.postponed - {event.game_id}, played.entered | {event.game_id}
    after = take_off_entered(state, event.round, event.game_id)
    return _by_official(after, event, postponed=postponed, entered=entered)


def take_off_entered(state: TournamentState, number: int, game: str) -> TournamentState:
    """Move points deducted at a table to the sanctions on the game's result, unless they are deducted outside it."""
    played = state.played[number - 1]
    noted = played.at_table.get(game, ())
    off = tuple(each for each in noted if not each.beside_result)
    if not off:
        return state
    sanctions = with_key(played.game_sanctions, game, (*played.game_sanctions.get(game, ()), *off))
    at_table = _with_game(played.at_table, game, tuple(each for each in noted if each.beside_result))
    return with_round(state, number, game_sanctions=sanctions, at_table=at_table)


def _with_game(each: Mapping[str, tuple[T, ...]], game: str, listed: tuple[T, ...]) -> Mapping[str, tuple[T, ...]]:
    """Return a mapping by game with a new list for one game. An empty list removes the game."""
    return with_key(each, game, listed) if listed else without_key(each, game)


def _apply_table_sanction_noted(state: TournamentState, event: events.TableSanctionNoted) -> TournamentState:
    noted = replace(state, noted_at_tables=state.noted_at_tables | {(event.game_id, event.game_version)})
    if event.count:
        players = tuple(
            replace(player, warnings=event.count) if player.player_id == event.player_id else player
            for player in state.players
        )
        return replace(noted, players=players)
    played = state.played[event.round - 1]
    if not event.points or event.game_id in played.entered:
        # A result that was entered before the sanction was noted does not change.
        return noted
    taken_off = GameSanction(
        state.version + 1,
        event.player_id,
        events.SANCTION_KIND_POINTS,
        event.points,
        event.arbiter_id,
        beside_result=event.beside_result,
    )
    listed = (*played.at_table.get(event.game_id, ()), taken_off)
    return with_round(noted, event.round, at_table=_with_game(played.at_table, event.game_id, listed))


def give_back_at_table(state: TournamentState, event: events.SanctionLifted) -> TournamentState:
    """Remove the points that a lifted sanction took off at its table."""
    played, game = state.played[event.round - 1], event.game_id
    listed = played.at_table.get(game, ())
    lifted = next((each for each in listed if each.version == event.version), None)
    if lifted is None:
        return state
    at_table = _with_game(played.at_table, game, tuple(each for each in listed if each is not lifted))
    if game in played.entered:
        return with_round(state, event.round, at_table=at_table)
    back = (*played.given_back.get(game, ()), (lifted.player_id, lifted.points))
    unsanctioned = dict(played.unsanctioned)
    if game in unsanctioned:
        pairing = next(each for each in played.pairings if each.game_id == game)
        unsanctioned[game] = unsanctioned[game].give_back(pairing, lifted.player_id, lifted.points)
    return with_round(
        state,
        event.round,
        at_table=at_table,
        given_back=_with_game(played.given_back, game, back),
        unsanctioned=MappingProxyType(unsanctioned),
    )


def _by_official(
    state: TournamentState, event: events.ResultEntered | events.ResultCorrected, **changed: Any
) -> TournamentState:
    """Apply an entered or corrected result, which needs a new confirmation."""
    player = _entering_player(event)
    entered_by = {**state.played[event.round - 1].entered_by, event.game_id: event.arbiter_id or player}
    return _set_confirmed(state, event, (), entered_by=MappingProxyType(entered_by), **changed)


def _entering_player(event: events.ResultEntered | events.ResultCorrected) -> str:
    """Return the player who entered a result, or corrected their own entry; empty if an official did."""
    if isinstance(event, events.ResultEntered):
        return event.player_id
    own = event.before_confirmation and not event.arbiter_id and len(event.player_ids) == 1
    return event.player_ids[0] if own else ""


def _apply_result_confirmed(state: TournamentState, event: events.ResultConfirmed) -> TournamentState:
    before = state.played[event.round - 1].confirmed_by.get(event.game_id, ())
    return _set_confirmed(state, event, (*before, event.person_id))


def _apply_result_disputed(state: TournamentState, event: events.ResultDisputed) -> TournamentState:
    disputed = state.played[event.round - 1].disputed | {event.game_id}
    return _set_confirmed(state, event, (), disputed=disputed)


def _set_confirmed(
    state: TournamentState,
    event: events.ResultEntered | events.ResultCorrected | events.ResultConfirmed | events.ResultDisputed,
    persons: tuple[str, ...],
    **changed: Any,
) -> TournamentState:
    """Set the persons who have confirmed the result of a game, and clear its dispute.

    ``changed`` has further fields of the round, so that the tournament is copied once only.
    """
    played, game = state.played[event.round - 1], event.game_id
    confirmed = _with_game(played.confirmed_by, game, persons)
    kept = {"confirmed_by": confirmed, "disputed": played.disputed - {game}}
    return with_round(state, event.round, **(kept | changed))


def _apply_spread_adjusted(state: TournamentState, event: events.SpreadAdjusted) -> TournamentState:
    played = state.played[event.round - 1]
    # A second adjustment of a turn reverses the first.
    rulings = played.corrected_rulings ^ {(event.game_id, event.turn)}
    return _apply_adjustment(state, event, corrected_rulings=rulings)


def _apply_adjustment(
    state: TournamentState, event: events.SpreadAdjusted | events.PointsAdjusted, **changed: Any
) -> TournamentState:
    """Add points to the player's spread adjustment; an adjustment that sums to 0 is removed."""
    before, sanction = state.played[event.round - 1].adjustments, isinstance(event, events.PointsAdjusted)
    same = [each for each in before if (each.player, each.sanction) == (event.player_id, sanction)]
    others = tuple(each for each in before if each not in same)
    points = event.points + sum(each.points for each in same)
    adjusted = SpreadAdjustment(event.round, event.player_id, points, sanction=sanction)
    return with_round(state, event.round, adjustments=(*others, adjusted) if points else others, **changed)


def _apply_game_postponed(state: TournamentState, event: events.GamePostponed) -> TournamentState:
    return with_round(state, event.round, postponed=state.played[event.round - 1].postponed | {event.game_id})


def _apply_postponement_ended(
    state: TournamentState, event: events.PostponementCancelled | events.PostponedGameStarted
) -> TournamentState:
    return with_round(state, event.round, postponed=state.played[event.round - 1].postponed - {event.game_id})


FOLDS: Mapping[type[Message], Callable[[TournamentState, Any], TournamentState]] = {
    events.RoundPaired: _apply_round_paired,
    events.RoundUnpaired: _apply_round_unpaired,
    events.RoundUnpublished: _apply_round_unpaired,
    events.ByeAwarded: lambda state, event: with_round(state, event.round, bye=event.player_id),
    events.RoundStarted: lambda state, event: with_round(
        state, event.round, phase=Phase.STARTED, started_at=event.occurred_at.ToDatetime(tzinfo=UTC)
    ),
    events.RoundClosed: lambda state, event: with_round(state, event.round, phase=Phase.CLOSED),
    events.ResultRecorded: lambda state, event: _with_result(state, event, GameDecision.by(event)),
    events.ResultEntered: _apply_result_entered,
    events.ResultCorrected: _apply_result_corrected,
    events.ResultConfirmed: _apply_result_confirmed,
    events.ResultDisputed: _apply_result_disputed,
    events.TableSanctionNoted: _apply_table_sanction_noted,
    events.SpreadAdjusted: _apply_spread_adjusted,
    events.PointsAdjusted: _apply_adjustment,
    events.GamePostponed: _apply_game_postponed,
    events.PostponementCancelled: _apply_postponement_ended,
    events.PostponedGameStarted: _apply_postponement_ended,
}
"""The fold of each type of event in this module."""
