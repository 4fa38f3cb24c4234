"""Page of the ceremony: the awards one after the other, from the last of the last list to the first of the first.

Each step is a page of its own, whose source has only the awards up to it. So a spectator at the projector, or a reader
of the source, learns no award before its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, NamedTuple

import grpc
from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.api.parameters import DIGITS
from faristol.gateway.consoles.commands import hide_errors
from faristol.gateway.consoles.frame import ConsoleDep, TournamentId
from faristol.gateway.consoles.navigation import may_supervise
from faristol.gateway.rpc.results import Reader
from faristol.pb.results.v1 import results_pb2 as pb

Step = Annotated[int, Query(ge=0, le=100_000), DIGITS]

routes = APIRouter(include_in_schema=False)


class CeremonyStep(NamedTuple):
    """The awards of one place of a list."""

    of: pb.AwardList
    place: int
    awards: Sequence[pb.Award]


def list_steps(lists: Sequence[pb.AwardList]) -> list[CeremonyStep]:
    """Return the places with awards, from the last place of the last list to the first place of the first list."""
    return [
        CeremonyStep(of, place, list(awards))
        for of in reversed(lists)
        for place, awards in groupby(reversed(of.awards), key=lambda award: award.place)
    ]


@routes.get("/tournaments/{tournament_id}/ceremony")
async def show_ceremony(console: ConsoleDep, results: Reader, tournament_id: TournamentId, step: Step = 0) -> Response:
    """Show the opening page of the ceremony, or the awards of a step, to a supervisor of the tournament.

    Raises ``HTTPException`` (404) for other users, and for a step after the last.
    """
    if not may_supervise(console.session, tournament_id):
        raise HTTPException(404)
    with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
        answer = await console.calls.ask(pb.GetAwardsRequest(tournament_id=tournament_id, provisional=True))
    head = await results.tournament(tournament_id)
    steps = list_steps(answer.lists)
    if step > len(steps):
        raise HTTPException(404)
    return console.page(
        "ceremony.html",
        head,
        console_name="director",
        step=step,
        count=len(steps),
        shown=steps[step - 1] if step else None,
        currency=answer.currency,
        final=answer.final,
    )
