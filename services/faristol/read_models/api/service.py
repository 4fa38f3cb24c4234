"""The results service over gRPC. The contract names the methods and says what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.host.rpc.dispatch import Dispatcher, no_commands
from faristol.pb.results.v1 import careers_pb2 as careers
from faristol.pb.results.v1 import fair_play_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import seasons_pb2 as season_results
from faristol.read_models.api.absence import retry_not_found
from faristol.read_models.api.queries.careers import get_career, get_season_bests
from faristol.read_models.api.queries.days import get_player_day
from faristol.read_models.api.queries.fair_play import FairPlay
from faristol.read_models.api.queries.games import get_game, get_pairings, list_tables
from faristol.read_models.api.queries.log import get_log_checkpoint, get_log_tile, get_proof
from faristol.read_models.api.queries.messages import (
    get_picture,
    list_claims,
    list_messages,
    list_screens,
    list_slots,
    report_screen,
)
from faristol.read_models.api.queries.players import get_player, search_players
from faristol.read_models.api.queries.prizes import get_awards, get_prizes
from faristol.read_models.api.queries.record import follow, get_status, list_seals
from faristol.read_models.api.queries.report import get_report
from faristol.read_models.api.queries.seasons import get_circuit, get_season, list_seasons
from faristol.read_models.api.queries.stages import get_stages
from faristol.read_models.api.queries.standings import (
    get_crosstable,
    get_prospects,
    get_standings,
    get_team_standings,
)
from faristol.read_models.api.queries.tournaments import (
    get_ruleset,
    get_tournament,
    list_players,
    list_teams,
    list_tournaments,
)
from faristol.read_models.storage.models import ReadModels

QUESTIONS: Mapping[type[Message], Callable[..., Any]] = {
    pb.ListTournamentsRequest: list_tournaments,
    pb.GetTournamentRequest: retry_not_found(get_tournament),
    pb.GetStandingsRequest: retry_not_found(get_standings),
    pb.GetPairingsRequest: retry_not_found(get_pairings),
    pb.GetTeamStandingsRequest: retry_not_found(get_team_standings),
    pb.ListTeamsRequest: retry_not_found(list_teams),
    pb.GetCrosstableRequest: retry_not_found(get_crosstable),
    pb.GetProspectsRequest: retry_not_found(get_prospects),
    pb.GetStagesRequest: retry_not_found(get_stages),
    pb.GetReportRequest: retry_not_found(get_report),
    pb.GetPrizesRequest: retry_not_found(get_prizes),
    pb.GetAwardsRequest: retry_not_found(get_awards),
    pb.ListPlayersRequest: retry_not_found(list_players),
    pb.ReportScreenRequest: report_screen,
    pb.ListScreensRequest: retry_not_found(list_screens),
    pb.GetPictureRequest: get_picture,
    pb.ListSlotsRequest: retry_not_found(list_slots),
    pb.ListClaimsRequest: retry_not_found(list_claims),
    pb.ListMessagesRequest: retry_not_found(list_messages),
    pb.GetPlayerDayRequest: retry_not_found(get_player_day),
    pb.GetPlayerRequest: retry_not_found(get_player),
    pb.SearchPlayersRequest: search_players,
    pb.GetGameRequest: retry_not_found(get_game),
    pb.ListTablesRequest: retry_not_found(list_tables),
    pb.GetStatusRequest: get_status,
    pb.FollowRequest: follow,
    pb.ListSealsRequest: list_seals,
    pb.GetLogCheckpointRequest: get_log_checkpoint,
    pb.GetLogTileRequest: get_log_tile,
    pb.GetProofRequest: get_proof,
    pb.GetRulesetRequest: get_ruleset,
}
"""The query function for each request."""

SEASON_QUESTIONS: Mapping[type[Message], Callable[..., Any]] = {
    season_results.ListSeasonsRequest: list_seasons,
    season_results.GetSeasonRequest: retry_not_found(get_season),
    season_results.GetCircuitRequest: retry_not_found(get_circuit),
}
"""The query function for each request on seasons."""

CAREER_QUESTIONS: Mapping[type[Message], Callable[..., Any]] = {
    careers.GetCareerRequest: retry_not_found(get_career),
    careers.GetSeasonBestsRequest: retry_not_found(get_season_bests),
}
"""The query function for each request on careers."""


def service(models: ReadModels) -> Dispatcher:
    """Return the dispatcher of the results service."""
    descriptor = pb.DESCRIPTOR.services_by_name["ResultsService"]
    questions = {request: partial(answer, models) for request, answer in QUESTIONS.items()}
    return Dispatcher(descriptor, (), no_commands, questions)


def season_service(models: ReadModels) -> Dispatcher:
    """Return the dispatcher of the service of rankings of seasons."""
    descriptor = season_results.DESCRIPTOR.services_by_name["SeasonResultsService"]
    questions = {request: partial(answer, models) for request, answer in SEASON_QUESTIONS.items()}
    return Dispatcher(descriptor, (), no_commands, questions)


def career_service(models: ReadModels) -> Dispatcher:
    """Return the dispatcher of the service of careers."""
    questions = {request: partial(answer, models) for request, answer in CAREER_QUESTIONS.items()}
    return Dispatcher(careers.DESCRIPTOR.services_by_name["CareerService"], (), no_commands, questions)


def fair_play_service(fair_play: FairPlay) -> Dispatcher:
    """Return the dispatcher of the service of fair play, for officials."""
    questions: Mapping[type[Message], Callable[..., Any]] = {
        fair_play_pb2.GetGameFairPlayRequest: fair_play.get_game,
        fair_play_pb2.GetTournamentFairPlayRequest: fair_play.get_tournament,
        fair_play_pb2.GetPlayerFairPlayRequest: fair_play.get_player,
    }
    return Dispatcher(fair_play_pb2.DESCRIPTOR.services_by_name["FairPlayService"], (), no_commands, questions)
