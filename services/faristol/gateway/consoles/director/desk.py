"""A page of the director's console: what it is about, who is at it, and how its forms are carried out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.client.problems import every_reason, info_of, reason_of
from faristol.gateway.calls import NAMED
from faristol.gateway.consoles.commands import hidden
from faristol.gateway.consoles.director.commands import Given, Unusable, command_of
from faristol.gateway.consoles.doors import may
from faristol.gateway.consoles.frame import AtConsole, Console, Done, TournamentId, Typed
from faristol.gateway.entrance import led_to
from faristol.gateway.form import Fields
from faristol.gateway.mode import is_of_duplicate_games, known_rules
from faristol.gateway.page import Part
from faristol.gateway.problems import STATUSES
from faristol.gateway.results import Moment, Reader, Results
from faristol.kernel.names import slug
from faristol.kernel.refusal import N_
from faristol.office.history import Told, told
from faristol.office.names import Roster, folded
from faristol.office.results.refusals import as_labelled
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.rules import Ruleset
from faristol.text import say

CHANGED = "CHANGED_MEANWHILE"
LOOKED_BACK = 60
"""Acts before the last one among which that of a form is looked for."""

SAID = N_("Done.")

OFFICIALS = frozenset({needs.ROLE_ARBITER, needs.ROLE_JUDGE, needs.ROLE_DIRECTOR, needs.ROLE_FEDERATION})
"""Roles of people who decide on sanctions, sit in a tribunal or rule on words."""

SETTINGS = "settings"
"""The page on which a tournament is restored that was removed."""

PARTS: Sequence[tuple[str, str]] = (
    ("", N_("Overview")),
    ("players", N_("Players")),
    ("teams", N_("Teams")),
    ("rounds", N_("Rounds")),
    ("halls", N_("Halls")),
    ("discipline", N_("Discipline")),
    ("judges", N_("Judges")),
    ("closing", N_("Prizes and final")),
    (SETTINGS, N_("Settings")),
    ("history", N_("History")),
)
"""The pages of the console, by the end of their address; that of teams is there where teams meet."""

PARTS_OF_DUPLICATE: Mapping[str, str] = {"rounds": N_("Games")}
"""What pages are called in a tournament of duplicate games, whose games have rounds of their own."""


BY_NAME = ("decided_by", "judge_id", "person.")
"""What the names of fields begin with in which officials are named, several with commas between."""

MOST_NAME_PARTS_COUNT = 3
"""Parts of a name that has commas of its own."""


class Official(NamedTuple):
    """Somebody who holds a credential for a tournament."""

    id: str
    name: str
    role: needs.Role.ValueType


@dataclass
class Desk(Console):
    """A page of a tournament, for somebody who directs it or is its arbiter."""

    results: Results
    tournament: pairing.GetTournamentResponse
    done: int = 0
    """The position of the act that the page was led to after; 0 for none."""
    live: str = ""
    """``live`` where the page is fetched again after news."""
    typed: Given = field(default_factory=dict)
    """What was sent by a form that was not carried out: nothing that was typed is lost."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """What is wrong with fields of that form."""
    refused: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    """What fills the places of the text of that refusal, as the service has it."""
    officials: Sequence[Official] = ()
    """Who holds a credential here, as far as who is signed in may know, in the order of their names."""
    changes: Sequence[Told] = ()
    """What changed since that form was made."""

    @property
    def tournament_id(self) -> str:
        """Its id."""
        return self.tournament.tournament_id

    @property
    def roster(self) -> Roster:
        """Everybody in it by their names."""
        return Roster(self.tournament, self.language, {each.id: each.name for each in self.officials})

    @property
    def address(self) -> str:
        """Where the console begins."""
        return f"/tournaments/{self.tournament_id}/console"

    @property
    def last(self) -> pairing.Round | None:
        """The round that was paired last."""
        return self.tournament.played[-1] if self.tournament.played else None

    @property
    def rules(self) -> Ruleset | None:
        """Its rules; None where this process does not have them."""
        return known_rules(self.tournament.ruleset)

    @property
    def has_teams(self) -> bool:
        """Teams meet in it."""
        rules = self.rules
        return bool(self.tournament.teams or (rules and rules.championship.team_boards))

    def may_call(self, method: str, service: str = "pairing") -> bool:
        """Whether the role of who is signed in may call a method."""
        return may(self.session, NAMED[service, method].request)

    async def show(self, name: str, part: str, *, said: str = "", **values: Any) -> Response:
        """A page of the console; one that says so where a form was not carried out."""
        status = HTTPStatus.CONFLICT if self.refused else HTTPStatus.BAD_REQUEST if self.errors else HTTPStatus.OK
        head = await self._head()
        names = PARTS_OF_DUPLICATE if is_of_duplicate_games(self.tournament) else {}
        return self.page(
            name,
            head,
            door="director",
            part=self.live,
            status=status,
            said=said or await self._said(),
            refused=self.refused,
            changes=self.changes,
            base=self.address,
            parts=[
                (f"{self.address}/{key}".rstrip("/"), say(names.get(key, text), {}, self.language), key == part)
                for key, text in PARTS
                if (key != "teams" or self.has_teams) and (key == SETTINGS or not self.tournament.removed)
            ],
            rules=self.rules,
            t=self.tournament,
            last=self.last,
            named=self.roster.name,
            may=self.may_call,
            officials=self.officials,
            typed=Typed(self.typed),
            errors=Typed(self.errors),
            blank=Typed(),
            pairing=pairing,
            **values,
        )

    async def _head(self) -> results_pb.GetTournamentResponse:
        """The tournament as the head of a page shows it; the results service shows nobody one that was removed."""
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

    async def acts(self, after: int = 0) -> pairing.ListActsResponse:
        """Everything that was done after a version."""
        answer = pairing.ListActsResponse(more=True)
        while answer.more:
            seen = answer.acts[-1].version if answer.acts else after
            more = await self.calls.ask(pairing.ListActsRequest(tournament_id=self.tournament_id, after_version=seen))
            answer.ClearField("more")
            answer.MergeFrom(more)
        return answer

    async def _said(self) -> str:
        """What the form did that led to the page; empty where another was sent from there and not carried out."""
        if not self.done or self.typed:
            return ""
        answer = await self.acts(max(0, self.tournament.version - LOOKED_BACK))
        found = (each.said for each in told(answer, self.roster, self.language) if each.act.position == self.done)
        return next(found, say(SAID, {}, self.language))

    async def carry_out(self, given: Given, page: str, **acts: frozenset[str]) -> Response | None:
        """Carry out the act of a form, and lead to ``page``; None where it was refused.

        ``acts`` are those of the page, by the service that carries them out. Why one was refused is kept for the page,
        with what was typed. Raises ``HTTPException`` for another act, and ``grpc.aio.AioRpcError`` where the services
        are away.
        """
        name = given.get("act", "")
        service = next((service for service, own in acts.items() if name in own), "")
        if not service:
            raise HTTPException(HTTPStatus.BAD_REQUEST)
        try:
            in_zone = {**self._with_ids(given), "time_zone": self.tournament.time_zone}
            command = command_of(name, in_zone, self.tournament_id, service)
        except Unusable as problem:
            told = say(problem.text, problem.params, self.language)
            self.typed, self.errors = given, {problem.field: told, **({problem.asked: told} if problem.asked else {})}
            return None
        except ValueError as problem:
            raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
        answer = await self.ask(command, given)
        return led_to(f"{page}?done={answer.position}") if answer is not None else None

    async def ask(self, command: Any, given: Given) -> Any:
        """The answer to a command; None where it was refused, which is kept for the page with what was typed."""
        try:
            return await self.calls.ask(command)
        except grpc.aio.AioRpcError as problem:
            if STATUSES.get(problem.code(), HTTPStatus.BAD_GATEWAY) >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            self.typed = given
            self.places = info_of(problem).metadata
            where = self.places.get("field", "")
            text = as_labelled(self.roster.named_in_refusal(every_reason(problem), problem), self.language)
            if where and where in given:
                self.errors = {where: text.removeprefix(f"{where}: ")}
            else:
                self.refused = text.removeprefix(f"{where}: ")  # of the contract, and of no field that one sees
            if reason_of(problem) == CHANGED:
                await self._changed(given)
            return None

    def _with_ids(self, given: Given) -> Given:
        """A form with ids where names of officials were typed: an id of its own for a name that nobody here has."""
        named = {folded(player.name): player.id for player in self.roster.players}
        named |= {folded(each.name): each.id for each in self.officials}
        changed = dict(given)
        for name, value in given.items():
            if name.startswith(BY_NAME):
                changed[name] = ",".join(ids_in(value, named))
        several = sorted(key for key in changed if key.startswith("decided_by."))
        if several and changed.get("decided_by"):
            for number, person in enumerate(changed.pop("decided_by").split(","), 1_000):
                changed[f"decided_by.{number}"] = person
        return changed

    async def _changed(self, given: Given) -> None:
        """What changed since a form was made; the form is one of the tournament as it stands from now on."""
        seen = int(given.get("expected_version", "0") or 0)
        self.changes = list(told(await self.acts(seen), self.roster, self.language))
        self.typed = {**given, "expected_version": str(self.tournament.version)}


def ids_in(text: str, named: Mapping[str, str]) -> list[str]:
    """List the ids of the people whose names, or ids, stand in a text with commas between.

    ``named`` has ids by folded names, and a name in it may have commas of its own, as in ``Puig, Anna``. A name that is
    not in it gives an id of its own.
    """
    ids, found = set(named.values()), []
    parts = [part.strip() for part in text.split(",") if part.strip()]
    while parts:
        counts = range(min(len(parts), MOST_NAME_PARTS_COUNT), 1, -1)
        count = next((count for count in counts if folded(", ".join(parts[:count])) in named), 1)
        name = ", ".join(parts[:count])
        known = named.get(folded(name))
        found.append(known or (name if name in ids or not any(map(str.isspace, name)) else slug(name)))
        del parts[:count]
    return found


def details_of(act: pairing.Act) -> dict[str, str]:
    """What an act says beside its players, by name."""
    return dict(detail.partition(": ")[::2] for detail in act.details)


async def _officials(console: Console, tournament_id: str) -> list[Official]:
    """Officials of a tournament by their names; who is signed in alone, where they may not see the credentials."""
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


async def _desk(
    console: AtConsole, results: Reader, tournament_id: TournamentId, done: Done = 0, part: Part = ""
) -> Desk:
    """Raises ``HTTPException`` for who may not see the page: what one may not see is not there."""
    if not may(console.session, pairing.ListActsRequest):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    with hidden(grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT):
        # The history asks for more than the tournament: whoever may not read it is no official of all of it.
        await console.calls.ask(pairing.ListActsRequest(tournament_id=tournament_id, limit=1))
        tournament = await console.calls.ask(pairing.GetTournamentRequest(tournament_id=tournament_id))
    if tournament.removed and not console.request.url.path.endswith(f"/{SETTINGS}"):
        raise HTTPException(HTTPStatus.NOT_FOUND)  # it can be restored there, and has no other page
    officials = await _officials(console, tournament_id)
    return Desk(console.request, console.session, console.calls, results, tournament, done, part, officials=officials)


AtDesk = Annotated[Desk, Depends(_desk)]
"""A parameter of a route of the console."""


def page_of_forms(part: str, show: Callable[[Desk], Awaitable[Response]], **acts: frozenset[str]) -> APIRouter:
    """The routes of a page that ``show`` makes, and that its forms are sent to.

    ``acts`` are those of the forms, by the service that carries them out.
    """
    routes = APIRouter(include_in_schema=False)
    address = f"/tournaments/{{tournament_id}}/console/{part}"

    @routes.get(address)
    async def look(desk: AtDesk) -> Response:
        return await show(desk)

    @routes.post(address)
    async def act(desk: AtDesk, given: Fields) -> Response:
        return await desk.carry_out(given, f"{desk.address}/{part}", **acts) or await show(desk)

    return routes
