"""`faristol duplicate …`: a duplicate game at a terminal, from the rack to the standings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer

from faristol.cli.confirmation import agree
from faristol.cli.defaults import load_duplicate, load_sheet
from faristol.cli.duplicate_game.slip_list import NOT_HERE, read_slips
from faristol.cli.options import Address, AsJson
from faristol.client.problems import info_of, list_reasons
from faristol.duplicate_game.decide.slips import FORM_DOUBTS, MAX_SLIPS
from faristol.duplicate_game.draws import END_REASONS
from faristol.gateway.duplicate_game.call_table import tiles_called
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.table_terminal.shared.common import as_json, localize, print_answer
from faristol.table_terminal.shared.services import answer_to, ask_service, send

Game = Annotated[str, typer.Argument(metavar="GAME", help="The game: the tournament and its round, such as cup-r1.")]
Turn = Annotated[int, typer.Option(min=0, help="Round of three minutes; default: the last one called.")]
By = Annotated[str, typer.Option("--arbiter", help="Id of the judge.")]
Hall = Annotated[str, typer.Option("--hall", help="Name of the hall; not needed without halls.")]

ENDED = N_("the game is over: {end}")
CALLED = N_("round {turn}: {faces}")
TAKEN = N_("{count} {count:slip|slips} accepted")
CORRECTED = N_("claim {claim}: the slip is worth {points}")
CLAIM_REFUSED = N_("claim {claim} is refused")
DOUBT = N_("number {number}, {slip}: {why}")
ON_PAPER = N_("These slips would be void because of their form. Are they written like this on the paper?")
SAY_SURE = N_(
    "No slip was saved: correct the file, or use --sure for each player whose slip is written like this on the paper."
)
NO_CLAIMS = N_("no claim is pending")
SAME_CLAIM = N_("{claim} is pending in several halls: select one of {halls} with --hall")


def call(
    game: Game,
    tiles: Annotated[list[str] | None, typer.Argument(help="Tiles set by hand; default: drawn.")] = None,
    reason: Annotated[
        str,
        typer.Option(help="Reason to void the racks of a sealed game from here on; required for tiles set by hand."),
    ] = "",
    arbiter: By = "judge",
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Call the rack of the next round: drawn, or of the tiles that the judge took."""
    request = pb.CallRackRequest(game_id=game, faces=tiles or (), arbiter_id=arbiter, reason=reason)
    answer = answer_to(request, address)
    shown = load_duplicate(game, address)
    if answer.end:
        print_answer(answer, localize(ENDED, end=END_REASONS[answer.end].value), json_output=json_output)
        return
    lines = [localize(CALLED, turn=answer.turn, faces=" ".join(answer.faces)), tiles_called(shown, answer.faces)]
    print_answer(answer, lines, json_output=json_output)


def slips(
    game: Game,
    file: Annotated[Path, typer.Argument(help="Slips as CSV: player, coordinates, word, score, handed.")],
    hall: Hall = "",
    turn: Turn = 0,
    collector: Annotated[str, typer.Option(help="Person who typed the slips.")] = "collector",
    sure: Annotated[
        list[str] | None,
        typer.Option(
            "--sure",
            metavar="PLAYER",
            help="Player (number or id) whose slip is written like this on the paper although its form is void; can "
            "be repeated.",
        ),
    ] = None,
    close: Annotated[bool, typer.Option("--close", help="The hall has handed in all slips.")] = False,
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Hand in the slips of a hall from a file: all of them, or none if a line is wrong.

    Slips that are null by their form, not by their words, must be confirmed first.
    """
    players = load_sheet(game, address, hall=hall).players
    seats = {str(player.number): player.player_id for player in players}
    seats |= {player.player_id: player.player_id for player in players}
    if unknown := next((name for name in sure or () if name not in seats), ""):
        raise StartError(localize(NOT_HERE, given=unknown))
    known = {seats[name] for name in sure or ()}
    found = read_slips(file, seats)
    number = turn or len(load_duplicate(game, address).turns)
    named: dict[str, Any] = {"game_id": game, "hall": hall, "turn": number, "collector_id": collector}
    taken = 0
    for is_known in (False, True):
        several = [slip for slip in found if (slip.player_id in known) is is_known]
        for begin in range(0, len(several), MAX_SLIPS):
            request = pb.SubmitSlipsRequest(
                source=events.SLIP_SOURCE_PAPER, slips=several[begin : begin + MAX_SLIPS], **named
            )
            taken += _hand_in(request, players, address, check=not is_known)
    if close:
        answer_to(pb.CloseHallRequest(game_id=game, hall=hall, turn=number, collector_id=collector), address)
    print_answer({"taken": taken, "turn": number}, localize(TAKEN, count=taken), json_output=json_output)


def _hand_in(
    request: pb.SubmitSlipsRequest, players: Sequence[pb.PlayerSheet], address: str | None, *, check: bool
) -> int:
    """Hand in slips, and return the number accepted.

    With ``check``, ask about those that are null by their form. Raises ``StartError`` if one of them differs from the
    paper, or without a terminal.
    """
    request.check_form = check

    async def submit(channel: Any) -> tuple[int, Sequence[tuple[str, str]]]:
        try:
            return (await send(channel, request)).taken, ()
        except grpc.aio.AioRpcError as error:
            if info_of(error).reason not in FORM_DOUBTS:
                raise
            alone = info_of(error).metadata.get("player_id", "")
            return 0, [(player or alone, why) for player, why in list_reasons(error)]

    taken, doubts = ask_service("game", address, submit, lambda channel: channel)
    if doubts:
        numbers = {player.player_id: player.number for player in players}
        written = {slip.player_id: f"{slip.coordinates} {slip.word}".strip() for slip in request.slips}
        lines = [localize(DOUBT, number=numbers[player], slip=written[player], why=why) for player, why in doubts]
        agree("\n".join([*lines, localize(ON_PAPER)]), localize(SAY_SURE))
        request.ClearField("command_id")
        return _hand_in(request, players, address, check=False)
    return taken


def claims(game: Game, address: Address = None, json_output: AsJson = False) -> None:
    """List the claims that wait for the judge."""
    answer = answer_to(pb.ListWaitingRequest(game_id=game, turn=len(load_duplicate(game, address).turns)), address)
    lines = []
    for claim in answer.claims:
        slip, score = claim.slip, claim.score
        parts = [slip.coordinates, slip.word, str(score.points), score.fault, claim.words]
        lines.append(f"{claim.hall.name} {claim.claim_id} {slip.player_id}: {' '.join(filter(None, parts))}".strip())
    print_answer([as_json(claim) for claim in answer.claims], lines or localize(NO_CLAIMS), json_output=json_output)


def decide(
    game: Game,
    claim_id: Annotated[str, typer.Argument(metavar="CLAIM", help="Id of the claim, as `claims` lists it.")],
    reason: Annotated[str, typer.Option(help="Why.")],
    hall: Annotated[str, typer.Option("--hall", help="Name of the hall; default: that of the claim.")] = "",
    coordinates: Annotated[str, typer.Option(help="The coordinates on the slip.")] = "",
    word: Annotated[str, typer.Option(help="The word on the slip; omit both to refuse the claim.")] = "",
    arbiter: By = "judge",
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Decide a claim: correct the slip, or refuse."""
    listed = answer_to(pb.ListWaitingRequest(game_id=game, turn=1), address)
    meant = [each for each in listed.claims if each.claim_id == claim_id and hall in ("", each.hall.name)]
    if len(meant) > 1:
        halls = ", ".join(each.hall.name for each in meant)
        raise typer.BadParameter(localize(SAME_CLAIM, claim=claim_id, halls=halls))
    request = pb.DecideClaimRequest(
        game_id=game,
        hall=meant[0].hall.name if meant else hall,
        claim_id=claim_id,
        reason=reason,
        arbiter_id=arbiter,
    )
    if coordinates or word:
        player = meant[0].slip.player_id if meant else ""
        request.corrected.CopyFrom(events.Slip(player_id=player, coordinates=coordinates, word=word))
    answer = answer_to(request, address)
    line = localize(CORRECTED if answer.accepted else CLAIM_REFUSED, claim=claim_id, points=answer.score.points)
    print_answer(answer, line, json_output=json_output)
