"""The results service over gRPC. The contract names the methods and says what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.host.rpc.dispatch import Dispatcher, no_commands
from faristol.kernel.spellings import kebab
from faristol.pb.results.v1 import careers_pb2, fair_play_pb2, results_pb2, seasons_pb2
from faristol.read_models.api.absence import retry_not_found
from faristol.read_models.api.queries import (
    careers,
    days,
    games,
    log,
    messages,
    prizes,
    record,
    report,
    seasons,
    stages,
    standings,
    tournaments,
)
from faristol.read_models.api.queries.fair_play import FairPlay
from faristol.read_models.storage.models import ReadModels

QUERIES: Mapping[str, Callable[..., Any]] = {
    name: function
    for module in (
        *(careers, days, games, log, messages, prizes, record, report, seasons, stages, standings),
        tournaments,
    )
    for name, function in vars(module).items()
}
"""The query functions, each with the name of its method."""

NOT_RETRIED = frozenset(
    ("ListTournaments", "ReportScreen", "GetPicture", "SearchPlayers", "GetStatus", "Follow", "ListSeals")
) | {"GetLogCheckpoint", "GetLogTile", "GetProof", "GetRuleset", "ListSeasons"}
"""Methods whose queries raise ``NotFound`` at once."""


def services(models: ReadModels) -> tuple[Dispatcher, ...]:
    """Return the dispatchers of the results service, of rankings of seasons, and of careers."""
    return tuple(
        Dispatcher(descriptor, (), no_commands, _list_questions(descriptor, models))
        for descriptor in (
            results_pb2.DESCRIPTOR.services_by_name["ResultsService"],
            seasons_pb2.DESCRIPTOR.services_by_name["SeasonResultsService"],
            careers_pb2.DESCRIPTOR.services_by_name["CareerService"],
        )
    )


def _list_questions(descriptor: ServiceDescriptor, models: ReadModels) -> Mapping[type[Message], Callable[..., Any]]:
    """Return the query of each request of a service."""
    questions = {}
    for method in descriptor.methods:
        query = QUERIES[kebab(method.name).replace("-", "_")]
        answer = query if method.name in NOT_RETRIED else retry_not_found(query)
        questions[GetMessageClass(method.input_type)] = partial(answer, models)
    return questions


def fair_play_service(fair_play: FairPlay) -> Dispatcher:
    """Return the dispatcher of the service of fair play, for officials."""
    questions: Mapping[type[Message], Callable[..., Any]] = {
        fair_play_pb2.GetGameFairPlayRequest: fair_play.get_game,
        fair_play_pb2.GetTournamentFairPlayRequest: fair_play.get_tournament,
        fair_play_pb2.GetPlayerFairPlayRequest: fair_play.get_player,
    }
    return Dispatcher(fair_play_pb2.DESCRIPTOR.services_by_name["FairPlayService"], (), no_commands, questions)
