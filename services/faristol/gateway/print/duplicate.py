"""Printed matter of duplicate games: slips, seats, sheets, standings of one game and of all."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from faristol.duplicate_game.preparation import duplicate_id
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.duplicate_game.answers import build_totals
from faristol.gateway.duplicate_game.names import names_in, names_of
from faristol.gateway.duplicate_game.plays import coordinates_of, main_word
from faristol.gateway.pages.qr import qr
from faristol.gateway.print.contents import PAPERS, Paper, PaperRequest, language_of_tournament
from faristol.gateway.print.day import TABLE_PAPERS
from faristol.gateway.print.form import Size
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.names import name_order
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation import duplicate_labels
from faristol.presentation.page_addresses import duplicate_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games

DUPLICATE_SLIPS_PER_PAGE: Mapping[Size, int] = {"A4": 8, "A5": 4}
"""Slips on a page, all of one player: a page is laid at a seat and cut there."""

USUAL_ROUNDS_COUNT = 24
"""Slips of each player if the rules fix no number of rounds: three pages of A4. A bag lasts about 20 rounds."""


class DuplicateSeat(NamedTuple):
    """Seat of a player in a duplicate game."""

    number: int
    player_id: str
    name: str
    hall: str
    sheet: pb.PlayerSheet


class OwnLine(NamedTuple):
    """Turn of a player's sheet."""

    turn: pb.DuplicateTurn
    slip: events.Slip
    score: events.SlipScore


class OwnSheet(NamedTuple):
    """Sheet of a player for the scored turns."""

    seat: DuplicateSeat
    lines: Sequence[OwnLine]
    total: int


async def _game(wanted: PaperRequest) -> tuple[pb.GetDuplicateResponse, list[DuplicateSeat], dict[str, str]]:
    """Return the game of the round, the seats in its halls, and the names of the tournament's players."""
    names = names_of(await wanted.results.players(wanted.id))
    game = await wanted.duplicates.game(duplicate_id(wanted.id, wanted.round))
    seats = [
        DuplicateSeat(player.number, player.player_id, names.get(player.player_id, ""), sheet.hall.name, player)
        for sheet in await wanted.duplicates.sheets(game)
        for player in sheet.players
    ]
    return game, seats, names


def _of_hall(wanted: PaperRequest, seats: Sequence[DuplicateSeat]) -> list[DuplicateSeat]:
    """Return the seats of the hall to print; all seats if none is named."""
    return [seat for seat in seats if wanted.hall in ("", seat.hall)]


async def _slips(wanted: PaperRequest) -> dict[str, Any]:
    game, seats, _ = await _game(wanted)
    ruleset = ruleset_of(game.ruleset)
    return {
        "game": game,
        "seats": [seat for seat in _of_hall(wanted, seats) if wanted.table in (0, seat.number)],
        "slips": DUPLICATE_SLIPS_PER_PAGE[wanted.size],
        "pages": math.ceil((ruleset.turns.turns or USUAL_ROUNDS_COUNT) / DUPLICATE_SLIPS_PER_PAGE[wanted.size]),
        "boxes": range(15),
        "asks_score": ruleset.slips.score == "asked",
        "codes": {
            hall: qr(wanted.address_in(hall) + duplicate_path(game.game_id, "slip"), at_once=True)
            for hall in {seat.hall for seat in seats}
        },
    }


async def _seating(wanted: PaperRequest) -> dict[str, Any]:
    game, seats, _ = await _game(wanted)
    seats.sort(
        key=lambda seat: (not seat.name, name_order(seat.name or seat.player_id, language_of_tournament(wanted.head)))
    )
    halls = [(hall.name, [seat for seat in seats if seat.hall == hall.name]) for hall in game.halls]
    return {"game": game, "halls": halls}


async def _own_sheets(wanted: PaperRequest) -> dict[str, Any]:
    game, seats, _ = await _game(wanted)
    turns = {turn.turn: turn for turn in game.turns}

    def own(seat: DuplicateSeat) -> OwnSheet:
        scored = zip(seat.sheet.turns, seat.sheet.slips, seat.sheet.scores, strict=True)
        lines = [OwnLine(turns[turn], slip, score) for turn, slip, score in scored]
        return OwnSheet(seat, lines, sum(line.score.points for line in lines))

    found = sorted(_of_hall(wanted, seats), key=lambda seat: seat.number)
    return {
        "game": game,
        "sheets": [own(seat) for seat in found if wanted.table in (0, seat.number)],
        "coordinates": coordinates_of,
        "word": main_word,
        "faults": duplicate_labels.FAULTS,
    }


async def _ranking(wanted: PaperRequest) -> dict[str, Any]:
    game, seats, names = await _game(wanted)
    standings = await wanted.duplicates.standings(game.game_id)
    halls = {seat.player_id: seat.hall for seat in seats}
    named = await names_in(wanted.results, game.game_id, standings, names)
    return {"game": game, "answer": standings, "names": named, "halls": halls}


async def _sum(wanted: PaperRequest) -> dict[str, Any]:
    listed = await wanted.results.players(wanted.id)
    found = await wanted.duplicates.totals(wanted.id)
    categories = sorted({player.category for player in listed.players if player.category})

    def build() -> list[tuple[str, Any]]:
        return [(each, to_json(build_totals(wanted.id, found, listed, each))) for each in ("", *categories)]

    return {"tables": await asyncio.to_thread(build)}


DUPLICATE_PAPERS: Mapping[str, Paper] = {
    "playslips": Paper(
        N_("Slips of the duplicate game"),
        N_("Slips for each player and round, to cut out. The code opens the player’s own page on a phone."),
        _slips,
        True,
        "cut",
    ),
    "seats": Paper(
        N_("Seats by hall"), N_("For the wall: the players of each hall, with their numbers."), _seating, True
    ),
    "playsheets": Paper(
        N_("Sheets by player"),
        N_("The slips of all players in each scored round, with their points."),
        _own_sheets,
        True,
    ),
    "ranking": Paper(N_("Standings of the game"), N_("After the scored rounds."), _ranking, True),
    "sum": Paper(N_("Total of all games"), N_("The standings of all games, and of each category."), _sum),
    "cards": PAPERS["cards"],
}
"""Papers of a tournament of duplicate games, by the last part of the address."""

ALL_PAPERS: Mapping[str, Paper] = {**TABLE_PAPERS, **DUPLICATE_PAPERS}
"""All papers."""


def papers_of(tournament: results_pb.Tournament) -> Mapping[str, Paper]:
    """Return the papers of a tournament by its mode."""
    return DUPLICATE_PAPERS if is_of_duplicate_games(tournament) else TABLE_PAPERS
