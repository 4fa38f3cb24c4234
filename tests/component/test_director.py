"""The director's console and result entry over real HTTP: every kind of command and refusal, by forms."""

from __future__ import annotations

import asyncio
import html
import io
import re
import uuid
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from tests.component.officials import do
from tests.component.test_sign_in import Visitor, visiting
from tests.support.access_cell import PACK_KEY, Cell, build_credential
from tests.support.access_cell import cell_with_small_lexicons as cell

from faristol.access_control.credential import Scope
from faristol.event_store.integrity.keys import read_public
from faristol.gateway.consoles.director.option_names import OPTION_LABELS
from faristol.gateway.consoles.director.page import CONSOLE_PAGES
from faristol.gateway.print.contents import PAPERS
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.other_programs.packs import is_signed_by, open_pack
from faristol.rules import load_ruleset
from faristol.rules.ruleset.file import ruleset_names
from faristol.text import TRANSLATED, say

__all__ = ["cell"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPEN = "copa"
CONSOLE = f"/tournaments/{OPEN}/console"
ENTRY = f"/tournaments/{OPEN}/round/1/results"
LIST = "Anna Puig; Valls; 1450\nBlai Soler\tReus\nNúria Mas, ESP\nPau Ferrer\nOna Vidal\nJordi Roca"


class ConsoleUser:
    """A user of the console, by its forms."""

    def __init__(self, web: Visitor) -> None:
        self.web = web

    async def send(self, path: str, act: str, **fields: Any) -> httpx.Response:
        sent = {"act": act, "command_id": str(uuid.uuid4()), **{key: str(value) for key, value in fields.items()}}
        return await self.web.send_form(path, **sent)

    async def carry_out(self, path: str, act: str, **fields: Any) -> str:
        """Return the page that follows a form after its execution."""
        answer = await self.send(path, act, **fields)
        assert answer.status_code == 303, read_text(answer)[100:600]
        return read_text(await self.web.get(answer.headers["location"]))

    async def read_refusal(self, path: str, act: str, **fields: Any) -> str:
        answer = await self.send(path, act, **fields)
        assert answer.status_code in (400, 409), answer.headers.get("location")
        return read_text(answer)


def read_text(answer: httpx.Response) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def user(cell: Cell) -> AsyncIterator[ConsoleUser]:
    """Yield a director, and a tournament that was created on the page with six players from a list."""
    async with visiting(cell, director(cell, "eva")) as web:
        made = ConsoleUser(web)
        fields: dict[str, Any] = {"name": "Copa de Valls", "rounds": 5, "ruleset": "fisc-2023", "tournament_id": OPEN}
        assert "Copa de Valls" in await made.carry_out("/new", "CreateTournament", **fields)
        page = await made.send(f"{CONSOLE}/players/list", "preview", text=LIST)
        assert "Register 6 players" in read_text(page)
        registered = await made.carry_out(f"{CONSOLE}/players/list", "register", text=LIST)
        assert "6 players" in registered
        yield made


def director(cell: Cell, subject: str) -> str:
    return cell.token(replace(build_credential(needs.ROLE_DIRECTOR), subject=subject, scope=Scope()))


async def stands(cell: Cell, tournament_id: str = OPEN) -> pairing.GetTournamentResponse:
    path = "/faristol.pairing.v1.PairingService/GetTournament"
    asked = pairing.GetTournamentRequest(tournament_id=tournament_id)
    found: pairing.GetTournamentResponse = await cell.call(path, asked, director(cell, "eva"))
    return found


async def ids(cell: Cell, user: ConsoleUser, tournament_id: str = OPEN) -> dict[str, str]:
    found = await stands(cell, tournament_id)
    return {player.name: player.player_id for player in found.players}


async def test_the_federation_creates_a_tournament_and_is_led_to_the_appointment_of_its_director(cell: Cell) -> None:
    async with visiting(cell, cell.token(build_credential(needs.ROLE_FEDERATION, ""))) as web:
        user = ConsoleUser(web)
        assert 'href="/new"' in (await web.get("/account")).text
        led = await web.get("/start")
        assert (led.status_code, led.headers["location"]) == (303, "/new")
        fields = {"name": "Lliga", "rounds": 5, "ruleset": "fisc-2023", "tournament_id": "lliga-federal"}
        shown = await user.carry_out("/new", "CreateTournament", **fields)
        assert "Grant a role" in shown
        access = "/tournaments/lliga-federal/access"
        granted = await user.send(access, "grant", role="director", name="Ona Vidal", by="link", lasts="day")
        assert granted.status_code == 200
        assert "Ona Vidal" in read_text(granted)


async def test_an_option_out_of_range_is_told_beside_its_field_and_nothing_typed_is_lost(user: ConsoleUser) -> None:
    fields: dict[str, Any] = {"name": "Una altra", "rounds": 5, "ruleset": "fisc-2023", "options.round_minutes": 900}
    answer = await user.send("/new", "CreateTournament", **fields)
    assert answer.status_code == 400
    assert re.search(r'name="options.round_minutes"[^>]*value="900"', answer.text)
    assert 'value="Una altra"' in answer.text
    assert "The option “Minutes per round” cannot be 900: choose 40–240, none." in read_text(answer)
    assert "round_minutes" not in read_text(answer)
    assert re.search(r'role="alert"><p><a href="#f-options.round_minutes">[^<]*40–240', answer.text)  # above, too
    for field, expected in (("rounds", "expected a whole number, got"), ("keeping", "recorded")):
        assert expected in await user.read_refusal("/new", "CreateTournament", **{**fields, field: "x"})


async def test_the_form_of_a_tournament_says_and_checks_the_least_number_of_rounds(user: ConsoleUser) -> None:
    for ruleset, least in (("fisc-2023", 5), ("pes-2024", 1)):
        page = await user.web.get(f"/new?ruleset={ruleset}")
        (rounds,) = re.findall(r'<input id="f-rounds"[^>]*>', page.text)
        assert ('type="number"' in rounds, f'min="{least}"' in rounds) == (True, True)
        assert ("At least 5 by the rules (FISC I.1)" in read_text(page)) == (least == 5)
    (rounds,) = re.findall(r'<input id="f-rounds"[^>]*>', (await user.web.get(f"{CONSOLE}/settings")).text)
    assert 'min="5"' in rounds


@pytest.mark.parametrize("language", TRANSLATED)
async def test_options_of_a_rule_book_are_explained_in_the_readers_language(user: ConsoleUser, language: str) -> None:
    english: set[str] = set()
    for name in ruleset_names():
        page = read_text(await user.web.get(f"/new?ruleset={name}&lang={language}"))
        for option in load_ruleset(name).options:
            assert say(option.note, {}, language) in page
            english |= {text for text in (option.note, OPTION_LABELS[option.name]) if f" {text} " in page}
    books = read_text(await user.web.get(f"/new?lang={language}"))
    english |= {title for title in ("House rules of duplicate games",) if title in books}
    seats = (await user.web.get(f"/new?ruleset=fisc-2023&lang={language}")).text
    drawn = re.search(r'<option value="drawn"[^>]*>([^<]+)<', seats)
    assert drawn
    assert drawn[1] == say("by a draw", {}, language)  # and not a game that is drawn
    await user.web.get("/new?lang=en")
    assert english == set()


async def test_one_bad_row_keeps_one_row_out_and_is_shown(cell: Cell, user: ConsoleUser) -> None:
    path, text = f"{CONSOLE}/players/list", "Marta Pons\n; Vic\nEva Serra; Vic; 1500; 1600; x"
    seen = await user.send(path, "preview", text=text)
    assert "2 lines are left out:" in read_text(seen)
    assert "Line 2: the name is missing" in read_text(seen)
    assert 'name="line.2" value="; Vic"' in seen.text
    assert "Line 3: there is no column for" in read_text(seen)
    assert "Register 1 player" in read_text(seen)
    corrected = await user.send(path, "preview", text=text, **{"line.2": "Pol Vic; Vic"})
    assert "1 line is left out" in read_text(corrected)
    assert "Register 2 players" in read_text(corrected)
    assert "Marta Pons" not in await ids(cell, user)
    after = await user.send(path, "register", text=text)
    assert "1 player registered" in read_text(after)
    assert "; Vic" in re.search(r"<textarea[^>]*>([^<]*)</textarea>", after.text)[1]  # type: ignore[index]
    registered = await ids(cell, user)
    assert "Marta Pons" in registered
    assert "Eva Serra" not in registered


async def test_a_list_that_can_be_read_in_two_ways_is_asked_about_before_anybody_is_registered(
    cell: Cell, user: ConsoleUser
) -> None:
    path, text = f"{CONSOLE}/players/list", 'name;rating\n"Prat, Zoe";0\nNuria  Màs;1300\n'
    before = await ids(cell, user)
    for fields in ({}, {"zero": "unrated"}, {"comma": "name"}, {"zero": "unrated", "comma": "name"}):
        answer = await user.send(path, "register", text=text, **fields)
        assert answer.status_code in (200, 400)
        assert await ids(cell, user) == before
    assert "Line 3: Nuria Màs , similar to the registered player Núria Mas" in read_text(answer)
    assert "Confirm that the marked players are different people" in read_text(answer)
    seen = await user.send(path, "preview", text=text)
    assert "1 player has the rating 0. What does 0 mean?" in read_text(seen)
    assert "“Prat, Zoe”: what follows the comma?" in read_text(seen)
    assert "Register 2 players" not in read_text(seen)
    answers = {"zero": "unrated", "comma": "name", "others": "yes"}
    assert (await user.send(path, "register", text=text, **answers)).status_code == 303
    assert (await ids(cell, user)).keys() - before == {"Zoe Prat", "Nuria Màs"}


async def test_a_file_is_read_in_its_own_encoding_and_the_guess_is_said(user: ConsoleUser) -> None:
    path = f"{CONSOLE}/players/list/text"
    headers = {"content-type": "application/octet-stream", "origin": str(user.web.base_url).rstrip("/")}
    greek = "Όνομα;Σύλλογος\nΓιώργος;Αθήνα\n"
    answer = await user.web.post(path, content=greek.encode("cp1253"), headers=headers)
    assert answer.json()["text"] == greek
    assert "Read as Windows-1253, which is a guess" in answer.json()["encoding"]
    answer = await user.web.post(f"{path}?encoding=utf-8", content=greek.encode("cp1253"), headers=headers)
    assert (answer.status_code, answer.json()["problem"]) == (400, "byte 1 is not valid UTF-8")
    answer = await user.web.post(path, content=greek.encode("utf-16"), headers=headers)
    assert answer.json() == {"text": greek, "encoding": "Read as UTF-16."}
    answer = await user.web.post(path, content=b"x" * 1_000_001, headers=headers)
    assert (answer.status_code, answer.json()["problem"]) == (413, "The request is too large: the limit is 1,000 kB.")


async def test_a_player_whose_name_is_similar_is_asked_about_by_the_form_too(cell: Cell, user: ConsoleUser) -> None:
    before = await ids(cell, user)
    asked = await user.read_refusal(f"{CONSOLE}/players", "RegisterPlayer", name="Anná Puig")
    assert "The registered player Anna Puig has a similar name. Is this a different person?" in asked
    assert await ids(cell, user) == before
    await user.carry_out(f"{CONSOLE}/players", "RegisterPlayer", name="Anná Puig", others="yes")
    assert (await ids(cell, user)).keys() - before == {"Anná Puig"}
    asked = await user.read_refusal(f"{CONSOLE}/players", "RegisterPlayer", name="Amat i Riu, Queralt")
    assert "“Amat i Riu, Queralt”: what follows the comma?" in asked
    await user.carry_out(f"{CONSOLE}/players", "RegisterPlayer", name="Amat i Riu, Queralt", comma="name")
    registered = (await ids(cell, user))["Queralt Amat i Riu"]
    await user.carry_out(f"{CONSOLE}/players", "WithdrawPlayer", player_id=registered)


async def test_a_corrected_name_that_is_similar_is_asked_about(cell: Cell, user: ConsoleUser) -> None:
    known = await ids(cell, user)
    changed = {"player_id": known["Zoe Prat"], "name.before": "Zoe Prat"}
    asked = await user.read_refusal(f"{CONSOLE}/players", "AmendPlayer", name="Nuria Más", **changed)
    assert "has a similar name. Is this a different person?" in asked
    assert await ids(cell, user) == known
    await user.carry_out(f"{CONSOLE}/players", "AmendPlayer", name="Nuria Más", others="yes", **changed)
    back = {"player_id": known["Zoe Prat"], "name.before": "Nuria Más"}
    await user.carry_out(f"{CONSOLE}/players", "AmendPlayer", name="Zoé Prat", **back)  # like their own earlier name


async def test_a_list_that_is_sent_twice_registers_everybody_once(cell: Cell, user: ConsoleUser) -> None:
    command = str(uuid.uuid4())
    for _ in range(2):
        answer = await user.send(f"{CONSOLE}/players/list", "register", text="Mar Coll\nLlum Bosch", command_id=command)
        assert answer.status_code == 303
    names = list(await ids(cell, user))
    assert (names.count("Mar Coll"), names.count("Llum Bosch")) == (1, 1)


async def test_players_whom_the_record_knows_are_found_by_name_list_and_number_ticked_and_registered_once(
    cell: Cell, user: ConsoleUser
) -> None:
    page = f"{CONSOLE}/players/known"
    found = await user.send(page, "look", name="own 1")
    assert re.search(r'name="player_ids.own-1" value="own-1"', found.text)
    ticked = {"player_ids.own-1": "own-1"}
    found = await user.send(page, "look", list="foreign", numbers="foreign-2, foreign-3 nobody", **ticked)
    assert found.status_code == 400
    assert "No player has the number nobody." in read_text(found)
    assert re.findall(r'value="([^"]*)" checked', found.text) == ["own-1", "foreign-2", "foreign-3"]
    command = str(uuid.uuid4())
    ticked |= {"player_ids.foreign-2": "foreign-2"}
    for _ in range(2):
        answer = await user.send(page, "register", list="foreign", command_id=command, **ticked)
        assert answer.status_code == 303
    stand = {player.player_id: player for player in (await stands(cell)).players}
    assert (stand["own-1"].name, stand["foreign-2"].name) == ("own 1", "foreign 2")
    found = await user.send(page, "look", name="own 1")
    assert re.search(r'value="own-1" disabled', found.text)
    assert "No player is selected." in read_text(await user.send(page, "register"))
    before = re.search(r"<strong data-say>(\d+) players", (await user.web.get(f"{CONSOLE}/players")).text)
    for player_id in ("own-1", "foreign-2"):
        await user.carry_out(f"{CONSOLE}/players", "WithdrawPlayer", player_id=player_id)
    after = re.search(r"<strong data-say>(\d+) players", (await user.web.get(f"{CONSOLE}/players")).text)
    assert before
    assert after
    assert int(after[1]) == int(before[1]) - 2  # a player who has left is not counted


async def test_all_players_of_an_earlier_tournament_are_selected_at_once_in_the_third_of_the_first_steps(
    cell: Cell, user: ConsoleUser
) -> None:
    page = f"{CONSOLE}/start/known"
    assert f'href="{page}"' in (await user.web.get(f"{CONSOLE}/start/players")).text
    found = await user.send(page, "all", list="foreign")
    ticked = re.findall(r'name="(player_ids[^"]*)" value="([^"]*)" checked', found.text)
    assert len(ticked) > 1
    answer = await user.send(page, "register", list="foreign", command_id=str(uuid.uuid4()), **dict(ticked))
    assert (answer.status_code, urlsplit(answer.headers["location"]).path) == (303, f"{CONSOLE}/start/halls")
    assert {player_id for _, player_id in ticked} <= {player.player_id for player in (await stands(cell)).players}
    for _, player_id in ticked:
        await user.carry_out(f"{CONSOLE}/players", "WithdrawPlayer", player_id=player_id)


async def test_more_absent_players_than_another_form_has_fields_are_settled_by_one_form(user: ConsoleUser) -> None:
    absent = {f"player_ids.{number}": f"absent-{number}" for number in range(1_000)}
    said = await user.read_refusal(f"{CONSOLE}/presence", "SettleAbsences", treatment=1, **absent)
    assert "absent-0" in said, "the command is decided"


async def test_all_marked_entries_are_accepted_by_one_form_which_names_those_left_out(
    cell: Cell, user: ConsoleUser
) -> None:
    await user.carry_out("/new", "CreateTournament", name="Many", rounds=5, ruleset="fisc-2023", tournament_id="many")
    page = "/tournaments/many/console/registration"
    await user.carry_out(page, "SetRegistration", open="true", places="64", waiting_places="5")
    fees = {"amount": "25", "categories.1.category": "U18", "categories.1.amount": "10", "early_discount": "3"}
    fees |= {"currency": "EUR", "early_until": "2100-01-31T20:00"}
    await user.send("/tournaments/many/fees", "SetFees", command_id=str(uuid.uuid4()), **fees)
    form = read_text(await user.web.get("/tournaments/many/register"))
    assert "Entry fee €22.00 , later €25.00 Entry fee · U18 €7.00 , later €10.00" in form
    for number in range(65):
        name = "Mar Coll" if number in (3, 4) else uuid.uuid5(uuid.NAMESPACE_DNS, str(number)).hex
        await user.web.send_form("/tournaments/many/register", command_id=str(uuid.uuid4()), name=name, listing="1")
    shown = (await user.web.get(page)).text
    overview = await user.web.get("/tournaments/many/console")
    assert "64 entries wait for a decision. View" in read_text(overview)
    assert 'href="/tournaments/many/console/registration">View' in overview.text
    ticks = dict(re.findall(r'form="accept-marked" name="(entries.\d+)" value="(\d+)" checked', shown))
    assert {"1", "64"} <= {*ticks.values()}
    assert not {"4", "5", "65"} & {*ticks.values()}, "similar names, and the waiting list"
    assert 'name="known_id"' not in shown, "many entries have no forms each"
    assert 'name="known_id"' in (await user.web.get(f"{page}?entry=5")).text
    said = await user.read_refusal(page, "AcceptEntries", **ticks, **{"entries.4": 4, "entries.5": 5})
    assert f"{len(ticks) + 1} entries are accepted. These could not be accepted with the others: 5." in said
    assert "No entry is marked." in await user.read_refusal(page, "AcceptEntries")
    said = await user.carry_out(page, "RejectEntry", entry=5, note="twice")
    assert "Entry 5 is rejected: Mar Coll." in said
    history = "/tournaments/many/console/history"
    act = re.search(
        r'Entry 5 is rejected: Mar Coll.*?name="position" value="(\d+)"', (await user.web.get(history)).text, re.DOTALL
    )
    assert act
    assert "Entry 5 stands again: Mar Coll." in await user.carry_out(history, "UndoAct", position=act[1])
    step = "/tournaments/many/console/start/halls"
    box = 'name="top_in_first_hall" value="1"'
    assert f"{box} checked" in (await user.web.get(step)).text
    rooms = {"room.0.name": "Main", "room.0.tables": "40", "room.1.name": "Upper", "room.1.tables": "20"}
    refused = await user.web.send_form(step, **rooms | {"room.1.tables": "0"}, command_id=str(uuid.uuid4()))
    assert f"{box}>" in refused.text, "the box stays as the director left it"
    await user.web.send_form(step, **rooms, command_id=str(uuid.uuid4()))
    assert (await stands(cell, "many")).top_tables == 0
    await user.web.send_form(step, **rooms, top_in_first_hall="1", command_id=str(uuid.uuid4()))
    assert (await stands(cell, "many")).top_tables == 40, "the leaders are at table 1"
    latest = read_text(await user.web.get(history))
    assert "1 to 100 of" in latest
    assert "Many is created" not in latest
    assert "Many is created" in read_text(await user.web.get(f"{history}?from=100"))


async def test_the_notice_of_a_rejection_names_the_rejected_entry_and_the_one_with_its_place(user: ConsoleUser) -> None:
    await user.carry_out("/new", "CreateTournament", name="Full", rounds=5, ruleset="fisc-2023", tournament_id="full")
    page = "/tournaments/full/console/registration"
    await user.carry_out(page, "SetRegistration", open="true", places="1", waiting_places="2", moves_up="true")
    for name in ("Mar Coll", "Pol Riu"):
        await user.web.send_form("/tournaments/full/register", command_id=str(uuid.uuid4()), name=name, listing="1")
    said = await user.carry_out(page, "RejectEntry", entry=1)
    assert "Entry 1 is rejected: Mar Coll. Entry 2 has a place: Pol Riu." in said


async def test_an_undo_is_marked_with_its_reason_and_the_minutes_have_neither_act(user: ConsoleUser) -> None:
    await user.carry_out("/new", "CreateTournament", name="Two", rounds=5, ruleset="fisc-2023", tournament_id="two")
    console = "/tournaments/two/console"
    for name in ("Mar Coll", "Pol Riu"):
        await user.carry_out(f"{console}/players", "RegisterPlayer", player_id=name[:3].lower(), name=name)
    for player in ("mar", "pol"):
        await user.carry_out(f"{console}/players", "WithdrawPlayer", player_id=player)
    shown = (await user.web.get(f"{console}/history")).text
    act = re.search(r'Mar Coll has withdrawn.*?name="version" value="(\d+)"', shown, re.DOTALL)
    assert act
    said = await user.carry_out(f"{console}/history", "UndoAct", version=act[1], note="wrong player")
    assert "Mar Coll is paired again" in said
    after = read_text(await user.web.get(f"{console}/history"))
    undo, _, earlier = after.partition("Pol Riu has withdrawn")
    assert f"This undid command {act[1]}." in undo
    assert "Note: wrong player" in undo
    withdrawal = earlier[earlier.index("Mar Coll has withdrawn") :].partition("Pol Riu is registered")[0]
    assert f"Undone by command {int(act[1]) + 2}." in withdrawal
    assert "Undo it" not in withdrawal
    minutes = read_text(await user.web.get("/tournaments/two/print/minutes?lang=en"))
    assert "Pol Riu has withdrawn" in minutes
    assert "Mar Coll has withdrawn" not in minutes
    assert "Mar Coll is paired again" not in minutes


async def test_beginnings_of_rounds_are_announced_in_the_time_of_the_halls_and_undone(
    cell: Cell, user: ConsoleUser
) -> None:
    page, times = f"{CONSOLE}/round/1", {"times.1": "2027-03-07T10:00", "times.3": "2027-03-07T17:30"}
    said = await user.carry_out(page, "AnnounceRounds", **times)
    assert "Announced starting times: 1 (March 7, 2027, 10:00 AM UTC), 3 (March 7, 2027, 5:30 PM UTC)." in said
    assert 'value="2027-03-07T17:30"' in (await user.web.get(page)).text
    version = (await stands(cell)).version
    wrong = await user.read_refusal(page, "AnnounceRounds", **times | {"times.2": "2027-03-07T18:00"})
    assert "round 3 would not begin later than round 2" in wrong
    assert "Expected a date and a time." in await user.read_refusal(page, "AnnounceRounds", **{"times.1": "soon"})
    assert "Changes since" in await user.read_refusal(page, "AnnounceRounds", **times, expected_version=version - 1)
    await user.carry_out(f"{CONSOLE}/history", "UndoAct", version=version, note="a slip")
    assert "Announced starting times: no round." in read_text(await user.web.get(f"{CONSOLE}/history"))


async def test_what_was_entered_wrongly_is_corrected_and_what_another_director_changed_is_not_overwritten(
    cell: Cell, user: ConsoleUser
) -> None:
    page, player = f"{CONSOLE}/players", (await ids(cell, user))["Ona Vidal"]

    async def read_form(web: Visitor) -> dict[str, str]:
        """Return the form that the director has, with the present data of the player."""
        fields = re.findall(r'name="([^"]+)"[^>]* value="([^"]*)"', form_of((await web.get(page)).text, player))
        found = {str(name): html.unescape(text) for name, text in fields}
        return {name: text for name, text in found.items() if name not in ("act", "command_id")}

    async with visiting(cell, director(cell, "ona")) as web:
        first, second = await read_form(user.web), await read_form(web)
        assert (first["name"], first["club"], first["rating"], first["note"]) == ("Ona Vidal", "", "", "")
        assert "No change for" in await user.read_refusal(page, "AmendPlayer", **first)
        said = await user.carry_out(page, "AmendPlayer", **first | {"name": "Ona Vidal i Mas", "rating": "1510"})
        assert "The entry of Ona Vidal i Mas is corrected: name, rating." in said
        late = await ConsoleUser(web).send(page, "AmendPlayer", **second | {"name": "Aina Vidal", "club": "Vic"})
        assert late.status_code == 409
        assert "Changes since you opened this page" in read_text(late)
        assert "The entry of Ona Vidal i Mas is corrected" in read_text(late)
        assert 'value="Aina Vidal"' in late.text  # no input is lost
        assert re.search(r'name="rating"[^>]* value="1510"', form_of(late.text, player))  # untouched
        again = await read_form(web)
        wrong = await ConsoleUser(web).send(page, "AmendPlayer", **again | {"country": "Andorra"})
        assert "is not a country" in form_of(wrong.text, player)
        assert wrong.text.count("is not a country") == 1  # and not at the form that registers
        assert "1510" in await ConsoleUser(web).carry_out(
            page, "AmendPlayer", **again | {"club": "Vic", "note": "arrives late"}
        )
        taken = await ConsoleUser(web).read_refusal(
            page, "AmendPlayer", **(await read_form(web)) | {"name": "Pau Ferrer"}
        )
        assert "is already registered under this name" in taken
    found = next(each for each in (await stands(cell)).players if each.player_id == player)
    assert (found.name, found.club, found.rating, found.note) == ("Ona Vidal i Mas", "Vic", 1510, "arrives late")
    await user.carry_out(
        page, "AmendPlayer", **(await read_form(user.web)) | {"name": "Ona Vidal", "rating": "", "note": ""}
    )
    found = next(each for each in (await stands(cell)).players if each.player_id == player)
    assert (found.name, found.unrated, found.note) == ("Ona Vidal", True, "")


async def test_a_round_is_paired_started_entered_confirmed_corrected_closed_and_undone(
    cell: Cell, user: ConsoleUser
) -> None:
    players = await ids(cell, user)
    anna = players["Anna Puig"]
    page = f"{CONSOLE}/players"
    assert "Anna Puig is checked in." in await user.carry_out(page, "CheckInPlayer", player_id=anna)
    assert "Anna Puig is no longer checked in." in await user.carry_out(page, "CheckOutPlayer", player_id=anna)
    all_in = re.search(r"Checked in: (\d+) players\.", await user.carry_out(page, "CheckInPlayers"))
    assert all_in
    await user.carry_out(
        f"{CONSOLE}/halls", "SetHalls", **{"halls.0.name": "Sala", "halls.0.first_table": 1, "halls.0.last_table": 9}
    )
    planned = {"halls.0.name": "Sala", "halls.0.first_table": 1, "halls.0.last_table": 9, "halls.0.row_tables": "4, 5"}
    sides = {"halls.0.entrance": str(pairing_events.HALL_SIDE_LEFT), "halls.0.stage": "0"}
    assert "Sala 1–9 (4+5)" in await user.carry_out(f"{CONSOLE}/halls", "SetHalls", **planned, **sides)
    drawn = (await user.web.get(f"{CONSOLE}/halls")).text
    assert 'aria-label="Row 2"' in drawn
    assert 'value="4, 5"' in drawn
    none_left = await user.read_refusal(f"{CONSOLE}/halls", "SetHalls", **planned | {"halls.0.row_tables": "9, 1"})
    assert "Sala has 9 tables and rows of 9+1" in none_left
    twice = {
        "halls.0.name": "A",
        "halls.0.first_table": 1,
        "halls.0.last_table": 3,
        "halls.1.name": "B",
        "halls.1.first_table": 3,
        "halls.1.last_table": 6,
    }
    clash = await user.read_refusal(f"{CONSOLE}/halls", "SetHalls", **twice)
    assert "table 3 is in A and in B" in clash
    assert "halls: " not in clash  # no name of the contract
    assert 'name="halls.12.name"' in (await user.web.get(f"{CONSOLE}/halls")).text, "a line for each of 12 more halls"
    assert "sits at table 2" in await user.carry_out(f"{CONSOLE}/halls", "FixTable", player_id=anna, table=2)
    assert "There is no table 99" in await user.read_refusal(f"{CONSOLE}/halls", "FixTable", player_id=anna, table=99)
    await user.carry_out(f"{CONSOLE}/closing", "SetResultCheck", second_person=1)

    rounds = f"{CONSOLE}/round/1"
    assert f"Round 1 is paired: {int(all_in[1]) // 2} games." in await user.carry_out(rounds, "PairRound", round=1)
    seen = (await user.web.get(rounds)).text
    version = re.search(r'name="expected_version" value="(\d+)"', seen)
    assert version
    assert "paired" in read_text(await user.web.get(f"{rounds}?why={anna}"))
    pair = {"player_ids.1": anna, "player_ids.2": players["Jordi Roca"]}
    assert "cancel the pairing first" in await user.read_refusal(
        rounds, "KeepPair", **pair
    )  # and not one of the next round
    assert 'value="KeepPair"' not in seen
    await user.carry_out(rounds, "UnpairRound", round=1, note="too early")
    assert "Paired with each other in round 1: Anna Puig – Jordi Roca" in await user.carry_out(
        rounds, "KeepPair", **pair
    )
    await user.carry_out(rounds, "ReleasePair", **pair)
    await user.carry_out(rounds, "PairRound", round=1)
    stale = await user.read_refusal(rounds, "StartRound", round=1, expected_version=version[1])
    assert "has changed since you started" in stale
    assert "Changes since you opened this page" in stale
    assert "Round 1 is no longer paired" in stale
    await user.carry_out(rounds, "StartRound", round=1)

    assert "is unusually high" in await user.read_refusal(ENTRY, "EnterResult", table=1, first=4120, second=378)
    assert "there is no table 77" in await user.read_refusal(ENTRY, "EnterResult", table=77, first=1, second=2)
    assert "Type the score of" in await user.read_refusal(ENTRY, "EnterResult", table=1, first=412)
    pep = replace(build_credential(needs.ROLE_SCORER, OPEN), subject="pep")
    async with visiting(cell, cell.token(pep)) as web:
        helper = ConsoleUser(web)
        await helper.carry_out(ENTRY, "EnterResult", table=3, first=413, second=344)
        asked = await helper.send(ENTRY, "EnterResult", table=3, first=403, second=344)
        assert "This result would replace it." in read_text(asked)  # their own result, which is not confirmed
        sure = re.search(r'name="sure" value="(\w+)"', asked.text)
        assert sure
        own = {"table": 3, "first": 403, "second": 344, "sure": sure[1]}
        assert " 403 – " in await helper.carry_out(ENTRY, "EnterResult", **own)
    tables = sorted(map(int, re.findall(r'data-table="(\d+)"', (await user.web.get(ENTRY)).text)))
    for table in tables:
        said = await user.carry_out(ENTRY, "EnterResult", table=table, first=400 + table, second=350 - 2 * table)
        assert ("Confirmed: 3 · " if table == 3 else f"{table} · ") in said  # typed once more, it is confirmed
    async with visiting(cell, cell.token(pep)) as web:
        foreign = await ConsoleUser(web).read_refusal(ENTRY, "EnterResult", table=1, first=411, second=348)
        assert "is already recorded. An arbiter can correct it." in foreign  # at once, and not once it was sent again
        assert 'name="sure"' not in foreign
    assert "This result would replace it." in await user.read_refusal(
        ENTRY, "EnterResult", table=1, first=402, second=348
    )
    assert "are not confirmed yet" in await user.read_refusal(rounds, "CloseRound", round=1)
    shown: dict[str, Any] = {"says": "right", "table": 1, "seen_first": 401, "seen_second": 348}
    assert "another person must confirm it" in await user.read_refusal(ENTRY, "ConfirmResult", **shown)

    async with visiting(cell, director(cell, "ona")) as web:
        ona = ConsoleUser(web)
        stands = await ona.read_refusal(ENTRY, "ConfirmResult", **{**shown, "seen_first": 499})
        assert "another person has corrected it" in stands
        disputed: dict[str, Any] = {**shown, "says": "wrong", "note": "the slip says 411"}
        assert "disputed" in await ona.carry_out(ENTRY, "ConfirmResult", **disputed)
        assert "the slip says 411" in read_text(await web.get(ENTRY))
        assert "confirmed" in await ona.carry_out(ENTRY, "ConfirmResult", **shown)
        listed = [f"{table}:{400 + table}:{350 - 2 * table}" for table in tables]
        left = await ona.carry_out(
            ENTRY, "ConfirmAll", seen=" ".join([*listed[:-1], f"{tables[-1]}:{400 + tables[-1]}:1"])
        )
        assert "To be confirmed by another official" in left  # no other result than was shown
        left = await ona.carry_out(ENTRY, "ConfirmAll", seen=" ".join(listed))
        assert "To be confirmed by another official" not in left
        assert "Confirmed: 1 result." in left
    assert "Round 1 is closed." in await user.carry_out(rounds, "CloseRound", round=1)
    history = await user.web.get(f"{CONSOLE}/history")
    act = re.search(
        r"<li data-key=\"act-\d+\">\s*<p>Anna Puig sits at table 2\.\s*<span class=\"sub\">(\d+) ", history.text
    )
    assert act
    undone = await user.carry_out(f"{CONSOLE}/history", "UndoAct", version=act[1])
    assert "may sit at any table again" in undone
    paired = re.findall(r"Round 1 is paired\.\s*<span class=\"sub\">(\d+) ", history.text)
    late = await user.read_refusal(f"{CONSOLE}/history", "UndoAct", version=paired[0])
    assert re.search(
        rf"Command {paired[0]} can no longer be undone: command \d+ came after it\. Round 1 is started", late
    )


async def test_what_is_no_command_of_the_console_and_what_is_for_directors_alone_is_not_done(
    cell: Cell, user: ConsoleUser
) -> None:
    for act in ("GetTournament", "PlacePlay", "ClaimCase", "GrantCredential", ""):
        assert (await user.send(f"{CONSOLE}/players", act)).status_code == 400, act
    assert (await user.web.send_form(f"{CONSOLE}/players", act="CheckInPlayer", command_id="x")).status_code == 400
    arbiter = cell.token(replace(build_credential(needs.ROLE_ARBITER), scope=Scope()))
    async with visiting(cell, arbiter) as web:
        page = await web.get(f"{CONSOLE}/closing")
        assert page.status_code == 200
        assert "Publish the final standings" not in read_text(page)
        refused = await ConsoleUser(web).send(f"{CONSOLE}/closing", "PublishStandings")
        assert refused.status_code == 409
        assert "the role arbiter is not permitted to do this" in read_text(refused)


def form_of(page: str, player_id: str) -> str:
    """Return the form of the page of players that corrects the entry of one."""
    forms = re.findall(r"<form.*?</form>", page, re.DOTALL)
    return next(str(each) for each in forms if 'value="AmendPlayer"' in each and f'value="{player_id}"' in each)


def form(page: str, act: str) -> str:
    """Return the form of a page for a command."""
    found = [each for each in re.findall(r"<form.*?</form>", page, re.DOTALL) if f'name="act" value="{act}"' in each]
    assert found, act
    return str(found[0])


def value(text: str, name: str) -> str:
    found = re.search(rf'name="{re.escape(name)}" value="([^"]*)"', text)
    assert found, name
    return html.unescape(found[1])


async def test_a_tournament_without_players_has_its_whole_console_and_its_papers(user: ConsoleUser) -> None:
    fields: dict[str, Any] = {"name": "Buit", "rounds": 5, "ruleset": "fisc-2023", "tournament_id": "buit"}
    await user.carry_out("/new", "CreateTournament", **fields)
    parts = [f"/{part}" for part, _ in CONSOLE_PAGES if part] + ["", "/players/list", "/players/known", "/round/1"]
    pages = [f"/tournaments/buit/console{part}" for part in parts] + ["/tournaments/buit/print"]
    pages += [f"/tournaments/buit/print/{kind}" for kind, paper in PAPERS.items() if not paper.of_round]
    pages += [f"/tournaments/buit/{part}" for part in ("access", "arbiter")]
    answers = {page: (await user.web.get(page)).status_code for page in pages}
    assert {page: status for page, status in answers.items() if status not in (200, 303)} == {}
    assert "There are no players yet." in read_text(await user.web.get("/tournaments/buit/console"))
    refused = await user.read_refusal("/tournaments/buit/console/round/1", "PairRound", round=1)
    assert "A round needs 2 players or more; 0 can be paired. FISC I.1" in refused


async def test_teams_are_registered_lined_up_withdrawn_and_let_in_again(cell: Cell, user: ConsoleUser) -> None:
    fields = {"name": "Liga", "rounds": 3, "ruleset": "fise", "tournament_id": "liga", "options.teams": 2}
    await user.carry_out("/new", "CreateTournament", **fields)
    console = "/tournaments/liga/console"
    await user.carry_out(f"{console}/players/list", "register", text="Ana\nBruno\nCarla\nDavid\nElisa")
    a, b, c, d, e = (await ids(cell, user, "liga")).values()
    assert f'href="{console}/teams"' in (await user.web.get(console)).text
    page = f"{console}/teams"
    two = {"player_ids.1": a, "player_ids.2": b}
    assert "Ávila is registered" in await user.carry_out(page, "RegisterTeam", name="Ávila", **two)
    await user.carry_out(page, "RegisterTeam", name="Burgos", **{"player_ids.1": c, "player_ids.2": d})
    again = await user.read_refusal(page, "RegisterTeam", name="Cuenca", **{"player_ids.1": a, "player_ids.2": e})
    assert "Ana is in the line-up of Ávila" in again
    seen = (await user.web.get(page)).text
    line_up = form(seen, "SetLineUp")
    assert re.findall(r"<option value=\"([^\"]+)\" selected", line_up) == [a, b]
    assert f'value="{c}"' not in line_up, "a player of another team is not in the list"
    team = value(line_up, "team_id")
    changed: dict[str, Any] = {"player_ids.1": e, "player_ids.2": a, "player_ids.3": b}
    said = await user.carry_out(
        page, "SetLineUp", team_id=team, expected_version=value(line_up, "expected_version"), **changed
    )
    assert "Elisa, Ana, Bruno" in said
    await user.carry_out(page, "WithdrawTeam", team_id=team, note="ill")
    form((await user.web.get(page)).text, "ReinstateTeam")
    await user.carry_out(page, "ReinstateTeam", team_id=team)
    team_now = next(each for each in (await stands(cell, "liga")).teams if each.team_id == team)
    assert (list(team_now.player_ids), team_now.withdrawn_round) == ([e, a, b], 0)
    assert "not a team tournament" in read_text(await user.web.get(f"{CONSOLE}/teams"))


async def test_a_game_is_postponed_in_the_time_of_its_halls_and_a_ruling_is_put_right(
    cell: Cell, user: ConsoleUser
) -> None:
    zone = "Europe/Athens"
    fields = {"name": "Κύπελλο", "rounds": 3, "ruleset": "pes-2024", "tournament_id": "kypello", "time_zone": zone}
    await user.carry_out("/new", "CreateTournament", **fields)
    console = "/tournaments/kypello/console"
    await user.carry_out(f"{console}/players/list", "register", text="Alfa\nBeta\nGama\nDelta")
    page = f"{console}/round/1"
    await user.carry_out(page, "PairRound", round=1)
    asked = form((await user.web.get(page)).text, "PostponeGame")
    due = (datetime.now(UTC) + timedelta(days=2)).replace(second=0, microsecond=0, hour=9, minute=30)
    given: dict[str, Any] = {name: value(asked, name) for name in ("game_id", "arbiter_id", "player_ids.1")}
    given |= {"scheduled_at": f"{due:%Y-%m-%dT%H:%M}", "postponed_to": f"{due + timedelta(days=1):%Y-%m-%dT%H:%M}"}
    assert "only if all its players agree" in await user.read_refusal(page, "PostponeGame", **given)
    given["player_ids.2"] = value(asked, "player_ids.2")
    said = await user.carry_out(page, "PostponeGame", **given)
    assert "is postponed" in said
    postponed = next(
        each for each in (await stands(cell, "kypello")).played[0].pairings if each.game_id == given["game_id"]
    )
    assert value(form((await user.web.get(page)).text, "CancelPostponement"), "game_id") == postponed.game_id
    await user.carry_out(page, "CancelPostponement", game_id=postponed.game_id)
    await user.carry_out(page, "StartRound", round=1)
    results = "/tournaments/kypello/round/1/results"
    await user.carry_out(results, "EnterResult", table=1, first=401, second=350)
    asked = form((await user.web.get(page)).text, "CorrectRuling")
    wrong = {name: value(asked, name) for name in ("game_id", "arbiter_id")}
    assert "The play of turn 3" in await user.read_refusal(page, "CorrectRuling", turn=3, **wrong)


async def test_judges_are_appointed_and_dismissed_and_who_rules_is_set(cell: Cell, user: ConsoleUser) -> None:
    page = f"{CONSOLE}/judges"
    judges: dict[str, Any] = {"mode": 2, "lease_seconds": 60, "escalate_after_seconds": 300}
    assert "There are no judges" in read_text(await user.web.get(page))
    await user.read_refusal(page, "SetAdjudication", **judges)
    assert "is not a judge id" in await user.read_refusal(page, "AppointJudge", judge_id="No!", languages="ca")
    for judge_id in ("ada", "pau"):
        await user.carry_out(page, "AppointJudge", judge_id=judge_id, languages="ca, es")
    await user.carry_out(page, "AppointJudge", judge_id="eva", languages="ca", director=1)
    await user.carry_out(page, "SetAdjudication", **judges)
    shown = await user.carry_out(page, "DismissJudge", judge_id="pau")
    assert "pau" not in shown
    assert "ada ca, es" in shown
    assert 'name="lease_seconds" inputmode="numeric" value="60"' in (await user.web.get(page)).text


async def test_a_judge_is_appointed_with_the_link_and_keeps_the_appointment_with_a_new_one(user: ConsoleUser) -> None:
    access, judges = f"/tournaments/{OPEN}/access", f"{CONSOLE}/judges"
    granted = await user.send(access, "grant", role="judge", name="Carla Nin", by="link", lasts="day")
    assert "Appointed as a judge of words: Català." in read_text(granted)
    assert re.search(r"Carla Nin ca\b", read_text(await user.web.get(judges)))
    form = (await user.web.get(access)).text
    (chosen,) = re.findall(r'<option value="([^"]+)">Carla Nin</option>', form)
    again = read_text(await user.send(access, "grant", role="judge", subject=chosen, by="link", lasts="day"))
    assert "Carla Nin" in again
    assert "Appointed" not in again
    assert read_text(await user.web.get(judges)).count("Carla Nin ca") == 1
    await user.carry_out(judges, "DismissJudge", judge_id=chosen)


async def test_a_rating_system_is_chosen(cell: Cell, user: ConsoleUser) -> None:
    page = f"{CONSOLE}/settings"
    offered = re.findall(
        r"name=\"system\" value=\"([^\"]+)\"", form((await user.web.get(page)).text, "ChooseRatingSystem")
    )
    await user.carry_out(page, "ChooseRatingSystem", system=offered[-1])
    assert (await stands(cell)).rating_system == offered[-1]


async def test_what_a_tournament_is_stands_on_pages_in_json_and_in_the_report(cell: Cell, user: ConsoleUser) -> None:
    fields = {"name": "Tofeu de Reus", "rounds": 5, "ruleset": "fisc-2023", "tournament_id": "reus"}
    await user.carry_out("/new", "CreateTournament", **fields)
    page = "/tournaments/reus/console/settings"
    said = {
        "name": "Trofeu de Reus",
        "place": "Reus",
        "country": "ESP",
        "starts_on": "2026-11-28",
        "ends_on": "2026-12-01",
        "contact": "reus@example.org",
        "arbiters": "Eva Soler\r\nJordi Prat",
    }
    before = {"name.before": "Tofeu de Reus"}
    wrong = await user.send(page, "DescribeTournament", **{**said, **before, "country": "Spain"})
    assert re.search(r'name="country"[^>]*value="Spain"[^>]*aria-invalid', wrong.text)
    assert 'value="Trofeu de Reus"' in wrong.text  # no input is lost
    shown = await user.carry_out(page, "DescribeTournament", **{**said, **before})
    assert "Changed: name, place, country, first day, last day." in shown
    assert "settings are changed" not in await user.read_refusal(page, "DescribeTournament", name="Trofeu de Reus")

    found = (await user.web.get("/api/v1/tournaments/reus")).json()["tournament"]
    assert {key: found[key] for key in said if key != "arbiters"} == {
        key: value for key, value in said.items() if key != "arbiters"
    }
    assert found["arbiters"] == ["Eva Soler", "Jordi Prat"]
    public = read_text(await user.web.get("/tournaments/reus"))
    assert "2026 · Reus (ESP)" in public
    assert "Eva Soler, Jordi Prat" in public
    assert "reus@example.org" in public
    answer = await user.web.get("/api/v1/tournaments/reus/report.trf")
    assert answer.status_code == 200, read_text(answer)
    report = answer.text.splitlines()
    for line in ("012 Trofeu de Reus", "022 Reus", "032 ESP", "042 2026/11/28", "052 2026/12/01", "102 Eva Soler"):
        assert line in report
    assert "112 Jordi Prat" in report

    await user.carry_out(page, "DescribeTournament", **{"contact": "", "contact.before": "reus@example.org"})
    for _ in range(100):  # an answer may be a second old
        if not (await user.web.get("/api/v1/tournaments/reus")).json()["tournament"]["contact"]:
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError("the contact stands there for more than 10 seconds")

    refused = await user.read_refusal(page, "ChangeOptions", **{"options.round_minutes": 900})
    assert "The option “Minutes per round” cannot be 900: choose 40–240, none." in refused
    await user.carry_out(page, "ChangeOptions", **{"options.round_minutes": 75})
    options = (await stands(cell, "reus")).ruleset.options
    assert [(option.name, option.value) for option in options] == [("round_minutes", "75")]

    await user.carry_out(page, "ArchiveTournament")
    listed = (await user.web.get("/api/v1/tournaments")).json()["tournaments"]
    assert "reus" not in {each["tournament_id"] for each in listed}
    everything = (await user.web.get("/api/v1/tournaments?archived=true")).json()["tournaments"]
    assert "reus" in {each["tournament_id"] for each in everything}
    assert (await user.web.get("/tournaments/reus")).status_code == 200
    await user.carry_out(page, "RestoreTournament")
    assert "Trofeu de Reus is removed" in await user.carry_out(page, "RemoveTournament")
    assert [
        (await user.web.get(f"/{path}")).status_code for path in ("tournaments/reus", "tournaments/reus/console")
    ] == [
        404,
        404,
    ]
    await user.carry_out(page, "RestoreTournament")
    assert (await user.web.get("/tournaments/reus")).status_code == 200


async def test_an_appeal_is_lodged_with_the_countries_that_nobody_knew(cell: Cell, user: ConsoleUser) -> None:
    fields = {"name": "Apelación", "rounds": 3, "ruleset": "fise", "tournament_id": "apela"}
    await user.carry_out("/new", "CreateTournament", **fields)
    console = "/tournaments/apela/console"
    await user.carry_out(f"{console}/players/list", "register", text="Ana\nBruno\nCarla\nDavid")
    ana, bruno, *_ = (await ids(cell, user, "apela")).values()
    page = f"{console}/discipline"
    assert "AppointTribunal" not in (await user.web.get(f"{CONSOLE}/discipline")).text
    members = {"1": "Núria Peñalver", "2": "Ζωή Ρώτα", "3": "Rui", "4.1": "Sam", "4.2": "Tom"}
    homes = {"1": "AND", "2": "POR", "3": "FRA", "4.1": "ITA", "4.2": "GRC"}
    tribunal = {f"person.{key}": name for key, name in members.items()}
    assert "expected the country of" in await user.read_refusal(page, "AppointTribunal", **tribunal)
    tribunal |= {f"country.{key}": country for key, country in homes.items()}
    assert "Núria Peñalver, Ζωή Ρώτα, Rui" in await user.carry_out(page, "AppointTribunal", **tribunal)
    await user.carry_out(page, "WarnPlayer", player_id=ana, note="noise")
    asked = form((await user.web.get(page)).text, "LodgeAppeal")
    (appealed,) = re.findall(r'<option value="(\d+ [^"]+)"', asked)
    who = {key: value(asked, key) for key in re.findall(r'name="(person\.\d+)"', asked)}
    lodged: dict[str, Any] = {"appealed": appealed, "note": "it was not me", "player_ids.1": bruno, **who}
    assert "expected the country of" in await user.read_refusal(page, "LodgeAppeal", **lodged)
    told_of = {"country.appellant": "esp", "country.player_ids.1": "esp"}
    assert "Appeal 1 of Ana is lodged" in await user.carry_out(page, "LodgeAppeal", **lodged, **told_of)
    overview = await user.web.get(console)
    assert "Appeal 1 of Ana waits for the tribunal." in read_text(overview)
    assert f'href="{console}/discipline#appeal-1"' in overview.text
    assert (
        'name="tables" required maxlength="200" autocomplete="off" value="1–2"'
        in (await user.web.get("/tournaments/apela/access")).text
    )
    (appeal,) = (await stands(cell, "apela")).appeals
    assert (appeal.player_id, sorted(appeal.player_ids)) == (ana, sorted([ana, bruno]))
    panel = (await user.web.get(page)).text.partition('id="appeal-1"')[2].partition("</section>")[0]
    assert all(
        each in panel for each in ("Ana is warned", "The player wrote: it was not me", "Members: Núria Peñalver")
    )
    asked_by_player = pairing.ListSanctionsRequest(tournament_id="apela", player_id=ana)
    (own,) = (
        await do(cell, asked_by_player, build_credential(needs.ROLE_PLAYER, tournament="apela", player=ana))
    ).sanctions
    assert [member.name for member in own.members] == ["Núria Peñalver", "Ζωή Ρώτα", "Rui"]


async def test_a_lexicon_is_installed_on_a_page_and_chosen_by_a_tournament(user: ConsoleUser) -> None:
    await user.carry_out(
        "/new", "CreateTournament", name="X", rounds=1, ruleset="pes-2024", lexicon="-", tournament_id="x"
    )
    about: dict[str, Any] = {"name": "club", "tile_set": "el-104", "edition": "1", "licence": "CC0-1.0"}
    page = await user.read_refusal("/lexicons", "AddLexicon", **about, date="2026-03-07", words=" ")
    assert "The list is empty: choose a file, or paste the words." in page
    assert "expected one such as 2026-03-07" in await user.read_refusal(
        "/lexicons", "AddLexicon", **about, words="ΝΕΡΟ"
    )
    assert "no word list" in await user.read_refusal("/lexicons", "InstallLexicon", name="klingon")
    page = await user.carry_out("/lexicons", "AddLexicon", **about, date="2026-03-07", words="ΝΕΡΟ\nwater")
    while "is being installed" in page:
        await asyncio.sleep(0.1)
        page = read_text(await user.web.get("/lexicons"))
    assert "club is installed, with 1 words." in page
    assert "1 line contains no word: Line 2:" in page
    sent = {"Origin": str(user.web.base_url).rstrip("/"), "Content-Type": "application/octet-stream"}
    query = httpx.QueryParams({**about, "date": "2026-03-07"})
    answer = await user.web.post(f"/lexicons/file?{query}", content=b"plain", headers=sent)
    assert (answer.status_code, answer.json()["field"]) == (400, "words")
    settings = "/tournaments/x/console/settings"
    await user.carry_out(settings, "ChooseLexicon", lexicon="club")
    assert "This tournament has no lexicon: results are entered by hand." not in read_text(await user.web.get(settings))


async def test_a_tournament_of_results_is_created_paired_and_finished_without_a_lexicon(user: ConsoleUser) -> None:
    form = (await user.web.get("/new?ruleset=pes-2024")).text
    assert '<option value="-">none: results are entered by hand' in form
    assert '<option value="-"' not in (await user.web.get("/new?ruleset=fisc-2023-duplicate")).text
    fields: dict[str, Any] = {"name": "Paper", "rounds": 7, "ruleset": "pes-2024", "lexicon": "-"}
    fields["options.pairing"] = "round-robin"
    refused = await user.read_refusal("/new", "CreateTournament", **fields, tournament_id="hosted", keeping=1)
    assert "If the system holds the bag" in refused

    await user.carry_out("/new", "CreateTournament", **fields, tournament_id="paper")
    console = "/tournaments/paper/console"
    await user.carry_out(f"{console}/players/list", "register", text="Anna\nBiel")
    assert "challenges cannot be ruled on" in read_text(await user.web.get(f"{console}/judges"))
    assert "challenges cannot be ruled on" in await user.read_refusal(
        f"{console}/judges", "AppointJudge", judge_id="ada", languages="el"
    )
    assert "This tournament has no lexicon: results are entered by hand." in read_text(
        await user.web.get(f"{console}/settings")
    )
    overview = (await user.web.get(console)).text
    assert 'name="rounds" value="1"><button>Play 1 round</button>' in overview
    await user.carry_out(f"{console}/settings", "ChangeRounds", rounds=1)
    await user.carry_out(f"{console}/round/1", "PairRound", round=1)
    await user.carry_out(f"{console}/round/1", "StartRound", round=1)
    entry = "/tournaments/paper/round/1/results"
    await user.carry_out(entry, "EnterResult", table=1, first=401, second=388)
    await user.carry_out(f"{console}/round/1", "CloseRound", round=1)
    await user.carry_out(f"{console}/closing", "PublishStandings")
    assert 'aria-current="page">Print' in (await user.web.get("/tournaments/paper/print")).text
    (game,) = (await user.web.get("/api/v1/tournaments/paper/games")).json()["games"]
    assert {seat["score"] for seat in game["seats"]} == {401, 388}, game
    sheet = (await user.web.get(f"/api/v1/games/{game['game_id']}")).json()
    assert sheet.get("lexicon") is None, sheet


async def test_the_end_of_a_tournament_needs_a_reason_for_each_open_check_and_the_minutes_have_it(
    cell: Cell, user: ConsoleUser
) -> None:
    fields: dict[str, Any] = {"name": "Final", "rounds": 5, "ruleset": "fise", "lexicon_name": ""}
    await user.carry_out("/new", "CreateTournament", **fields, tournament_id="ended")
    console = "/tournaments/ended/console"
    await user.carry_out(f"{console}/players/list", "register", text="Anna Puig\nBiel Mas")
    await user.carry_out(f"{console}/settings", "ChangeRounds", rounds=1)
    for act in ("PairRound", "StartRound"):
        await user.carry_out(f"{console}/round/1", act, round=1)
    await user.carry_out("/tournaments/ended/round/1/results", "EnterResult", table=1, first=401, second=388)
    await user.carry_out(f"{console}/round/1", "CloseRound", round=1)
    closing = f"{console}/closing"
    assert "End of the tournament" not in read_text(await user.web.get(closing))
    player = (await ids(cell, user, "ended"))["Anna Puig"]
    request = pairing.LodgeDataRequestRequest(
        tournament_id="ended", player_id=player, kind=pairing_events.DATA_REQUEST_KIND_ERASURE
    )
    await do(cell, request, replace(build_credential(needs.ROLE_DIRECTOR), scope=Scope()))

    shown = await user.carry_out(closing, "PublishStandings")
    assert "requests without an answer: 1 ( Anna Puig )" in shown.replace("(Anna Puig)", "( Anna Puig )")
    refused = await user.read_refusal(closing, "FinaliseTournament")
    assert "1 request has no answer: Anna Puig." in refused
    reason = f"reasons.{pairing_events.FINAL_CHECK_REQUESTS}"
    ended = await user.carry_out(closing, "FinaliseTournament", **{reason: "She answers by post."})
    assert "The tournament is finalised." in ended
    for page in (f"{console}/history", "/tournaments/ended/print/minutes?lang=en"):
        said = read_text(await user.web.get(page))
        assert "Excused at the end: requests without an answer (1)." in said
        assert "She answers by post." in said
        assert "Final is finalised. Checked, without open matters: challenges without a ruling, " in said

    await user.carry_out(closing, "ReopenStandings", note="A slip was read wrongly.")
    assert "Excused at the end" not in read_text(await user.web.get("/tournaments/ended/print/minutes?lang=en"))


SEPARATOR = r"[;,\t]"
DRAFTED = "esborrany"
DRAFT_CONSOLE = f"/tournaments/{DRAFTED}/console"
DRAFT_ROUND = f"{DRAFT_CONSOLE}/round/1"


async def test_a_draft_is_changed_published_and_withdrawn_by_forms_and_the_public_sees_only_what_is_published(
    cell: Cell, user: ConsoleUser
) -> None:
    fields: dict[str, Any] = {"name": "Copa amb esborrany", "rounds": 5, "ruleset": "fisc-2023"}
    await user.carry_out("/new", "CreateTournament", **fields, tournament_id=DRAFTED)
    club = "\n".join(f"{re.split(SEPARATOR, line)[0]}; Valls" for line in LIST.splitlines())
    await user.carry_out(f"{DRAFT_CONSOLE}/players/list", "register", text=club)
    players = await ids(cell, user, DRAFTED)
    settings = f"{DRAFT_CONSOLE}/settings"
    assert "Pairings are public: after a check by officials" in await user.carry_out(
        settings, "SetPairingPublication", publication="draft"
    )
    assert "Pair round 1 as a draft" in read_text(await user.web.get(DRAFT_ROUND))
    assert "Round 1 is paired as a draft" in await user.carry_out(DRAFT_ROUND, "PairRound", round=1, draft=1)
    assert "paired as a draft, which only officials see" in read_text(await user.web.get(DRAFT_CONSOLE))
    draft = (await user.web.get(DRAFT_ROUND)).text
    assert "3 tables with a problem" in draft
    assert re.search(r'<a href="#table-2">Table 2: [^<]* same club\.</a>', draft), "the list leads to the row"
    assert 'id="table-2"' in draft
    boxes = re.findall(r'<select name="player_ids.1".*?</select>', draft, re.DOTALL)
    in_order = sorted(players)  # these names are in the order of their letters
    for shown in (boxes[0], (await user.web.get(f"{DRAFT_CONSOLE}/halls")).text):
        assert sorted(players, key=lambda name: shown.index(f'value="{players[name]}"')) == in_order
    swapped = {"player_ids.1": players["Anna Puig"], "player_ids.2": players["Jordi Roca"]}
    page = await user.carry_out(DRAFT_ROUND, "SwapPlayers", round=1, **swapped, note="same family")
    assert "Swapped in the draft of round 1: Anna Puig – Jordi Roca." in page
    assert "It was changed by hand." in page
    moved = await user.carry_out(DRAFT_ROUND, "MovePairing", round=1, table=1, to_table=9)
    assert "The pairing of table 1 is at table 9" in moved
    past = await user.read_refusal(DRAFT_ROUND, "SchedulePublication", round=1, publish_at="2020-01-01T10:00")
    assert "is 2020-01-01T10:00:00+0" in past
    assert "which has passed" in past
    assert "is published at" in await user.carry_out(
        DRAFT_ROUND, "SchedulePublication", round=1, publish_at="2099-01-01T10:00"
    )
    assert "It is published at 2099-01-01 10:00" in read_text(await user.web.get(DRAFT_ROUND))
    await user.carry_out(DRAFT_ROUND, "CancelPublication", round=1)
    assert "is a draft" in await user.read_refusal(DRAFT_ROUND, "StartRound", round=1)
    public = f"/tournaments/{DRAFTED}/round/1"
    async with visiting(cell, "") as outside:
        assert (await outside.get(public)).status_code == 404
        assert "The pairing of round 1 is published" in await user.carry_out(DRAFT_ROUND, "PublishRound", round=1)
        assert (await outside.get(public)).status_code == 200
        assert "already public" in await user.read_refusal(DRAFT_ROUND, "PublishRound", round=1)
        unpublished = await user.carry_out(DRAFT_ROUND, "UnpublishRound", round=1, note="a late withdrawal")
        assert "is a draft again" in unpublished
        assert (await outside.get(public)).status_code == 404
    history = read_text(await user.web.get(f"{DRAFT_CONSOLE}/history"))
    assert "same family" in history
    assert "a late withdrawal" in history
    await user.carry_out(DRAFT_ROUND, "PublishRound", round=1)


async def test_players_report_results_and_an_arbiter_decides_a_dispute_by_one_form(
    cell: Cell, user: ConsoleUser
) -> None:
    await user.carry_out(f"{DRAFT_CONSOLE}/closing", "SetResultCheck", players_enter=1)
    await user.carry_out(DRAFT_ROUND, "StartRound", round=1)
    assert "waits for a decision" not in read_text(await user.web.get(DRAFT_CONSOLE))
    bye = pairing.LodgePlayerRequestRequest(kind=pairing_events.PLAYER_REQUEST_KIND_BYE, round=3)
    await lodge(cell, (await ids(cell, user, DRAFTED))["Ona Vidal"], bye)
    overview = await user.web.get(DRAFT_CONSOLE)
    assert "1 request of a player waits for a decision. View" in read_text(overview)
    assert f'href="{DRAFT_CONSOLE}/presence">View' in overview.text
    table, *others = (await stands(cell, DRAFTED)).played[0].pairings
    at_table = f"/tournaments/{DRAFTED}/round/1/results/{table.table}"
    late = read_text(await user.web.get(f"{DRAFT_CONSOLE}/late"))
    assert "3 tables are late" in late
    assert f"Table {table.table}: " in late
    async with (
        visiting(cell, player_of(cell, table.first_player_id)) as first,
        visiting(cell, player_of(cell, table.second_player_id)) as second,
    ):
        assert "The winner enters the scores" in read_text(await first.get(at_table))
        winner, loser = ConsoleUser(first), ConsoleUser(second)
        assert "whole number" in await winner.read_refusal(at_table, "ReportResult", first="x", second=350)
        assert "You have entered the result" in await winner.carry_out(at_table, "ReportResult", first=400, second=350)
        shown = {"seen_first": 400, "seen_second": 350, "table": table.table, "player_id": table.second_player_id}
        disputed = await loser.carry_out(
            at_table, "ConfirmResult", **shown, says="wrong", first=340, second=350, note="one play twice"
        )
        assert "(340–350)" in disputed
        assert "340" not in read_text(await first.get(at_table))
        foreign = f"/tournaments/{DRAFTED}/round/1/results/{others[0].table}"
        assert (await loser.send(foreign, "ReportResult")).status_code == 404
    page = await user.web.get(at_table)
    assert "As entered: 400–350" in read_text(page)
    assert "340–350" in read_text(page)
    assert "disputed" in read_text(await user.web.get(f"{DRAFT_CONSOLE}/late?show=disputed"))
    assert "1 table is late" in read_text(await user.web.get(f"{DRAFT_CONSOLE}/late?show=disputed"))
    assert "3 tables are late" in read_text(await user.web.get(f"{DRAFT_CONSOLE}/late?show=all"))
    assert re.search(r"Waiting time: \d+:\d\d ", read_text(await user.web.get(f"{DRAFT_CONSOLE}/late"))), "no script"
    overview = await user.web.get(DRAFT_CONSOLE)
    assert "1 disputed result" in read_text(overview)
    assert f'data-key="late-{table.table}"' not in overview.text, "a table with a result is not one to call"
    assert f'data-key="late-{others[0].table}"' in overview.text
    assert 'name="back" value="arbiter"' in (await user.web.get(f"/tournaments/{DRAFTED}/arbiter")).text
    decided = await user.send(at_table, "DecideDispute", first=340, second=350, back="arbiter", hall="")
    assert decided.headers["location"].startswith(f"/tournaments/{DRAFTED}/arbiter?")
    hall = read_text(await user.web.get(decided.headers["location"]))
    assert f"The dispute at table {table.table} is decided." in hall
    assert "Disputed results" not in hall, "the list is where the next dispute waits"
    assert "confirmed" in read_text(await user.web.get(at_table))
    assert "2 tables are late" in read_text(await user.web.get(f"{DRAFT_CONSOLE}/late"))


async def test_the_next_pairing_is_previewed_while_results_are_missing(cell: Cell, user: ConsoleUser) -> None:
    preview = f"{DRAFT_CONSOLE}/preview"
    running = (await stands(cell, DRAFTED)).played[0]
    missing = [table for table in running.pairings if table.game_id not in running.finished_game_ids]
    assert len(missing) == 2
    wanted = "&".join(f"winner.{table.table}={table.first_player_id}" for table in missing)
    page = read_text(await user.web.get(f"{preview}?ask=1&{wanted}"))
    assert "Round 2 would be paired so" in page
    first = missing[0]
    partial = f"score.{first.table}.1=400&score.{first.table}.2=380"
    assert "is missing" in read_text(await user.web.get(f"{preview}?ask=1&{partial}"))
    assert len((await stands(cell, DRAFTED)).played[0].finished_game_ids) == 1


async def test_a_director_alone_confirms_a_late_result_by_the_signed_slip(cell: Cell, user: ConsoleUser) -> None:
    running = (await stands(cell, DRAFTED)).played[0]
    left = next(table for table in running.pairings if table.game_id not in running.finished_game_ids)
    entry, own = f"/tournaments/{DRAFTED}/round/1/results", left.table
    await user.carry_out(entry, "EnterResult", table=own, first=401, second=333)
    slip: dict[str, Any] = {"says": "paper", "table": own, "seen_first": 401, "seen_second": 333}
    assert "expected the reason" in await user.read_refusal(entry, "ConfirmResult", **slip)
    assert "confirmed" in await user.carry_out(entry, "ConfirmResult", **slip, note="both signed it")
    told = read_text(await user.web.get(f"{DRAFT_CONSOLE}/history"))
    assert re.search(r"The director confirmed it by the signed slip\..*both signed it", told)


async def lodge(cell: Cell, player_id: str, request: pairing.LodgePlayerRequestRequest) -> None:
    """Send a request of a player of the tournament with drafts."""
    request.command_id, request.tournament_id, request.player_id = str(uuid.uuid4()), DRAFTED, player_id
    path = "/faristol.pairing.v1.PairingService/LodgePlayerRequest"
    await cell.call(path, request, player_of(cell, player_id))


def player_of(cell: Cell, player_id: str) -> str:
    """Return the token of a player of the tournament with drafts."""
    return cell.token(replace(build_credential(needs.ROLE_PLAYER, DRAFTED), player=player_id))


TAKEN_OVER = "Puig, Anna 1500 3; 400; p12 1\nSoler, Blai 1400 1; 300; p12 2\nMas, Núria 1300 0; 50; p12 0\n"
"""A division of tsh in which the first player names another opponent."""


async def test_a_tournament_of_another_program_is_mended_in_place_and_taken_over(cell: Cell, user: ConsoleUser) -> None:
    shown = await user.send("/new/import", "check", text=TAKEN_OVER)
    page = read_text(shown)
    assert shown.status_code == 200
    assert "2 doubtful places" in page
    assert "Round 1, Anna Puig (1): the opponent 3 has the opponent 0." in page
    assert 'name="mend.1/1/opponent"' in shown.text

    fields: dict[str, Any] = {"text": TAKEN_OVER, "name": "Obert", "rounds": 3, "tournament_id": "obert"}
    refused = await user.read_refusal("/new/import", "import", **fields, accept="yes", ruleset="fise")
    assert "Change the places marked as errors first." in refused
    assert (await user.web.get("/tournaments/obert")).status_code == 404

    mended = await user.send(
        "/new/import", "check", text=TAKEN_OVER, **{"mend.1/1/opponent": 2, "mend.1/1/opponent.before": 3}
    )
    assert "doubtful" not in read_text(mended)
    assert ">1/1/opponent=2</textarea>" in mended.text
    again = await user.send("/new/import", "check", text=TAKEN_OVER, mends="1/1/opponent=2")
    assert "doubtful" not in read_text(again)

    await user.carry_out("/new/import", "import", **fields, mends="1/1/opponent=2", ruleset="fise")

    found = await stands(cell, "obert")
    assert sorted(player.name for player in found.players) == ["Anna Puig", "Blai Soler", "Núria Mas"]
    assert [played.phase for played in found.played] == [pairing.ROUND_PHASE_CLOSED]
    assert {option.name: option.value for option in found.ruleset.options}.get("bye_spread") == "50"
    pack = open_pack((await user.web.get("/tournaments/obert/pack.zip")).content)
    assert not pack.problems
    (public,) = read_public([cell.folder / f"{PACK_KEY}.pub"]).values()
    assert is_signed_by(pack, public)
    assert {"tsh/a.t", "results.tou", "standings.csv", "minutes.ods"} <= pack.files.keys()


async def test_the_page_of_the_takeover_reads_files_and_says_what_is_wrong_with_them(user: ConsoleUser) -> None:
    wrong = await user.send("/new/import", "check", text="no player at all")
    assert wrong.status_code == 400
    assert "line 1: expected a name, a rating" in read_text(wrong)
    headers = {"content-type": "application/octet-stream", "sec-fetch-site": "same-origin"}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as folder:
        folder.writestr("open/config.tsh", "division a a.t\nconfig event_name = 'Obert'\nconfig max_rounds = 3\n")
        folder.writestr("open/a.t", TAKEN_OVER)
    read = await user.web.post("/new/import/text", content=archive.getvalue(), headers=headers)
    text = read.json()["text"]
    assert "==> config.tsh <==" in text
    page = await user.send("/new/import", "check", text=text)
    assert 'value="Obert"' in page.text
    for language, title in (("ca", "Continuar un torneig"), ("es", "Continuar un torneo"), ("el", "Ανάληψη τουρνουά")):
        assert title in read_text(await user.web.get(f"/new/import?lang={language}"))


async def test_an_arbiter_of_one_tournament_does_not_find_the_page_of_the_takeover(cell: Cell) -> None:
    async with visiting(cell, cell.token(build_credential(needs.ROLE_ARBITER))) as web:
        assert (await web.get("/new/import")).status_code == 404
