"""`faristol prize list` and `prize awards`: leaders for special prizes, and the awards of the prize lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from faristol.cli.client import Client
from faristol.cli.options import Language, Tournament
from faristol.gateway.api.contract_json import to_json
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.text import number, say, translations
from faristol.text.money import format_money, format_prize


def prizes(client: Client, tournament: Tournament, language: Language = "") -> None:
    """Print the leaders for the special prizes. `faristol prize offer` defines the prizes."""
    found = client.ask_results(tournament, lambda results, meant: results.prizes(meant), language)
    client.print(to_json(found), format_prizes(found, language))


def awards(
    client: Client,
    tournament: Tournament,
    provisional: Annotated[
        bool, typer.Option("--provisional", help="By the results so far, for officials, before the final standings.")
    ] = False,
    language: Language = "",
) -> None:
    """Print the prize lists with their awards and the reasons. `faristol prize set-list` defines the lists."""
    found = client.ask_results(
        tournament, lambda results, meant: results.awards(meant, provisional=provisional), language
    )
    client.print(to_json(found), format_awards(found, language))


def format_awards(found: pb.GetAwardsResponse, language: str) -> Iterator[str]:
    """Yield each prize list, and below it its awards with their reasons."""
    read = translations(language).gettext
    if not found.lists:
        yield read(labels.NO_PRIZE_LISTS)
    for each in found.lists:
        yield f"{each.list}  {each.name}: {format_prize(sum(each.amounts), each.things, found.currency, language)}"
        for won in each.awards:
            prize = format_prize(won.amount, won.things, found.currency, language)
            yield f"    {won.place}  {won.name or won.player_id}: {prize}"
            yield f"        {won.why}"
        if each.left_over:
            money = format_money(each.left_over, found.currency, language)
            yield f"    {say(labels.LEFT_OVER, {'money': money}, language)}"
    if found.lists and not any(each.awards for each in found.lists):
        yield read(labels.NOT_AWARDED_YET)


def format_prizes(found: pb.GetPrizesResponse, language: str) -> Iterator[str]:
    """Yield each prize with its best value so far, and the players with that value."""
    read = translations(language).gettext
    for prize in found.prizes:
        won = []
        for winner in prize.winners:
            play = f"{winner.coordinates} {winner.word}" if winner.word else ""
            of_round = read("Round %(number)s") % {"number": winner.round} if winner.round else ""
            won.append(", ".join(part for part in (winner.name or winner.player_id, play, of_round) if part))
        missing = read(labels.prize_without_winner(prize, over=found.over))
        ahead = f"{number(prize.value, language)} – {'; '.join(won)}" if won else missing
        yield f"{read(labels.PRIZES[prize.kind])}: {ahead}"
