"""A round as the public sees it: who meets whom, where it stands, and the results of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken, Unknown
from faristol.results.scoresheet import turns_taken


def concerns_rounds(event: Message) -> bool:
    """Whether an event changes a round: a sanction does if it takes points of a game, and no other sanction."""
    if isinstance(event, pairing.PlayerSanctioned | pairing.SanctionLifted):
        return event.kind == pairing.SANCTION_KIND_POINTS
    return True


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
            _pair(after, event, {team.team_id: team.name for team in teams})
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
        case pairing.ResultEntered():
            _table_of(after, event.game_id).entered_by = event.arbiter_id
        case pairing.ResultCorrected():
            table = _table_of(after, event.game_id)
            table.corrected = True
            table.corrected_by = event.arbiter_id or table.corrected_by
            _take_result(table, event)
        case pairing.ResultRecorded():
            table = _table_of(after, event.game_id)
            table.final = True
            table.ClearField("postponed_to")
            _take_result(table, event)
        case _:
            _take_sanction(after, event, version)
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


def _pair(after: results.GetPairingsResponse, event: pairing.RoundPaired, names: Mapping[str, str]) -> None:
    """The tables, byes and matches of a pairing; ``names`` are those of the teams."""
    after.round = event.round
    after.algorithm = event.algorithm
    after.phase = results.ROUND_PHASE_PAIRED
    after.tables.extend(_table(pair) for pair in event.pairings)
    for bye in event.requested_byes:
        seat = results.Seat(player_id=bye.player_id, team_id=bye.team_id)
        after.requested_byes.add(seat=seat, kind=bye.kind, match=bye.match, board=bye.board)
    _show_teams(after, event, names)


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


def _take_result(table: results.Table, event: pairing.ResultRecorded | pairing.ResultCorrected) -> None:
    table.winner_id, table.lost_by_all = event.winner_id, event.lost_by_all
    if isinstance(event, pairing.ResultRecorded) or event.HasField("unplayed"):
        table.condition, table.unplayed = event.condition, event.unplayed
        table.loser_ids[:] = event.loser_ids
    scores = {score.player_id: score.score for score in event.scores}
    for seat in table.seats:
        seat.score = scores[seat.player_id]


def _take_sanction(after: results.GetPairingsResponse, event: Message, version: int) -> None:
    """What comes off the score of a game, or off the spread beside its result."""
    match event:
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
            left = [imposed for imposed in sanctions if imposed.version != event.version]
            del sanctions[:]
            sanctions.extend(left)
        case pairing.PointsAdjusted():
            _beside_score(_table_of(after, event.game_id), event)
            _table_of(after, event.game_id).spread_adjustments.add(
                player_id=event.player_id, points=event.points, article=event.article, sanction=True
            )
        case _:
            raise Unknown("the round", event)


def _beside_score(table: results.Table, event: pairing.PointsAdjusted) -> None:
    """Take the sanction that just came off beside the result from those that came off the score."""
    last = table.score_sanctions[-1] if table.score_sanctions else None
    if last is not None and (last.player_id, last.points) == (event.player_id, -event.points):
        del table.score_sanctions[-1]


def _table_of(state: results.GetPairingsResponse, game_id: str, number: int = 0) -> results.Table:
    """The table of a game; ``number`` is where to look first."""
    if 0 < number <= len(state.tables) and state.tables[number - 1].game_id == game_id:
        return state.tables[number - 1]
    for table in state.tables:
        if table.game_id == game_id:
            return table
    raise Broken(f"game {game_id!r} is not paired in round {state.round}")
