"""The players and teams of a tournament: how an event changes them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import folds_in
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.read_models.projections.championship import Broken, Championship
from faristol.read_models.projections.changes import Change, copies, sets
from faristol.read_models.storage.rows import Player, Team


def _apply_player_entered(of: Championship, event: pairing.PlayerRegistered | pairing.LateEntryAdmitted) -> None:
    of.players[event.player_id] = Player(
        of.id,
        event.player_id,
        rating=event.rating,
        unrated=event.unrated,
        entered_round=event.round if isinstance(event, pairing.LateEntryAdmitted) else 1,
        category=event.category,
        seed_number=event.seed_number if isinstance(event, pairing.PlayerRegistered) else 0,
    )
    of.tournament.players += 1


def _apply_players_qualified(of: Championship, event: pairing.PlayersQualified) -> None:
    for player in of.players.values():
        player.seed_number = player.carried_half_points = player.carried_spread = 0
    for seed, qualified in enumerate(event.players, 1):
        if (entry := of.players.get(qualified.player_id)) is not None:  # older events precede the registrations
            entry.seed_number = seed
            entry.carried_half_points = qualified.carried_half_points
            entry.carried_spread = qualified.carried_spread


def _apply_player_amended(of: Championship, event: pairing.PlayerAmended) -> None:
    player = _player(of, event.player_id)
    if pairing.ENTRY_PART_RATING in event.parts:
        player.rating, player.unrated = event.rating, event.unrated
    if pairing.ENTRY_PART_CATEGORY in event.parts:
        player.category = event.category


def _leave(of: Championship, player_id: str, round_: int) -> None:
    """Withdraw a player from a round on; reinstate the player for round 0."""
    player = _player(of, player_id)
    before = player.never_came
    player.withdrawn_round = round_
    of.tournament.players += before - player.never_came


def _apply_team_registered(of: Championship, event: pairing.TeamRegistered) -> None:
    number = 1 + max((team.number for team in of.teams.values()), default=0)
    team = Team(of.id, event.team_id, number, event.name, entered_round=event.round)
    of.teams[event.team_id] = team
    _line_up(of, team, event.player_ids)


def _line_up(of: Championship, team: Team, player_ids: Iterable[str]) -> None:
    """Set the line-up of a team."""
    for player in of.players.values():
        if player.team_id == team.team_id:
            player.team_id = ""
    team.line_up = tuple(player_ids)
    for player_id in team.line_up:
        _player(of, player_id).team_id = team.team_id


def _apply_ratings_published(of: Championship, event: rating.RatingListPublished) -> None:
    tournament, now = of.tournament, event.occurred_at.ToNanoseconds()
    tournament.rating_system, tournament.rating_revision = event.system, event.revision
    if event.revision:
        tournament.rating_revised_at = now
    else:
        tournament.rating_published_at = now


def _change_player(change: Change, of: Championship, event: Any) -> None:
    change(_player(of, event.player_id), event)


def _change_team(change: Change, of: Championship, event: Any) -> None:
    change(_team(of, event.team_id), event)


PLAYER_HANDLERS: Mapping[type[Message], Callable[[Championship, Any], None]] = {
    **folds_in(__name__),
    pairing.PlayerCheckedIn: partial(_change_player, sets(checked_in=True)),
    pairing.PlayerCheckedOut: partial(_change_player, sets(checked_in=False)),
    pairing.PlayerWithdrawn: lambda of, event: _leave(of, event.player_id, event.round),
    pairing.PlayerReinstated: lambda of, event: _leave(of, event.player_id, 0),
    pairing.LineUpSet: lambda of, event: _line_up(of, _team(of, event.team_id), event.player_ids),
    pairing.TeamWithdrawn: partial(_change_team, copies(withdrawn_round="round")),
    pairing.TeamReinstated: partial(_change_team, sets(withdrawn_round=0)),
    rating.RatingUpdated: partial(_change_player, copies(new_rating="after")),
}
"""The effect of an event on players and teams."""


def _player(of: Championship, player_id: str) -> Player:
    try:
        return of.players[player_id]
    except KeyError:
        raise Broken(f"player {player_id!r} is not registered") from None


def _team(of: Championship, team_id: str) -> Team:
    try:
        return of.teams[team_id]
    except KeyError:
        raise Broken(f"team {team_id!r} is not registered") from None
