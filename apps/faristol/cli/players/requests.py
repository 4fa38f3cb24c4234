"""The requests of players for byes and to leave, and the proposals of officials, as text."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.cli.access.data_requests import NO_REQUESTS
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.presentation.history import describe_history
from faristol.presentation.labels import PLAYER_REQUEST_STATES, PLAYER_REQUESTS
from faristol.presentation.tournament_commands import TOURNAMENT_COMMANDS
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import say, translations

OF_ROUND = N_("round {round}")
NO_PROPOSALS = N_("No changes were proposed.")


def player_requests(
    _request: object, answer: pb.ListPlayerRequestsResponse, known: TournamentNames, language: str
) -> Iterator[str]:
    """Yield the lines of `player-request list`, the oldest request first."""
    read = translations(language).gettext
    if not answer.requests:
        yield say(NO_REQUESTS, {}, language)
    for each in answer.requests:
        kind, state = read(PLAYER_REQUESTS[each.kind]), read(PLAYER_REQUEST_STATES[each.state])
        of_round = f", {say(OF_ROUND, {'round': each.round}, language)}" if each.round else ""
        yield f"{each.request}  {known.name(each.player_id)}  {kind}{of_round}: {state}"


def proposals(
    _request: object, answer: pb.ListProposalsResponse, known: TournamentNames, language: str
) -> Iterator[str]:
    """Yield the lines of `proposal list`: each proposal with its author and note, and its answer."""
    if answer.required:
        yield say(TOURNAMENT_COMMANDS["SetSecondOfficial"].also["required"], {}, language)
    if not answer.proposals:
        yield say(NO_PROPOSALS, {}, language)
    for each in answer.proposals:
        acts = [each.act, each.answer] if each.HasField("answer") else [each.act]
        for line in describe_history(pb.ListActsResponse(acts=acts), known, language):
            yield " ".join((line.said, *line.also.values()))
