"""Folds of events about rounds, games and results. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.kernel.pairings import REQUESTED_BYES
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules.standings import SpreadAdjustment
from faristol.tournament.state.team import BoardBye, TeamMatch, TeamState
from faristol.tournament.state.tournament import (
    GameDecision,
    GameSanction,
    Pairing,
    Phase,
    RoundState,
    TournamentState,
)

T = TypeVar("T")


def with_round(state: TournamentState, number: int, **changed: Any) -> TournamentState:
    """Return the tournament with the ``changed`` fields of a round."""
    rounds = tuple(replace(played, **changed) if played.number == number else played for played in state.played)
    return replace(state, played=rounds)


def _apply_round_paired(state: TournamentState, fact: events.RoundPaired) -> TournamentState:
    byes = fact.requested_byes
    added = RoundState(
        fact.round,
        Phase.PAIRED,
        tuple(map(Pairing.of, fact.pairings)),
        requested=MappingProxyType({bye.player_id: REQUESTED_BYES[bye.kind] for bye in byes}),
        matches=tuple(map(TeamMatch.of, fact.matches)),
        board_byes=MappingProxyType(
            {bye.player_id: BoardBye(bye.team_id, bye.match, bye.board) for bye in byes if bye.team_id}
        ),
        team_bye=fact.bye_team_id or None,
        team_byes=MappingProxyType({bye.team_id: REQUESTED_BYES[bye.kind] for bye in fact.team_byes}),
        algorithm=fact.algorithm,
    )
    teams = tuple(_seed_team(state, team, added) for team in state.teams)
    return replace(state, teams=teams, played=(*state.played, added))


def _apply_round_unpaired(state: TournamentState, fact: events.RoundUnpaired) -> TournamentState:
    # A player who came back after the pairing takes part when the round is paired again.
    players = tuple(
        replace(player, missed=player.missed - {fact.round}, let_back=player.let_back - {fact.round})
        for player in state.players
    )
    teams = tuple(_unseed_team(team, fact.round) for team in state.teams)
    gone = {pairing.game_id: pairing.player_ids for pairing in state.played[fact.round - 1].pairings}
    unpaired = MappingProxyType({**state.unpaired, **gone})
    return replace(state, players=players, teams=teams, played=state.played[: fact.round - 1], unpaired=unpaired)


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


def _apply_result_recorded(state: TournamentState, fact: events.ResultRecorded) -> TournamentState:
    return _with_result(state, fact, GameDecision.by(fact))


def _apply_result_corrected(state: TournamentState, fact: events.ResultCorrected) -> TournamentState:
    before = state.played[fact.round - 1].decided[fact.game_id]
    after = _with_result(state, fact, before.apply_correction(fact))
    return after if fact.by_sanction else _by_official(after, fact)


def _with_result(
    state: TournamentState, fact: events.ResultRecorded | events.ResultCorrected, decided: GameDecision
) -> TournamentState:
    played = state.played[fact.round - 1]
    scores = tuple(score.score for score in fact.scores)
    results = MappingProxyType({**played.results, fact.game_id: scores})
    all_decided = MappingProxyType({**played.decided, fact.game_id: decided})
    return with_round(state, fact.round, results=results, decided=all_decided)


def _apply_result_entered(state: TournamentState, fact: events.ResultEntered) -> TournamentState:
    played = state.played[fact.round - 1]
    postponed, entered = played.postponed - {fact.game_id}, played.entered | {fact.game_id}
    after = take_off_entered(state, fact.round, fact.game_id)
    return _by_official(after, fact, postponed=postponed, entered=entered)


def take_off_entered(state: TournamentState, number: int, game: str) -> TournamentState:
    """Move points deducted at a table to the sanctions on the game's result, unless they are deducted outside it."""
    played = state.played[number - 1]
    noted = played.at_table.get(game, ())
    off = tuple(each for each in noted if not each.beside_result)
    if not off:
        return state
    game_sanctions = {**played.game_sanctions, game: (*played.game_sanctions.get(game, ()), *off)}
    at_table = _with_game(played.at_table, game, tuple(each for each in noted if each.beside_result))
    return with_round(state, number, game_sanctions=MappingProxyType(game_sanctions), at_table=at_table)


def _with_game(each: Mapping[str, tuple[T, ...]], game: str, listed: tuple[T, ...]) -> Mapping[str, tuple[T, ...]]:
    """Return a mapping by game with a new list for one game. An empty list removes the game."""
    others = {other: known for other, known in each.items() if other != game}
    return MappingProxyType({**others, game: listed} if listed else others)


def _apply_table_sanction_noted(state: TournamentState, fact: events.TableSanctionNoted) -> TournamentState:
    noted = replace(state, noted_at_tables=state.noted_at_tables | {(fact.game_id, fact.game_version)})
    if fact.count:
        players = tuple(
            replace(player, warnings=fact.count) if player.player_id == fact.player_id else player
            for player in state.players
        )
        return replace(noted, players=players)
    played = state.played[fact.round - 1]
    if not fact.points or fact.game_id in played.entered:
        # A result that was entered before the sanction was noted does not change.
        return noted
    taken_off = GameSanction(
        state.version + 1,
        fact.player_id,
        events.SANCTION_KIND_POINTS,
        fact.points,
        fact.arbiter_id,
        beside_result=fact.beside_result,
    )
    listed = (*played.at_table.get(fact.game_id, ()), taken_off)
    return with_round(noted, fact.round, at_table=_with_game(played.at_table, fact.game_id, listed))


def give_back_at_table(state: TournamentState, fact: events.SanctionLifted) -> TournamentState:
    """Remove the points that a lifted sanction took off at its table."""
    played, game = state.played[fact.round - 1], fact.game_id
    listed = played.at_table.get(game, ())
    lifted = next((each for each in listed if each.version == fact.version), None)
    if lifted is None:
        return state
    at_table = _with_game(played.at_table, game, tuple(each for each in listed if each is not lifted))
    if game in played.entered:
        return with_round(state, fact.round, at_table=at_table)
    back = (*played.given_back.get(game, ()), (lifted.player_id, lifted.points))
    unsanctioned = dict(played.unsanctioned)
    if game in unsanctioned:
        pairing = next(each for each in played.pairings if each.game_id == game)
        unsanctioned[game] = unsanctioned[game].give_back(pairing, lifted.player_id, lifted.points)
    return with_round(
        state,
        fact.round,
        at_table=at_table,
        given_back=_with_game(played.given_back, game, back),
        unsanctioned=MappingProxyType(unsanctioned),
    )


def _by_official(
    state: TournamentState, fact: events.ResultEntered | events.ResultCorrected, **changed: Any
) -> TournamentState:
    """Apply an entered or corrected result, which needs a new confirmation."""
    entered_by = {**state.played[fact.round - 1].entered_by, fact.game_id: fact.arbiter_id}
    return _set_confirmed(state, fact, (), entered_by=MappingProxyType(entered_by), **changed)


def _apply_result_confirmed(state: TournamentState, fact: events.ResultConfirmed) -> TournamentState:
    before = state.played[fact.round - 1].confirmed_by.get(fact.game_id, ())
    return _set_confirmed(state, fact, (*before, fact.person_id))


def _apply_result_disputed(state: TournamentState, fact: events.ResultDisputed) -> TournamentState:
    disputed = state.played[fact.round - 1].disputed | {fact.game_id}
    return _set_confirmed(state, fact, (), disputed=disputed)


def _set_confirmed(
    state: TournamentState,
    fact: events.ResultEntered | events.ResultCorrected | events.ResultConfirmed | events.ResultDisputed,
    persons: tuple[str, ...],
    **changed: Any,
) -> TournamentState:
    """Set the persons who have confirmed the result of a game, and clear its dispute.

    ``changed`` has further fields of the round, so that the tournament is copied once only.
    """
    played, game = state.played[fact.round - 1], fact.game_id
    confirmed = {other: known for other, known in played.confirmed_by.items() if other != game}
    if persons:
        confirmed[game] = persons
    kept = {"confirmed_by": MappingProxyType(confirmed), "disputed": played.disputed - {game}}
    return with_round(state, fact.round, **(kept | changed))


def _apply_spread_adjusted(state: TournamentState, fact: events.SpreadAdjusted) -> TournamentState:
    played = state.played[fact.round - 1]
    # A second adjustment of a turn reverses the first.
    rulings = played.corrected_rulings ^ {(fact.game_id, fact.turn)}
    return _apply_adjustment(state, fact, corrected_rulings=rulings)


def _apply_adjustment(
    state: TournamentState, fact: events.SpreadAdjusted | events.PointsAdjusted, **changed: Any
) -> TournamentState:
    """Add points to the player's spread adjustment; an adjustment that sums to 0 is removed."""
    before, sanction = state.played[fact.round - 1].adjustments, isinstance(fact, events.PointsAdjusted)
    same = [each for each in before if (each.player, each.sanction) == (fact.player_id, sanction)]
    others = tuple(each for each in before if each not in same)
    points = fact.points + sum(each.points for each in same)
    adjusted = SpreadAdjustment(fact.round, fact.player_id, points, sanction=sanction)
    return with_round(state, fact.round, adjustments=(*others, adjusted) if points else others, **changed)


def _apply_game_postponed(state: TournamentState, fact: events.GamePostponed) -> TournamentState:
    return with_round(state, fact.round, postponed=state.played[fact.round - 1].postponed | {fact.game_id})


def _apply_postponement_ended(
    state: TournamentState, fact: events.PostponementCancelled | events.PostponedGameStarted
) -> TournamentState:
    return with_round(state, fact.round, postponed=state.played[fact.round - 1].postponed - {fact.game_id})


FOLDS: Mapping[type[Message], Callable[[TournamentState, Any], TournamentState]] = {
    events.RoundPaired: _apply_round_paired,
    events.RoundUnpaired: _apply_round_unpaired,
    events.ByeAwarded: lambda state, fact: with_round(state, fact.round, bye=fact.player_id),
    events.RoundStarted: lambda state, fact: with_round(state, fact.round, phase=Phase.STARTED),
    events.RoundClosed: lambda state, fact: with_round(state, fact.round, phase=Phase.CLOSED),
    events.ResultRecorded: _apply_result_recorded,
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
