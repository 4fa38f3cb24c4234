"""What undoes an act: the act that compensates for it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial, reduce

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, systems
from faristol.pairing.decide import (
    appeals,
    corrections,
    halls,
    lifting,
    pairs,
    players,
    postponing,
    rounds,
    team_pairs,
    teams,
    tournaments,
)
from faristol.pairing.decide.superseding import superseding
from faristol.pairing.model import AppealPhase, Hall, Tournament, evolve
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import Ruleset

_UNDONE_BY: Mapping[type[Message], str] = {
    events.RoundsChanged: "ChangeRounds",
    events.PlayerRegistered: "WithdrawPlayer",
    events.LateEntryAdmitted: "WithdrawPlayer",
    events.TeamRegistered: "WithdrawTeam",
    events.LineUpSet: "SetLineUp",
    events.TeamWithdrawn: "ReinstateTeam",
    events.TeamReinstated: "WithdrawTeam",
    events.PlayerCheckedIn: "CheckOutPlayer",
    events.PlayerCheckedOut: "CheckInPlayer",
    events.PlayerWithdrawn: "ReinstatePlayer",
    events.PlayerReinstated: "WithdrawPlayer",
    events.ByeGranted: "RevokeBye",
    events.ByeRevoked: "GrantBye",
    events.HallsSet: "SetHalls",
    events.TableFixed: "ReleaseTable",
    events.TableReleased: "FixTable",
    events.PairForbidden: "AllowPair",
    events.PairAllowed: "ForbidPair",
    events.PairKept: "ReleasePair",
    events.PairReleased: "KeepPair",
    events.RoundPaired: "UnpairRound",
    events.RoundUnpaired: "PairRound",
    events.SpreadAdjusted: "CorrectRuling",
    events.GamePostponed: "CancelPostponement",
    events.PlayerWarned: "LiftSanction",
    events.PlayerSanctioned: "LiftSanction",
    events.PlayerExpelled: "LiftExpulsion",
    events.AppealLodged: "WithdrawAppeal",
    events.WarningLifted: "WarnPlayer",
    events.SanctionLifted: "SanctionPlayer",
    events.StandingsPublished: "ReopenStandings",
    events.StandingsReopened: "PublishStandings",
}
"""The command that undoes a fact. What is not here stands: a round that began, and a result, which is corrected."""


def undone_by(act: Message, before: Sequence[Message]) -> str:
    """The command that undoes ``act``, which came after the facts ``before``; empty when none does."""
    if isinstance(act, events.TableFixed) and _table_before(act, before) is not None:
        return "FixTable"
    return _UNDONE_BY.get(type(act), "")


def can_undo(state: Tournament, facts: Sequence[Message], version: int) -> str:
    """The command that can undo the act of ``version``, from 1, of ``facts``, as the tournament stands; empty for none.

    A sanction is the tribunal's where there is one: on appeal, which is final.
    """
    act = facts[version - 1]
    command = undone_by(act, facts[: version - 1])
    match act:
        case events.PlayerWarned() | events.PlayerSanctioned() | events.PlayerExpelled():
            sanction = version
        case events.WarningLifted() | events.SanctionLifted():
            sanction = act.version
        case _:
            return command
    phases = {one.phase for one in state.appeals if one.version == sanction}
    if phases.intersection(appeals.DECIDED):
        return ""
    if not isinstance(act, lifting.Sanction):
        return command
    if lifting.is_lifted(act, facts, version):
        return ""
    if AppealPhase.OPEN in phases:
        return "DecideAppeal"
    return "LodgeAppeal" if state.tribunal else command


def undo(
    state: Tournament,
    ruleset: Ruleset,
    facts: Sequence[Message],
    version: int,
    *,
    note: str,
    at: datetime | None,
    now: datetime,
    divisions: Sequence[Tournament] = (),
) -> list[Message]:
    """The facts that undo the act of ``version``, from 1, of ``facts``, which are all of the tournament so far.

    ``divisions`` are the others of the championship. Raises ``Refusal`` for what cannot be undone, for half of a move
    between divisions, and for what cannot be any more because something that came after it rests on it or took its
    place.
    """
    act = facts[version - 1]
    if isinstance(act, events.PlayerRegistered | events.PlayerReinstated) and not state.played:
        _check_not_moved(act.player_id, divisions)
    if isinstance(act, events.ResultRecorded | events.ResultEntered | events.ResultCorrected):
        raise Refusal(
            "NOT_UNDONE",
            "",
            N_("A result is not undone but corrected: `result correct` for {game}."),
            {"game": act.game_id},
            subject=f"games/{act.game_id}",
        )
    if type(act) not in _UNDONE_BY:
        raise Refusal("NOT_UNDONE", "", N_("{act} cannot be undone by another act."), {"act": act.DESCRIPTOR.name})
    if (later := superseding(act, facts[version:])) is not None:
        raise Refusal(
            "NOT_UNDONE",
            "",
            N_("{act} cannot be undone any more: {later} came after it."),
            {"act": act.DESCRIPTOR.name, "later": later.DESCRIPTOR.name},
        )
    match act:
        case events.PlayerRegistered() | events.LateEntryAdmitted() | events.PlayerReinstated():
            return players.withdraw(
                state,
                player_id=act.player_id,
                note=note,
                running_game=pairing.RUNNING_GAME_PLAYED_OUT,
                since=_withdrawn_before(act, facts[: version - 1]),
                at=at,
                now=now,
            )
        case events.TeamRegistered() | events.TeamReinstated():
            return teams.withdraw_team(
                state,
                ruleset,
                team_id=act.team_id,
                note=note,
                since=_withdrawn_before(act, facts[: version - 1]),
                at=at,
                now=now,
            )
        case events.LineUpSet():
            line_up = _line_up_before(act, facts[: version - 1])
            return teams.set_line_up(state, ruleset, team_id=act.team_id, player_ids=line_up, at=at, now=now)
        case events.TeamWithdrawn():
            return teams.reinstate_team(state, ruleset, team_id=act.team_id, at=at, now=now)
        case events.RoundsChanged():
            return tournaments.change_rounds(state, ruleset, rounds=act.before, note=note, at=at, now=now)
        case events.PlayerCheckedIn():
            return players.check_out(state, player_id=act.player_id, at=at, now=now)
        case events.PlayerCheckedOut():
            return players.check_in(state, player_id=act.player_id, at=at, now=now)
        case events.PlayerWithdrawn():
            return players.reinstate(state, player_id=act.player_id, divisions=divisions, at=at, now=now)
        case events.ByeGranted():
            revoke = partial(players.revoke_bye, number=act.round, at=at, now=now)
            return team_pairs.of_bye(state, ruleset, act, revoke)
        case events.ByeRevoked():
            kind = _kind_before(act, facts[: version - 1])
            grant = partial(players.grant_bye, ruleset=ruleset, number=act.round, kind=kind, at=at, now=now)
            return team_pairs.of_bye(state, ruleset, act, grant)
        case events.HallsSet():
            earlier_halls = _halls_before(facts[: version - 1])
            return halls.set_halls(
                state,
                halls=[Hall.of(hall) for hall in earlier_halls.halls],
                top_tables=earlier_halls.top_tables,
                divisions=divisions,
                at=at,
                now=now,
            )
        case events.TableFixed():
            if (earlier := _table_before(act, facts[: version - 1])) is not None:
                return halls.fix_table(state, player_id=act.player_id, table=earlier, at=at, now=now)
            return halls.release_table(state, player_id=act.player_id, at=at, now=now)
        case events.TableReleased():
            return halls.fix_table(state, player_id=act.player_id, table=act.table, at=at, now=now)
        case events.PairForbidden():
            return team_pairs.of_pair(state, ruleset, act, partial(pairs.allow, at=at, now=now))
        case events.PairAllowed():
            return team_pairs.of_pair(state, ruleset, act, partial(pairs.forbid, ruleset=ruleset, at=at, now=now))
        case events.PairKept():
            return team_pairs.of_pair(state, ruleset, act, partial(pairs.release, at=at, now=now))
        case events.PairReleased():
            keep = partial(pairs.keep, ruleset=ruleset, rematch=True, at=at, now=now)
            return team_pairs.of_pair(state, ruleset, act, keep)
        case events.RoundPaired():
            return rounds.unpair(state, number=act.round, note=note, at=at, now=now)
        case events.RoundUnpaired():
            return _paired_again(state, ruleset, act.round, facts[: version - 1], at, now)
        case events.SpreadAdjusted():
            return corrections.undo_correction(state, act, note=note, at=at, now=now)
        case events.GamePostponed():
            return postponing.cancel_postponement(state, ruleset, game=act.game_id, note=note, at=at, now=now)
        case events.PlayerWarned() | events.PlayerSanctioned() | events.PlayerExpelled():
            appeals.check_not_appealed(state, ruleset, version)
            return lifting.lifted(
                state, ruleset, facts, version, decided_by=(), note=note, at=at, now=now, divisions=divisions
            )
        case events.AppealLodged():
            return appeals.withdraw_appeal(state, ruleset, appeal=act.appeal, note=note, at=at, now=now)
        case events.WarningLifted() | events.SanctionLifted():
            appeals.check_not_appealed(state, ruleset, act.version)
            return lifting.impose_again(state, ruleset, facts, act, note=note, at=at, now=now)
        case events.StandingsPublished():
            return tournaments.reopen(state, note=note, at=at, now=now)
        case events.StandingsReopened():
            return tournaments.publish(state, ruleset, at=at, now=now)
        case _:
            raise AssertionError(f"{act.DESCRIPTOR.name} is said to be undone, and nothing undoes it")


def _check_not_moved(player_id: str, divisions: Sequence[Tournament]) -> None:
    """Refuse to undo half of a move between divisions, after which the player would be in none."""
    for other in divisions:
        player = other.player(player_id)
        if player is not None and player.never_came:
            raise Refusal(
                "MOVED",
                "",
                N_("{player} left division {division} ({tournament}) before: move them back, or withdraw them."),
                {"player": player_id, "division": other.division, "tournament": other.tournament_id},
                subject=f"tournaments/{other.tournament_id}",
            )


def _paired_again(
    state: Tournament, ruleset: Ruleset, number: int, facts: Sequence[Message], at: datetime | None, now: datetime
) -> list[Message]:
    """The pairing of a round that was taken back, with the games of it that were postponed.

    Raises ``Refusal`` when something that was done between the two makes it another pairing.
    """
    was = reduce(evolve, facts, Tournament()).played[number - 1]
    system = systems.of_algorithm(was.algorithm)
    again = rounds.pair(state, ruleset, number=number, system=system, at=at, now=now)
    is_ = reduce(evolve, again, state).played[number - 1]
    if replace(was, postponed=frozenset()) != is_:
        raise Refusal(
            "NOT_UNDONE",
            "",
            N_("Round {round} would be paired otherwise than before: pair it as it comes."),
            {"round": number},
            subject=f"rounds/{number}",
        )
    return [*again, *_postponed_again(was.postponed, facts, to_timestamp(conditions.moment(state, at, now)))]


def _postponed_again(games: Collection[str], facts: Sequence[Message], occurred_at: Timestamp) -> Iterator[Message]:
    """What was agreed on games that are postponed, once more."""
    agreed = {fact.game_id: fact for fact in facts if isinstance(fact, events.GamePostponed)}
    for game in sorted(games):
        once_more = events.GamePostponed()
        once_more.CopyFrom(agreed[game])
        once_more.occurred_at.CopyFrom(occurred_at)
        yield once_more


def _halls_before(facts: Sequence[Message]) -> events.HallsSet:
    """The halls that there were before; none when none had been set."""
    return next((fact for fact in reversed(facts) if isinstance(fact, events.HallsSet)), events.HallsSet())


def _kind_before(revoked: events.ByeRevoked, facts: Sequence[Message]) -> events.ByeKind.ValueType:
    """What the bye was worth that was revoked."""
    return next(
        fact.kind
        for fact in reversed(facts)
        if isinstance(fact, events.ByeGranted)
        and (fact.player_id, fact.team_id, fact.round) == (revoked.player_id, revoked.team_id, revoked.round)
    )


def _withdrawn_before(act: Message, facts: Sequence[Message]) -> int | None:
    """The first round that a player or a team who came back had missed; None for an act that is no return."""
    for fact in reversed(facts):
        match act, fact:
            case (events.PlayerReinstated(), events.PlayerWithdrawn()) if fact.player_id == act.player_id:
                return fact.round
            case (events.TeamReinstated(), events.TeamWithdrawn()) if fact.team_id == act.team_id:
                return fact.round
    return None


def _line_up_before(changed: events.LineUpSet, facts: Sequence[Message]) -> Sequence[str]:
    """The line-up that a team had before."""
    return next(
        fact.player_ids
        for fact in reversed(facts)
        if isinstance(fact, events.TeamRegistered | events.LineUpSet) and fact.team_id == changed.team_id
    )


def _table_before(fixed: events.TableFixed, facts: Sequence[Message]) -> int | None:
    """The table that was the player's own before; None when there was none."""
    for fact in reversed(facts):
        if isinstance(fact, events.TableFixed | events.TableReleased) and fact.player_id == fixed.player_id:
            return fact.table if isinstance(fact, events.TableFixed) else None
    return None
