"""Page of the director's console with the messages of a tournament."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, DirectorPageDep
from faristol.gateway.consoles.messages.form import add_day, list_audiences, list_kinds
from faristol.gateway.http.forms import Fields
from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.text import say

PAGE = "messages"

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/console/messages")
async def show_messages(desk: DirectorPageDep) -> Response:
    """Show the messages that are not expired, and the form of a new one."""
    return await _show(desk)


@routes.post("/tournaments/{tournament_id}/console/messages")
async def act_on_messages(desk: DirectorPageDep, given: Fields) -> Response:
    """Send or withdraw a message."""
    done = None
    try:
        dated = add_day(given, desk.request.app.state.now(), desk.tournament.time_zone)
    except Invalid as problem:
        desk.errors = {problem.field: say(problem.problem, problem.params, desk.language)}
    else:
        done = await desk.carry_out(dated, f"{desk.address}/{PAGE}")
    if done is None:
        desk.typed = given
    return done or await _show(desk)


async def _show(desk: DirectorPage) -> Response:
    listed = await desk.calls.ask(pb.ListMessagesRequest(tournament_id=desk.tournament_id, min_position=desk.done))
    form = await desk.calls.ask(registration.GetRegistrationRequest(tournament_id=desk.tournament_id))
    return await desk.show(
        "director/messages.html",
        PAGE,
        by_mail=form.by_mail,
        listed=listed.messages,
        kinds=list_kinds(),
        audiences=list_audiences(of_duplicate=is_of_duplicate_games(desk.tournament)),
        halls=[hall.name for hall in desk.tournament.halls],
        hall="",
        people=[
            (player.player_id, desk.roster.name(player.player_id))
            for player in desk.players_by_name
            if not player.withdrawn_round
        ],
    )
