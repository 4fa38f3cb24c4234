"""Matters that officials decide, as text: requests of players, proposals, and what is open before the end."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_, Param
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
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import say, translations

OF_ROUND = N_("round {round}")
NO_PROPOSALS = N_("No changes were proposed.")


def format_player_requests(
    answer: pb.ListPlayerRequestsResponse, known: TournamentNames, language: str
) -> Iterator[str]:
    """Yield the lines of `player-request list`, the oldest request first."""
    read = translations(language).gettext
    if not answer.requests:
        yield say(NO_REQUESTS, {}, language)
    for each in answer.requests:
        kind, state = read(PLAYER_REQUESTS[each.kind]), read(PLAYER_REQUEST_STATES[each.state])
        of_round = f", {say(OF_ROUND, {'round': each.round}, language)}" if each.round else ""
        yield f"{each.request}  {known.name(each.player_id)}  {kind}{of_round}: {state}"


def format_proposals(answer: pb.ListProposalsResponse, known: TournamentNames, language: str) -> Iterator[str]:
    """Yield the lines of `proposal list`: each proposal with its author and note, and its answer."""
    if answer.required:
        yield say(TOURNAMENT_COMMANDS["SetSecondOfficial"].also["required"], {}, language)
    if not answer.proposals:
        yield say(NO_PROPOSALS, {}, language)
    for each in answer.proposals:
        acts = [each.act, each.answer] if each.HasField("answer") else [each.act]
        for line in describe_history(pb.ListActsResponse(acts=acts), known, language):
            yield " ".join((line.said, *line.also.values()))


NO_REQUESTS = N_("There are no requests.")


def format_data_requests(answer: pb.ListDataRequestsResponse, language: str) -> Iterator[str]:
    """Yield the lines of `data-request list`, the oldest request first, with the answers."""
    read = translations(language).gettext
    if not answer.requests:
        yield say(NO_REQUESTS, {}, language)
    for each in answer.requests:
        day = to_datetime(each.lodged_at).date()
        who = f"{each.name} ({each.player_id})" if each.name else each.player_id
        kind, state = read(DATA_REQUESTS[each.kind]), read(DATA_REQUEST_STATES[each.state])
        yield f"{each.tournament_id} {each.request}  {day}  {who}  {kind}: {state}"
        yield from (f"    {words}" for words in (each.note, each.answer) if words)


NO_OPEN_MATTER = N_("{check}: none")
OPEN_MATTERS = N_("{check}: {open} ({subjects})")
NOT_PUBLISHED = N_("The final standings are not published yet.")
FINALISED = N_("The tournament is finalised.")


def format_final_checks(answer: pb.ListFinalChecksResponse, known: TournamentNames, language: str) -> Iterator[str]:
    """Yield a line for each check, and the state of the tournament."""
    read = translations(language).gettext
    for found in answer.checks:
        params: dict[str, Param] = {
            "check": read(FINAL_CHECKS[found.check]),
            "open": found.open,
            "subjects": ", ".join(map(known.describe_id, found.subjects)),
        }
        yield say(OPEN_MATTERS if found.open else NO_OPEN_MATTER, params, language)
    if answer.finalised:
        yield say(FINALISED, {}, language)
    elif not answer.published:
        yield say(NOT_PUBLISHED, {}, language)
