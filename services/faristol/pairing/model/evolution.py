"""How facts change a tournament. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import assert_never

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.pins import Pin
from faristol.pairing.model.appeal import Appeal, AppealPhase, Member
from faristol.pairing.model.division import Division
from faristol.pairing.model.player import Player
from faristol.pairing.model.team import BoardBye, Team, TeamMatch
from faristol.pairing.model.tournament import (
    Decided,
    Following,
    GameSanction,
    Hall,
    Pairing,
    Phase,
    Round,
    Tournament,
    Unsanctioned,
)
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Bye
from faristol.rules.standings import SpreadAdjustment

BYES: Mapping[events.ByeKind.ValueType, Bye] = {
    events.BYE_KIND_HALF_POINT: Bye.HALF_POINT,
    events.BYE_KIND_FULL_POINT: Bye.FULL_POINT,
    events.BYE_KIND_ZERO_POINT: Bye.ZERO_POINT,
}
"""Byes that are asked for, as facts name them."""

KINDS: Mapping[Bye, events.ByeKind.ValueType] = {bye: kind for kind, bye in BYES.items()}
"""The other way round."""

OfPlayer = (
    events.PlayerCheckedIn
    | events.PlayerCheckedOut
    | events.PlayerWithdrawn
    | events.PlayerReinstated
    | events.ByeGranted
    | events.ByeRevoked
    | events.TableFixed
    | events.TableReleased
    | events.PlayerWarned
    | events.WarningLifted
    | events.PlayerExpelled
    | events.ExpulsionLifted
    | events.PlayerSanctioned
    | events.SanctionLifted
)
"""What changes one player."""

OfTeam = events.TeamWithdrawn | events.TeamReinstated | events.ByeGranted | events.ByeRevoked
"""What changes which rounds a team takes part in."""

Fact = (
    events.TournamentCreated
    | events.DivisionAdded
    | events.RoundsChanged
    | events.RulesetPinned
    | events.LexiconPinned
    | events.PlayerRegistered
    | events.LateEntryAdmitted
    | events.TeamRegistered
    | events.LineUpSet
    | events.TeamWithdrawn
    | events.TeamReinstated
    | events.PlayerCheckedIn
    | events.PlayerCheckedOut
    | events.PlayerWithdrawn
    | events.PlayerReinstated
    | events.ByeGranted
    | events.ByeRevoked
    | events.HallsSet
    | events.TableFixed
    | events.TableReleased
    | events.PlayerWarned
    | events.WarningLifted
    | events.PlayerExpelled
    | events.ExpulsionLifted
    | events.PlayerSanctioned
    | events.SanctionLifted
    | events.TribunalAppointed
    | events.AppealLodged
    | events.AppealDecided
    | events.AppealWithdrawn
    | events.PairForbidden
    | events.PairAllowed
    | events.PairKept
    | events.PairReleased
    | events.RoundUnpaired
    | events.RoundPaired
    | events.ByeAwarded
    | events.RoundStarted
    | events.ResultRecorded
    | events.ResultEntered
    | events.ResultCorrected
    | events.SpreadAdjusted
    | events.PointsAdjusted
    | events.GamePostponed
    | events.PostponementCancelled
    | events.PostponedGameStarted
    | events.RoundClosed
    | events.PrizesOffered
    | events.StandingsPublished
    | events.StandingsReopened
)
"""Everything that a tournament's stream can hold."""


def evolve(state: Tournament, fact: Message) -> Tournament:
    """The tournament after one more fact. Raises ``TypeError`` for a message that is no fact of a tournament."""
    if not isinstance(fact, Fact):
        raise TypeError(f"{fact.DESCRIPTOR.full_name} is not a fact of a tournament")
    after = _on_game(state, _after(state, fact), fact)
    return replace(after, version=state.version + 1, following=_following(state, fact))


def _following(state: Tournament, fact: Fact) -> Following:
    """What the next fact follows from, if it is the result that a game comes to by its sanctions."""
    match fact:
        case events.PlayerSanctioned() | events.SanctionLifted() if fact.game_id:
            return Following(fact.game_id, _moment(fact.occurred_at))
        case events.ResultRecorded() | events.ResultCorrected() if not _follows(state, fact):
            sanctioned = fact.game_id in state.played[fact.round - 1].game_sanctions
            return Following(fact.game_id, _moment(fact.occurred_at)) if sanctioned else Following()
        case _:
            return Following()


def _follows(state: Tournament, fact: Fact) -> bool:
    """The fact is a result that came of sanctions, and no other result of the game.

    It has the moment of what it follows from, and nobody asked for it. In streams from before a result of a game with
    sanctions was followed by another, two of them were put right one after the other.
    """
    return (
        isinstance(fact, events.ResultCorrected)
        and state.following == Following(fact.game_id, _moment(fact.occurred_at))
        and not fact.player_ids
        and not fact.note
    )


def _on_game(state: Tournament, after: Tournament, fact: Fact) -> Tournament:
    """The sanctions that stand on the game of a fact, and its result without them, which was that of ``state``."""
    match fact:
        case events.PlayerSanctioned() if fact.game_id:
            one = state.played[fact.round - 1]
            imposed = GameSanction(state.version + 1, fact.player_id, fact.kind, fact.points, fact.arbiter_id)
            sanctions = (*one.game_sanctions.get(fact.game_id, ()), imposed)
            return _with_sanctions(after, fact.round, fact.game_id, sanctions, one.without_sanctions(fact.game_id))
        case events.SanctionLifted() if fact.game_id and fact.game_id in state.played[fact.round - 1].game_sanctions:
            one = state.played[fact.round - 1]
            sanctions = tuple(left for left in one.game_sanctions[fact.game_id] if left.version != fact.version)
            return _with_sanctions(after, fact.round, fact.game_id, sanctions, one.without_sanctions(fact.game_id))
        case events.PointsAdjusted() if fact.points < 0 and state.following.game_id == fact.game_id:
            # The points came off beside the result, which the sanction leaves as it is.
            one = state.played[fact.round - 1]
            sanctions = one.game_sanctions[fact.game_id][:-1]
            return _with_sanctions(after, fact.round, fact.game_id, sanctions, one.without_sanctions(fact.game_id))
        case events.ResultRecorded() | events.ResultCorrected() if not _follows(state, fact):
            one = after.played[fact.round - 1]
            if fact.game_id not in one.game_sanctions:
                return after
            decided = one.decided[fact.game_id]
            if isinstance(fact, events.ResultCorrected):
                before = state.played[fact.round - 1].without_sanctions(fact.game_id)
                decided = before.decided.corrected(fact)
            result = Unsanctioned(one.results[fact.game_id], decided)
            return _with_sanctions(after, fact.round, fact.game_id, one.game_sanctions[fact.game_id], result)
        case _:
            return after


def _with_sanctions(
    state: Tournament, number: int, game: str, sanctions: tuple[GameSanction, ...], result: Unsanctioned
) -> Tournament:
    one = state.played[number - 1]
    game_sanctions = {**one.game_sanctions, game: sanctions}
    unsanctioned = {**one.unsanctioned, game: result}
    if not sanctions:
        del game_sanctions[game], unsanctioned[game]
    kept = replace(one, game_sanctions=MappingProxyType(game_sanctions), unsanctioned=MappingProxyType(unsanctioned))
    return _with_round(state, kept)


def _after(state: Tournament, fact: Fact) -> Tournament:
    match fact:
        case events.TournamentCreated():
            at = _moment(fact.occurred_at)
            known = (Division(fact.tournament_id, fact.division),) if fact.division and not fact.division_of else ()
            return replace(
                state,
                tournament_id=fact.tournament_id,
                name=fact.name,
                rounds=fact.rounds,
                time_zone=fact.time_zone or "UTC",
                seed=fact.seed,
                created_at=at,
                latest=at,
                division=fact.division,
                division_of=fact.division_of,
                divisions=known,
            )
        case events.DivisionAdded():
            added = Division.of(fact.division)
            own = added.name if added.tournament_id == state.tournament_id else state.division
            divisions = (*state.divisions, added)
            return _later(replace(state, division=own, divisions=divisions), fact.occurred_at)
        case events.RoundsChanged():
            return _later(replace(state, rounds=fact.rounds), fact.occurred_at)
        case events.RulesetPinned():
            return replace(state, ruleset=Pin.of(fact.ruleset))
        case events.LexiconPinned():
            return replace(state, lexicon=Pin.of(fact.lexicon))
        case events.PlayerRegistered():
            player = Player(fact.player_id, fact.rating, fact.unrated, category=fact.category)
            return _later(replace(state, players=(*state.players, player)), fact.occurred_at)
        case events.LateEntryAdmitted():
            late = Player(
                fact.player_id,
                fact.rating,
                fact.unrated,
                fact.round,
                fact.fictitious_half_points,
                category=fact.category,
            )
            return _later(replace(state, players=(*state.players, late)), fact.occurred_at)
        case events.TeamRegistered():
            line_up = tuple(fact.player_ids)
            entry = Player(fact.team_id, rating=0, unrated=True, entered=fact.round)
            team = Team(entry, fact.name, line_up)
            return _later(replace(state, teams=(*state.teams, team)), fact.occurred_at)
        case events.LineUpSet():
            line_up = tuple(fact.player_ids)
            teams = tuple(replace(one, line_up=line_up) if one.team_id == fact.team_id else one for one in state.teams)
            return _later(replace(state, teams=teams), fact.occurred_at)
        case events.TeamWithdrawn() | events.TeamReinstated():
            return _later(_with_team(state, fact), fact.occurred_at)
        case events.ByeGranted() | events.ByeRevoked() if fact.team_id:
            return _later(_with_team(state, fact), fact.occurred_at)
        case (
            events.PlayerCheckedIn()
            | events.PlayerCheckedOut()
            | events.PlayerWithdrawn()
            | events.PlayerReinstated()
            | events.ByeGranted()
            | events.ByeRevoked()
            | events.TableFixed()
            | events.TableReleased()
            | events.PlayerWarned()
            | events.WarningLifted()
            | events.PlayerExpelled()
            | events.ExpulsionLifted()
            | events.PlayerSanctioned()
            | events.SanctionLifted()
        ):
            paired = len(state.played)
            players = tuple(
                _changed(one, fact, paired) if one.player_id == fact.player_id else one for one in state.players
            )
            return _later(replace(state, players=players), fact.occurred_at)
        case events.HallsSet():
            halls = tuple(Hall.of(hall) for hall in fact.halls)
            return _later(replace(state, halls=halls, top_tables=fact.top_tables), fact.occurred_at)
        case events.TribunalAppointed():
            return _later(replace(state, tribunal=tuple(map(Member.of, fact.members))), fact.occurred_at)
        case events.AppealLodged():
            appeal = Appeal(
                fact.player_id, fact.version, tuple(map(Member.of, fact.members)), involved=tuple(fact.player_ids)
            )
            return _later(replace(state, appeals=(*state.appeals, appeal)), fact.occurred_at)
        case events.AppealDecided():
            phase = AppealPhase.UPHELD if fact.upheld else AppealPhase.DISMISSED
            return _later(_with_appeal(state, fact.appeal, phase), fact.occurred_at)
        case events.AppealWithdrawn():
            return _later(_with_appeal(state, fact.appeal, AppealPhase.WITHDRAWN), fact.occurred_at)
        case events.RoundPaired():
            pairings = tuple(map(Pairing.of, fact.pairings))
            byes = fact.requested_byes
            added_round = Round(
                fact.round,
                Phase.PAIRED,
                pairings,
                requested=MappingProxyType({one.player_id: BYES[one.kind] for one in byes}),
                matches=tuple(map(TeamMatch.of, fact.matches)),
                board_byes=MappingProxyType(
                    {one.player_id: BoardBye(one.team_id, one.match, one.board) for one in byes if one.team_id}
                ),
                team_bye=fact.bye_team_id or None,
                team_byes=MappingProxyType({one.team_id: BYES[one.kind] for one in fact.team_byes}),
                algorithm=fact.algorithm,
            )
            teams = tuple(_seeded(state, one, added_round) for one in state.teams)
            return _later(replace(state, teams=teams, played=(*state.played, added_round)), fact.occurred_at)
        case events.PrizesOffered():
            return _later(state, fact.occurred_at)
        case events.PointsAdjusted():
            adjustment = SpreadAdjustment(fact.round, fact.player_id, fact.points, sanction=True)
            return _later(_with_round(state, _adjusted(state.played[fact.round - 1], adjustment)), fact.occurred_at)
        case events.RoundUnpaired():
            # Who came back after it was paired is there when it is paired again.
            players = tuple(
                replace(one, missed=one.missed - {fact.round}, let_back=one.let_back - {fact.round})
                for one in state.players
            )
            teams = tuple(_unpaired(one, fact.round) for one in state.teams)
            unpaired = replace(state, players=players, teams=teams, played=state.played[: fact.round - 1])
            return _later(unpaired, fact.occurred_at)
        case events.PairForbidden():
            return _later(replace(state, forbidden=state.forbidden | {_pair_of(fact)}), fact.occurred_at)
        case events.PairAllowed():
            return _later(replace(state, forbidden=state.forbidden - {_pair_of(fact)}), fact.occurred_at)
        case events.PairKept():
            first, second = fact.team_ids or fact.player_ids
            pairs = (*state.kept.get(fact.round, ()), (first, second))
            return _later(_with_kept(state, fact.round, pairs), fact.occurred_at)
        case events.PairReleased():
            left = tuple(pair for pair in state.kept.get(fact.round, ()) if set(pair) != _pair_of(fact))
            return _later(_with_kept(state, fact.round, left), fact.occurred_at)
        case events.ByeAwarded():
            return _with_round(state, replace(state.played[fact.round - 1], bye=fact.player_id))
        case events.RoundStarted():
            started = replace(state.played[fact.round - 1], phase=Phase.STARTED)
            return _later(_with_round(state, started), fact.occurred_at)
        case events.ResultRecorded():
            one = state.played[fact.round - 1]
            scores = tuple(score.score for score in fact.scores)
            results = MappingProxyType({**one.results, fact.game_id: scores})
            decided = MappingProxyType({**one.decided, fact.game_id: Decided.by(fact)})
            return _later(_with_round(state, replace(one, results=results, decided=decided)), fact.occurred_at)
        case events.ResultEntered():
            one = state.played[fact.round - 1]
            entered = replace(one, postponed=one.postponed - {fact.game_id}, entered=one.entered | {fact.game_id})
            return _later(_with_round(state, entered), fact.occurred_at)
        case events.ResultCorrected():
            one = state.played[fact.round - 1]
            points = tuple(score.score for score in fact.scores)
            results = MappingProxyType({**one.results, fact.game_id: points})
            decided = MappingProxyType({**one.decided, fact.game_id: one.decided[fact.game_id].corrected(fact)})
            return _later(_with_round(state, replace(one, results=results, decided=decided)), fact.occurred_at)
        case events.SpreadAdjusted():
            one = state.played[fact.round - 1]
            # A second adjustment of a turn takes the first back.
            rulings = one.corrected_rulings ^ {(fact.game_id, fact.turn)}
            adjustment = SpreadAdjustment(fact.round, fact.player_id, fact.points)
            adjusted = _adjusted(replace(one, corrected_rulings=rulings), adjustment)
            return _later(_with_round(state, adjusted), fact.occurred_at)
        case events.GamePostponed():
            one = state.played[fact.round - 1]
            postponed = replace(one, postponed=one.postponed | {fact.game_id})
            return _later(_with_round(state, postponed), fact.occurred_at)
        case events.PostponementCancelled() | events.PostponedGameStarted():
            one = state.played[fact.round - 1]
            begun = replace(one, postponed=one.postponed - {fact.game_id})
            return _later(_with_round(state, begun), fact.occurred_at)
        case events.RoundClosed():
            closed = replace(state.played[fact.round - 1], phase=Phase.CLOSED)
            return _later(_with_round(state, closed), fact.occurred_at)
        case events.StandingsPublished():
            return _later(replace(state, over=True), fact.occurred_at)
        case events.StandingsReopened():
            return _later(replace(state, over=False), fact.occurred_at)
        case _:
            assert_never(fact)


def _pair_of(fact: events.PairForbidden | events.PairAllowed | events.PairReleased) -> frozenset[str]:
    """The two players, or the two teams."""
    return frozenset(fact.team_ids or fact.player_ids)


def _with_team(state: Tournament, fact: OfTeam) -> Tournament:
    """A tournament after a fact about the rounds of one team."""
    paired = len(state.played)
    teams = tuple(
        replace(one, entry=_changed(one.entry, fact, paired)) if one.team_id == fact.team_id else one
        for one in state.teams
    )
    return replace(state, teams=teams)


def _seeded(state: Tournament, team: Team, paired: Round) -> Team:
    """A team after a pairing, from the first of which on its rating stays."""
    if team.first_round is not None or team.team_id not in paired.team_ids:
        return team
    never_came = {one.player_id for one in state.players if one.never_came}
    seeding = tuple(player_id for player_id in team.line_up if player_id not in never_came)
    return replace(team, seeding=seeding, first_round=paired.number)


def _unpaired(team: Team, number: int) -> Team:
    """A team after a round was taken back. It came back after the pairing, or was seeded by it, as if it had not."""
    entry = replace(team.entry, missed=team.entry.missed - {number})
    if team.first_round == number:
        return replace(team, entry=entry, seeding=(), first_round=None)
    return replace(team, entry=entry)


def _with_appeal(state: Tournament, number: int, phase: AppealPhase) -> Tournament:
    appeals = list(state.appeals)
    appeals[number - 1] = replace(appeals[number - 1], phase=phase)
    return replace(state, appeals=tuple(appeals))


def _with_kept(state: Tournament, number: int, pairs: tuple[tuple[str, str], ...]) -> Tournament:
    return replace(state, kept=MappingProxyType({**state.kept, number: pairs}))


def _adjusted(one: Round, adjustment: SpreadAdjustment) -> Round:
    """A round with points of the spread more; what was taken and given back is as if it had not been."""
    same = [
        each for each in one.adjustments if (each.player, each.sanction) == (adjustment.player, adjustment.sanction)
    ]
    others = tuple(each for each in one.adjustments if each not in same)
    points = adjustment.points + sum(each.points for each in same)
    return replace(one, adjustments=(*others, replace(adjustment, points=points)) if points else others)


def _with_round(state: Tournament, changed: Round) -> Tournament:
    played = tuple(changed if one.number == changed.number else one for one in state.played)
    return replace(state, played=played)


def _later(state: Tournament, occurred_at: Timestamp) -> Tournament:
    return replace(state, latest=max(state.latest, _moment(occurred_at)))


def _moment(occurred_at: Timestamp) -> datetime:
    return occurred_at.ToDatetime(tzinfo=UTC)


def _changed(player: Player, fact: OfPlayer | OfTeam, paired: int) -> Player:
    """A player, or the entry of a team, after a fact about them, ``paired`` rounds having been paired."""
    match fact:
        case events.PlayerCheckedIn():
            return replace(player, checked_in=True)
        case events.PlayerCheckedOut():
            return replace(player, checked_in=False)
        case events.PlayerWithdrawn() | events.TeamWithdrawn():
            missed = frozenset(number for number in player.missed if number < fact.round)
            gave_up = fact.game_id if isinstance(fact, events.PlayerWithdrawn) else ""
            return replace(player, withdrawn=fact.round, missed=missed, gave_up=gave_up)
        case events.PlayerReinstated() | events.TeamReinstated():
            since = fact.round if player.withdrawn is None else player.withdrawn
            return replace(player, withdrawn=None, missed=player.missed.union(range(since, fact.round)), gave_up="")
        case events.ByeGranted():
            return replace(player, byes=MappingProxyType({**player.byes, fact.round: BYES[fact.kind]}))
        case events.ByeRevoked():
            left = {number: kind for number, kind in player.byes.items() if number != fact.round}
            return replace(player, byes=MappingProxyType(left))
        case events.TableFixed():
            return replace(player, table=fact.table)
        case events.TableReleased():
            return replace(player, table=None)
        case events.PlayerWarned() | events.WarningLifted():
            return replace(player, warnings=fact.count)
        case events.PlayerExpelled():
            left_before = player.withdrawn is not None
            return replace(player, expelled=True, expelled_under=fact.article, left_before=left_before)
        case events.ExpulsionLifted():
            since = paired + 1 if player.left_before or player.withdrawn is None else player.withdrawn
            let_back = player.let_back.union(range(since, paired + 1))
            return replace(player, expelled=False, expelled_under="", left_before=False, let_back=let_back)
        case events.PlayerSanctioned():
            excluded, missed = player.excluded.union(fact.rounds), player.missed.difference(fact.rounds)
            return replace(player, excluded=excluded, missed=missed, let_back=player.let_back.difference(fact.rounds))
        case events.SanctionLifted():
            # A round that is paired has to be paired again for the player to be in it.
            without = {number for number in fact.rounds if number <= paired}
            return replace(
                player,
                excluded=player.excluded.difference(fact.rounds),
                missed=player.missed | without,
                let_back=player.let_back | without,
            )
