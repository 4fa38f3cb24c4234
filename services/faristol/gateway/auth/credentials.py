"""Page of the credentials of a tournament, for users who may grant roles."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import APIRouter, Depends, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.access_control.roles import (
    ARBITER,
    FEDERATION,
    JUDGE,
    MAY_GIVE,
    OPERATOR,
    PLAYER,
    ROLE_NAMES,
    ROLES,
    SCORER,
    SERVICE,
    Role,
)
from faristol.client.links import sign_in_link
from faristol.client.places import count_tables, playing_tables, ranges, tables_of
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import form_id, hide_errors
from faristol.gateway.consoles.frame import Console, TournamentId
from faristol.gateway.consoles.navigation import list_console_links, may
from faristol.gateway.http.errors import Problem, of_rpc
from faristol.gateway.http.forms import Fields, public_address
from faristol.gateway.pages.qr import qr
from faristol.gateway.pages.render import private_page
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.results import Reader
from faristol.gateway.rpc.service import UNAVAILABLE_CODES
from faristol.kernel.divisions import format_title
from faristol.kernel.names import name_order
from faristol.kernel.refusal import N_, Param
from faristol.kernel.spellings import labels_of
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import adjudication_pb2 as adjudication
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games, known_rules
from faristol.text import LANGUAGES, say

MAX_CARDS = 200
"""Limit of cards, of tables or of players, that are made at once."""

LIFETIMES: Mapping[str, tuple[str, timedelta]] = {
    "day": (N_("a day"), timedelta(days=1)),
    "weekend": (N_("three days"), timedelta(days=3)),
    "fortnight": (N_("two weeks"), timedelta(days=14)),
    "season": (N_("as long as my own credential"), timedelta(days=400)),
}
"""Lifetimes on offer, capped by the right of the granting user."""

FORMS: Mapping[str, tuple[str, events.Form.ValueType]] = {
    "link": (N_("a link and its QR code"), events.FORM_LINK),
    "pin": (N_("a PIN, typed at the table"), events.FORM_PIN),
}
FIELD_ROLES: Mapping[str, frozenset[Role]] = {
    "hall": frozenset(ROLES.values()) - {PLAYER},
    "language": frozenset({JUDGE}),
    "subject": frozenset({JUDGE}),
    "tables": frozenset({SCORER, ARBITER}),
}
"""Roles for which the form shows a field; the hidden fields of another role are ignored. Other fields are for all."""

FORM_NAMES = labels_of(events.Form.DESCRIPTOR)

ENDED = N_("The credential has ended. It stops working everywhere within two seconds.")
NOT_TABLES = N_("Expected table numbers, such as 3, 1-8 or 2, 5, 7, for at most {most} tables.")
NO_PLAYER_WITHOUT_CODE = N_("Every player has a code. End the code of a lost card to make another.")
NO_SUCH_TABLE = N_("{tournament} has no table {table}; it has {known}")
TABLE_CARD = N_("table {number} of {tournament} ({mark})")

_TABLES = re.compile(r"\s*(\d{1,6})\s*(?:[-–]\s*(\d{1,6})\s*)?")

routes = APIRouter(include_in_schema=False)


class _Unusable(Exception):
    """Error of a form, in the user's language."""


class HallCard(NamedTuple):
    """Link of a card to the cell of a hall."""

    hall: str
    link: str
    picture: str
    """QR code of the link."""


@dataclass(frozen=True, slots=True)
class Card:
    """Hand-out for a new credential: a link with its QR code, a PIN, or both for a table."""

    credential: events.Credential
    name: str
    link: str = ""
    picture: str = ""
    """QR code of the link."""
    pin: str = ""
    code: str = ""
    """Code of the link, for a phone without a camera."""
    at_halls: Sequence[HallCard] = ()
    """Links to the cells of the halls of its tables."""


@dataclass
class _CredentialsPage(Console):
    """Credentials page of a tournament, for a signed-in user."""

    results: Reader
    tournament_id: TournamentId

    async def list_credentials(self) -> Sequence[pb.CredentialLine]:
        """Return the credentials that the user may revoke. Raises ``HTTPException`` if the page is forbidden."""
        request = pb.ListCredentialsRequest(tournament_id=self.tournament_id)
        with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
            answer = await self.calls.ask(request)
        return answer.credentials

    async def show(self, said: str = "", status: HTTPStatus = HTTPStatus.OK) -> Response:
        """Render the credentials that the user may revoke, and the forms."""
        listed = await self.list_credentials()
        head = await self.results.tournament(self.tournament_id)
        players = await self.results.players(self.tournament_id)
        given = MAY_GIVE[self.session.credential.role] - {FEDERATION, OPERATOR, SERVICE}
        tournament = head.tournament
        return private_page(
            self.request,
            "credentials.html",
            status=status,
            session=self.session,
            said=said,
            tournament=tournament,
            console_links=list(list_console_links(self.session, tournament)),
            names={tournament.tournament_id: format_title(tournament)},
            listed=listed,
            forms=FORM_NAMES,
            roles=sorted(given),
            role_names=ROLE_NAMES,
            scorer=SCORER,
            player_role=PLAYER,
            most_cards=MAX_CARDS,
            lasts={key: text for key, (text, _) in LIFETIMES.items()},
            ways={key: text for key, (text, _) in FORMS.items()},
            players=players.players,
            known_languages=LANGUAGES,
            tables=ranges(await self._proposed_tables(tournament, players.players)),
            has_tables=not is_of_duplicate_games(tournament),
            for_players=bool(given - {SCORER}),
            for_judges=JUDGE in given,
            judges=await self._judges(listed) if JUDGE in given else {},
        )

    async def _judges(self, listed: Sequence[pb.CredentialLine]) -> dict[str, str]:
        """Return the names of the judges who are appointed or have a credential, by id and in their order.

        While the lexicon service is unavailable, only those with a credential are returned.
        """
        named = {line.credential.subject_id: line.name for line in listed if line.credential.role == JUDGE}
        known = await answer_or(self._adjudication(), adjudication.GetAdjudicationResponse(), *UNAVAILABLE_CODES)
        named = {judge.judge_id: judge.judge_id for judge in known.judges} | named
        return dict(sorted(named.items(), key=lambda each: each[1]))

    async def _adjudication(self) -> adjudication.GetAdjudicationResponse:
        """Return the judges of the tournament and the mode of rulings."""
        return await self.calls.ask(adjudication.GetAdjudicationRequest(tournament_id=self.tournament_id))

    async def _proposed_tables(
        self, tournament: results_pb.Tournament, players: Sequence[results_pb.Player]
    ) -> list[int]:
        """Return the tables that the present players fill, limited to those in the scope of the caller."""
        own = set(self.session.credential.scope.tables)
        rules = known_rules(tournament.ruleset)
        teams = (await self.results.teams(self.tournament_id)).teams if tournament.team_boards else ()
        needed = count_tables(
            sum(not player.withdrawn_round for player in players),
            rules.game.players_max if rules else 2,
            sum(not team.withdrawn_round for team in teams),
            tournament.team_boards,
        )
        there = playing_tables(tournament.halls, needed)
        return [table for table in there if not own or table in own] or sorted(own)

    async def end(self, given: Mapping[str, str]) -> Response:
        """Revoke a credential."""
        credential_id = given.get("credential_id", "")
        await self.calls.ask(pb.RevokeCredentialRequest(command_id=str(form_id(given)), credential_id=credential_id))
        return redirect_to(f"{tournament_path(self.tournament_id, 'access')}?ended=1")

    async def give(self, given: Mapping[str, str]) -> Response:
        """Grant a role and show the means of signing in. A repeated form shows the same."""
        _, form = FORMS.get(given.get("by", ""), FORMS["link"])
        role = ROLES.get(given.get("role", ""), 0)
        tournament = (await self.results.tournament(self.tournament_id)).tournament
        given = {name: value for name, value in given.items() if role in FIELD_ROLES.get(name, {role})}
        request = self._build_request(
            given,
            command_id=str(form_id(given)),
            role=role,
            name=given.get("name", ""),
            subject_id=given.get("subject", "").strip(),
            player_id=given.get("player", ""),
            form=form,
            tables=self._tables(given.get("tables", ""), tournament),
        )
        if request.role == JUDGE and request.subject_id and not request.name:
            request.name = await self._name_of_judge(request.subject_id)
        answer = await self.calls.ask(request)
        listed = await self.results.players(self.tournament_id)
        known = next((each.shown_name for each in listed.players if each.player_id == request.player_id), "")
        appointed = ""
        if request.role == JUDGE:
            appointed = await self._appoint(str(uuid.uuid5(form_id(given), "judge")), answer.credential, tournament)
        card = self._card(request.name or known or request.subject_id, answer)
        return self._show_cards([card], tournament, appointed)

    async def _name_of_judge(self, judge_id: str) -> str:
        """Return the name of a judge with an earlier credential; empty without one."""
        named = ((line.credential.subject_id, line.name) for line in await self.list_credentials())
        return next((name for holder, name in named if holder == judge_id), "")

    async def _appoint(self, command_id: str, credential: events.Credential, tournament: results_pb.Tournament) -> str:
        """Appoint the holder of a judge's link, if the user may and the tournament is played at tables.

        Return the language of the words, ISO 639-1; empty without a new appointment. An earlier appointment stays.
        """
        rules = known_rules(tournament.ruleset)
        language = next(iter(credential.scope.languages), rules.tile_set.language if rules else "")
        if not language or is_of_duplicate_games(tournament) or not may(self.session, adjudication.AppointJudgeRequest):
            return ""
        if credential.subject_id in {judge.judge_id for judge in (await self._adjudication()).judges}:
            return ""
        command = adjudication.AppointJudgeRequest(
            command_id=command_id,
            tournament_id=self.tournament_id,
            judge_id=credential.subject_id,
            languages=[language],
        )
        await self.calls.ask(command)
        return language

    async def make_cards(self, given: Mapping[str, str]) -> Response:
        """Make a card with a QR code and a PIN for the scorer of each table."""
        sheet = form_id(given)
        cards = []
        tournament = (await self.results.tournament(self.tournament_id)).tournament
        tables = self._tables(given.get("tables", ""), tournament)
        if not tables:
            raise _Unusable(say(NOT_TABLES, {"most": MAX_CARDS}, self.language))
        for table in tables:
            values: dict[str, Param] = {"number": table, "tournament": self.tournament_id, "mark": sheet.hex[:4]}
            wanted: dict[str, Any] = {"role": SCORER, "name": say(TABLE_CARD, values, self.language), "tables": [table]}
            by_link = await self.calls.ask(
                self._build_request(
                    given, command_id=str(uuid.uuid5(sheet, f"link {table}")), form=events.FORM_LINK, **wanted
                )
            )
            by_pin = await self.calls.ask(
                self._build_request(
                    given, command_id=str(uuid.uuid5(sheet, f"PIN {table}")), form=events.FORM_PIN, **wanted
                )
            )
            cards.append(self._card("", by_link, by_pin.pin))
        return self._show_cards(cards, tournament)

    async def make_player_cards(self, given: Mapping[str, str]) -> Response:
        """Make a card with a code for each player without one, up to ``MAX_CARDS``, sorted by name."""
        sheet = form_id(given)
        tournament = (await self.results.tournament(self.tournament_id)).tournament
        players = await self._list_without_code()
        cards = []
        for player in players[:MAX_CARDS]:
            command_id = str(uuid.uuid5(sheet, f"player {player.player_id}"))
            wanted: dict[str, Any] = {"role": PLAYER, "player_id": player.player_id, "form": events.FORM_LINK}
            request = self._build_request(given, command_id=command_id, tables=[], **wanted)
            answer = await self.calls.ask(request)
            cards.append(self._card(player.shown_name, answer))
        if not cards:
            raise _Unusable(say(NO_PLAYER_WITHOUT_CODE, {}, self.language))
        return self._show_cards(cards, tournament, left=len(players) - len(cards))

    async def _list_without_code(self) -> list[results_pb.Player]:
        """Return the players who take part and hold no credential as a player, sorted by name."""
        listed = await self.results.players(self.tournament_id)
        held = {line.credential.player_id for line in await self.list_credentials() if line.credential.role == PLAYER}
        found = [each for each in listed.players if not each.withdrawn_round and each.player_id not in held]
        return sorted(found, key=lambda each: (name_order(each.shown_name, self.language), each.player_id))

    def _build_request(
        self, given: Mapping[str, str], *, tables: list[int], **fields: Any
    ) -> pb.GrantCredentialRequest:
        """Build a request within the user's own scope, which fills the fields that the form leaves open."""
        own = self.session.credential.scope
        hall, code = given.get("hall", ""), given.get("language", "")
        scope = events.Scope(
            tournament_ids=[self.tournament_id],
            halls=[hall] if hall else own.halls,
            tables=tables or own.tables,
            languages=[code] if code else own.languages,
        )
        _, lasts = LIFETIMES.get(given.get("lasts", ""), LIFETIMES["day"])
        now: datetime = self.request.app.state.now()
        if (
            until := self.session.gives_until
        ) and now + lasts > until:  # independent of the time at which the form is sent
            return pb.GrantCredentialRequest(scope=scope, expires_at=to_timestamp(until), **fields)
        return pb.GrantCredentialRequest(scope=scope, lifetime_seconds=int(lasts.total_seconds()), **fields)

    def _tables(self, text: str, tournament: results_pb.Tournament) -> list[int]:
        """Return the tables of a form. Raises ``_Unusable``."""
        found: list[int] = []
        for part in text.split(",") if text.strip() else ():
            match = _TABLES.fullmatch(part)
            last = int(match[2] or match[1]) if match else 0
            if not match or not 1 <= int(match[1]) <= last or last - int(match[1]) + len(found) >= MAX_CARDS:
                raise _Unusable(say(NOT_TABLES, {"most": MAX_CARDS}, self.language))
            found.extend(range(int(match[1]), last + 1))
        if found:
            known = tables_of(tournament.halls, tournament.players)
            unknown = min((table for table in found if known and table not in known), default=0)
            if unknown:
                values: dict[str, Param] = {"tournament": tournament.name, "table": unknown, "known": ranges(known)}
                raise _Unusable(say(NO_SUCH_TABLE, values, self.language))
        return sorted(set(found))

    def _card(self, name: str, given: pb.GrantCredentialResponse, pin: str = "") -> Card:
        link = sign_in_link(public_address(self.request), given.code)
        if not given.code:
            return Card(given.credential, name, pin=given.pin)
        links = [(each.hall, sign_in_link(each.address, each.code)) for each in given.hall_codes]
        at_halls = [HallCard(hall, there, qr(there)) for hall, there in links]
        return Card(given.credential, name, link, qr(link), pin, given.code, at_halls)

    def _show_cards(
        self, cards: list[Card], tournament: results_pb.Tournament, appointed: str = "", left: int = 0
    ) -> Response:
        """Render cards. ``left`` is the number of players without a card."""
        names = {self.tournament_id: format_title(tournament)}
        return private_page(
            self.request,
            "credentials_given.html",
            session=self.session,
            tournament=tournament,
            names=names,
            cards=cards,
            appointed=appointed,
            left=left,
            entrance=f"{public_address(self.request).partition('//')[2]}/sign-in",
        )


CredentialsPageDep = Annotated[_CredentialsPage, Depends()]
"""Route parameter."""


@routes.get("/tournaments/{tournament_id}/access")
async def show_credentials(console: CredentialsPageDep, ended: Annotated[str, Query(max_length=1)] = "") -> Response:
    """Show the credentials of a tournament."""
    return await console.show(say(ENDED, {}, console.language) if ended else "")


@routes.post("/tournaments/{tournament_id}/access")
async def change_credentials(console: CredentialsPageDep, given: Fields) -> Response:
    """Grant and revoke credentials. A refusal is shown on the page."""
    await console.list_credentials()  # a user who may not see the page must not learn from its error messages
    acts = {
        "grant": console.give,
        "cards": console.make_cards,
        "player-cards": console.make_player_cards,
        "revoke": console.end,
    }
    act = acts.get(given.get("act", ""))
    if act is None:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    try:
        return await act(given)
    except _Unusable as problem:
        return await console.show(str(problem), HTTPStatus.BAD_REQUEST)
    except grpc.aio.AioRpcError as error:
        refusal = of_rpc(error, console.language)
        if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        return await console.show(format_refusal(refusal, console.language), refusal.status)


LABELS: Mapping[str, str] = {
    "name": "Name",
    "player_id": "Player",
    "role": "Role",
    "subject_id": "Judge",
    "scope.halls": "Hall",
    "scope.languages": "Language",
    "scope.tables": "Tables",
}
"""Labels of the form, by contract field."""


def format_refusal(refusal: Problem, language: str) -> str:
    """Format a refusal for the form, with labels instead of field names."""
    found = [
        f"{say(LABELS[error['field']], {}, language)}: {error['problem']}"
        if error["field"] in LABELS
        else error["problem"]
        for error in refusal.more.get("errors", ())
    ]
    return "; ".join(found) or refusal.detail
