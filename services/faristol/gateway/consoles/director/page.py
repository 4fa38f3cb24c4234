"""Page of the director's console: its tournament, its user, and the commands of its forms."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.client.problems import every_reason, info_of, reason_of
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import SentForm, form_id, hide_errors
from faristol.gateway.consoles.director.commands import OPTION, command_of
from faristol.gateway.consoles.director.option_names import say_refused_option
from faristol.gateway.consoles.forms import Given
from faristol.gateway.consoles.frame import Console, ConsoleDep, Done, TournamentId, Typed
from faristol.gateway.consoles.navigation import HELP_PAGES_OF_PARTS, may
from faristol.gateway.http.errors import STATUSES
from faristol.gateway.http.forms import fields, with_list
from faristol.gateway.pages.render import Part
from faristol.gateway.rpc.calls import NAMED, list_acts
from faristol.gateway.rpc.results import Moment, OwnReader, Results
from faristol.kernel.errors import Invalid
from faristol.kernel.names import NAMED_PERSON, name_order, slug
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation.history import HistoryEntry, describe_done, describe_history
from faristol.presentation.names import Roster, fold_name
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games, known_rules
from faristol.rules import Ruleset
from faristol.text import say
from faristol.typed_input.fields import AmbiguousTime
from faristol.typed_input.results.doubts import as_labelled

CHANGED = "CHANGED_MEANWHILE"
RECENT_EVENT_COUNT = 60
"""Number of recent events that are searched for the one of a form."""

SAID = N_("Done.")

OFFICIALS = frozenset({needs.ROLE_ARBITER, needs.ROLE_JUDGE, needs.ROLE_DIRECTOR, needs.ROLE_FEDERATION})
"""Roles that decide on sanctions, sit in a tribunal or rule on words."""

SETTINGS = "settings"
"""Page on which a removed tournament is restored."""

REGISTRATION = "registration"
"""Page of the entries, which arbiters do not see."""

STAGES = "stages"
"""Page of the stages, which tournaments of teams and of duplicate games do not have."""

CONSOLE_PAGES: Sequence[tuple[str, str]] = (
    ("", N_("Overview")),
    ("players", N_("Players")),
    (REGISTRATION, N_("Registration")),
    ("presence", N_("Presence")),
    ("teams", N_("Teams")),
    ("rounds", N_("Rounds")),
    (STAGES, N_("Stages")),
    ("halls", N_("Halls")),
    ("messages", N_("Messages")),
    ("screens", N_("Screens")),
    ("discipline", N_("Discipline")),
    ("judges", N_("Judges")),
    ("prizes", N_("Prize lists")),
    ("closing", N_("Prizes and final standings")),
    (SETTINGS, N_("Settings")),
    ("history", N_("History")),
)
"""Pages of the console by the end of their address. The page of teams exists only if teams play."""

STEPS: Sequence[str] = (N_("Name and date"), N_("Rules"), N_("Players"), N_("Halls"))
"""Labels of the steps of a director's first tournament."""

NAME_STEP, RULES_STEP, PLAYERS_STEP, HALLS_STEP, READY_STEP = range(1, 6)

PARTS_OF_DUPLICATE: Mapping[str, str] = {"rounds": N_("Games")}
"""Labels that differ in a tournament of duplicate games, whose games have rounds too."""


BY_NAME = ("decided_by", "judge_id", "person.")
"""Prefixes of fields that name officials, separated by commas."""

MAX_NAME_PARTS = 3
"""Limit of the parts of a name that contains commas."""


class Official(NamedTuple):
    """Holder of a credential for a tournament."""

    id: str
    name: str
    role: needs.Role.ValueType


@dataclass
class DirectorPage(Console):
    """Page of a tournament, for a director or an arbiter."""

    results: Results
    tournament: pairing.GetTournamentResponse
    done: int = 0
    """Position of the event that led to this page; 0 without one."""
    live: str = ""
    """``live`` if the page is reloaded after a notification."""
    typed: Given = field(default_factory=dict)
    """Fields of a refused form, so that no input is lost."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Errors by field of that form."""
    refused: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the refusal, as the service sent them."""
    officials: Sequence[Official] = ()
    """Holders of credentials that the user may see, sorted by name."""
    changes: Sequence[HistoryEntry] = ()
    """Changes since that form was rendered."""
    otherwise: str = SAID
    """Notice after a command without an event of the tournament, an English text."""

    @property
    def tournament_id(self) -> str:
        """Id of the tournament."""
        return self.tournament.tournament_id

    @cached_property
    def roster(self) -> Roster:
        """Names of its players, teams and officials, computed once for a page: it compares all names."""
        return Roster(self.tournament, self.language, {each.id: each.name for each in self.officials})

    def in_name_order(self, player_ids: Iterable[str]) -> list[str]:
        """Return players in the alphabetical order of the reader's language."""
        roster = self.roster
        return sorted(player_ids, key=lambda each: (name_order(roster.name(each), self.language), each))

    @property
    def players_by_name(self) -> list[pairing.Player]:
        """Players in the alphabetical order of the reader's language, as lists and select boxes show them."""
        players = {player.player_id: player for player in self.tournament.players}
        return [players[each] for each in self.in_name_order(players)]

    @property
    def address(self) -> str:
        """Address of the console."""
        return tournament_path(self.tournament_id, "console")

    @property
    def list_step(self) -> int:
        """Number of the step that a page with a list of players is; 0 outside the steps of the first tournament."""
        return PLAYERS_STEP if "/console/start/" in self.request.url.path else 0

    @property
    def after_list(self) -> str:
        """Address of the page that follows a list of players."""
        return f"{self.address}/start/halls" if self.list_step else f"{self.address}/players"

    @property
    def last(self) -> pairing.Round | None:
        """Latest paired round."""
        return self.tournament.played[-1] if self.tournament.played else None

    @property
    def rules(self) -> Ruleset | None:
        """Rules of the tournament; None if this process does not have them."""
        return known_rules(self.tournament.ruleset)

    @property
    def has_teams(self) -> bool:
        """True if teams play."""
        rules = self.rules
        return bool(self.tournament.teams or (rules and rules.championship.team_boards))

    def may_call(self, method: str, service: str = "pairing") -> bool:
        """Check whether the user's role may call a method."""
        return may(self.session, NAMED[service, method].request)

    async def show(self, name: str, part: str, *, said: str = "", further: str = "", **values: Any) -> Response:
        """Render a page of the console in a thread, as one with 10,000 players takes a second.

        The status shows whether a form was refused or invalid.
        """
        sent = SentForm(self.typed, None, self.errors, self.refused)
        head = await self._head()
        sentence = " ".join(filter(None, (said or await self._find_sentence(), further)))
        names = PARTS_OF_DUPLICATE if is_of_duplicate_games(self.tournament) else {}
        return await asyncio.to_thread(
            self.form_page,
            name,
            head,
            sent,
            console_name="director",
            help_page=HELP_PAGES_OF_PARTS.get(part, ""),
            part=self.live,
            said=sentence,
            changes=self.changes,
            base=self.address,
            parts=[
                (f"{self.address}/{key}".rstrip("/"), say(names.get(key, text), {}, self.language), key == part)
                for key, text in CONSOLE_PAGES
                if self._has_page(key)
            ],
            rules=self.rules,
            t=self.tournament,
            last=self.last,
            named=self.roster.name,
            may=self.may_call,
            officials=self.officials,
            blank=Typed(),
            pairing=pairing,
            **values,
        )

    def _has_page(self, key: str) -> bool:
        """Check whether the console has a page, for this tournament and user."""
        if key == "teams" and not self.has_teams:
            return False
        if key == STAGES and (self.has_teams or is_of_duplicate_games(self.tournament)):
            return False
        if key == REGISTRATION and not self.may_call("ListEntries"):
            return False
        return key == SETTINGS or not self.tournament.removed

    async def _head(self) -> results_pb.GetTournamentResponse:
        """Return the tournament for the page header. The results service hides a removed tournament."""
        if not self.tournament.removed:
            return await self.results.tournament(self.tournament_id, Moment(self.done))
        shown = results_pb.Tournament(
            tournament_id=self.tournament_id,
            name=self.tournament.name,
            rounds=self.tournament.rounds,
            ruleset=self.tournament.ruleset,
            division=self.tournament.division,
            time_zone=self.tournament.time_zone,
        )
        return results_pb.GetTournamentResponse(tournament=shown)

    async def acts(
        self, after: int = 0, others_after: int | None = None, types: Collection[str] = ()
    ) -> pairing.ListActsResponse:
        """Return all events after a version, or those of some types, and those on entries and fees after a position."""
        return await list_acts(self.calls, self.tournament_id, after, others_after, types)

    async def _find_sentence(self) -> str:
        """Return the sentence of the event that led to this page; empty if a later form was refused."""
        if not self.done or self.typed:
            return ""
        after = max(0, self.tournament.version - RECENT_EVENT_COUNT)
        roster, answer = self.roster, await self.acts(after)
        last = next((act for act in answer.acts if act.position == self.done), pairing.Act())
        if not last.version:
            answer = await self.acts(self.tournament.version, max(0, self.done - RECENT_EVENT_COUNT))
            last = next((act for act in answer.other_acts if act.position == self.done), last)
        elif 0 < last.first_version <= after:
            answer = await self.acts(last.first_version - 1)
        together = [
            each
            for each in describe_history(answer, roster, self.language)
            if each.act.position == self.done
            or (0 < last.first_version == each.act.first_version and bool(last.version) == bool(each.act.version))
        ]
        return describe_done(together, roster, self.language) or say(self.otherwise, {}, self.language)

    async def carry_out(self, given: Given, page: str) -> Response | None:
        """Send the command of a form and redirect to ``page``; return None if it was refused.

        The refusal and the input are stored for the page. Raises ``HTTPException`` for a form without a command, and
        ``grpc.aio.AioRpcError`` if a service is unavailable.
        """
        try:
            command = command_of(
                given.get("act", ""), self._with_ids(given), self.tournament_id, self.tournament.time_zone
            )
        except Invalid as problem:
            text = say(problem.problem, problem.params, self.language)
            asked = {f"{problem.field}.which": text} if isinstance(problem, AmbiguousTime) else {}
            self.typed, self.errors = given, {problem.field: text, **asked}
            return None
        except ValueError as problem:
            raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
        if command is None:
            raise HTTPException(HTTPStatus.BAD_REQUEST)
        answer = await self.ask(command, given)
        return redirect_to(f"{page}?done={answer.position}") if answer is not None else None

    async def ask(self, command: Any, given: Given) -> Any:
        """Return the answer to a command; None if it was refused, after storing the refusal and the input."""
        try:
            return await self.calls.ask(command)
        except grpc.aio.AioRpcError as problem:
            if STATUSES.get(problem.code(), HTTPStatus.BAD_GATEWAY) >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            self.typed = given
            self.places = info_of(problem).metadata
            option = self.places.get("option", "")
            where = f"{OPTION}{option}" if option else self.places.get("field", "")
            text = say_refused_option(problem, self.language) or as_labelled(
                self.roster.named_in_refusal(every_reason(problem, self.language), problem), self.language
            )
            if where and where in given:
                self.errors = {where: text.removeprefix(f"{where}: ")}
            else:
                self.refused = text.removeprefix(f"{where}: ")  # a field that the form does not have
            if reason_of(problem) == CHANGED:
                await self._load_changes(given)
            return None

    def _with_ids(self, given: Given) -> Given:
        """Replace typed names of officials by ids. An unknown name yields a new id."""
        roster = self.roster
        named = {fold_name(roster.name(each.person_id)): each.person_id for each in self.tournament.tribunal}
        named |= {fold_name(player.name): player.id for player in roster.players}
        named |= {fold_name(each.name): each.id for each in self.officials}
        changed = dict(given)
        for name, value in given.items():
            if name.startswith("person.") and given.get("act") == "AppointTribunal":
                changed |= self._find_appointed(name, value, named, given)
            elif name.startswith(BY_NAME):
                changed[name] = ",".join(ids_in(value, named))
        several = sorted(key for key in changed if key.startswith("decided_by."))
        if several and changed.get("decided_by"):
            for number, person in enumerate(changed.pop("decided_by").split(","), 1_000):
                changed[f"decided_by.{number}"] = person
        return changed

    def _find_appointed(self, field: str, typed: str, named: Mapping[str, str], given: Given) -> dict[str, str]:
        """Return the id for a typed name, and the name itself unless it is that of a player.

        A new person has an id that does not come from the name. It is the same each time that the form is sent.
        """
        name = " ".join(typed.split())
        if not name:
            return {}
        players = {player.id for player in self.roster.players}
        person = named.get(fold_name(name), "")
        if not person and name in {*named.values(), *players}:
            person, name = name, self.roster.name(name)
        person = person or f"{NAMED_PERSON}{uuid.uuid5(form_id(given), field).hex[:12]}"
        return {field: person, f"named.{field}": "" if person in players else name}

    async def _load_changes(self, given: Given) -> None:
        """Load the changes since the form was rendered, and set its expected version to the current one."""
        seen = int(given.get("expected_version", "0") or 0)
        self.changes = list(describe_history(await self.acts(seen), self.roster, self.language))
        self.typed = {**given, "expected_version": str(self.tournament.version)}


def ids_in(text: str, named: Mapping[str, str]) -> list[str]:
    """Return the ids of people whose names or ids are listed in a text, separated by commas.

    ``named`` maps folded names to ids. A name may contain commas, such as ``Puig, Anna``. An unknown name yields a new
    id.
    """
    ids, found = set(named.values()), []
    parts = [part.strip() for part in text.split(",") if part.strip()]
    while parts:
        counts = range(min(len(parts), MAX_NAME_PARTS), 1, -1)
        count = next((count for count in counts if fold_name(", ".join(parts[:count])) in named), 1)
        name = ", ".join(parts[:count])
        known = named.get(fold_name(name))
        found.append(known or (name if name in ids or not any(map(str.isspace, name)) else slug(name)))
        del parts[:count]
    return found


def details_of(act: pairing.Act) -> dict[str, str]:
    """Return the details of an event by name."""
    return dict(detail.partition(": ")[::2] for detail in act.details)


async def _officials(console: Console, tournament_id: str) -> list[Official]:
    """Return the officials of a tournament by name; only the user, if the user may not list credentials."""
    own = console.session.credential
    found = {own.subject_id: Official(own.subject_id, console.session.name, own.role)}
    if may(console.session, access.ListCredentialsRequest):
        with suppress(grpc.aio.AioRpcError):
            answer = await console.calls.ask(access.ListCredentialsRequest(tournament_id=tournament_id))
            for line in answer.credentials:
                held = line.credential
                if line.name and held.role in OFFICIALS and held.subject_id not in found:
                    found[held.subject_id] = Official(held.subject_id, line.name, held.role)
    return sorted(found.values(), key=lambda each: each.name.casefold())


async def _open_director_page(
    console: ConsoleDep, results: OwnReader, tournament_id: TournamentId, done: Done = 0, part: Part = ""
) -> DirectorPage:
    """Return the page of a tournament. Raises ``HTTPException`` (404) if the user may not see it."""
    if not may(console.session, pairing.ListActsRequest):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    with hide_errors(grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT):
        # The history needs more rights than the tournament: a user without them is not an official of all of it.
        await console.calls.ask(pairing.ListActsRequest(tournament_id=tournament_id, limit=1))
        tournament = await console.calls.ask(pairing.GetTournamentRequest(tournament_id=tournament_id))
    if tournament.removed and not console.request.url.path.endswith(f"/{SETTINGS}"):
        raise HTTPException(HTTPStatus.NOT_FOUND)  # a removed tournament has only the page that restores it
    officials = await _officials(console, tournament_id)
    return DirectorPage(
        console.request, console.session, console.calls, results, tournament, done, part, officials=officials
    )


DirectorPageDep = Annotated[DirectorPage, Depends(_open_director_page)]
"""Route parameter of the console."""


def page_of_forms(
    part: str,
    show: Callable[[DirectorPage], Awaitable[Response]],
    convert: Callable[[Given], Given] = lambda given: given,
    *,
    has_list: bool = False,
) -> APIRouter:
    """Return the routes of a page: ``show`` renders it, and its forms post to it. ``convert`` changes a form before.

    ``has_list``: a form may have a checkbox for each player.
    """
    routes = APIRouter(include_in_schema=False)
    address = f"/tournaments/{{tournament_id}}/console/{part}"

    @routes.get(address)
    async def look(director_page: DirectorPageDep) -> Response:
        return await show(director_page)

    read_form = Depends(with_list if has_list else fields)

    @routes.post(address)
    async def act(director_page: DirectorPageDep, given: Given = read_form) -> Response:
        done = await director_page.carry_out(convert(given), f"{director_page.address}/{part}")
        return done or await show(director_page)

    return routes
