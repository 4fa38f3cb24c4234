"""The commands that a hall without a line keeps, their parts for each table, and why it refuses the others. Pure.

A command is kept if it concerns the result of tables that the hall has, because its effects then depend on the hall
only. All others change what the whole tournament shares, such as its pairings and players: two cells that decide on
them would contradict each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.host.halls.kept import part_id
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pb

KEPT_REQUESTS: Mapping[str, type[Message]] = {
    request.DESCRIPTOR.full_name: request
    for request in (
        pb.ReportResultRequest,
        pb.ConfirmResultRequest,
        pb.EnterResultRequest,
        pb.EnterSignedSheetRequest,
        pb.GiveForfeitRequest,
        pb.CorrectResultRequest,
        pb.CorrectOwnResultRequest,
        pb.DecideDisputeRequest,
        pb.SanctionPlayerRequest,
        pb.WithdrawKeptCommandRequest,
    )
}
"""The commands that are in the stream of a hall, by the full names of their requests: each concerns one game."""

_OF_SEVERAL = (pb.EnterResultsRequest, pb.ConfirmResultsRequest)
"""Requests on several results, which are kept as a command for each."""

MAX_KEPT_RESULTS_COUNT = 100
"""Results of one command that a hall keeps: those of its tables. Their events are sent in one batch of limited size."""

_ELSEWHERE = "OF_THE_CHAMPIONSHIP"
"""Reason of the refusal of a command that a hall does not keep."""

_USUAL = N_("This is decided in the championship, not in the hall {hall}: do it on the championship's pages.")
_CHECK_IN = N_(
    "Players are checked in at the championship, which assigns the seats by it: check in on its pages, or ask the "
    "director by telephone."
)
_PRESENCE = N_(
    "The championship decides on players who leave or will be absent, because it assigns the seats: tell the director. "
    "A player who is absent from a table of this hall can lose the game by forfeit here."
)
_CONDUCT = N_(
    "The championship decides on it for the whole tournament: tell the director. During a game, impose the warning or "
    "sanction at its table; after it, points or the loss of the game can be imposed here."
)
_UNDO = N_(
    "Commands of the championship are undone there. A command that this hall keeps can be withdrawn, and a result that "
    "it keeps can be corrected."
)
_PAIRING = N_("The championship pairs, starts and closes the rounds: ask the director. This hall shows the new round.")

_REFUSALS: Mapping[type[Message], str] = {
    **dict.fromkeys(
        (
            pb.OpenCheckInRequest,
            pb.CheckInPlayerRequest,
            pb.CheckInPlayersRequest,
            pb.ConfirmPresenceRequest,
            pb.CheckOutPlayerRequest,
        ),
        _CHECK_IN,
    ),
    **dict.fromkeys(
        (
            pb.WithdrawPlayerRequest,
            pb.ReinstatePlayerRequest,
            pb.SettleAbsencesRequest,
            pb.LodgePlayerRequestRequest,
            pb.TakeBackPlayerRequestRequest,
            pb.AnswerPlayerRequestRequest,
            pb.GrantByeRequest,
            pb.RevokeByeRequest,
        ),
        _PRESENCE,
    ),
    **dict.fromkeys(
        (
            pb.WarnPlayerRequest,
            pb.ExpelPlayerRequest,
            pb.SanctionPlayerRequest,
            pb.LiftSanctionRequest,
            pb.LiftExpulsionRequest,
        ),
        _CONDUCT,
    ),
    pb.UndoActRequest: _UNDO,
    **dict.fromkeys(
        (
            pb.PairRoundRequest,
            pb.UnpairRoundRequest,
            pb.SwapPlayersRequest,
            pb.MovePairingRequest,
            pb.PublishRoundRequest,
            pb.StartRoundRequest,
            pb.CloseRoundRequest,
            pb.PostponeGameRequest,
            pb.CancelPostponementRequest,
            pb.StartPostponedGameRequest,
        ),
        _PAIRING,
    ),
}
"""Why a hall does not keep a command, by its request; ``_USUAL`` for all others."""


def is_kept(request: Message) -> bool:
    """Check whether a hall keeps a command: one on results of its tables, or the withdrawal of such a command.

    A sanction outside a game, such as the exclusion from rounds, is not kept.
    """
    if isinstance(request, pb.SanctionPlayerRequest):
        return bool(request.game_id)
    return isinstance(request, _OF_SEVERAL) or request.DESCRIPTOR.full_name in KEPT_REQUESTS


def refuse_unkept(request: Message, hall: str) -> Refusal:
    """Return the refusal of a command that the hall does not keep, with the next step of its caller."""
    return Refusal(_ELSEWHERE, _REFUSALS.get(type(request), _USUAL), {"hall": hall})


def parts_of(request: Any, command_id: str) -> Sequence[Any]:
    """Return the commands as which a command is kept: one for each of several results, else itself.

    So the championship can refuse the result of one table without those of the others. ``command_id`` is the id of the
    command in its stored form. Each part has its own.
    """
    match request:
        case pb.EnterResultsRequest():
            return [_enter(request, each, part_id(command_id, each.game_id)) for each in request.results]
        case pb.ConfirmResultsRequest():
            return [_confirm(request, each, part_id(command_id, each.game_id)) for each in request.results]
        case _:
            return [like(type(request), request, command_id=command_id)]


def _confirm(request: pb.ConfirmResultsRequest, result: pb.ShownResult, command_id: str) -> Message:
    return like(
        pb.ConfirmResultRequest,
        result,
        command_id=command_id,
        tournament_id=request.tournament_id,
        arbiter_id=request.arbiter_id,
    )


def _enter(request: pb.EnterResultsRequest, result: pb.GameResult, command_id: str) -> Message:
    about: dict[str, Any] = {
        "command_id": command_id,
        "tournament_id": request.tournament_id,
        "arbiter_id": request.arbiter_id,
        "note": request.note,
    }
    if result.forfeited_by:
        return pb.GiveForfeitRequest(game_id=result.game_id, loser_ids=result.forfeited_by, **about)
    return like(pb.EnterResultRequest, result, **about)
