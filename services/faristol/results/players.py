"""The players of a tournament and their teams as the public sees them."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken, Unknown


def change_players(state: results.ListPlayersResponse | None, event: Message) -> results.ListPlayersResponse:
    """The players after ``event``, highest rating first, by changing ``state`` itself.

    Raises ``Broken`` for what is said of a player or a team that is not registered.
    """
    after = results.ListPlayersResponse() if state is None else state
    match event:
        case pairing.PlayerRegistered():
            after.players.add(
                player_id=event.player_id,
                rating=event.rating,
                unrated=event.unrated,
                entered_round=1,
                category=event.category,
            )
        case pairing.LateEntryAdmitted():
            after.players.add(
                player_id=event.player_id,
                rating=event.rating,
                unrated=event.unrated,
                entered_round=event.round,
                category=event.category,
            )
        case pairing.PlayerCheckedIn() | pairing.PlayerCheckedOut():
            _player(after, event.player_id).checked_in = isinstance(event, pairing.PlayerCheckedIn)
        case pairing.PlayerWithdrawn():
            _player(after, event.player_id).withdrawn_round = event.round
        case pairing.PlayerReinstated():
            _player(after, event.player_id).withdrawn_round = 0
        case pairing.TeamRegistered():
            team = after.teams.add(team_id=event.team_id, name=event.name, entered_round=event.round)
            _line_up(after, team, event.player_ids)
        case pairing.LineUpSet():
            _line_up(after, _team(after, event.team_id), event.player_ids)
        case pairing.TeamWithdrawn():
            _team(after, event.team_id).withdrawn_round = event.round
        case pairing.TeamReinstated():
            _team(after, event.team_id).withdrawn_round = 0
        case rating.RatingListPublished():
            after.rating_system, after.rating_revision = event.system, event.revision
            said = after.rating_revised_at if event.revision else after.rating_published_at
            said.CopyFrom(event.occurred_at)
        case rating.RatingUpdated():
            _player(after, event.player_id).new_rating = event.after
        case _:
            raise Unknown("the list of players", event)
    after.players.sort(key=_by_rating)
    return after


def never_came(entrant: results.Player | results.Team) -> bool:
    """Withdrawn before any round: such a player, or team, has no place in the standings."""
    return 0 < entrant.withdrawn_round <= entrant.entered_round


def _player(state: results.ListPlayersResponse, player_id: str) -> results.Player:
    for player in state.players:
        if player.player_id == player_id:
            return player
    raise Broken(f"player {player_id!r} is not registered")


def _team(state: results.ListPlayersResponse, team_id: str) -> results.Team:
    for team in state.teams:
        if team.team_id == team_id:
            return team
    raise Broken(f"team {team_id!r} is not registered")


def _line_up(state: results.ListPlayersResponse, team: results.Team, player_ids: Iterable[str]) -> None:
    """Give a team the players that it has from now on."""
    for player in state.players:
        if player.team_id == team.team_id:
            player.team_id = ""
    team.ClearField("line_up")
    for player_id in player_ids:
        team.line_up.add(player_id=player_id)
        _player(state, player_id).team_id = team.team_id


def _by_rating(player: results.Player) -> tuple[int, str]:
    return -(player.new_rating if player.HasField("new_rating") else player.rating), player.player_id
