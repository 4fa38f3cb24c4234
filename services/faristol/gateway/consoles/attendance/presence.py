"""Page of presence in the director's console: awaited players, requests of players, the actions open to them."""

from __future__ import annotations

from typing import NamedTuple

from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPage, page_of_forms
from faristol.gateway.http.forms import public_address
from faristol.gateway.pages.qr import qr
from faristol.kernel.names import name_order
from faristol.kernel.pairings import seats_of
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation import labels
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games

PAGE = "presence"


class Awaited(NamedTuple):
    """Player whose presence matters now."""

    player_id: str
    name: str
    table: int = 0
    """Table of the open round; 0 without one."""
    hall: str = ""


def list_awaited(tournament: pairing.GetTournamentResponse) -> list[Awaited]:
    """Return the players who take part, are not checked in, and have not asked for a bye.

    Players who have been in a round since the check-in was opened are left out.
    """
    since = tournament.played[max(0, tournament.check_in_round - 1) :]
    seated = {player for played in since for pairing_ in played.pairings for player in seats_of(pairing_)}
    seated |= {played.bye_player_id for played in since}
    coming = len(tournament.played) + 1
    return [
        Awaited(player.player_id, player.name)
        for player in tournament.players
        if not player.withdrawn_round
        and not player.checked_in
        and player.player_id not in seated
        and all(bye.round != coming for bye in player.byes)
    ]


def find_next_check_in(tournament: pairing.GetTournamentResponse) -> int:
    """Return the round for which a check-in of its own can be opened; 0 for none, as while one is open."""
    coming = len(tournament.played) + 1
    return coming if 1 <= tournament.check_in_round < coming <= tournament.rounds and not tournament.over else 0


def list_seated(tournament: pairing.GetTournamentResponse) -> list[Awaited]:
    """Return the players at tables without a result in the open round, with their tables."""
    last = tournament.played[-1] if tournament.played else None
    if last is None or last.phase == pairing.ROUND_PHASE_CLOSED:
        return []
    names = {player.player_id: player.name for player in tournament.players}
    over = set(last.finished_game_ids)
    return [
        Awaited(player, names.get(player, ""), each.table, each.hall)
        for each in last.pairings
        if each.game_id not in over
        for player in seats_of(each)
    ]


async def _show(console: DirectorPage) -> Response:
    tournament, language = console.tournament, console.language
    hall = console.request.query_params.get("hall", "")
    answer = await console.calls.ask(pairing.ListPlayerRequestsRequest(tournament_id=console.tournament_id))
    awaited = sorted(list_awaited(tournament), key=lambda each: (name_order(each.name, language), each.player_id))
    seated = [each for each in list_seated(tournament) if hall in {"", each.hall}]
    here = public_address(console.request) + tournament_path(console.tournament_id, "here")
    return await console.show(
        "director/presence.html",
        PAGE,
        awaited=awaited,
        seated=seated,
        hall=hall,
        waiting=[each for each in answer.requests if each.state == pairing.PLAYER_REQUEST_STATE_WAITING],
        answered=[each for each in reversed(answer.requests) if each.state != pairing.PLAYER_REQUEST_STATE_WAITING],
        acts=answer,
        kinds=labels.PLAYER_REQUESTS,
        states=labels.PLAYER_REQUEST_STATES,
        leaving=labels.LEAVING_OPTIONS,
        byes=labels.BYES,
        treatments=labels.ABSENCE_TREATMENTS,
        forfeit=pairing.ABSENCE_TREATMENT_FORFEIT,
        checked_in=sum(player.checked_in for player in tournament.players),
        next_check_in=find_next_check_in(tournament),
        here=here,
        code=qr(here),
        of_duplicate=is_of_duplicate_games(tournament),
    )


routes = page_of_forms(PAGE, _show, has_list=True)
