"""Judge's page of a duplicate game: racks, time, pending slips, tops, scores, claims."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import grpc
from fastapi import APIRouter
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_after
from faristol.gateway.consoles.commands import command_id, to_problem
from faristol.gateway.consoles.duplicate_game.collector import HANDED_LABELS
from faristol.gateway.consoles.duplicate_game.page import DuplicatePage, DuplicatePageDep
from faristol.gateway.consoles.forms import Given, fill
from faristol.gateway.consoles.frame import Typed
from faristol.gateway.duplicate_game.call_table import start_called, tiles_called
from faristol.gateway.duplicate_game.plays import coordinates_of, main_word
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.render import Part
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation import duplicate_labels
from faristol.presentation.names import Roster
from faristol.presentation.ruleset_lookup import tile_values
from faristol.rules.board import BOARD_SIZE
from faristol.text import say

NOTHING_DONE = N_("No change was made.")

PENDING_REASONS: Mapping[str, str] = {
    "two-slips": N_("two slips"),
    "typed-otherwise": N_("typed differently"),
    "after-close": N_("arrived after the hall closed"),
    "sent-later": N_("saved in time according to the phone, and sent later"),
}
"""Reasons why a slip is pending."""

MAX_TOP_PLAYS = 5
"""Limit of plays with the highest score that the page shows at first."""

routes = APIRouter(include_in_schema=False)


class Act(NamedTuple):
    """Command of the judge."""

    name: str
    """Label of its button, to be translated."""
    request: type[Message]
    done: str
    """Notice after it; ``who`` is the player whom it concerns."""
    player_field: str = ""
    """Field of that player."""


JUDGE_COMMANDS: Mapping[str, Act] = {
    "call": Act(N_("Call the rack"), pb.CallRackRequest, N_("The rack is called.")),
    "start": Act(N_("Start the time"), turns.StartTurnRequest, N_("The time runs.")),
    "stop": Act(N_("Stop the time"), turns.StopTurnRequest, N_("The time is stopped.")),
    "resume": Act(N_("Resume the time"), turns.ResumeTurnRequest, N_("The time runs again.")),
    "again": Act(N_("Play the round again"), turns.StartTurnRequest, N_("The round is played again.")),
    "rule": Act(N_("Accept this slip"), pb.RuleSlipRequest, N_("The slip of {who} is decided."), "slip.player_id"),
    "master": Act(N_("Choose as master play"), pb.ChooseMasterRequest, N_("The master play is chosen.")),
    "score": Act(N_("Score the round"), pb.ScoreTurnRequest, N_("The round is scored.")),
    "decide": Act(
        N_("Decide the claim"),
        pb.DecideClaimRequest,
        N_("The claim about the slip of {who} is decided."),
        "corrected.player_id",
    ),
    "names": Act(N_("Set the announced names"), pb.SetCallNamesRequest, N_("The announced names are set.")),
    "end": Act(N_("End the game"), pb.EndGameRequest, N_("The game is over.")),
    "validate": Act(N_("Declare the results final"), pb.ValidateResultsRequest, N_("The results are final.")),
}
"""Commands of the judge, by the name in the form."""


def _command(name: str, given: Given) -> Any:
    """Build the command of a form, without the common ids. Raises ``Invalid``."""
    request: Any = JUDGE_COMMANDS[name].request()
    if name == "decide" and not given.get("correct"):  # the claim is refused
        given = {field: value for field, value in given.items() if not field.startswith("corrected.")}
    fill(request, given)
    if name == "names":  # an empty number keeps its column
        request.numbers[:] = [given.get(f"numbers.{column + 1}", "") for column in range(BOARD_SIZE)]
    return request


async def _show(
    console: DuplicatePage, part: str = "", *, said: str = "", refusal: str = "", given: Given | None = None
) -> Response:
    game = await console.game()
    turn = game.turns[-1] if game.turns else None
    is_over = bool(turn and turn.HasField("ends_at") and turn.ends_at.ToNanoseconds() <= game.now.ToNanoseconds())
    waiting, tops = pb.ListWaitingResponse(), pb.ListTopsResponse()
    if turn is not None:
        waiting = await console.calls.ask(pb.ListWaitingRequest(game_id=console.game_id, turn=turn.turn))
    if turn is not None and is_over and not turn.scored:
        tops = await console.calls.ask(pb.ListTopsRequest(game_id=console.game_id, turn=turn.turn))
    return await console.show(
        "duplicate/judge.html",
        "duplicate-judge",
        part,
        said=said,
        refusal=refusal,
        game=game,
        turn=turn,
        scored=[each for each in game.turns if each.scored and each.HasField("master")],
        is_over=is_over,
        waiting=waiting,
        tops=tops.plays,
        chosen=tops.chosen if tops.HasField("chosen") else None,
        most_tops=MAX_TOP_PLAYS,
        people=await console.people(),
        why=PENDING_REASONS,
        acts=JUDGE_COMMANDS,
        given=Typed(given or {}),
        ends=duplicate_labels.ENDS,
        unofficial=duplicate_labels.UNOFFICIAL,
        faults=duplicate_labels.FAULTS,
        handed=HANDED_LABELS,
        in_time=events.HANDED_IN_TIME,
        not_handed_in=events.HANDED_NOT_AT_ALL,
        values=tile_values(game.ruleset),
        coordinates=coordinates_of,
        word=main_word,
        tiles_called=tiles_called,
        start_called=start_called,
    )


async def _describe_refusal(console: DuplicatePage, error: grpc.aio.AioRpcError) -> str:
    """Describe the refusal of a command, with names instead of the ids of players and without the name of a field."""
    problem = to_problem(error, console.language)
    text = problem.detail.removeprefix(f"{problem.more.get('field', '')}: ")
    return (await _load_roster(console)).named_in_refusal(text, error)


async def _describe_done(console: DuplicatePage) -> str:
    """Describe the command that led to this page, with the name of its player; empty without one."""
    name, player_id = console.done_by("duplicate-judge")
    if name not in JUDGE_COMMANDS:
        return ""
    person = (await _load_roster(console)).name(player_id) if player_id else ""
    return say(JUDGE_COMMANDS[name].done, {"who": person}, console.language)


async def _load_roster(console: DuplicatePage) -> Roster:
    """Return the names of the tournament."""
    tournament = await console.calls.ask(pairing.GetTournamentRequest(tournament_id=console.tournament_id))
    return Roster(tournament, console.language)


@routes.get("/tournaments/{tournament_id}/duplicate/{game_id}/judge")
async def show_judge(console: DuplicatePageDep, part: Part = "") -> Response:
    """Show the game to its judge; if the time of a turn is over, with its tops and pending slips."""
    console.check(pb.ScoreTurnRequest)
    return await _show(console, part, said="" if part else await _describe_done(console))


@routes.post("/tournaments/{tournament_id}/duplicate/{game_id}/judge")
async def act_as_judge(console: DuplicatePageDep, given: Fields) -> Response:
    """Send the command of a form. A refusal is shown on the page."""
    console.check(pb.ScoreTurnRequest)
    name = given.get("act", "")
    if name not in JUDGE_COMMANDS:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    try:
        request = _command(name, given)
    except Invalid as problem:
        detail = problem.format_message(lambda text, params: say(text, params, console.language))
        return await _show(console, refusal=f"{say(NOTHING_DONE, {}, console.language)} {detail}", given=given)
    request.command_id, request.game_id, request.arbiter_id = command_id(given, name), console.game_id, console.subject
    try:
        await console.calls.ask(request)
    except grpc.aio.AioRpcError as error:
        detail = await _describe_refusal(console, error)
        return await _show(console, refusal=f"{say(NOTHING_DONE, {}, console.language)} {detail}", given=given)
    player_id = given.get(JUDGE_COMMANDS[name].player_field, "")
    return redirect_after(console.request, f"{console.base}/judge", f"duplicate-judge.{name}.{player_id}".rstrip("."))
