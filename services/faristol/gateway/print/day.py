"""Papers of the day: start list, attendance, table cards; receipts, certificates and minutes for officials."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from faristol.client.places import tables_of
from faristol.gateway.pages.qr import qr
from faristol.gateway.print.contents import PAPERS, Paper, PaperRequest, language_of_tournament
from faristol.gateway.print.form import Size
from faristol.gateway.print.order import stack_pages
from faristol.gateway.rpc.calls import list_acts
from faristol.kernel.names import name_order
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.history import HistoryEntry, describe_history, list_effective
from faristol.presentation.names import Roster
from faristol.presentation.page_addresses import tournament_path

TABLE_CARDS: Mapping[Size, int] = {"A4": 4, "A5": 2}
"""Table cards on a page."""

RECEIPTS: Mapping[Size, int] = {"A4": 4, "A5": 2}
"""Receipts on a page."""

INCIDENTS = frozenset(
    {
        "PlayerWithdrawn",
        "PlayerReinstated",
        "PlayerWarned",
        "WarningLifted",
        "PlayerExpelled",
        "ExpulsionLifted",
        "PlayerSanctioned",
        "SanctionLifted",
        "TableSanctionNoted",
        "ResultCorrected",
        "AppealLodged",
        "AppealDecided",
        "AppealWithdrawn",
        "GamePostponed",
        "PointsAdjusted",
        "LateEntryAdmitted",
    }
)
"""Events of the history that the minutes list as incidents."""

ENDING = frozenset({"FinalCheckExcused", "TournamentFinalised"})
"""Events of the history on the end of a tournament, with the checks before it."""


class TableCard(NamedTuple):
    """Card of a table."""

    table: int
    hall: str


class Prize(NamedTuple):
    """Award with its list, for a receipt or a certificate."""

    of: pb.AwardList
    award: pb.Award


async def _players(wanted: PaperRequest) -> dict[str, Any]:
    listed = await wanted.results.players(wanted.id)
    known = [player for player in listed.players if not 0 < player.withdrawn_round <= player.entered_round]
    teams = {team.team_id: team.name for team in listed.teams}
    return {"answer": listed, "players": known, "teams": teams}


async def _attendance(wanted: PaperRequest) -> dict[str, Any]:
    found = await _players(wanted)
    staying = [player for player in found["players"] if not player.withdrawn_round]
    language = language_of_tournament(wanted.head)
    players = sorted(staying, key=lambda player: name_order(player.name or player.player_id, language))
    return {**found, "players": players}


async def _table_cards(wanted: PaperRequest) -> dict[str, Any]:
    listed = await wanted.results.players(wanted.id)
    halls = list(wanted.head.tournament.halls)
    if halls:
        cards = [
            TableCard(table, hall.name) for hall in halls for table in range(hall.first_table, hall.last_table + 1)
        ]
    else:
        cards = [TableCard(table, "") for table in sorted(tables_of((), len(listed.players)))]
    place = tournament_path(wanted.id, "my-table")
    codes = {hall: qr(f"{wanted.address_in(hall)}{place}") for hall in {card.hall for card in cards}}
    return {"answer": listed, "pages": stack_pages(cards, TABLE_CARDS[wanted.size]), "codes": codes}


async def _check_in(wanted: PaperRequest) -> dict[str, Any]:
    # The championship assigns seats by the check-in, so the laptop of a hall refuses it.
    here = wanted.address + tournament_path(wanted.id, "here")
    return {"answer": wanted.head, "code": qr(here), "here": here}


async def _awards(wanted: PaperRequest) -> tuple[pb.GetAwardsResponse, list[Prize]]:
    """Return the awards so far, called by the official who prints."""
    assert wanted.calls is not None
    answer = await wanted.calls.ask(pb.GetAwardsRequest(tournament_id=wanted.id, provisional=True))
    return answer, [Prize(of, award) for of in answer.lists for award in of.awards]


async def _receipts(wanted: PaperRequest) -> dict[str, Any]:
    answer, prizes = await _awards(wanted)
    return {"answer": answer, "currency": answer.currency, "pages": stack_pages(prizes, RECEIPTS[wanted.size])}


async def _certificates(wanted: PaperRequest) -> dict[str, Any]:
    """Return a certificate for each player in the standings, with the prizes, and its code."""
    standings, (answer, prizes) = await asyncio.gather(wanted.results.standings(wanted.id), _awards(wanted))
    of_player: dict[str, list[Prize]] = {}
    for prize in prizes:
        of_player.setdefault(prize.award.player_id, []).append(prize)
    seal = wanted.address + tournament_path(wanted.id, "seal")
    return {
        "answer": answer,
        "currency": answer.currency,
        "lines": standings.standings,
        "prizes": of_player,
        "code": lambda player_id: qr(f"{seal}?player={player_id}", at_once=True),
    }


async def _minutes(wanted: PaperRequest) -> dict[str, Any]:
    """Return the officials, the rounds with their tables, the incidents and the standings of a tournament."""
    assert wanted.calls is not None
    asked = pairing.GetTournamentRequest(tournament_id=wanted.id)
    known, acts, standings, (answer, prizes) = await asyncio.gather(
        wanted.calls.ask(asked),
        list_acts(wanted.calls, wanted.id),
        wanted.results.standings(wanted.id),
        _awards(wanted),
    )
    rounds = [each.round for each in wanted.head.tournament.played]
    paired = await asyncio.gather(*(wanted.results.pairings(wanted.id, number) for number in rounds))
    told = list_effective(list(describe_history(acts, Roster(known, wanted.language), wanted.language)))
    return {
        "answer": answer,
        "known": known,
        "paired": paired,
        "incidents": [each for each in told if each.act.type in INCIDENTS],
        "ending": _list_ending(told),
        "standings": standings.standings,
        "prizes": prizes,
        "currency": answer.currency,
    }


def _list_ending(told: Sequence[HistoryEntry]) -> Sequence[HistoryEntry]:
    """Return the entries on the end of the tournament that stands; none if the standings were reopened after it."""
    reopened = max((place for place, each in enumerate(told) if each.act.type == "StandingsReopened"), default=-1)
    return [each for each in told[reopened + 1 :] if each.act.type in ENDING]


DAY_PAPERS: Mapping[str, Paper] = {
    "startlist": Paper(N_("Start list"), N_("The players by rating, with club and category."), _players),
    "attendance": Paper(N_("Attendance list"), N_("The players by name, to tick or sign at the desk."), _attendance),
    "checkin": Paper(
        N_("Check-in poster"), N_("For the wall: its code opens the check-in on a player’s phone."), _check_in
    ),
    "tablecards": Paper(
        N_("Table cards"),
        N_("One card per table. Its code opens the player’s own table on a phone."),
        _table_cards,
        False,
        "cut",
    ),
    "receipts": Paper(N_("Prize receipts"), N_("One receipt per prize, to sign."), _receipts, False, "cut", True),
    "certificates": Paper(
        N_("Certificates"),
        N_("One sheet per player: rank and prizes. Its code opens the seal of the result."),
        _certificates,
        False,
        "upright",
        True,
    ),
    "minutes": Paper(
        N_("Minutes of the tournament"),
        N_("For the federation: officials, rounds, incidents, results, standings and prizes."),
        _minutes,
        False,
        "upright",
        True,
    ),
}
"""Papers of the day by the last part of the address."""

TABLE_PAPERS: Mapping[str, Paper] = {**PAPERS, **DAY_PAPERS}
"""All papers of a tournament of tables."""
