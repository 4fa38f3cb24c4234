"""Page of the prize lists in the director's console, with the awards by the results so far."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, page_of_forms
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation import labels
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.text.money import DEFAULT_CURRENCY

PAGE = "prizes"


def write_amounts(amounts: list[int], digits: int) -> str:
    """Return amounts as the form has them: one in each line, with the digits of the currency after a point."""
    return "\n".join(write_amount(amount, digits) for amount in amounts)


def write_amount(amount: int, digits: int) -> str:
    """Return an amount as a person types it, without needless zeros."""
    whole, rest = divmod(amount, 10**digits)
    return f"{whole}.{rest:0{digits}d}" if digits and rest else str(whole)


async def _show(console: DirectorPage) -> Response:
    answer = results_pb.GetAwardsResponse()
    has_tables = not is_of_duplicate_games(console.tournament)
    if has_tables:
        asked = results_pb.GetAwardsRequest(
            tournament_id=console.tournament_id, min_position=console.done, provisional=True
        )
        answer = await console.calls.ask(asked)
    currency, digits = answer.currency or DEFAULT_CURRENCY, answer.currency_digits
    players = console.players_by_name
    return await console.show(
        "director/prize_lists.html",
        PAGE,
        has_tables=has_tables,
        answer=answer,
        currency=currency,
        digits=digits,
        sharings=labels.PRIZE_SHARINGS,
        limits=labels.PRIZE_LIMITS,
        criteria=labels.PRIZE_CRITERIA,
        of_place=events.PRIZE_CRITERION_PLACE,
        of_choice=events.PRIZE_CRITERION_CHOSEN,
        write_amounts=lambda amounts: write_amounts(list(amounts), digits),
        categories=sorted({player.category for player in players if player.category}),
        clubs=sorted({player.club for player in players if player.club}),
        players=players,
    )


routes = page_of_forms(PAGE, _show)
