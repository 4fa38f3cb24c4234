"""Page of players: registration by list or by hand, check-in, withdrawal, moves."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.director.commands import command_of
from faristol.gateway.consoles.director.page import STEPS, DirectorPage, DirectorPageDep
from faristol.gateway.consoles.forms import Given
from faristol.gateway.http.forms import Fields, Lists, file_of
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.service import UNAVAILABLE_CODES
from faristol.kernel.details import DETAILS, Detail, read_details
from faristol.kernel.divisions import list_other_divisions
from faristol.kernel.errors import Invalid
from faristol.kernel.names import name_key
from faristol.kernel.pairings import seats_of
from faristol.kernel.refusal import N_, Param
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import register_pb2
from faristol.text import say, translations
from faristol.typed_input.encodings import ENCODINGS
from faristol.typed_input.known_players import REGISTER_FIELDS, describe_taken, take_from_register
from faristol.typed_input.lists import LineError, decode_list, lines_of
from faristol.typed_input.player_list import (
    REGISTRATION_BATCH_PLAYERS,
    Answers,
    Comma,
    ListedPlayer,
    PlayerList,
    Reading,
    Zero,
    column_line,
    list_columns,
    players_pasted,
    reorder_name,
)
from faristol.typed_input.resembling import Resemblances, similar_player
from faristol.typed_input.team_list import without_teams

PAGE = "players"
MAX_REGISTERED_PLAYERS = 10_000_000

MAX_PLAYERS_WITH_FORMS = 200
"""Number of players up to which each has its forms on the page; beyond, only the requested one has."""


WHY: Mapping[str, str] = {
    "ALREADY_EXISTS": N_("is already registered"),
    "NAME_TAKEN": N_("a player of this name is registered: add a club or an id to each"),
    "LICENCE_MISSING": N_("has no valid licence in the register: register the player by the form, with a reason"),
    "LICENCE_EXPIRED": N_("has an expired licence: register the player by the form, with a reason"),
}
OTHERWISE = N_("was not registered ({reason})")
EMPTY = N_("There is no player in the list.")
RESEMBLES = N_("The registered player {name} has a similar name. Is this a different person?")
SAY_OTHERS = N_("Confirm that the marked players are different people, or remove their lines.")
IS_KNOWN = N_("{name} is registered already, under the same name")
RESEMBLES_PLAYER = N_("similar to the registered player {name}")
RESEMBLES_ROW = N_("similar to {name} in line {line} of this list")
READ_AS = N_("Read as {encoding}.")
GUESSED = N_("Read as {encoding}, which is a guess. Check that all letters are right, or choose another encoding.")

MAX_LINE_DIGITS = 6
"""Limit in digits of the number of a line."""

MAX_LINES_TO_MEND = 100
"""Number of invalid lines that can be changed in place; further ones are shown as they are."""

MAX_LINE_CHARACTERS = 500
"""Length of a line that can be changed in place."""

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/console/players")
async def show_players(
    console: DirectorPageDep,
    registered: Annotated[int, Query(ge=0, le=MAX_REGISTERED_PLAYERS)] = 0,
    taken: Annotated[list[str] | None, Query(max_length=len(REGISTER_FIELDS))] = None,
) -> Response:
    """Show the players with their forms; after a list, with the number of ``registered`` players.

    ``taken`` names the fields of a registration that the register filled. The list shows their values.
    """
    if taken:
        told = [name for name in taken if name in REGISTER_FIELDS]
        return await _show(console, further=describe_taken(dict.fromkeys(told, ""), console.language))
    return await _show(console, format_registered_count(registered, console.language) if registered else "")


@routes.post("/tournaments/{tournament_id}/console/players")
async def change_players(console: DirectorPageDep, given: Fields) -> Response:
    """Send a command on a player.

    A new name with a comma needs an answer first, as in a list. So does one that is similar to another player's.
    """
    entered = given.get("act") == "RegisterPlayer"
    if entered and (turned := reorder_name(given.get("name", "").strip())):
        if given.get("comma") not in tuple(Comma):
            console.typed, console.errors = given, {"comma": given["name"].strip()}
            return await _show(console)
        if given["comma"] == Comma.NAME:
            given = {**given, "name": turned}
    name = given.get("name", "")
    amended = given.get("act") == "AmendPlayer" and name.strip() != given.get("name.before", "").strip()
    if (entered or amended) and given.get("others") != "yes":
        own = given.get("player_id", "") if amended else ""
        if other := similar_player(console.tournament.players, name, own):
            console.typed, console.errors = given, {"others": say(RESEMBLES, {"name": other}, console.language)}
            return await _show(console)
    page = f"{console.address}/players"
    taken = await _take_from_register(console, given) if entered and given.get("federation_id", "").strip() else {}
    filled = {**given, **{field: str(value) for field, value in taken.items()}}
    sent = await console.carry_out(filled, page)
    if sent is not None and (told := [field for field in taken if field in REGISTER_FIELDS]):
        return redirect_to(f"{sent.headers['location']}&{urlencode([('taken', field) for field in told])}")
    return sent or await _show(console)


async def _take_from_register(console: DirectorPage, given: Given) -> dict[str, str | int]:
    """Return the empty fields of a registration that the register can fill, and the id of its person.

    The person has the number at the federation and the name of the form. A wrong value of the form yields none: the
    command is refused for it.
    """
    try:
        request: Any = command_of("RegisterPlayer", given, console.tournament_id, console.tournament.time_zone)
    except Invalid:
        return {}
    search = register_pb2.SearchRegisterRequest(tournament_id=console.tournament_id, person_ids=[request.federation_id])
    # Without the register the player is registered as typed.
    found = await answer_or(console.calls.ask(search), register_pb2.SearchRegisterResponse(), *UNAVAILABLE_CODES)
    taken = take_from_register(request, found.persons)
    return {**taken, "player_id": request.player_id} if request.player_id else {}


@routes.get("/tournaments/{tournament_id}/console/players/list")
@routes.get("/tournaments/{tournament_id}/console/start/players")
async def show_list(console: DirectorPageDep) -> Response:
    """Show the form for a player list."""
    return await show_player_list(console, "")


@routes.post("/tournaments/{tournament_id}/console/players/list")
@routes.post("/tournaments/{tournament_id}/console/start/players")
async def take_list(console: DirectorPageDep, given: Lists) -> Response:
    """Preview a list with its errors and questions. On ``register``, register valid lines if no question is open."""
    text = mend_lines(given)
    try:
        command_id = uuid.UUID(given.get("command_id", ""))
    except ValueError:
        command_id = uuid.uuid4()
    answers = _answers(given)
    reading = Reading(console.tournament_id, console.tournament.divisions, console.language, answers)
    listed = await asyncio.to_thread(players_pasted, text, reading)
    rows = listed.rows
    of_teams = [] if listed.whole else await _list_errors_of_teams(console, rows)
    wrong, whole = [*listed.errors, *of_teams], listed.whole or bool(of_teams)
    marks = await asyncio.to_thread(_find_warnings, rows, console.tournament.players)
    asked = _list_open_questions(listed, answers)
    if not rows and not wrong:
        console.errors = {"text": say(EMPTY, {}, console.language)}
    resembling = sum(bool(mark.resembles) for mark in marks.values())
    unsure = resembling and given.get("others") != "yes"
    if given.get("act") == "register" and unsure and not asked:
        console.errors = {"others": say(SAY_OTHERS, {}, console.language)}
    if given.get("act") != "register" or whole or asked or unsure or not rows:
        return await show_player_list(
            console,
            text,
            () if whole else rows,
            wrong,
            whole=whole,
            listed=listed,
            asked=asked,
            marks=marks,
            resembling=resembling,
            answers=answers,
            encoding=given.get("encoding", ""),
            command_id=command_id,
        )
    registered = await register(console, rows, {"text": text}, command_id)
    if registered is None:
        return await show_player_list(console, text)
    if not registered.refused and not wrong:
        return redirect_to(f"{console.after_list}?done={registered.position}&registered={len(rows)}")
    refusals = [(error.text or str(error.line), error.problem) for error in wrong]
    return await show_player_list(
        console,
        "\n".join(_lines_left(text, [row.line for row, _ in registered.refused], wrong)),
        left=[*registered.list_refusals(console.language), *refusals],
        said=format_registered_count(len(rows) - len(registered.refused), console.language),
    )


async def _list_errors_of_teams(console: DirectorPage, rows: Sequence[ListedPlayer]) -> list[LineError]:
    """Return an error for each tournament without teams that lines with a team are of."""
    tournaments = {console.tournament_id: console.tournament}
    for other in {row.request.tournament_id for row in rows} - {console.tournament_id}:
        tournaments[other] = await console.calls.ask(pairing.GetTournamentRequest(tournament_id=other))
    return list(without_teams(rows, tournaments, console.language))


def mend_lines(given: Given) -> str:
    """Return the text of a list with the lines that the director has changed in place, each in ``line.NUMBER``.

    An emptied line is left out of the list, but keeps its number.
    """
    text = given.get("text", "")
    mended = {key.removeprefix("line."): value for key, value in given.items() if key.startswith("line.")}
    if not mended:
        return text
    lines = lines_of(text)
    for number, value in mended.items():
        if number.isdecimal() and len(number) <= MAX_LINE_DIGITS and 0 < int(number) <= len(lines):
            lines[int(number) - 1] = " ".join(value.splitlines()).strip()
    return "\n".join(lines)


async def show_player_list(
    console: DirectorPage, text: str, rows: Sequence[ListedPlayer] = (), wrong: Sequence[LineError] = (), **values: Any
) -> Response:
    """Render the form for a list, after a preview with its ``rows`` or its errors ``wrong``."""
    lines = lines_of(text) if wrong else ()
    return await console.show(
        "director/player_list.html",
        PAGE,
        text=text,
        rows=rows,
        shown=_list_given_details(rows),
        columns=list_columns(console.language),
        wrong=wrong,
        to_mend={error.line: _text_to_mend(lines, error.line) for error in wrong[:MAX_LINES_TO_MEND]},
        encodings=ENCODINGS,
        step=console.list_step,
        steps=STEPS,
        **values,
    )


def _text_to_mend(lines: Sequence[str], number: int) -> str:
    """Return a line to be changed in place; empty if its row continues in the next line, inside quotes."""
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    return "" if line.count('"') % 2 or len(line) > MAX_LINE_CHARACTERS else line


def _list_given_details(rows: Sequence[ListedPlayer]) -> list[Detail]:
    """Return the details besides the name that a row of a list has."""
    given = {name for row in rows for name in read_details(row.request)}
    return [detail for name, detail in DETAILS.items() if name in given and name != "name"]


@dataclass(frozen=True, slots=True)
class RegistrationResult:
    """Result of registering a list."""

    position: int
    """Position of the last registration."""
    refused: Sequence[tuple[ListedPlayer, pairing.Registration]]

    def list_refusals(self, language: str) -> list[tuple[str, str]]:
        """Return the name and reason for each player who was not registered."""
        return [
            (row.request.name, say(WHY.get(found.reason, OTHERWISE), {"reason": found.reason}, language))
            for row, found in self.refused
        ]


async def register(
    console: DirectorPageDep, rows: Sequence[ListedPlayer], given: Given, command_id: uuid.UUID
) -> RegistrationResult | None:
    """Register all rows of a form. A form that is sent twice registers each player once.

    Returns None if the command itself was refused; the refusal is stored for the page.
    """
    position = 0
    refused: list[tuple[ListedPlayer, pairing.Registration]] = []
    for place, (tournament_id, of_it) in enumerate(groupby(rows, key=lambda row: row.request.tournament_id)):
        listed = list(of_it)
        for start in range(0, len(listed), REGISTRATION_BATCH_PLAYERS):
            together = listed[start : start + REGISTRATION_BATCH_PLAYERS]
            for row in together:
                row.request.command_id = str(uuid.uuid5(command_id, f"line {row.line}"))
            request = pairing.RegisterPlayersRequest(
                command_id=str(uuid.uuid5(command_id, f"{place} {start}")),
                tournament_id=tournament_id,
                players=[row.request for row in together],
            )
            answer = await console.ask(request, given)
            if answer is None:
                return None
            position = max(position, answer.position)
            refused += [
                (row, found) for row, found in zip(together, answer.registrations, strict=True) if not found.player_id
            ]
    return RegistrationResult(position, refused)


def _lines_left(text: str, refused: Sequence[int], wrong: Sequence[LineError]) -> list[str]:
    """Return the headings and the lines that registered no player."""
    numbers = sorted({*refused, *(error.line for error in wrong)})
    lines = lines_of(text)
    return [*lines[: column_line(text)], *(lines[number - 1] for number in numbers if 0 < number <= len(lines))]


@dataclass(frozen=True, slots=True)
class RowWarnings:
    """Warnings about a row before registration."""

    known: str = ""
    """Registered player of this name, with the club."""
    resembles: str = ""
    """Similar name of a registered player, with the club, or of an earlier row."""
    line: int = 0
    """Line of that row; 0 for a registered player."""

    def describe(self, language: str) -> str:
        """Return why the row is marked; empty if it is not."""
        text = IS_KNOWN if self.known else RESEMBLES_ROW if self.line else RESEMBLES_PLAYER
        params: Mapping[str, Param] = {"name": self.known or self.resembles, "line": self.line}
        return say(text, params, language) if self.known or self.resembles else ""


def _find_warnings(rows: Sequence[ListedPlayer], registered: Sequence[pairing.Player]) -> Mapping[int, RowWarnings]:
    """Return the warnings about rows by line."""
    shown = {player.name: f"{player.name} ({player.club})" if player.club else player.name for player in registered}
    known = {name_key(name): label for name, label in shown.items()}
    resemblances, lines = Resemblances(shown), dict[str, int]()
    marks = {}
    for row in rows:
        name = row.request.name
        similar = "" if row.request.player_id else resemblances.of(name)
        marks[row.line] = RowWarnings(known.get(name_key(name), ""), shown.get(similar, similar), lines.get(similar, 0))
        resemblances.add(name)
        if name not in shown:
            lines.setdefault(name, row.line)
    return marks


def _answers(given: Given) -> Answers:
    """Return the user's answers about an ambiguous list."""
    zero, comma = given.get("zero", ""), given.get("comma", "")
    return Answers(
        Zero(zero) if zero in tuple(Zero) else None,
        Comma(comma) if comma in tuple(Comma) else None,
    )


def _list_open_questions(listed: PlayerList, answers: Answers) -> tuple[str, ...]:
    """Return the fields of the open questions about a list, to be answered before registration."""
    zero = ("zero",) if listed.asks_zero and answers.zero is None else ()
    comma = ("comma",) if listed.asks_comma and answers.comma is None else ()
    return (*zero, *comma)


@routes.post("/tournaments/{tournament_id}/console/players/list/text")
async def read_file(console: DirectorPageDep, encoding: Annotated[str, Query(max_length=20)] = "") -> Response:
    """Decode a file, sent as the body; answer with its text and its encoding."""
    return await decode_file(console.request, encoding, console.language)


async def decode_file(request: Request, encoding: str, language: str) -> Response:
    """Answer with the text and the encoding of a file in the body of a request, or with the problem."""
    try:
        decoded = await asyncio.to_thread(decode_list, await file_of(request), encoding)
    except HTTPException as problem:
        return _answer({"problem": str(problem.detail)}, problem.status_code)
    except ValueError as problem:
        text, params = problem.args
        return _answer({"problem": say(text, params, language)}, HTTPStatus.BAD_REQUEST)
    notice = say(GUESSED if decoded.guessed else READ_AS, {"encoding": decoded.encoding}, language)
    return _answer({"text": decoded.text, "encoding": notice})


def _answer(content: Mapping[str, str], status: int = HTTPStatus.OK) -> Response:
    """Return a JSON answer for one director, which no cache stores."""
    return JSONResponse(content, status, {"Cache-Control": "no-store, private"})


def format_registered_count(number: int, language: str) -> str:
    """Return the number of registered players, as a sentence."""
    read = translations(language)
    return read.ngettext("%(num)s player registered", "%(num)s players registered", number) % {"num": number} + "."


def _playing(tournament: pairing.GetTournamentResponse) -> frozenset[str]:
    """Return the ids of players in an unfinished game of the current round."""
    last = tournament.played[-1] if tournament.played else None
    if last is None or last.phase != pairing.ROUND_PHASE_STARTED:
        return frozenset()
    running = (seat for seat in last.pairings if seat.game_id not in last.finished_game_ids)
    return frozenset(player_id for seat in running for player_id in seats_of(seat))


def waiting_for_check_in(tournament: pairing.GetTournamentResponse) -> set[str]:
    """Return the players to check in: not checked in, not withdrawn and in no round since the check-in was opened."""
    waiting = {
        player.player_id: player
        for player in tournament.players
        if not player.checked_in and not player.withdrawn_round
    }
    for round_ in tournament.played[max(0, tournament.check_in_round - 1) :]:
        seated = {player_id for table in round_.pairings for player_id in seats_of(table)}
        seated |= {round_.bye_player_id} - {""}
        if not seated:  # a duplicate game
            resting = {each.player_id for each in round_.requested_byes}
            here = {player_id for player_id, player in waiting.items() if player.entered_round <= round_.round}
            seated = here - resting
        for player_id in seated:
            waiting.pop(player_id, None)
    return set(waiting)


async def _show(console: DirectorPageDep, said: str = "", *, further: str = "") -> Response:
    wanted = console.request.query_params.get("q", "")
    round_to_come = len(console.tournament.played) + 1
    request = pairing.ListMissingLicencesRequest(tournament_id=console.tournament_id)
    licences = await console.calls.ask(request)
    return await console.show(
        "director/players.html",
        PAGE,
        licences=licences,
        players=console.players_by_name,
        said=said,
        further=further,
        many=len(console.tournament.players) > MAX_PLAYERS_WITH_FORMS,
        opened=console.request.query_params.get("player", ""),
        wanted=wanted[:100],
        playing=_playing(console.tournament),
        to_check_in=waiting_for_check_in(console.tournament),
        round_to_come=round_to_come if round_to_come <= console.tournament.rounds else 0,
        divisions=list_other_divisions(console.tournament.divisions, console.tournament_id),
    )
