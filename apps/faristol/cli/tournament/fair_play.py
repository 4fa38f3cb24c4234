"""`faristol fair-play …`: plays beside the best plays, for officials. A signal, never a verdict."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from google.protobuf.message import Message

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import Tournament
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.results.v1 import fair_play_pb2 as pb
from faristol.table_terminal.shared.common import columns, localize
from faristol.text import number

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
    answer: pb.GetGameFairPlayResponse = _ask_until_complete(request, client, DEFAULT_WAIT_SECONDS, "pending")
    client.print(answer, format_game(answer, client.language))


def show_tournament(client: Client, tournament: Tournament, wait: WaitOption = DEFAULT_WAIT_SECONDS) -> None:
    """Compare the players of a tournament with others of similar ratings, and find overlaps between tables."""
    tournament_id = client.find_tournament(tournament)
    request = pb.GetTournamentFairPlayRequest(tournament_id=tournament_id)
    answer: pb.GetTournamentFairPlayResponse = _ask_until_complete(request, client, wait)
    client.print(answer, format_tournament(answer, client.language))


def show_player(
    client: Client, person: PersonArgument, only: OnlyOption = None, wait: WaitOption = DEFAULT_WAIT_SECONDS
) -> None:
    """Compare a player with others of similar ratings, over all tournaments or some."""
    request = pb.GetPlayerFairPlayRequest(player_id=person, tournament_ids=only or ())
    answer: pb.GetPlayerFairPlayResponse = _ask_until_complete(request, client, wait)
    client.print(answer, format_player(answer, client.language))


def _ask_until_complete(request: Message, client: ServiceClient, wait: int, pending: str = "pending_games") -> Any:
    """Return the answer when all games are analysed, or the last one after ``wait`` seconds.

    ``pending`` is the field of the answer that is false when it is complete.
    """
    until = time.monotonic() + wait
    answer = client.answer_to(request)
    while getattr(answer, pending) and time.monotonic() < until:
        time.sleep(RETRY_INTERVAL_SECONDS)
        answer = client.answer_to(request)
    return answer


def format_game(answer: pb.GetGameFairPlayResponse, language: str) -> Iterator[str]:
    """Yield the warning, the figures of each player, and a line for each turn."""
    yield localize(answer.warning)
    for figures in answer.players:
        yield _format_figures(figures, language)
    rows = [
        (
            str(each.turn),
            each.name or each.player_id,
            "".join(each.rack),
            f"{each.coordinates} {''.join(each.faces)} {each.score}",
            f"{each.best_coordinates} {''.join(each.best_faces)} {each.best_score}",
            f"-{each.loss}",
            f"{number(each.seconds, language)} s" if each.HasField("seconds") else "",
        )
        for each in answer.turns
    ]
    yield from columns(rows) if rows else ()


def format_tournament(answer: pb.GetTournamentFairPlayResponse, language: str) -> Iterator[str]:
    """Yield the warning, the comparison of each player, and the overlaps of tables."""
    yield localize(answer.warning)
    yield from _format_gaps(answer.pending_games, answer.unreadable_games)
    for each in answer.players:
        yield from _format_comparison(each, language)
    kinds = labels_of(pb.FairPlayOverlapKind.DESCRIPTOR)
    for overlaps in answer.overlaps:
        kind = localize(kinds[overlaps.kind])
        if overlaps.HasField("expected"):
            expected = number(overlaps.expected, language)
            line = localize(EXPECTED, kind=kind, count=overlaps.count, expected=expected)
        else:
            line = f"{kind}: {overlaps.count}"
        yield f"{line} · {localize(SIGNAL)}" if overlaps.signal else line
        for pair in overlaps.pairs:
            yield "  " + " · ".join(f"{each.game_id} {''.join(each.faces)}" for each in (pair.first, pair.second))


def format_player(answer: pb.GetPlayerFairPlayResponse, language: str) -> Iterator[str]:
    """Yield the warning, the comparison, and the figures of each year."""
    yield localize(answer.warning)
    yield from _format_gaps(answer.pending_games, answer.unreadable_games)
    if answer.HasField("comparison"):
        yield from _format_comparison(answer.comparison, language)
    for each in answer.years:
        yield f"{each.year}  {_format_figures(each.figures, language)}"


def _format_gaps(pending: int, unreadable: int) -> Iterator[str]:
    if pending:
        yield localize(PENDING_GAMES, games=pending)
    if unreadable:
        yield localize(UNREADABLE_GAMES, games=unreadable)


def _format_comparison(comparison: pb.FairPlayComparison, language: str) -> Iterator[str]:
    line = _format_figures(comparison.figures, language)
    yield f"{line} · {localize(SIGNAL)}" if comparison.signal else line
    names = labels_of(pb.FairPlayMeasure.DESCRIPTOR)
    for each in comparison.measures:
        yield "  " + localize(
            MEASURE,
            measure=localize(names[each.measure]),
            value=number(each.value, language),
            others=each.others,
            mean=number(each.others_mean, language),
            probability=number(100 * each.corrected, language),
        )


def _format_figures(figures: pb.FairPlayFigures, language: str) -> str:
    interval = figures.agreement_interval
    return localize(
        FIGURES,
        name=figures.name or figures.player_id,
        best=figures.best,
        turns=figures.turns,
        share=number(100 * figures.agreement, language),
        low=number(100 * interval.low, language),
        high=number(100 * interval.high, language),
        loss=number(figures.mean_loss, language),
    )
