"""`faristol duplicate …`: a duplicate game at a terminal, from the rack to the claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.confirmation import agree
from faristol.cli.defaults import load_duplicate, load_sheet
from faristol.cli.duplicate_game.slip_list import NOT_HERE, read_slips
from faristol.client.problems import info_of, list_reasons
from faristol.duplicate_game.decide.slips import FORM_DOUBTS, MAX_SLIPS
from faristol.duplicate_game.draws import END_REASONS
from faristol.gateway.duplicate_game.call_table import tiles_called
from faristol.gateway.duplicate_game.plays import coordinates_of
from faristol.host import StartError
from faristol.kernel.bounded import split_batches
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.table_terminal.shared.common import as_json, localize
from faristol.table_terminal.shared.services import send

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
    client: Client,
    game: Game,
    tiles: Annotated[list[str] | None, typer.Argument(help="Tiles set by hand; default: drawn.")] = None,
    reason: Annotated[
        str,
        typer.Option(help="Reason to void the racks of a sealed game from here on; required for tiles set by hand."),
    ] = "",
    arbiter: By = "judge",
) -> None:
    """Call the rack of the next round: drawn, or of the tiles that the judge took."""
    request = pb.CallRackRequest(game_id=game, faces=tiles or (), arbiter_id=arbiter, reason=reason)
    answer = client.answer_to(request)
    shown = load_duplicate(game, client)
    if answer.end:
        client.print(answer, localize(ENDED, end=END_REASONS[answer.end].value))
        return
    lines = [localize(CALLED, turn=answer.turn, faces=" ".join(answer.faces)), tiles_called(shown, answer.faces)]
    client.print(answer, lines)


def slips(
    client: Client,
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
) -> None:
    """Hand in the slips of a hall from a file: all of them, or none if a line is wrong.

    Slips that are null by their form, not by their words, must be confirmed first.
    """
    players = load_sheet(game, client, hall=hall).players
    seats = {str(player.number): player.player_id for player in players}
    seats |= {player.player_id: player.player_id for player in players}
    if unknown := next((name for name in sure or () if name not in seats), ""):
        raise StartError(localize(NOT_HERE, given=unknown))
    known = {seats[name] for name in sure or ()}
    found = read_slips(file, seats)
    number = turn or len(load_duplicate(game, client).turns)
    named: dict[str, Any] = {"game_id": game, "hall": hall, "turn": number, "collector_id": collector}
    taken = 0
    for is_known in (False, True):
        several = [slip for slip in found if (slip.player_id in known) is is_known]
        for batch in split_batches(several, MAX_SLIPS):
            request = pb.SubmitSlipsRequest(source=events.SLIP_SOURCE_PAPER, slips=batch, **named)
            taken += _hand_in(request, players, client, check=not is_known)
    if close:
        client.answer_to(pb.CloseHallRequest(game_id=game, hall=hall, turn=number, collector_id=collector))
    client.print({"taken": taken, "turn": number}, localize(TAKEN, count=taken))


def _hand_in(
    request: pb.SubmitSlipsRequest, players: Sequence[pb.PlayerSheet], client: ServiceClient, *, check: bool
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

    taken, doubts = client.ask("game", submit, lambda channel: channel)
    if doubts:
        numbers = {player.player_id: player.number for player in players}
        written = {slip.player_id: f"{slip.coordinates} {slip.word}".strip() for slip in request.slips}
        lines = [localize(DOUBT, number=numbers[player], slip=written[player], why=why) for player, why in doubts]
        agree("\n".join([*lines, localize(ON_PAPER)]), localize(SAY_SURE))
        request.ClearField("command_id")
        return _hand_in(request, players, client, check=False)
    return taken


def claims(client: Client, game: Game) -> None:
    """List the claims that wait for the judge."""
    answer = client.answer_to(pb.ListWaitingRequest(game_id=game, turn=len(load_duplicate(game, client).turns)))
    lines = []
    for claim in answer.claims:
        slip, score = claim.slip, claim.score
        parts = [slip.coordinates, slip.word, str(score.points), score.fault, claim.words]
        lines.append(f"{claim.hall.name} {claim.claim_id} {slip.player_id}: {' '.join(filter(None, parts))}".strip())
    client.print([as_json(claim) for claim in answer.claims], lines or localize(NO_CLAIMS))


def decide(
    client: Client,
    game: Game,
    claim_id: Annotated[str, typer.Argument(metavar="CLAIM", help="Id of the claim, as `claims` lists it.")],
    reason: Annotated[str, typer.Option(help="Why.")],
    hall: Annotated[str, typer.Option("--hall", help="Name of the hall; default: that of the claim.")] = "",
    coordinates: Annotated[str, typer.Option(help="The coordinates on the slip.")] = "",
    word: Annotated[str, typer.Option(help="The word on the slip; omit both to refuse the claim.")] = "",
    arbiter: By = "judge",
) -> None:
    """Decide a claim: correct the slip, or refuse."""
    listed = client.answer_to(pb.ListWaitingRequest(game_id=game, turn=1))
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
    answer = client.answer_to(request)
    line = localize(CORRECTED if answer.accepted else CLAIM_REFUSED, claim=claim_id, points=answer.score.points)
    client.print(answer, line)


WAITS_OPEN = N_("hall {hall} is open")
WAITS_SLIP = N_("{hall} {player} ({why}): {slips}")
WAITS_CLAIM = N_("{hall} {claim} of {player}: {words}")
NOTHING_WAITS = N_("no case is pending")


def format_play(play: events.DuplicatePlay) -> str:
    """Format a play as a judge says it: `H4 C A S E R N A`."""
    return f"{coordinates_of(play)} {' '.join(play.faces)}"


def format_tops(answer: pb.ListTopsResponse) -> Iterator[str]:
    """Yield the lines of `duplicate tops`."""
    yield from (f"{format_play(play)} {play.score}" for play in answer.plays)


def format_waiting(answer: pb.ListWaitingResponse) -> Iterator[str]:
    """Yield the lines of `duplicate waiting`: open halls, slips to rule on, and claims of any round."""
    for hall in answer.open_halls:
        yield localize(WAITS_OPEN, hall=_hall(hall))
    for slip in answer.slips:
        written = " / ".join(f"{each.coordinates} {each.word}".strip() or "–" for each in slip.slips)
        of = {"hall": _hall(slip.hall), "player": slip.slips[0].player_id, "why": slip.why, "slips": written}
        yield localize(WAITS_SLIP, **of)
    for each in answer.claims:
        of = {"hall": _hall(each.hall), "claim": each.claim_id, "player": each.slip.player_id, "words": each.words}
        yield localize(WAITS_CLAIM, **of)
    if not (answer.open_halls or answer.slips or answer.claims):
        yield localize(NOTHING_WAITS)


def _hall(hall: events.DuplicateHall) -> str:
    return hall.name or "–"
