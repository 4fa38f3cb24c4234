"""Kinds of printed matter, with their templates and data."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.pages.hall_links import address_of_hall
from faristol.gateway.pages.qr import qr
from faristol.gateway.pages.spectators.seats import list_absent
from faristol.gateway.print.form import Lie, Size
from faristol.gateway.print.order import stack_pages
from faristol.gateway.rpc.calls import Calls
from faristol.gateway.rpc.concurrency import ask_each
from faristol.gateway.rpc.results import Results
from faristol.kernel.names import name_order
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import game_view as table
from faristol.presentation.outcome import outcome
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import known_rules
from faristol.text import LANGUAGES, SOURCE

SLIPS_PER_PAGE: Mapping[Size, int] = {"A4": 4, "A5": 2}
"""Slips on a page."""

CARDS: Mapping[Size, int] = {"A4": 8, "A5": 4}
"""Name cards on a page."""

BLANK_LINES: Mapping[Size, int] = {"A4": 22, "A5": 16}
"""Lines of an empty scoresheet."""

WIDE_FROM = {"A4": 7, "A5": 4}
"""Number of rounds from which a crosstable is printed in landscape."""


@dataclass(frozen=True, slots=True)
class PaperRequest:
    """Parameters of a paper."""

    results: Results
    """Results service, in the language of the paper."""
    duplicates: Duplicates
    """Duplicate games, in the language of the paper."""
    language: str
    head: pb.GetTournamentResponse
    size: Size
    address: str
    """Public address of the pages for QR codes, without a slash at the end."""
    round: int = 0
    table: int = 0
    """Table to print, or player number of a duplicate game; 0 for all."""
    hall: str = ""
    """Hall to print; empty for all."""
    calls: Calls | None = None
    """Services called by the user, of a private paper."""

    @property
    def id(self) -> str:
        """Id of the tournament."""
        return self.head.tournament.tournament_id

    def address_in(self, hall: str) -> str:
        """Return the address of the pages for devices in a hall: that of its own cell, if it has one."""
        return address_of_hall(self.head.tournament, hall) or self.address


Gather = Callable[[PaperRequest], Awaitable[Mapping[str, Any]]]


class Paper(NamedTuple):
    """Kind of paper."""

    title: str
    """Title, to be translated."""
    about: str
    """Purpose, to be translated."""
    gather: Gather
    """Loads the data for its template."""
    of_round: bool = False
    lie: Lie = "upright"
    private: bool = False
    """Whether only supervisors of the tournament may print it."""


class SeatLine(NamedTuple):
    """Seat in an alphabetical list."""

    name: str
    player_id: str
    table: int
    """Table; 0 for a player without one."""
    hall: str
    others: Sequence[pb.Seat]
    bye: bool = False


class Form(NamedTuple):
    """Scoresheet of a game, as recorded or empty."""

    table: pb.Table
    game: pb.GetGameResponse
    sides: Sequence[table.Side]
    rows: Sequence[Sequence[table.SheetLine | None]]
    outcome: Sequence[str]


def language_of_tournament(head: pb.GetTournamentResponse) -> str:
    """Return the language of a tournament's tiles; English if its rules are not installed."""
    rules = known_rules(head.tournament.ruleset)
    return rules.tile_set.language if rules and rules.tile_set.language in LANGUAGES else SOURCE


def seats_in_order(each: pb.Table) -> list[pb.Seat]:
    """Return the players of a table, the starting player first if known."""
    return sorted(each.seats, key=lambda seat: seat.player_id != each.first_player_id)


def lines(answer: pb.GetPairingsResponse, away: Iterable[pb.Player] = (), language: str = "") -> list[SeatLine]:
    """Return the players in a round, sorted by name for a ``language``, with a table, a bye or neither."""

    def list_lines() -> Iterator[SeatLine]:
        for each in answer.tables:
            for seat in each.seats:
                others = [other for other in each.seats if other.player_id != seat.player_id]
                yield SeatLine(seat.name, seat.player_id, each.table, each.hall, others)
        resting = [answer.bye] if answer.HasField("bye") else []
        for seat in (*resting, *(bye.seat for bye in answer.requested_byes)):
            yield SeatLine(seat.name, seat.player_id, 0, "", (), bye=True)
        for player in away:
            yield SeatLine(player.name, player.player_id, 0, "", ())

    return sorted(list_lines(), key=lambda line: (not line.name, name_order(line.name or line.player_id, language)))


def of_hall(answer: pb.GetPairingsResponse, hall: str) -> pb.GetPairingsResponse:
    """Return the tables of one hall without byes; the whole answer if ``hall`` is empty."""
    if not hall:
        return answer
    found = pb.GetPairingsResponse(round=answer.round, tables=[each for each in answer.tables if each.hall == hall])
    found.position = answer.position
    return found


async def _pairings(wanted: PaperRequest) -> dict[str, Any]:
    answer = of_hall(await wanted.results.pairings(wanted.id, wanted.round), wanted.hall)
    return {"answer": answer, "order": seats_in_order, "signers": _signers(wanted.head), "hall": wanted.hall}


async def _by_name(wanted: PaperRequest) -> dict[str, Any]:
    answer, listed = await asyncio.gather(
        wanted.results.pairings(wanted.id, wanted.round), wanted.results.players(wanted.id)
    )
    away = () if wanted.head.tournament.team_boards else list_absent(answer, listed.players)
    away = () if wanted.hall else away
    answer = of_hall(answer, wanted.hall)
    return {"answer": answer, "hall": wanted.hall, "lines": lines(answer, away, language_of_tournament(wanted.head))}


def by_hall(listed: Sequence[SeatLine]) -> list[tuple[str, list[SeatLine]]]:
    """Return the lines of each hall in the order of tables; one list if there are no halls.

    A player without a table is listed in every hall.
    """
    first = {line.hall: line.table for line in sorted(listed, key=lambda line: -line.table) if line.table}
    halls = sorted(first, key=first.__getitem__) or [""]
    return [(hall, [line for line in listed if not line.table or line.hall == hall]) for hall in halls]


async def _wall(wanted: PaperRequest) -> dict[str, Any]:
    found = await _by_name(wanted)
    return {**found, "halls": by_hall(found["lines"])}


def _signers(head: pb.GetTournamentResponse) -> str:
    rules = known_rules(head.tournament.ruleset)
    return rules.scoresheet.signers if rules else "both"


def _of_table(wanted: PaperRequest, answer: pb.GetPairingsResponse) -> list[pb.Table]:
    return [each for each in answer.tables if wanted.table in (0, each.table)]


async def _slips(wanted: PaperRequest) -> dict[str, Any]:
    answer = of_hall(await wanted.results.pairings(wanted.id, wanted.round), wanted.hall)
    rules = known_rules(wanted.head.tournament.ruleset)
    place = tournament_path(wanted.id, "round", wanted.round, "results")
    return {
        "answer": answer,
        "pages": stack_pages(_of_table(wanted, answer), SLIPS_PER_PAGE[wanted.size]),
        "order": seats_in_order,
        "code": lambda each: qr(f"{wanted.address_in(each.hall)}{place}/{each.table}", at_once=True),
        "signers": _signers(wanted.head),
        "bingos": rules is not None and rules.scoresheet.bingo == "counted",
    }


async def _games(wanted: PaperRequest) -> dict[str, Any]:
    answer = of_hall(await wanted.results.pairings(wanted.id, wanted.round), wanted.hall)
    shown = _of_table(wanted, answer)
    games = await ask_each(wanted.results.game, [each.game_id for each in shown])

    def form(each: pb.Table) -> Form:
        game = games[each.game_id]
        sides = table.sheet(game)
        return Form(each, game, sides, table.rows(sides), list(outcome(game, wanted.language)))

    proof = wanted.address + tournament_path(wanted.id, "proof")
    return {
        "answer": answer,
        "forms": [*map(form, shown)],
        "blank_lines": BLANK_LINES[wanted.size],
        "code": lambda game_id: qr(f"{proof}?game={quote(game_id, safe='')}", at_once=True),
    }


async def _cards(wanted: PaperRequest) -> dict[str, Any]:
    listed = await wanted.results.players(wanted.id)
    known = [player for player in listed.players if not player.withdrawn_round]
    players = sorted(
        known, key=lambda player: name_order(player.name or player.player_id, language_of_tournament(wanted.head))
    )
    teams = {team.team_id: team.name for team in listed.teams}
    return {"answer": listed, "pages": stack_pages(players, CARDS[wanted.size]), "teams": teams}


async def _standings(wanted: PaperRequest) -> dict[str, Any]:
    answer = await wanted.results.standings(wanted.id, wanted.round)
    teams = None
    if wanted.head.tournament.team_boards:
        teams = await wanted.results.team_standings(wanted.id, wanted.round)
    tournament = wanted.head.tournament
    number = wanted.round or answer.round
    is_closed = any(each.round == number and each.HasField("closed_at") for each in tournament.played)
    proof = wanted.address + tournament_path(wanted.id, "proof")
    code = qr(proof if tournament.over and not wanted.round else f"{proof}?round={number}", at_once=True)
    return {"answer": answer, "teams": teams, "as_of": wanted.round, "code": code if is_closed else None}


async def _crosstable(wanted: PaperRequest) -> dict[str, Any]:
    answer = await wanted.results.crosstable(wanted.id, wanted.round)
    return {"answer": answer, "lie": "wide" if answer.rounds >= WIDE_FROM[wanted.size] else "upright"}


PAPERS: Mapping[str, Paper] = {
    "tables": Paper(N_("Pairings by table"), N_("For the wall: the players of each table."), _pairings, True),
    "names": Paper(N_("Pairings by name"), N_("For the wall: the seat of each player."), _by_name, True),
    "wall": Paper(
        N_("Names for the wall"),
        N_("In large type, one sheet per hall: the table of each player."),
        _wall,
        True,
    ),
    "slips": Paper(
        N_("Score slips"),
        N_("One slip per table, to fill in and sign. Its code opens the result form."),
        _slips,
        True,
        "cut",
    ),
    "games": Paper(
        N_("Scoresheets"),
        N_("One sheet per game, ready to sign; to fill in by hand if the game was not scored here."),
        _games,
        True,
    ),
    "results": Paper(N_("Sheet of the round"), N_("All results of a round, to sign."), _pairings, True),
    "cards": Paper(N_("Name cards"), N_("One card per player, to cut out."), _cards, False, "cut"),
    "standings": Paper(N_("Standings"), N_("After a round, or with the results so far."), _standings),
    "crosstable": Paper(N_("Crosstable"), N_("The rounds of all players."), _crosstable),
}
"""Papers by the last part of the address."""
