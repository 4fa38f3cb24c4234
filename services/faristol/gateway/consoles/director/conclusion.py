"""The number of rounds, who confirms results, how it is rated, special prizes, and the final standings."""

from __future__ import annotations

import grpc
from starlette.responses import Response

from faristol.gateway.asked import AWAY
from faristol.gateway.consoles.director.desk import Desk, details_of, page_of_forms
from faristol.gateway.labels import PRIZES
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.rating.v1 import rating_pb2 as rating

PAGE = "closing"
ACTS = frozenset({"ChangeRounds", "OfferPrizes", "PublishStandings", "ReopenStandings", "SetResultCheck"})
OF_RATING = frozenset({"ChooseRatingSystem"})


async def _show(desk: Desk) -> Response:
    prizes = await desk.results.prizes(desk.tournament_id, min_position=desk.done)
    checks = [details_of(act) for act in (await desk.acts()).acts if act.type == "ResultCheckSet"]
    check = checks[-1] if checks else {}
    return await desk.show(
        "director/closing.html",
        PAGE,
        prizes=PRIZES,
        offered={each.kind for each in prizes.prizes},
        second_person=check.get("second-person") == "yes",
        players_confirm=check.get("players") == "yes",
        systems=await _systems(desk),
        closed=sum(played.phase == pairing.ROUND_PHASE_CLOSED for played in desk.tournament.played),
    )


routes = page_of_forms(PAGE, _show, pairing=ACTS, rating=OF_RATING)


async def _systems(desk: Desk) -> list[rating.RatingSystem]:
    """The systems by which it can be rated, the usual one first; none while the rating service is away."""
    if not desk.may_call("ChooseRatingSystem", "rating"):
        return []
    try:
        return list((await desk.calls.ask(rating.ListRatingSystemsRequest())).systems)
    except grpc.aio.AioRpcError as problem:
        if problem.code() not in AWAY:
            raise
        return []
