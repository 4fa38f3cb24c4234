"""What undoes an act: the act that compensates for it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial, reduce
from typing import Any, NamedTuple

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


@dataclass(frozen=True, slots=True)
class Undo:
    """What is known when an act is to be undone."""

    state: Tournament
    ruleset: Ruleset
    facts: Sequence[Message]
    """All of the tournament so far."""
    version: int
    """Of the act, from 1."""
    note: str
    at: datetime | None
    now: datetime
    divisions: Sequence[Tournament]
    """The others of the championship."""

    @property
    def act(self) -> Any:
        """The act itself."""
        return self.facts[self.version - 1]

    @property
    def before(self) -> Sequence[Message]:
        """The facts before it."""
        return self.facts[: self.version - 1]

    @property
    def times(self) -> dict[str, Any]:
        """When it is undone, as decisions take it."""
        return {"at": self.at, "now": self.now}


class Undoing(NamedTuple):
    """What undoes a fact."""

    command: str
    facts: Callable[[Undo], list[Message]]


def undone_by(act: Message, before: Sequence[Message]) -> str:
    """The command that undoes ``act``, which came after the facts ``before``; empty when none does."""
    if isinstance(act, events.TableFixed) and _table_before(act, before) is not None:
        return "FixTable"
    return UNDOING[type(act)].command if type(act) in UNDOING else ""


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
    if type(act) not in UNDOING:
        raise Refusal("NOT_UNDONE", "", N_("{act} cannot be undone by another act."), {"act": act.DESCRIPTOR.name})
    if (later := superseding(act, facts[version:])) is not None:
        raise Refusal(
            "NOT_UNDONE",
            "",
            N_("{act} cannot be undone any more: {later} came after it."),
            {"act": act.DESCRIPTOR.name, "later": later.DESCRIPTOR.name},
        )
    return UNDOING[type(act)].facts(Undo(state, ruleset, facts, version, note, at, now, divisions))


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


def _withdraw(undo: Undo) -> list[Message]:
    return players.withdraw(
        undo.state,
        player_id=undo.act.player_id,
        note=undo.note,
        running_game=pairing.RUNNING_GAME_PLAYED_OUT,
        since=_withdrawn_before(undo.act, undo.before),
        **undo.times,
    )


def _reinstate(undo: Undo) -> list[Message]:
    return players.reinstate(undo.state, player_id=undo.act.player_id, divisions=undo.divisions, **undo.times)


def _check_in(undo: Undo) -> list[Message]:
    return players.check_in(undo.state, player_id=undo.act.player_id, **undo.times)


def _check_out(undo: Undo) -> list[Message]:
    return players.check_out(undo.state, player_id=undo.act.player_id, **undo.times)


def _withdraw_team(undo: Undo) -> list[Message]:
    since = _withdrawn_before(undo.act, undo.before)
    return teams.withdraw_team(
        undo.state, undo.ruleset, team_id=undo.act.team_id, note=undo.note, since=since, **undo.times
    )


def _reinstate_team(undo: Undo) -> list[Message]:
    return teams.reinstate_team(undo.state, undo.ruleset, team_id=undo.act.team_id, **undo.times)


def _set_line_up(undo: Undo) -> list[Message]:
    line_up = _line_up_before(undo.act, undo.before)
    return teams.set_line_up(undo.state, undo.ruleset, team_id=undo.act.team_id, player_ids=line_up, **undo.times)


def _change_rounds(undo: Undo) -> list[Message]:
    return tournaments.change_rounds(undo.state, undo.ruleset, rounds=undo.act.before, note=undo.note, **undo.times)


def _grant_bye(undo: Undo) -> list[Message]:
    kind = _kind_before(undo.act, undo.before)
    grant = partial(players.grant_bye, ruleset=undo.ruleset, number=undo.act.round, kind=kind, **undo.times)
    return team_pairs.of_bye(undo.state, undo.ruleset, undo.act, grant)


def _revoke_bye(undo: Undo) -> list[Message]:
    revoke = partial(players.revoke_bye, number=undo.act.round, **undo.times)
    return team_pairs.of_bye(undo.state, undo.ruleset, undo.act, revoke)


def _set_halls(undo: Undo) -> list[Message]:
    earlier = _halls_before(undo.before)
    return halls.set_halls(
        undo.state,
        halls=[Hall.of(hall) for hall in earlier.halls],
        top_tables=earlier.top_tables,
        divisions=undo.divisions,
        **undo.times,
    )


def _release_table(undo: Undo) -> list[Message]:
    if (earlier := _table_before(undo.act, undo.before)) is not None:
        return halls.fix_table(undo.state, player_id=undo.act.player_id, table=earlier, **undo.times)
    return halls.release_table(undo.state, player_id=undo.act.player_id, **undo.times)


def _fix_table(undo: Undo) -> list[Message]:
    return halls.fix_table(undo.state, player_id=undo.act.player_id, table=undo.act.table, **undo.times)


def _forbid(undo: Undo) -> list[Message]:
    return team_pairs.of_pair(
        undo.state, undo.ruleset, undo.act, partial(pairs.forbid, ruleset=undo.ruleset, **undo.times)
    )


def _allow(undo: Undo) -> list[Message]:
    return team_pairs.of_pair(undo.state, undo.ruleset, undo.act, partial(pairs.allow, **undo.times))


def _keep(undo: Undo) -> list[Message]:
    keep = partial(pairs.keep, ruleset=undo.ruleset, rematch=True, **undo.times)
    return team_pairs.of_pair(undo.state, undo.ruleset, undo.act, keep)


def _release(undo: Undo) -> list[Message]:
    return team_pairs.of_pair(undo.state, undo.ruleset, undo.act, partial(pairs.release, **undo.times))


def _unpair(undo: Undo) -> list[Message]:
    return rounds.unpair(undo.state, number=undo.act.round, note=undo.note, **undo.times)


def _pair(undo: Undo) -> list[Message]:
    return _paired_again(undo.state, undo.ruleset, undo.act.round, undo.before, undo.at, undo.now)


def _correct_ruling(undo: Undo) -> list[Message]:
    return corrections.undo_correction(undo.state, undo.act, note=undo.note, **undo.times)


def _cancel_postponement(undo: Undo) -> list[Message]:
    return postponing.cancel_postponement(undo.state, undo.ruleset, game=undo.act.game_id, note=undo.note, **undo.times)


def _lift(undo: Undo) -> list[Message]:
    appeals.check_not_appealed(undo.state, undo.ruleset, undo.version)
    return lifting.lifted(
        undo.state,
        undo.ruleset,
        undo.facts,
        undo.version,
        decided_by=(),
        note=undo.note,
        divisions=undo.divisions,
        **undo.times,
    )


def _impose_again(undo: Undo) -> list[Message]:
    appeals.check_not_appealed(undo.state, undo.ruleset, undo.act.version)
    return lifting.impose_again(undo.state, undo.ruleset, undo.facts, undo.act, note=undo.note, **undo.times)


def _withdraw_appeal(undo: Undo) -> list[Message]:
    return appeals.withdraw_appeal(undo.state, undo.ruleset, appeal=undo.act.appeal, note=undo.note, **undo.times)


def _reopen(undo: Undo) -> list[Message]:
    return tournaments.reopen(undo.state, note=undo.note, **undo.times)


def _publish(undo: Undo) -> list[Message]:
    return tournaments.publish(undo.state, undo.ruleset, **undo.times)


UNDOING: Mapping[type[Message], Undoing] = {
    events.RoundsChanged: Undoing("ChangeRounds", _change_rounds),
    events.PlayerRegistered: Undoing("WithdrawPlayer", _withdraw),
    events.LateEntryAdmitted: Undoing("WithdrawPlayer", _withdraw),
    events.TeamRegistered: Undoing("WithdrawTeam", _withdraw_team),
    events.LineUpSet: Undoing("SetLineUp", _set_line_up),
    events.TeamWithdrawn: Undoing("ReinstateTeam", _reinstate_team),
    events.TeamReinstated: Undoing("WithdrawTeam", _withdraw_team),
    events.PlayerCheckedIn: Undoing("CheckOutPlayer", _check_out),
    events.PlayerCheckedOut: Undoing("CheckInPlayer", _check_in),
    events.PlayerWithdrawn: Undoing("ReinstatePlayer", _reinstate),
    events.PlayerReinstated: Undoing("WithdrawPlayer", _withdraw),
    events.ByeGranted: Undoing("RevokeBye", _revoke_bye),
    events.ByeRevoked: Undoing("GrantBye", _grant_bye),
    events.HallsSet: Undoing("SetHalls", _set_halls),
    events.TableFixed: Undoing("ReleaseTable", _release_table),
    events.TableReleased: Undoing("FixTable", _fix_table),
    events.PairForbidden: Undoing("AllowPair", _allow),
    events.PairAllowed: Undoing("ForbidPair", _forbid),
    events.PairKept: Undoing("ReleasePair", _release),
    events.PairReleased: Undoing("KeepPair", _keep),
    events.RoundPaired: Undoing("UnpairRound", _unpair),
    events.RoundUnpaired: Undoing("PairRound", _pair),
    events.SpreadAdjusted: Undoing("CorrectRuling", _correct_ruling),
    events.GamePostponed: Undoing("CancelPostponement", _cancel_postponement),
    events.PlayerWarned: Undoing("LiftSanction", _lift),
    events.PlayerSanctioned: Undoing("LiftSanction", _lift),
    events.PlayerExpelled: Undoing("LiftExpulsion", _lift),
    events.AppealLodged: Undoing("WithdrawAppeal", _withdraw_appeal),
    events.WarningLifted: Undoing("WarnPlayer", _impose_again),
    events.SanctionLifted: Undoing("SanctionPlayer", _impose_again),
    events.StandingsPublished: Undoing("ReopenStandings", _reopen),
    events.StandingsReopened: Undoing("PublishStandings", _publish),
}
"""What undoes each fact. What is not here stands: a round that began, and a result, which is corrected."""
