"""`faristol fair-play …`: plays beside the best plays, for officials. A signal, never a verdict."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import Tournament
from faristol.client.services import A_co, RequestFor
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.results.v1 import fair_play_pb2 as pb
from faristol.table_terminal.shared.common import columns, format_number, localize

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="ID of the game.")]
PersonArgument = Annotated[str, typer.Argument(metavar="PERSON", help="ID of the player.")]
OnlyOption = Annotated[list[str] | None, typer.Option("--tournament", help="The only tournaments that count.")]
WaitOption = Annotated[
    int, typer.Option("--wait", min=0, max=3_600, help="Seconds to wait until all games are analysed.")
]

DEFAULT_WAIT_SECONDS = 120
RETRY_INTERVAL_SECONDS = 1.0

PENDING_GAMES = N_("{games} {games:game is|games are} not analysed yet: repeat the command.")
UNREADABLE_GAMES = N_("{games} {games:game is|games are} left out: no lexicon, or unreadable rules.")
FIGURES = N_("{name}: {best} of {turns} best plays ({share} %, {low}–{high} %), {loss} points lost per turn")
MEASURE = N_("{measure}: {value}, mean of {others} others {mean}, probability by chance {probability} %")
SIGNAL = N_("signal")
EXPECTED = N_("{kind}: {count}, {expected} expected by chance")


def show_game(client: Client, game: GameArgument) -> None:
    """Print the turns of a game beside the best plays, and the figures of its players."""
    request = pb.GetGameFairPlayRequest(game_id=game)
    answer = _ask_until_complete(request, client, DEFAULT_WAIT_SECONDS, "pending")
    client.print(answer, format_game(answer))


def show_tournament(client: Client, tournament: Tournament, wait: WaitOption = DEFAULT_WAIT_SECONDS) -> None:
    """Compare the players of a tournament with others of similar ratings, and find overlaps between tables."""
    tournament_id = client.find_tournament(tournament)
    request = pb.GetTournamentFairPlayRequest(tournament_id=tournament_id)
    answer = _ask_until_complete(request, client, wait)
    client.print(answer, format_tournament(answer))


def show_player(
    client: Client, person: PersonArgument, only: OnlyOption = None, wait: WaitOption = DEFAULT_WAIT_SECONDS
) -> None:
    """Compare a player with others of similar ratings, over all tournaments or some."""
    request = pb.GetPlayerFairPlayRequest(player_id=person, tournament_ids=only or ())
    answer = _ask_until_complete(request, client, wait)
    client.print(answer, format_player(answer))


def _ask_until_complete(
    request: RequestFor[A_co], client: ServiceClient, wait: int, pending: str = "pending_games"
) -> A_co:
    """Return the answer when all games are analysed, or the last one after ``wait`` seconds.

    ``pending`` is the field of the answer that is false when it is complete.
    """
    until = time.monotonic() + wait
    answer = client.answer_to(request)
    while getattr(answer, pending) and time.monotonic() < until:
        time.sleep(RETRY_INTERVAL_SECONDS)
        answer = client.answer_to(request)
    return answer


def format_game(answer: pb.GetGameFairPlayResponse) -> Iterator[str]:
    """Yield the warning, the figures of each player, and a line for each turn."""
    yield localize(answer.warning)
    for figures in answer.players:
        yield _format_figures(figures)
    rows = [
        (
            str(each.turn),
            each.name or each.player_id,
            "".join(each.rack),
            f"{each.coordinates} {''.join(each.faces)} {each.score}",
            f"{each.best_coordinates} {''.join(each.best_faces)} {each.best_score}",
            f"-{each.loss}",
            f"{format_number(each.seconds)} s" if each.HasField("seconds") else "",
        )
        for each in answer.turns
    ]
    yield from columns(rows) if rows else ()


def format_tournament(answer: pb.GetTournamentFairPlayResponse) -> Iterator[str]:
    """Yield the warning, the comparison of each player, and the overlaps of tables."""
    yield localize(answer.warning)
    yield from _format_gaps(answer.pending_games, answer.unreadable_games)
    for each in answer.players:
        yield from _format_comparison(each)
    kinds = labels_of(pb.FairPlayOverlapKind.DESCRIPTOR)
    for overlaps in answer.overlaps:
        kind = localize(kinds[overlaps.kind])
        if overlaps.HasField("expected"):
            expected = format_number(overlaps.expected)
            line = localize(EXPECTED, kind=kind, count=overlaps.count, expected=expected)
        else:
            line = f"{kind}: {overlaps.count}"
        yield f"{line} · {localize(SIGNAL)}" if overlaps.signal else line
        for pair in overlaps.pairs:
            yield "  " + " · ".join(f"{each.game_id} {''.join(each.faces)}" for each in (pair.first, pair.second))


def format_player(answer: pb.GetPlayerFairPlayResponse) -> Iterator[str]:
    """Yield the warning, the comparison, and the figures of each year."""
    yield localize(answer.warning)
    yield from _format_gaps(answer.pending_games, answer.unreadable_games)
    if answer.HasField("comparison"):
        yield from _format_comparison(answer.comparison)
    for each in answer.years:
        yield f"{each.year}  {_format_figures(each.figures)}"


def _format_gaps(pending: int, unreadable: int) -> Iterator[str]:
    if pending:
        yield localize(PENDING_GAMES, games=pending)
    if unreadable:
        yield localize(UNREADABLE_GAMES, games=unreadable)


def _format_comparison(comparison: pb.FairPlayComparison) -> Iterator[str]:
    line = _format_figures(comparison.figures)
    yield f"{line} · {localize(SIGNAL)}" if comparison.signal else line
    names = labels_of(pb.FairPlayMeasure.DESCRIPTOR)
    for each in comparison.measures:
        yield "  " + localize(
            MEASURE,
            measure=localize(names[each.measure]),
            value=each.value,
            others=each.others,
            mean=each.others_mean,
            probability=100 * each.corrected,
        )


def _format_figures(figures: pb.FairPlayFigures) -> str:
    interval = figures.agreement_interval
    return localize(
        FIGURES,
        name=figures.name or figures.player_id,
        best=figures.best,
        turns=figures.turns,
        share=100 * figures.agreement,
        low=100 * interval.low,
        high=100 * interval.high,
        loss=figures.mean_loss,
    )
