"""Page of the director's console with the messages of a tournament."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPageDep
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
async def show_messages(console: DirectorPageDep) -> Response:
    """Show the messages that are not expired, and the form of a new one."""
    listed = await console.calls.ask(
        pb.ListMessagesRequest(tournament_id=console.tournament_id, min_position=console.done)
    )
    form = await console.calls.ask(registration.GetRegistrationRequest(tournament_id=console.tournament_id))
    return await console.show(
        "director/messages.html",
        PAGE,
        by_mail=form.by_mail,
        listed=listed.messages,
        kinds=list_kinds(),
        audiences=list_audiences(of_duplicate=is_of_duplicate_games(console.tournament)),
        halls=[hall.name for hall in console.tournament.halls],
        hall="",
        people=[
            (player.player_id, console.roster.name(player.player_id))
            for player in console.players_by_name
            if not player.withdrawn_round
        ],
    )


@routes.post("/tournaments/{tournament_id}/console/messages")
async def act_on_messages(console: DirectorPageDep, given: Fields) -> Response:
    """Send or withdraw a message."""
    done = None
    try:
        dated = add_day(given, console.request.app.state.now(), console.tournament.time_zone)
    except Invalid as problem:
        console.errors = {problem.field: say(problem.problem, problem.params, console.language)}
    else:
        done = await console.carry_out(dated, f"{console.address}/{PAGE}")
    if done is None:
        console.typed = given
    return done or await show_messages(console)
