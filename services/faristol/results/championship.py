"""A tournament as the public sees it: itself in short, its players, and the pairings of each round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken
from faristol.results.scoresheet import turns_taken
from faristol.rules.options import NONE

OF_TOURNAMENT = (
    pairing.TournamentCreated,
    pairing.DivisionAdded,
    pairing.RoundsChanged,
    pairing.RulesetPinned,
    pairing.LexiconPinned,
    pairing.StandingsPublished,
    pairing.StandingsReopened,
    pairing.HallsSet,
)
"""Events that change a tournament itself."""

OF_PLAYERS = (
    pairing.PlayerRegistered,
    pairing.LateEntryAdmitted,
    pairing.PlayerCheckedIn,
    pairing.PlayerCheckedOut,
    pairing.PlayerWithdrawn,
    pairing.PlayerReinstated,
    pairing.TeamRegistered,
    pairing.LineUpSet,
    pairing.TeamWithdrawn,
    pairing.TeamReinstated,
    rating.RatingListPublished,
    rating.RatingUpdated,
)
"""Events that change the list of players and of their teams."""

NOT_SHOWN = (
    pairing.RulesetKept,
    pairing.ByeGranted,
    pairing.ByeRevoked,
    pairing.PlayerWarned,
    pairing.PlayerExpelled,
    pairing.ExpulsionLifted,
    pairing.WarningLifted,
    pairing.TribunalAppointed,
    pairing.AppealLodged,
    pairing.AppealDecided,
    pairing.AppealWithdrawn,
    pairing.TableFixed,
    pairing.TableReleased,
    pairing.PairForbidden,
    pairing.PairAllowed,
    pairing.PairKept,
    pairing.PairReleased,
    pairing.PrizesOffered,
    rating.RatingSystemChosen,
)
"""Events that change no read model: what comes of them is said when a round is paired or a list is published, or when
somebody asks for the prizes."""

TEAMS = "teams"
"""The option of rulesets by which a tournament is of teams (FISE 4.4)."""

OF_ROUND = (
    pairing.RoundPaired,
    pairing.RoundUnpaired,
    pairing.ByeAwarded,
    pairing.RoundStarted,
    pairing.ResultEntered,
    pairing.ResultRecorded,
    pairing.ResultCorrected,
    pairing.SpreadAdjusted,
    pairing.PlayerSanctioned,
    pairing.SanctionLifted,
    pairing.PointsAdjusted,
    pairing.GamePostponed,
    pairing.PostponementCancelled,
    pairing.PostponedGameStarted,
    pairing.RoundClosed,
)
"""Events that change a round."""


def change_tournament(state: results.Tournament | None, event: Message) -> results.Tournament:
    """The tournament after ``event``, by changing ``state`` itself. Raises ``Broken`` if it cannot follow.

    Of the divisions of a championship the first one alone is told: what the others show of them is read there.
    """
    if isinstance(event, pairing.TournamentCreated):
        first = event.division and not event.division_of
        own = pairing.Division(tournament_id=event.tournament_id, name=event.division)
        return results.Tournament(
            tournament_id=event.tournament_id,
            name=event.name,
            rounds=event.rounds,
            created_at=event.occurred_at,
            division=event.division,
            division_of=event.division_of,
            divisions=[own] if first else [],
            time_zone=event.time_zone or "UTC",
        )
    state = existing(state, event)
    match event:
        case pairing.DivisionAdded():
            state.divisions.append(event.division)
            if event.division.tournament_id == state.tournament_id:
                state.division = event.division.name
        case pairing.RoundsChanged():
            state.rounds = event.rounds
        case pairing.RulesetPinned():
            state.ruleset.CopyFrom(event.ruleset)
            state.team_boards = _team_boards(event)
        case pairing.LexiconPinned():
            state.lexicon.CopyFrom(event.lexicon)
        case pairing.StandingsPublished():
            state.over = True
        case pairing.StandingsReopened():
            state.over = False
        case pairing.HallsSet():
            del state.halls[:]
            state.halls.extend(event.halls)
        case _:
            raise Broken(f"the tournament does not know the event {event.DESCRIPTOR.full_name}")
    return state


def _team_boards(event: pairing.RulesetPinned) -> int:
    """How many boards a match between two teams has, as the organiser chose; 0 where there are none."""
    chosen = next((option.value for option in event.ruleset.options if option.name == TEAMS), NONE)
    return 0 if chosen == NONE else int(chosen)


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
            raise Broken(f"the list of players does not know the event {event.DESCRIPTOR.full_name}")
    after.players.sort(key=_by_rating)
    return after


def takes_points(event: Message) -> bool:
    """Whether an event imposes or lifts a sanction on the points of a game, and no other sanction."""
    kind = getattr(event, "kind", pairing.SANCTION_KIND_UNSPECIFIED)
    return isinstance(event, pairing.PlayerSanctioned | pairing.SanctionLifted) and kind == pairing.SANCTION_KIND_POINTS


def change_round(
    state: results.GetPairingsResponse | None,
    event: Message,
    teams: Iterable[results.Team] = (),
    version: int = 0,
) -> results.GetPairingsResponse:
    """The round after ``event``, by changing ``state`` itself; ``teams`` are those of the tournament.

    ``version`` is that of the stream that the event made: a sanction is known by it when it is lifted. Raises
    ``Broken`` if it cannot follow.
    """
    if state is None and not isinstance(event, pairing.RoundPaired | pairing.ByeAwarded):
        raise Broken(f"{event.DESCRIPTOR.name} is of a round that was not paired")
    after = results.GetPairingsResponse() if state is None else state
    match event:
        case pairing.RoundUnpaired():
            after.Clear()
            after.round = event.round
        case pairing.RoundPaired():
            after.round = event.round
            after.algorithm = event.algorithm
            after.phase = results.ROUND_PHASE_PAIRED
            after.tables.extend(_table(pair) for pair in event.pairings)
            for one in event.requested_byes:
                seat = results.Seat(player_id=one.player_id, team_id=one.team_id)
                after.requested_byes.add(seat=seat, kind=one.kind, match=one.match, board=one.board)
            _show_teams(after, event, {team.team_id: team.name for team in teams})
        case pairing.ByeAwarded():
            after.round = event.round
            after.phase = results.ROUND_PHASE_PAIRED
            after.bye.player_id = event.player_id
        case pairing.RoundStarted():
            after.phase = results.ROUND_PHASE_STARTED
        case pairing.RoundClosed():
            after.phase = results.ROUND_PHASE_CLOSED
        case pairing.GamePostponed():
            _table_of(after, event.game_id).postponed_to.CopyFrom(event.postponed_to)
        case pairing.PostponementCancelled() | pairing.PostponedGameStarted():
            _table_of(after, event.game_id).ClearField("postponed_to")
        case pairing.SpreadAdjusted():
            _table_of(after, event.game_id).spread_adjustments.add(
                player_id=event.player_id, points=event.points, article=event.article
            )
        case pairing.PlayerSanctioned():
            _table_of(after, event.game_id).score_sanctions.add(
                player_id=event.player_id, points=event.points, article=event.article, version=version
            )
        case pairing.SanctionLifted():
            sanctions = _table_of(after, event.game_id).score_sanctions
            left = [one for one in sanctions if one.version != event.version]
            del sanctions[:]
            sanctions.extend(left)
        case pairing.PointsAdjusted():
            _beside_score(_table_of(after, event.game_id), event)
            _table_of(after, event.game_id).spread_adjustments.add(
                player_id=event.player_id, points=event.points, article=event.article, sanction=True
            )
        case pairing.ResultEntered():
            _table_of(after, event.game_id).entered_by = event.arbiter_id
        case pairing.ResultCorrected():
            table = _table_of(after, event.game_id)
            table.corrected = True
            table.corrected_by = event.arbiter_id or table.corrected_by
            table.winner_id, table.lost_by_all = event.winner_id, event.lost_by_all
            if event.HasField("unplayed"):
                table.condition, table.unplayed = event.condition, event.unplayed
                table.loser_ids[:] = event.loser_ids
            scores = {score.player_id: score.score for score in event.scores}
            for seat in table.seats:
                seat.score = scores[seat.player_id]
        case pairing.ResultRecorded():
            table = _table_of(after, event.game_id)
            table.final = True
            table.ClearField("postponed_to")
            table.winner_id, table.lost_by_all = event.winner_id, event.lost_by_all
            table.condition, table.unplayed = event.condition, event.unplayed
            table.loser_ids[:] = event.loser_ids
            scores = {score.player_id: score.score for score in event.scores}
            for seat in table.seats:
                seat.score = scores[seat.player_id]
        case _:
            raise Broken(f"the pairings do not know the event {event.DESCRIPTOR.full_name}")
    return after


def mirror_game(state: results.GetPairingsResponse, game: results.GetGameResponse) -> bool:
    """Copy who starts, the scores and the turns of a game to its table; whether that changed anything.

    Once a result is recorded it is the table's, whatever is noted at the game: standings rest on what the
    tournament itself recorded.
    """
    table = _table_of(state, game.game_id, game.table)
    if table.final:
        return False
    changed = table.first_player_id != game.first_player_id
    table.first_player_id = game.first_player_id
    scores = {seat.player_id: seat.score for seat in game.seats}
    for seat in table.seats:
        if seat.score != (score := scores[seat.player_id]):
            seat.score = score
            changed = True
    if table.turns != (turns := turns_taken(game)):
        table.turns = turns
        changed = True
    return changed


def mirror_round(state: results.Tournament, round_: results.GetPairingsResponse) -> bool:
    """Copy where a round stands to the tournament; whether that changed anything."""
    tables, finished = len(round_.tables), sum(table.final for table in round_.tables)
    line = next((line for line in state.played if line.round == round_.round), None)
    if line is not None and not is_paired(round_):
        state.played.remove(line)
        return True
    if line is None:
        state.played.add(
            round=round_.round, phase=round_.phase, tables=tables, finished=finished, algorithm=round_.algorithm
        )
        state.played.sort(key=lambda line: line.round)
        return True
    if (line.phase, line.tables, line.finished) == (round_.phase, tables, finished):
        return False
    line.phase, line.tables, line.finished = round_.phase, tables, finished
    return True


def mark_rounds_after(state: results.Tournament, event: Message) -> bool:
    """Mark rounds paired before a result of an earlier one was corrected; whether that changed anything."""
    opened_again = isinstance(event, pairing.ResultRecorded) and event.revision > 0
    if not opened_again and not isinstance(event, pairing.ResultCorrected):
        return False
    number = int(getattr(event, "round", 0))
    later = [line for line in state.played if line.round > number and not line.corrected_before]
    for line in later:
        line.corrected_before = True
    return bool(later)


def is_over(tournament: results.Tournament) -> bool:
    """Its standings are published, or its last round is closed."""
    closed = [line.phase == results.ROUND_PHASE_CLOSED for line in tournament.played]
    return tournament.over or (len(closed) >= tournament.rounds > 0 and all(closed))


def is_paired(round_: results.GetPairingsResponse) -> bool:
    """The round has a pairing that was not taken back."""
    return round_.phase != results.ROUND_PHASE_UNSPECIFIED


def mirror_players(state: results.Tournament, players: results.ListPlayersResponse) -> bool:
    """Copy the number of players who take part to the tournament; whether that changed anything."""
    taking_part = sum(not never_came(player) for player in players.players)
    if state.players == taking_part:
        return False
    state.players = taking_part
    return True


def never_came(one: results.Player | results.Team) -> bool:
    """Withdrawn before any round: such a player, or team, has no place in the standings."""
    return 0 < one.withdrawn_round <= one.entered_round


def existing(state: results.Tournament | None, event: Message) -> results.Tournament:
    """``state``. Raises ``Broken`` when there is none, for ``event`` then is of no tournament."""
    if state is None:
        raise Broken(f"{event.DESCRIPTOR.name} is of a tournament that was not created")
    return state


def _beside_score(table: results.Table, event: pairing.PointsAdjusted) -> None:
    """Take the sanction that just came off beside the result from those that came off the score."""
    last = table.score_sanctions[-1] if table.score_sanctions else None
    if last is not None and (last.player_id, last.points) == (event.player_id, -event.points):
        del table.score_sanctions[-1]


def _table(pair: pairing.Pairing) -> results.Table:
    return results.Table(
        table=pair.table,
        game_id=pair.game_id,
        hall=pair.hall,
        match=pair.match,
        board=pair.board,
        seats=[
            results.Seat(player_id=player)
            for player in pair.player_ids or (pair.first_player_id, pair.second_player_id)
        ],
    )


def _show_teams(state: results.GetPairingsResponse, event: pairing.RoundPaired, names: Mapping[str, str]) -> None:
    """Who meets whom among the teams, and for which team everybody sits."""
    teams: dict[int, tuple[str, str]] = {}
    for match in event.matches:
        teams[match.match] = (match.first_team_id, match.second_team_id)
        first, second = (results.TeamSide(team_id=team_id, name=names[team_id]) for team_id in teams[match.match])
        state.matches.add(match=match.match, first_team=first, second_team=second)
    for table in state.tables:
        for seat, team_id in zip(table.seats, teams.get(table.match, ()), strict=False):
            seat.team_id = team_id
    if event.bye_team_id:
        state.team_byes.add(team_id=event.bye_team_id, name=names[event.bye_team_id])
    for bye in event.team_byes:
        state.team_byes.add(team_id=bye.team_id, name=names[bye.team_id], kind=bye.kind)


def _table_of(state: results.GetPairingsResponse, game_id: str, number: int = 0) -> results.Table:
    """The table of a game; ``number`` is where to look first."""
    if 0 < number <= len(state.tables) and state.tables[number - 1].game_id == game_id:
        return state.tables[number - 1]
    for table in state.tables:
        if table.game_id == game_id:
            return table
    raise Broken(f"game {game_id!r} is not paired in round {state.round}")


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
