"""Page of rounds: pairing, explanation, changes by hand, start, progress and end; corrections of results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import grpc
from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.client.problems import every_reason
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.director.page import DirectorPageDep
from faristol.gateway.consoles.forms import to_local_input
from faristol.gateway.consoles.frame import Typed, require
from faristol.gateway.http.forms import Fields
from faristol.kernel.errors import Invalid
from faristol.kernel.pairings import seats_of
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1.events_pb2 import PAIRING_PUBLICATION_DRAFT, Pairing
from faristol.text import say, with_article
from faristol.typed_input.fields import parse_number
from faristol.typed_input.results.tables import Tables

PAGE = "rounds"


OF_UNPAIRED = frozenset({"KeepPair", "ReleasePair"})
"""Commands for pairs made by hand, which apply to the next unpaired round."""

PAIRED = N_(
    "The round is paired. To pair players by hand, cancel the pairing first; the others are then paired around them."
)

PAIRING_SYSTEMS: Sequence[tuple[str, str]] = (
    ("", N_("as in the rules")),
    ("classification", N_("Swiss, by the standings")),
    ("swiss", N_("Swiss")),
    ("dutch", N_("Swiss, Dutch system of FIDE")),
    ("king-of-the-hill", N_("King of the hill: each player meets the next in the standings")),
    ("by-hand", N_("by hand: only the pairs made by the director")),
)

MAX_TABLES_WITH_FORMS = 60
"""Number of tables up to which each has its forms on the page; beyond, only the requested one has."""

Number = Annotated[int, Path(ge=1, le=10_000)]
Player = Annotated[str, Query(max_length=64)]

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/console/rounds")
async def show_last_round(console: DirectorPageDep) -> Response:
    """Redirect to the current round, or to the next one if the last is closed."""
    last = console.last
    number = last.round if last else 1
    if last and last.phase == pairing.ROUND_PHASE_CLOSED and last.round < console.tournament.rounds:
        number += 1
    return redirect_to(f"{console.address}/round/{number}")


@routes.get("/tournaments/{tournament_id}/console/round/{number}")
async def show_round(
    console: DirectorPageDep,
    number: Number,
    why: Player = "",
    other: Player = "",
    table: Annotated[int, Query(ge=0, le=100_000)] = 0,
) -> Response:
    """Show a round, paired or not. If it has many tables, ``table`` chooses the one with forms."""
    tournament = console.tournament
    if number > min(len(tournament.played) + 1, tournament.rounds):
        raise HTTPException(404)
    played = tournament.played[number - 1] if number <= len(tournament.played) else None
    tables = None
    if played:
        listed = await console.calls.ask(pairing.ListResultsRequest(tournament_id=console.tournament_id, round=number))
        tables = Tables(listed, console.language)
    obstacles = pairing.ListObstaclesResponse()
    if played is None or (played.phase == pairing.ROUND_PHASE_CLOSED and number == len(tournament.played)):
        obstacles = await console.calls.ask(pairing.ListObstaclesRequest(tournament_id=console.tournament_id))
    draft = pairing.GetDraftResponse()
    if played is None and console.may_call("GetDraft"):
        draft = await console.calls.ask(pairing.GetDraftRequest(tournament_id=console.tournament_id))
    roster = console.roster
    kept, forbidden = await _by_hand(console, number)
    return await console.show(
        "director/round.html",
        PAGE,
        number=number,
        played=played,
        tables=tables,
        seats={seat.table: list(seats_of(seat)) for seat in played.pairings} if played else {},
        to_pair=[player for player in console.players_by_name if not player.withdrawn_round],
        obstacles=[(roster.named_in(each.text), each.article) for each in obstacles.obstacles],
        rounds_needed=obstacles.rounds,
        ways_out=[roster.named_in(way.text) for way in obstacles.ways_out],
        explained=await _explain_pairing(console, number, why, other) if played and why else "",
        many=played is not None and len(played.pairings) > MAX_TABLES_WITH_FORMS,
        opened=table,
        times={each.round: to_local_input(each, "starts_at", tournament.time_zone) for each in tournament.announced},
        kept=kept,
        forbidden=forbidden,
        systems=PAIRING_SYSTEMS,
        draft=draft,
        as_drafts=draft.publication == PAIRING_PUBLICATION_DRAFT,
        publish_at=to_local_input(draft, "publish_at", tournament.time_zone),
        proposed=_describe_proposed(console, draft.draft) if draft.draft.round == number else None,
        against=[(roster.named_in(each.text), each.article) for each in draft.obstacles],
        running=console.last is not None and console.last.phase == pairing.ROUND_PHASE_STARTED,
    )


@routes.post("/tournaments/{tournament_id}/console/round/{number}")
async def change_round(console: DirectorPageDep, given: Fields, number: Number) -> Response:
    """Send a command on a round or one of its tables."""
    if given.get("act") in OF_UNPAIRED and number <= len(console.tournament.played):
        console.typed, console.refused = given, say(PAIRED, {}, console.language)
        return await show_round(console, number)
    return await console.carry_out(given, f"{console.address}/round/{number}") or await show_round(console, number)


@dataclass(frozen=True)
class ProposedTable:
    """Table of a pairing that is not public."""

    seat: Pairing
    players: Sequence[str]
    """Ids, in the order of the pairing."""
    checks: Sequence[str]
    """Matters of the table, in sentences."""


@dataclass(frozen=True)
class Proposed:
    """Pairing that is not public, for its officials."""

    round: pairing.ProposedRound
    tables: Sequence[ProposedTable]
    checks: Sequence[str]
    """Matters of the whole round, in sentences."""
    players: Sequence[str]
    """Ids of all players who can be swapped, in the order of their names."""
    halls: Sequence[str]


def _describe_proposed(console: DirectorPageDep, proposed: pairing.ProposedRound) -> Proposed:
    """Describe a draft or a preview by its tables."""
    roster = console.roster
    by_table: dict[int, list[str]] = defaultdict(list)
    for check in proposed.checks:
        by_table[check.table].append(roster.named_in(check.text))
    in_seats = [player for seat in proposed.pairings for player in seats_of(seat)]
    return Proposed(
        proposed,
        [ProposedTable(seat, list(seats_of(seat)), by_table[seat.table]) for seat in proposed.pairings],
        by_table[0],
        console.in_name_order([*in_seats, *filter(None, [proposed.bye_player_id])]),
        [hall.name for hall in console.tournament.halls],
    )


@routes.get("/tournaments/{tournament_id}/console/preview", dependencies=[require(pairing.PreviewRoundRequest)])
async def preview_next_round(console: DirectorPageDep, request: Request) -> Response:
    """Show the tables without a result, and the next pairing under the results that are typed for them.

    A table has a field ``winner.<table>``, a player or ``draw``, and fields ``score.<table>.<place>``.
    """
    last = console.last
    running = last if last is not None and last.phase == pairing.ROUND_PHASE_STARTED else pairing.Round()
    finished = {*running.finished_game_ids}
    missing = [seat for seat in running.pairings if seat.game_id not in finished and seat.table]
    given = {key: value.strip() for key, value in request.query_params.items()}
    asked = pairing.PreviewRoundRequest(tournament_id=console.tournament_id)
    proposed = None
    try:
        for seat in missing:
            _assume(asked, seat, given)
        if running.round and given.get("ask"):
            answer = await console.calls.ask(asked)
            proposed = _describe_proposed(console, answer.preview)
    except Invalid as problem:
        console.refused = say(problem.problem, problem.params, console.language)
    except grpc.aio.AioRpcError as problem:
        if problem.code() not in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION):
            raise
        console.refused = console.roster.named_in_refusal(every_reason(problem, console.language), problem)
    return await console.show(
        "director/preview.html",
        PAGE,
        number=running.round,
        missing=[(seat, list(seats_of(seat))) for seat in missing],
        given=Typed(given),
        proposed=proposed,
    )


def _assume(asked: pairing.PreviewRoundRequest, seat: Pairing, given: Mapping[str, str]) -> None:
    """Add the typed result of a table, if any. Raises ``Invalid`` for a score that is no number."""
    players = seats_of(seat)
    scores = {
        player: given[key] for place, player in enumerate(players, 1) if given.get(key := f"score.{seat.table}.{place}")
    }
    winner = given.get(f"winner.{seat.table}", "")
    if not scores and not winner:
        return
    result = asked.results.add(game_id=seat.game_id, winner_id=winner if winner in players else "")
    for player, score in scores.items():
        result.scores.add(player_id=player, score=parse_number("score", score))


async def _explain_pairing(console: DirectorPageDep, number: int, why: str, other: str) -> str:
    """Return why a player meets an opponent or not; the refusal of the service for an invalid question."""
    request = pairing.ExplainPairingRequest(
        tournament_id=console.tournament_id, round=number, player_id=why, other_player_id=other
    )
    try:
        answer = await console.calls.ask(request)
    except grpc.aio.AioRpcError as problem:
        if problem.code() not in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION):
            raise
        return console.roster.named_in_refusal(str(problem.details()), problem)
    return with_article(console.roster.named_in(answer.text), answer.article, console.language)


PAIR_EVENTS = frozenset({"PairKept", "PairReleased", "PairForbidden", "PairAllowed"})
"""Events about pairs that officials make or forbid."""


async def _by_hand(console: DirectorPageDep, number: int) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the pairs made by hand for a round and the forbidden pairs, computed from the events."""
    kept: dict[frozenset[str], tuple[str, ...]] = {}
    apart: dict[frozenset[str], tuple[str, ...]] = {}
    for act in (await console.acts(types=PAIR_EVENTS)).acts:
        pair = tuple(act.player_ids)
        match act.type:
            case "PairKept" if act.round == number:
                kept[frozenset(pair)] = pair
            case "PairReleased":
                kept.pop(frozenset(pair), None)
            case "PairForbidden":
                apart[frozenset(pair)] = pair
            case "PairAllowed":
                apart.pop(frozenset(pair), None)
    return list(kept.values()), list(apart.values())
