"""`faristol duplicate waiting | rule | master`: decisions of the judge of a duplicate game at a terminal."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from faristol.cli.duplicate_game.play import (
    By,
    Game,
    HallOfPlayer,
    Turn,
    ask_games,
    hall_of,
    play_text,
    turn_number,
)
from faristol.cli.options import Address, AsJson
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.table_terminal.shared.common import localize, print_answer

WAITS_OPEN = N_("hall {hall} is open")
WAITS_SLIP = N_("{hall} {player} ({why}): {slips}")
WAITS_CLAIM = N_("{hall} {claim} of {player}: {words}")
NOTHING_WAITS = N_("no case is pending")
RULED = N_("round {turn}: the slip of {player} is ruled on")
CHOSEN = N_("round {turn}: the master play is {play} for {score}, the highest score is {top}")


class As(StrEnum):
    """How a slip was handed in, for its ruling."""

    IN_TIME = "in-time"
    LATE = "late"
    NOT_AT_ALL = "not-at-all"
    HAND_NOT_RAISED = "hand-not-raised"


def waiting(game: Game, turn: Turn = 0, address: Address = None, json_output: AsJson = False) -> None:
    """List the obstacles to scoring a round: open halls, slips to rule on, and claims of any round."""
    request = pb.ListWaitingRequest(game_id=game, turn=turn_number(game, turn, address))
    answer: pb.ListWaitingResponse = ask_games(request, address)
    lines = [localize(WAITS_OPEN, hall=_hall(hall)) for hall in answer.open_halls]
    for slip in answer.slips:
        written = " / ".join(f"{each.coordinates} {each.word}".strip() or "–" for each in slip.slips)
        lines.append(
            localize(WAITS_SLIP, hall=_hall(slip.hall), player=slip.slips[0].player_id, why=slip.why, slips=written)
        )
    lines += [
        localize(WAITS_CLAIM, hall=_hall(each.hall), claim=each.claim_id, player=each.slip.player_id, words=each.words)
        for each in answer.claims
    ]
    print_answer(answer, lines or localize(NOTHING_WAITS), json_output=json_output)


def rule(
    game: Game,
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Id of the player of the slip.")],
    reason: Annotated[str, typer.Option(help="Why.")],
    hall: HallOfPlayer = "",
    turn: Turn = 0,
    coordinates: Annotated[str, typer.Option(help="The valid coordinates.")] = "",
    word: Annotated[str, typer.Option(help="The valid word, with a circled letter in parentheses.")] = "",
    handed: Annotated[As, typer.Option(help="How the slip was handed in.")] = As.IN_TIME,
    arbiter: By = "judge",
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Rule on a slip that waits for an arbiter: the coordinates and the word that count."""
    number = turn_number(game, turn, address)
    where = hall_of(game, player, hall, address)
    name = f"HANDED_{handed.name}"
    slip = events.Slip(player_id=player, coordinates=coordinates, word=word, handed=events.Handed.Value(name))
    request = pb.RuleSlipRequest(game_id=game, hall=where, turn=number, slip=slip, reason=reason, arbiter_id=arbiter)
    answer = ask_games(request, address)
    print_answer(answer, localize(RULED, turn=number, player=player), json_output=json_output)


def master(
    game: Game,
    coordinates: Annotated[str, typer.Argument(help="Start of the word: H8 across, 15G down.")],
    word: Annotated[str, typer.Argument(help="The main word, with the letter of a blank in parentheses.")],
    reason: Annotated[str, typer.Option(help="Reason, if the play is not the proposed or sealed one.")] = "",
    turn: Turn = 0,
    arbiter: By = "judge",
    address: Address = None,
    json_output: AsJson = False,
) -> None:
    """Choose the master play of a round, before it is scored."""
    number = turn_number(game, turn, address)
    request = pb.ChooseMasterRequest(
        game_id=game, turn=number, coordinates=coordinates, word=word, reason=reason, arbiter_id=arbiter
    )
    answer: pb.ChooseMasterResponse = ask_games(request, address)
    line = localize(CHOSEN, turn=number, play=play_text(answer.play), score=answer.play.score, top=answer.top)
    print_answer(answer, line, json_output=json_output)


def _hall(hall: events.DuplicateHall) -> str:
    return hall.name or "–"
