"""Takeover of a finished or running tournament of another program: its file, what is doubtful, and the import.

The page carries the text of the file and the changes so far from form to form, and registers no player before the last
one. A change is a line such as ``3/12/score=401``, as on the command line. The commands of the import have ids that
derive from that of the form: the form can be sent again after a failure, and goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from faristol.client.problems import every_reason
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import SentForm, form_id
from faristol.gateway.consoles.director.players import EMPTY
from faristol.gateway.consoles.frame import Console, ConsoleDep, Typed, require
from faristol.gateway.consoles.navigation import may_direct
from faristol.gateway.http.errors import STATUSES
from faristol.gateway.http.forms import Lists, file_of
from faristol.gateway.rpc.results import Moment, Results
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Param
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.other_programs.imported_rounds import (
    build_registrations,
    build_rounds,
    compare_standings,
    find_bye_spread,
    list_withdrawn,
)
from faristol.presentation.page_addresses import tournament_path
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.championship import SYSTEMS_BY_RESULTS
from faristol.rules.ruleset.file import ruleset_names
from faristol.rules.tournament_files import Doubt, FileDivision, RoundKind, TournamentFile, UnreadableFile, find_doubts
from faristol.rules.tournament_files.files import ReadFile, read_text, to_text
from faristol.rules.tournament_files.form import WITHOUT_OPPONENT
from faristol.rules.tournament_files.mending import mend
from faristol.text import say
from faristol.typed_input.player_list import REGISTRATION_BATCH_PLAYERS

PAGE = "/new/import"

MAX_MENDED_DOUBTS_COUNT = 100
"""Most doubts that can be mended in place; further ones follow when these are settled."""

MAX_PREVIEW_ROWS = 500
"""Most players of the preview."""

FILE_READ = N_("The file is read: check it below.")
DOUBTS_LEFT = N_("Confirm that the marked places are right, or change them.")
ERRORS_LEFT = N_("Change the places marked as errors first.")
ROUNDS_EXPECTED = N_("expected a whole number, at least that of the paired rounds: {least}")

MEND_PREFIX = "mend."
BEFORE_SUFFIX = ".before"

CHANGE_ORDER: Mapping[str, int] = {"kind": 0, "opponent": 1}
"""Order of changes by their field; the others follow."""

routes = APIRouter(include_in_schema=False, dependencies=[require(pairing.CreateTournamentRequest)])


class MendField(NamedTuple):
    """A value that can be changed in place."""

    name: str
    """Name in the form: ``mend.`` and the place of a change."""
    label: str
    """English text, marked with ``N_``."""
    value: str
    choices: tuple[tuple[str, str], ...] = ()
    """Values with their English labels, of a select box; empty for a text."""


KIND_CHOICES = (
    ("", N_("a game")),
    (RoundKind.BYE.value, N_("a bye with the points of a win")),
    (RoundKind.HALF_BYE.value, N_("a bye of half a point")),
    (RoundKind.ABSENCE.value, N_("no game and no points")),
)


class DoubtRow(NamedTuple):
    """A doubt with the values that can be changed for it."""

    doubt: Doubt
    text: str
    fields: Sequence[MendField]


@dataclass
class Takeover:
    """The form: the file as read, with its changes."""

    typed: Typed
    errors: dict[str, str] = field(default_factory=dict)
    refused: str = ""
    read: ReadFile | None = None
    divisions: Sequence[str] = ()
    """Names of the divisions, if there are several."""
    tournament: TournamentFile | None = None
    """With one division, after the changes."""
    rows: Sequence[DoubtRow] = ()
    differences: Sequence[tuple[str, float, int, float, int]] = ()
    """Name, points and spread in the file, points and spread here, of players whose standings differ."""
    created: str = ""
    """Id of the new tournament."""

    @property
    def division(self) -> FileDivision:
        """The division to take over."""
        assert self.tournament is not None
        return self.tournament.divisions[0]

    @property
    def error_count(self) -> int:
        """Number of places that must be changed."""
        return sum(row.doubt.is_error for row in self.rows)


@routes.get(PAGE)
async def show_import(console: ConsoleDep) -> Response:
    """Show the form that imports the file of a tournament."""
    return _show(console, Takeover(Typed()))


@routes.post(f"{PAGE}/text")
async def read_tournament_file(console: ConsoleDep, encoding: Annotated[str, Query(max_length=20)] = "") -> Response:
    """Answer the text of a file, the body, which may be an archive of a folder."""
    headers = {"Cache-Control": "no-store, private"}
    try:
        text = await asyncio.to_thread(to_text, await file_of(console.request))
    except HTTPException as problem:
        return JSONResponse({"problem": str(problem.detail)}, problem.status_code, headers)
    except UnreadableFile as problem:
        said = say(problem.problem, problem.params, console.language)
        return JSONResponse({"problem": said}, HTTPStatus.BAD_REQUEST, headers)
    return JSONResponse({"text": text, "encoding": say(FILE_READ, {}, console.language)}, headers=headers)


@routes.post(PAGE)
async def check_or_import(console: ConsoleDep, given: Lists) -> Response:
    """Read the text with its changes and show it, or take the tournament over if ``act`` is ``import``."""
    command_id = form_id(given)
    takeover = await asyncio.to_thread(_read, Typed(given), console.language)
    if takeover.tournament is None or takeover.typed["act"] != "import":
        return _show(console, takeover)
    if takeover.error_count:
        takeover.errors["accept"] = say(ERRORS_LEFT, {}, console.language)
    elif (takeover.rows or (takeover.read and takeover.read.assumed)) and takeover.typed["accept"] != "yes":
        takeover.errors["accept"] = say(DOUBTS_LEFT, {}, console.language)
    rounds = _read_rounds(takeover, console.language)
    if not (takeover.typed["name"].strip() or takeover.tournament.name):
        takeover.errors["name"] = say(N_("The file has no name of the tournament: type one."), {}, console.language)
    if takeover.errors:
        return _show(console, takeover)
    try:
        position = await _import(console, takeover, rounds, command_id)
    except grpc.aio.AioRpcError as error:
        if STATUSES.get(error.code(), HTTPStatus.BAD_GATEWAY) >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        takeover.refused = every_reason(error, console.language)
        return _show(console, takeover)
    if takeover.differences:
        return _show(console, takeover)
    if not may_direct(console.session):  # the federation appoints a director next
        return redirect_to(tournament_path(takeover.created, "access"))
    return redirect_to(f"{tournament_path(takeover.created, 'console')}?done={position}")


def _read(typed: Typed, language: str) -> Takeover:
    """Read the text of a form with the changes so far and the new ones."""
    takeover = Takeover(typed)
    if not typed["text"].strip():
        return takeover
    try:
        takeover.read = read_text(typed["text"])
    except UnreadableFile as problem:
        said = say(problem.problem, problem.params, language)
        params: dict[str, Param] = {"file": problem.file, "line": problem.line, "problem": said}
        text = N_("{file}, line {line}: {problem}") if problem.line else N_("{file}: {problem}")
        takeover.errors["text"] = say(text, params, language)
        return takeover
    found = takeover.read.tournament
    if not any(each.players for each in found.divisions):
        takeover.errors["text"] = say(EMPTY, {}, language)
        return takeover
    names = [each.name for each in found.divisions]
    takeover.divisions = names if len(names) > 1 else ()
    chosen = typed["division"] if typed["division"] in names else names[0] if names else ""
    typed["division"] = chosen
    one = replace(found, divisions=tuple(each for each in found.divisions if each.name == chosen)[:1])
    is_same = typed["of_division"] in ("", chosen)
    earlier, new = (typed["mends"].splitlines(), _list_new_changes(typed)) if is_same else ([], [])
    typed["of_division"] = chosen
    for changes in ([*earlier, *new], earlier, []):  # a malformed change is told, and the others stay
        try:
            takeover.tournament = mend(one, changes)
        except Invalid as problem:
            takeover.errors.setdefault("mends", say(problem.problem, problem.params, language))
        else:
            typed["mends"] = "\n".join(changes)
            break
    assert takeover.tournament is not None, "a file without changes can be read"
    takeover.rows = [
        DoubtRow(doubt, say(doubt.message, doubt.params, language), _list_fields(takeover.division, doubt))
        for doubt in find_doubts(takeover.tournament)[:MAX_MENDED_DOUBTS_COUNT]
    ]
    return takeover


def _list_new_changes(typed: Typed) -> list[str]:
    """Return the changes that were typed in place, those of kinds first: an opponent makes a game of a bye."""
    changed = {
        name.removeprefix(MEND_PREFIX): value.strip()
        for name, value in typed.items()
        if name.startswith(MEND_PREFIX)
        and not name.endswith(BEFORE_SUFFIX)
        and value.strip()
        and value.strip() != typed[f"{name}{BEFORE_SUFFIX}"]
    }
    ordered = sorted(changed, key=lambda place: CHANGE_ORDER.get(place.rpartition("/")[2], len(CHANGE_ORDER)))
    return [f"{place}={changed[place]}" for place in ordered]


def _list_fields(division: FileDivision, doubt: Doubt) -> list[MendField]:
    """Return the values that can be changed for a doubt."""
    if not doubt.player:
        return []
    player = division.players[doubt.player - 1]
    if not doubt.round:
        return [MendField(f"{MEND_PREFIX}{doubt.player}/name", N_("Name"), player.name)]
    cell, place = player.round(doubt.round), f"{MEND_PREFIX}{doubt.round}/{doubt.player}"
    is_bye = cell.kind in WITHOUT_OPPONENT
    kind = cell.kind.value if is_bye else ""
    score = MendField(f"{place}/score", N_("Score"), "" if cell.score is None else str(cell.score))
    return [
        *([] if is_bye else [score]),
        MendField(f"{place}/opponent", N_("Number of the opponent"), str(cell.opponent or "")),
        MendField(f"{place}/kind", N_("Instead of a game"), kind, KIND_CHOICES),
    ]


def _read_rounds(takeover: Takeover, language: str) -> int:
    """Return the number of rounds of the form; an error is noted."""
    assert takeover.tournament is not None
    least = max(takeover.division.rounds, 1)
    text = takeover.typed["rounds"].strip() or str(max(takeover.tournament.rounds, least))
    if not text.isdecimal() or len(text) > 3 or int(text) < least:
        takeover.errors["rounds"] = say(ROUNDS_EXPECTED, {"least": least}, language)
        return 0
    return int(text)


@cache
def list_books() -> Sequence[tuple[str, str]]:
    """Return the rule sets under which a tournament can go on, with their titles."""
    return [
        (name, rules.title)
        for name in ruleset_names()
        if (rules := load_ruleset(name)).game.mode == "classic" and choose_options(rules) is not None
    ]


def choose_options(ruleset: Ruleset, bye_spread: int = 0) -> Mapping[str, str] | None:
    """Return the options under which a tournament can go on; None if the rules have no such system."""
    chosen: dict[str, str] = {}
    if ruleset.championship.system not in SYSTEMS_BY_RESULTS:
        systems = [
            (option.name, choice)
            for option in ruleset.options
            if "championship.system" in option.keys
            for choice, values in option.choices.items()
            if values.get("championship.system") in SYSTEMS_BY_RESULTS
        ]
        if not systems:
            return None
        chosen = dict(systems[:1])
    if bye_spread and any(option.name == "bye_spread" for option in ruleset.options):
        chosen["bye_spread"] = str(bye_spread)
    return chosen


async def _import(console: Console, takeover: Takeover, rounds: int, command_id: uuid.UUID) -> int:
    """Create the tournament with its players and rounds; return the position of the last event.

    Raises ``grpc.aio.AioRpcError``.
    """
    typed, division, tournament = takeover.typed, takeover.division, takeover.tournament
    assert tournament is not None

    def derive_id(step: str) -> str:
        return str(uuid.uuid5(command_id, step))

    name = typed["ruleset"] if typed["ruleset"] in dict(list_books()) else list_books()[0][0]
    options = choose_options(load_ruleset(name), find_bye_spread(division)) or {}
    created = await console.calls.ask(
        pairing.CreateTournamentRequest(
            command_id=derive_id("create"),
            tournament_id=typed["tournament_id"].strip(),
            name=typed["name"].strip() or tournament.name,
            rounds=rounds,
            ruleset=name,
            without_lexicon=True,
            keeping=game.KEEPING_RECORDED,
            options=[game.ChosenOption(name=key, value=value) for key, value in options.items()],
        )
    )
    tournament_id = takeover.created = str(created.tournament_id)
    player_ids = await _register(console, tournament_id, division, derive_id)
    position = int(created.position)
    if imported := build_rounds(division, player_ids):
        request = pairing.ImportRoundsRequest(
            command_id=derive_id("rounds"), tournament_id=tournament_id, rounds=imported, program=tournament.program
        )
        position = int((await console.calls.ask(request)).position)
    if division.complete_rounds:
        results = Results(console.request.app.state.results, console.language)
        standings = await results.standings(tournament_id, division.complete_rounds, Moment(position))
        takeover.differences = [
            (name, half_points / 2, spread, half_here / 2, spread_here)
            for name, half_points, spread, half_here, spread_here in compare_standings(division, player_ids, standings)
        ]
    for player_id in list_withdrawn(division, player_ids):
        step = f"left {player_ids.index(player_id)}"
        left = pairing.WithdrawPlayerRequest(
            command_id=derive_id(step), tournament_id=tournament_id, player_id=player_id
        )
        position = int((await console.calls.ask(left)).position)
    return position


async def _register(console: Console, tournament_id: str, division: FileDivision, derive_id: Any) -> list[str]:
    """Register the players in the order of their numbers; return their ids. Raises ``grpc.aio.AioRpcError``."""
    requests = build_registrations(division, tournament_id)
    ids: list[str] = []
    for start in range(0, len(requests), REGISTRATION_BATCH_PLAYERS):
        together = requests[start : start + REGISTRATION_BATCH_PLAYERS]
        asked = pairing.RegisterPlayersRequest(
            command_id=derive_id(f"players {start}"), tournament_id=tournament_id, players=together
        )
        answer = await console.calls.ask(asked)
        for place, registered in enumerate(answer.registrations):
            if registered.player_id:
                ids.append(registered.player_id)
                continue
            together[place].command_id = derive_id(f"player {start + place}")  # its refusal has a text
            ids.append((await console.calls.ask(together[place])).player_id)
    return ids


def _show(console: Console, takeover: Takeover) -> Response:
    typed = takeover.typed
    return console.form_page(
        "director/import.html",
        None,
        SentForm(typed, None, takeover.errors, takeover.refused),
        console_name="new",
        takeover=takeover,
        form_id=typed["command_id"] or str(uuid.uuid4()),
        books=list_books(),
        division_choices=[(name, name) for name in takeover.divisions],
        most_rows=MAX_PREVIEW_ROWS,
        standings=takeover.division.rank(takeover.division.complete_rounds) if takeover.tournament else (),
    )
