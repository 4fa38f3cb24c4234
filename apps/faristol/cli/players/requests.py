"""Matters that officials decide, as text: requests of players, proposals, and what is open before the end."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.presentation.history import describe_history
from faristol.presentation.labels import (
    DATA_REQUEST_STATES,
    DATA_REQUESTS,
    FINAL_CHECKS,
    PLAYER_REQUEST_STATES,
    PLAYER_REQUESTS,
)
from faristol.presentation.tournament_commands import TOURNAMENT_COMMANDS
from faristol.table_terminal.shared.common import localize
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text.terminal import language_of_terminal

OF_ROUND = N_("round {round}")
NO_PROPOSALS = N_("No changes were proposed.")


def format_player_requests(answer: pb.ListPlayerRequestsResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the lines of `player-request list`, the oldest request first."""
    if not answer.requests:
        yield localize(NO_REQUESTS)
    for each in answer.requests:
        kind, state = localize(PLAYER_REQUESTS[each.kind]), localize(PLAYER_REQUEST_STATES[each.state])
        of_round = f", {localize(OF_ROUND, round=each.round)}" if each.round else ""
        yield f"{each.request}  {known.name(each.player_id)}  {kind}{of_round}: {state}"


def format_proposals(answer: pb.ListProposalsResponse, known: TournamentNames) -> Iterator[str]:
    """Yield the lines of `proposal list`: each proposal with its author and note, and its answer."""
    if answer.required:
        yield localize(TOURNAMENT_COMMANDS["SetSecondOfficial"].also["required"])
    if not answer.proposals:
        yield localize(NO_PROPOSALS)
    for each in answer.proposals:
        acts = [each.act, each.answer] if each.HasField("answer") else [each.act]
        for line in describe_history(pb.ListActsResponse(acts=acts), known, language_of_terminal()):
            yield " ".join((line.said, *line.also.values()))


NO_REQUESTS = N_("There are no requests.")


def format_data_requests(answer: pb.ListDataRequestsResponse) -> Iterator[str]:
    """Yield the lines of `data-request list`, the oldest request first, with the answers."""
    if not answer.requests:
        yield localize(NO_REQUESTS)
    for each in answer.requests:
        day = to_datetime(each.lodged_at).date()
        who = f"{each.name} ({each.player_id})" if each.name else each.player_id
        kind, state = localize(DATA_REQUESTS[each.kind]), localize(DATA_REQUEST_STATES[each.state])
        yield f"{each.tournament_id} {each.request}  {day}  {who}  {kind}: {state}"
        yield from (f"    {words}" for words in (each.note, each.answer) if words)


NO_OPEN_MATTER = N_("{check}: none")
OPEN_MATTERS = N_("{check}: {open} ({subjects})")
NOT_PUBLISHED = N_("The final standings are not published yet.")
FINALISED = N_("The tournament is finalised.")


def format_final_checks(answer: pb.ListFinalChecksResponse, known: TournamentNames) -> Iterator[str]:
    """Yield a line for each check, and the state of the tournament."""
    for found in answer.checks:
        yield localize(
            OPEN_MATTERS if found.open else NO_OPEN_MATTER,
            check=localize(FINAL_CHECKS[found.check]),
            open=found.open,
            subjects=", ".join(map(known.describe_id, found.subjects)),
        )
    if answer.finalised:
        yield localize(FINALISED)
    elif not answer.published:
        yield localize(NOT_PUBLISHED)
