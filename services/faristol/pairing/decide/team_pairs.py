"""Pairs of teams under the director's hand, and their byes: decided as those of players are. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.host.errors import Invalid
from faristol.pairing.decide import pairs, players
from faristol.pairing.decide.teams import check_teams, found_team
from faristol.pairing.model import Tournament
from faristol.pairing.team_tournament import between, rules_between
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import N_, Ruleset


def forbid_teams(
    state: Tournament, ruleset: Ruleset, *, team_ids: Sequence[str], at: datetime | None, now: datetime
) -> list[Message]:
    """Keep two teams apart in the rounds to come."""
    _check_pair(state, ruleset, team_ids)
    return _said(pairs.forbid(between(state, ruleset), rules_between(ruleset), player_ids=team_ids, at=at, now=now))


def allow_teams(
    state: Tournament, ruleset: Ruleset, *, team_ids: Sequence[str], at: datetime | None, now: datetime
) -> list[Message]:
    """Let two teams meet that were kept apart."""
    _check_pair(state, ruleset, team_ids)
    return _said(pairs.allow(between(state, ruleset), player_ids=team_ids, at=at, now=now))


def keep_teams(
    state: Tournament,
    ruleset: Ruleset,
    *,
    team_ids: Sequence[str],
    rematch: bool,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Make a match of the next round by hand; the other teams are paired around it."""
    _check_pair(state, ruleset, team_ids)
    rules = rules_between(ruleset)
    return _said(pairs.keep(between(state, ruleset), rules, player_ids=team_ids, rematch=rematch, at=at, now=now))


def release_teams(
    state: Tournament, ruleset: Ruleset, *, team_ids: Sequence[str], at: datetime | None, now: datetime
) -> list[Message]:
    """Leave a match made by hand to the way of pairing again."""
    _check_pair(state, ruleset, team_ids)
    return _said(pairs.release(between(state, ruleset), player_ids=team_ids, at=at, now=now))


def grant_team_bye(
    state: Tournament,
    ruleset: Ruleset,
    *,
    team_id: str,
    number: int,
    kind: events.ByeKind.ValueType,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Let a team sit out a round to come."""
    check_teams(ruleset)
    found_team(state, team_id)
    granted = players.grant_bye(between(state, ruleset), player_id=team_id, number=number, kind=kind, at=at, now=now)
    return _said(granted)


def revoke_team_bye(
    state: Tournament, ruleset: Ruleset, *, team_id: str, number: int, at: datetime | None, now: datetime
) -> list[Message]:
    """Take a bye of a team back before its round is paired."""
    check_teams(ruleset)
    found_team(state, team_id)
    return _said(players.revoke_bye(between(state, ruleset), player_id=team_id, number=number, at=at, now=now))


def _check_pair(state: Tournament, ruleset: Ruleset, team_ids: Sequence[str]) -> None:
    check_teams(ruleset)
    if len(team_ids) != 2 or team_ids[0] == team_ids[1]:
        raise Invalid(
            "team_ids", N_("are {teams}; expected two different teams"), {"teams": ", ".join(team_ids) or "–"}
        )
    for team_id in team_ids:
        found_team(state, team_id)


def _said(facts: Sequence[Message]) -> list[Message]:
    """Facts of the tournament between the teams, said of teams."""
    return [_of_team(fact) for fact in facts]


def _of_team(fact: Message) -> Message:
    match fact:
        case events.ByeGranted():
            return events.ByeGranted(
                round=fact.round, team_id=fact.player_id, kind=fact.kind, occurred_at=fact.occurred_at
            )
        case events.ByeRevoked():
            return events.ByeRevoked(round=fact.round, team_id=fact.player_id, occurred_at=fact.occurred_at)
        case events.PairForbidden():
            return events.PairForbidden(team_ids=fact.player_ids, occurred_at=fact.occurred_at)
        case events.PairAllowed():
            return events.PairAllowed(team_ids=fact.player_ids, occurred_at=fact.occurred_at)
        case events.PairKept():
            return events.PairKept(
                round=fact.round, team_ids=fact.player_ids, rematch=fact.rematch, occurred_at=fact.occurred_at
            )
        case events.PairReleased():
            return events.PairReleased(round=fact.round, team_ids=fact.player_ids, occurred_at=fact.occurred_at)
        case _:
            raise AssertionError(f"{fact.DESCRIPTOR.name} is said of no team")
