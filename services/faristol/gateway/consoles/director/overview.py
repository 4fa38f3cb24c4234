"""First page of the console: the next step and its obstacles."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Query
from google.protobuf.timestamp_pb2 import Timestamp
from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPageDep
from faristol.gateway.consoles.navigation import may
from faristol.kernel.pairings import seats_of
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.text import say

routes = APIRouter(include_in_schema=False)

WITHDREW = N_("Round {round} cannot be started: {players} withdrew after it was paired; pair it again.")


@routes.get("/tournaments/{tournament_id}/console")
async def show_overview(console: DirectorPageDep) -> Response:
    """Show the state of the tournament, the next step and its obstacles."""
    obstacles = await console.calls.ask(pairing.ListObstaclesRequest(tournament_id=console.tournament_id))
    roster, draft, late = console.roster, 0, _list_late(await _list_results(console))
    if obstacles.round and console.may_call("GetDraft"):
        draft = (await console.calls.ask(pairing.GetDraftRequest(tournament_id=console.tournament_id))).draft.round
    players = [player for player in console.tournament.players if not player.withdrawn_round]
    return await console.show(
        "director/overview.html",
        "",
        obstacles=[(roster.named_in(each.text), each.article) for each in obstacles.obstacles],
        ways_out=[roster.named_in(way.text) for way in obstacles.ways_out],
        next_round=obstacles.round,
        rounds_needed=obstacles.rounds,
        draft=draft,
        players=players,
        checked_in=sum(player.checked_in for player in players),
        late=late,
        missing=[table for table in late if _is_shown(table, MISSING)],
        late_counts={kind: sum(_is_shown(table, kind) for table in late) for kind, _ in LATE_KINDS},
        withdrawn=_describe_withdrawn(console),
        undecided=await _count_undecided(console),
        appeals=[each for each in console.tournament.appeals if each.phase == pairing.APPEAL_PHASE_OPEN],
        appealed_tables=await _appealed_tables(console),
    )


class Undecided(NamedTuple):
    """Numbers of matters that wait for the director, and that a pairing may make void."""

    requests: int = 0
    """Requests of players."""
    proposals: int = 0
    """Changes that wait for a second official."""
    entries: int = 0
    """Entries with a place; those on the waiting list wait for a place, not for the director."""


async def _count_undecided(console: DirectorPageDep) -> Undecided:
    """Count the matters that the user may see and that wait for a decision."""
    requests = entries = proposals = 0
    if console.may_call("ListProposals"):
        proposed = await console.calls.ask(pairing.ListProposalsRequest(tournament_id=console.tournament_id))
        proposals = sum(not each.HasField("answer") for each in proposed.proposals)
    if console.may_call("AnswerPlayerRequest"):
        listed = await console.calls.ask(pairing.ListPlayerRequestsRequest(tournament_id=console.tournament_id))
        requests = sum(each.state == pairing.PLAYER_REQUEST_STATE_WAITING for each in listed.requests)
    if console.may_call("AcceptEntry"):
        found = await console.calls.ask(registration.ListEntriesRequest(tournament_id=console.tournament_id))
        entries = sum(each.state == registration.ENTRY_STATE_RECEIVED for each in found.entries)
    return Undecided(requests, proposals, entries)


def _describe_withdrawn(console: DirectorPageDep) -> str:
    """Describe why the paired round cannot start: players withdrew after its pairing. Empty if none did."""
    last = console.last
    if last is None or last.phase != pairing.ROUND_PHASE_PAIRED or is_of_duplicate_games(console.tournament):
        return ""
    paired = {player for each in last.pairings for player in seats_of(each)}
    gone = [each.player_id for each in console.tournament.players if each.withdrawn_round and each.player_id in paired]
    players = ", ".join(console.roster.name(player) for player in gone)
    return say(WITHDREW, {"round": last.round, "players": players}, console.language) if gone else ""


async def _appealed_tables(console: DirectorPageDep) -> list[results.WatchedTable]:
    """Return the tables of the running round at which a ruling was appealed."""
    last = console.last
    if last is None or last.phase != pairing.ROUND_PHASE_STARTED or is_of_duplicate_games(console.tournament):
        return []
    request = results.ListTablesRequest(tournament_id=console.tournament_id, min_position=console.done)
    if not may(console.session, type(request)):
        return []
    listed = await console.calls.ask(request)
    return [table for table in listed.tables if any(wait.kind == results.WAIT_KIND_APPEAL for wait in table.waits)]


@dataclass(frozen=True)
class LateTable:
    """Table whose result is missing or unconfirmed."""

    result: pairing.TableResult
    since: Timestamp
    """Start of the round, or the entry of the unconfirmed result."""

    @property
    def names(self) -> list[str]:
        """Names of its players."""
        return [player.name or player.player_id for player in self.result.players]


@routes.get("/tournaments/{tournament_id}/console/late")
async def show_late(
    console: DirectorPageDep,
    hall: Annotated[str, Query(max_length=200)] = "",
    show: Annotated[Literal["", "missing", "unconfirmed", "disputed", "all"], Query()] = "",
) -> Response:
    """Show the tables of the running round that are late, with the names to call, of one hall or all.

    By default they are those without a result.
    """
    kind = show or MISSING
    listed = await _list_results(console)
    late = [table for table in _list_late(listed) if hall in ("", table.hall) and _is_shown(table, kind)]
    return await console.show(
        "director/late.html",
        "",
        round=console.last.round if console.last else 0,
        late=[LateTable(table, table.recorded_at if table.scores else listed.started_at) for table in late],
        hall=hall,
        show_=kind,
        kinds=LATE_KINDS,
        now_ms=time.time_ns() // 1_000_000,
    )


MISSING, UNCONFIRMED, DISPUTED, EVERY = "missing", "unconfirmed", "disputed", "all"

LATE_KINDS = (
    (MISSING, N_("no result")),
    (UNCONFIRMED, N_("to be confirmed")),
    (DISPUTED, N_("disputed")),
    (EVERY, N_("all")),
)
"""Kinds of late tables, with their labels."""


def _is_shown(table: pairing.TableResult, show: str) -> bool:
    checks = {UNCONFIRMED: pairing.RESULT_CHECK_PHASE_OPEN, DISPUTED: pairing.RESULT_CHECK_PHASE_DISPUTED}
    return show == EVERY or (not table.scores if show == MISSING else table.check == checks[show])


async def _list_results(console: DirectorPageDep) -> pairing.ListResultsResponse:
    """Return the tables of the running round with their results; an empty answer without one."""
    last = console.last
    if last is None or last.phase != pairing.ROUND_PHASE_STARTED or not console.may_call("ListResults"):
        return pairing.ListResultsResponse()
    return await console.calls.ask(pairing.ListResultsRequest(tournament_id=console.tournament_id, round=last.round))


def _list_late(listed: pairing.ListResultsResponse) -> list[pairing.TableResult]:
    """Return the tables without a result or with an unconfirmed one."""
    unconfirmed = (pairing.RESULT_CHECK_PHASE_OPEN, pairing.RESULT_CHECK_PHASE_DISPUTED)
    return [
        table for table in listed.tables if (not table.scores and not table.postponed) or table.check in unconfirmed
    ]
