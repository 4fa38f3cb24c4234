"""How facts about rounds, their games and results change a tournament. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message

from faristol.pairing.model.entries import BYES
from faristol.pairing.model.team import BoardBye, Team, TeamMatch
from faristol.pairing.model.tournament import Decided, Pairing, Phase, Round, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules.standings import SpreadAdjustment


def with_round(state: Tournament, changed: Round) -> Tournament:
    """A tournament in which a round is as ``changed`` has it."""
    rounds = tuple(changed if played.number == changed.number else played for played in state.played)
    return replace(state, played=rounds)


def _paired(state: Tournament, fact: events.RoundPaired) -> Tournament:
    byes = fact.requested_byes
    added = Round(
        fact.round,
        Phase.PAIRED,
        tuple(map(Pairing.of, fact.pairings)),
        requested=MappingProxyType({bye.player_id: BYES[bye.kind] for bye in byes}),
        matches=tuple(map(TeamMatch.of, fact.matches)),
        board_byes=MappingProxyType(
            {bye.player_id: BoardBye(bye.team_id, bye.match, bye.board) for bye in byes if bye.team_id}
        ),
        team_bye=fact.bye_team_id or None,
        team_byes=MappingProxyType({bye.team_id: BYES[bye.kind] for bye in fact.team_byes}),
        algorithm=fact.algorithm,
    )
    teams = tuple(_seeded(state, team, added) for team in state.teams)
    return replace(state, teams=teams, played=(*state.played, added))


def _unpaired(state: Tournament, fact: events.RoundUnpaired) -> Tournament:
    # Who came back after it was paired is there when it is paired again.
    players = tuple(
        replace(player, missed=player.missed - {fact.round}, let_back=player.let_back - {fact.round})
        for player in state.players
    )
    teams = tuple(_unseeded(team, fact.round) for team in state.teams)
    return replace(state, players=players, teams=teams, played=state.played[: fact.round - 1])


def _seeded(state: Tournament, team: Team, paired: Round) -> Team:
    """A team after a pairing, from the first of which on its rating stays."""
    if team.first_round is not None or team.team_id not in paired.team_ids:
        return team
    never_came = {player.player_id for player in state.players if player.never_came}
    seeding = tuple(player_id for player_id in team.line_up if player_id not in never_came)
    return replace(team, seeding=seeding, first_round=paired.number)


def _unseeded(team: Team, number: int) -> Team:
    """A team after a round was taken back. It came back after the pairing, or was seeded by it, as if it had not."""
    entry = replace(team.entry, missed=team.entry.missed - {number})
    if team.first_round == number:
        return replace(team, entry=entry, seeding=(), first_round=None)
    return replace(team, entry=entry)


def _bye_awarded(state: Tournament, fact: events.ByeAwarded) -> Tournament:
    return with_round(state, replace(state.played[fact.round - 1], bye=fact.player_id))


def _started(state: Tournament, fact: events.RoundStarted) -> Tournament:
    return with_round(state, replace(state.played[fact.round - 1], phase=Phase.STARTED))


def _closed(state: Tournament, fact: events.RoundClosed) -> Tournament:
    return with_round(state, replace(state.played[fact.round - 1], phase=Phase.CLOSED))


def _result_recorded(state: Tournament, fact: events.ResultRecorded) -> Tournament:
    return _with_result(state, fact, Decided.by(fact))


def _result_corrected(state: Tournament, fact: events.ResultCorrected) -> Tournament:
    before = state.played[fact.round - 1].decided[fact.game_id]
    after = _with_result(state, fact, before.corrected(fact))
    return after if fact.by_sanction else _by(after, fact, fact.arbiter_id)


def _with_result(
    state: Tournament, fact: events.ResultRecorded | events.ResultCorrected, decided: Decided
) -> Tournament:
    played = state.played[fact.round - 1]
    scores = tuple(score.score for score in fact.scores)
    results = MappingProxyType({**played.results, fact.game_id: scores})
    all_decided = MappingProxyType({**played.decided, fact.game_id: decided})
    return with_round(state, replace(played, results=results, decided=all_decided))


def _result_entered(state: Tournament, fact: events.ResultEntered) -> Tournament:
    played = state.played[fact.round - 1]
    postponed, entered = played.postponed - {fact.game_id}, played.entered | {fact.game_id}
    return _by(with_round(state, replace(played, postponed=postponed, entered=entered)), fact, fact.arbiter_id)


def _by(state: Tournament, fact: events.ResultEntered | events.ResultCorrected, person: str) -> Tournament:
    """A tournament after somebody entered or corrected a result, which nobody has confirmed yet."""
    played, game = state.played[fact.round - 1], fact.game_id
    confirmed = {other: persons for other, persons in played.confirmed_by.items() if other != game}
    entered_by = MappingProxyType({**played.entered_by, game: person})
    kept = replace(played, entered_by=entered_by, confirmed_by=MappingProxyType(confirmed))
    return with_round(state, replace(kept, disputed=played.disputed - {game}))


def _result_confirmed(state: Tournament, fact: events.ResultConfirmed) -> Tournament:
    played, game = state.played[fact.round - 1], fact.game_id
    confirmed = {**played.confirmed_by, game: (*played.confirmed_by.get(game, ()), fact.person_id)}
    kept = replace(played, confirmed_by=MappingProxyType(confirmed), disputed=played.disputed - {game})
    return with_round(state, kept)


def _result_disputed(state: Tournament, fact: events.ResultDisputed) -> Tournament:
    played, game = state.played[fact.round - 1], fact.game_id
    confirmed = {other: persons for other, persons in played.confirmed_by.items() if other != game}
    kept = replace(played, confirmed_by=MappingProxyType(confirmed), disputed=played.disputed | {game})
    return with_round(state, kept)


def _spread_adjusted(state: Tournament, fact: events.SpreadAdjusted) -> Tournament:
    played = state.played[fact.round - 1]
    # A second adjustment of a turn takes the first back.
    rulings = played.corrected_rulings ^ {(fact.game_id, fact.turn)}
    adjustment = SpreadAdjustment(fact.round, fact.player_id, fact.points)
    return with_round(state, _adjusted(replace(played, corrected_rulings=rulings), adjustment))


def _points_adjusted(state: Tournament, fact: events.PointsAdjusted) -> Tournament:
    adjustment = SpreadAdjustment(fact.round, fact.player_id, fact.points, sanction=True)
    return with_round(state, _adjusted(state.played[fact.round - 1], adjustment))


def _adjusted(played: Round, adjustment: SpreadAdjustment) -> Round:
    """A round with points of the spread more; what was taken and given back is as if it had not been."""
    same = [
        each for each in played.adjustments if (each.player, each.sanction) == (adjustment.player, adjustment.sanction)
    ]
    others = tuple(each for each in played.adjustments if each not in same)
    points = adjustment.points + sum(each.points for each in same)
    return replace(played, adjustments=(*others, replace(adjustment, points=points)) if points else others)


def _postponed(state: Tournament, fact: events.GamePostponed) -> Tournament:
    played = state.played[fact.round - 1]
    return with_round(state, replace(played, postponed=played.postponed | {fact.game_id}))


def _not_postponed(state: Tournament, fact: events.PostponementCancelled | events.PostponedGameStarted) -> Tournament:
    played = state.played[fact.round - 1]
    return with_round(state, replace(played, postponed=played.postponed - {fact.game_id}))


FOLDS: Mapping[type[Message], Callable[[Tournament, Any], Tournament]] = {
    events.RoundPaired: _paired,
    events.RoundUnpaired: _unpaired,
    events.ByeAwarded: _bye_awarded,
    events.RoundStarted: _started,
    events.RoundClosed: _closed,
    events.ResultRecorded: _result_recorded,
    events.ResultEntered: _result_entered,
    events.ResultCorrected: _result_corrected,
    events.ResultConfirmed: _result_confirmed,
    events.ResultDisputed: _result_disputed,
    events.SpreadAdjusted: _spread_adjusted,
    events.PointsAdjusted: _points_adjusted,
    events.GamePostponed: _postponed,
    events.PostponementCancelled: _not_postponed,
    events.PostponedGameStarted: _not_postponed,
}
"""What each of these facts makes of a tournament."""
