"""The register of a federation on a cell: lists, details beside the events, licences at a registration, pages."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from tests.component.officials import do
from tests.support.access_cell import Cell, build_credential
from tests.support.plain_http import PLAIN

from faristol.event_store.integrity.verification import verify
from faristol.gateway.federation.people_export import format_register
from faristol.host import SERVICES, Settings
from faristol.kernel.details import Person
from faristol.launcher.processes import running
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.pb.season.v1 import season_pb2 as season
from faristol.personal_data.erasure import erase
from faristol.personal_data.people import names
from faristol.register.model import REGISTER_STREAM
from faristol.typed_input.people_list import read_people

DIRECTOR = build_credential(needs.ROLE_DIRECTOR, tournament="", subject="dora")
FEDERATION = build_credential(needs.ROLE_FEDERATION, tournament="", subject="fede")
MEMBERS = """id,name,club,birth_year,federation_id,rating,licence_kind,licence_to
,Anna Puig,CE Valls,2010,17,1500,competition,2099-08-31
,Biel Roca,CE Vic,1987,18,1400,competition,2020-08-31
,Carla Gil,ce vic,,19,,,
"""

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class Federation:
    """A cell with a register of three persons."""

    web: httpx.AsyncClient
    cell: Cell

    async def ask(self, request: Any) -> Any:
        """Return the answer to a request of a director."""
        return await do(self.cell, request, DIRECTOR)

    async def decide(self, request: Any) -> Any:
        """Return the answer to a request of the federation."""
        return await do(self.cell, request, FEDERATION)

    async def take(self, text: str, **fields: Any) -> pb.ImportPersonsResponse:
        """Take a list as its preview shows it."""
        rows = read_people(text).rows
        preview: pb.PreviewImportResponse = await self.decide(pb.PreviewImportRequest(rows=rows))
        taken: pb.ImportPersonsResponse = await self.decide(
            pb.ImportPersonsRequest(rows=rows, digest=preview.digest, **fields)
        )
        return taken

    async def persons(self, search: str = "", **fields: Any) -> dict[str, pb.RegisteredPerson]:
        """Return the entries of a search by name."""
        found = await self.decide(pb.ListRegisteredPersonsRequest(search=search, **fields))
        return {each.name: each for each in found.persons}

    async def send(self, path: str, act: str, **fields: str) -> httpx.Response:
        """Send a form of the federation's console."""
        self.web.cookies.set("faristol", self.cell.token(FEDERATION))
        form = {"act": act, "command_id": str(uuid.uuid4()), **fields}
        answer = await self.web.post(
            f"/federation/register{path}?lang=en",
            data=form,
            headers={"Sec-Fetch-Site": "same-origin"},
            follow_redirects=True,
        )
        self.web.cookies.clear()
        return answer


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def federation(
    tmp_path_factory: pytest.TempPathFactory, shared_nats: str, no_open: None
) -> AsyncIterator[Federation]:
    """Yield a cell with a register. The cell is needed for its database: details and notes are beside the events."""
    folder = tmp_path_factory.mktemp("federation")
    given = {"data": folder, "open": False, "nats_url": shared_nats, "http_port": 0, "grpc_port": 0}
    async with (
        running(Settings.model_validate({**given, "grace_seconds": 0.1}), SERVICES) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=60) as web,
    ):
        made = Federation(web, Cell(process, channel, folder, {}))
        await made.decide(season.CreateSeasonRequest(season_id="2026", name="Season 2026", starts_on="2000-01-01"))
        await made.decide(
            pb.SetCategoriesRequest(
                season_id="2026", year=2026, categories=[events.AgeCategory(name="U18", max_age=17)]
            )
        )
        taken = await made.take(MEMBERS, name="Members")
        assert (taken.entered, taken.changed, taken.removed) == (3, 0, 0)
        yield made


async def test_an_import_enters_persons_with_clubs_licences_and_categories(federation: Federation) -> None:
    found = await federation.persons()
    assert list(found) == ["Anna Puig", "Biel Roca", "Carla Gil"]
    anna, biel, carla = found.values()
    assert (anna.federation_id, anna.rating, anna.category, anna.licences[0].is_valid) == ("17", 1500, "U18", True)
    assert (biel.category, biel.licences[0].is_valid) == ("", False)
    assert (carla.club, carla.HasField("rating")) == ("CE Vic", False)
    clubs = (await federation.decide(pb.ListClubsRequest())).clubs
    assert [(club.name, club.persons) for club in clubs] == [("CE Valls", 1), ("CE Vic", 2)]
    assert list(await federation.persons("pu")) == ["Anna Puig"]
    assert list(await federation.persons("18")) == ["Biel Roca"]
    assert list(await federation.persons(without_licence=True)) == ["Biel Roca", "Carla Gil"]
    assert list(await federation.persons(club_id="ce-vic")) == ["Biel Roca", "Carla Gil"]


async def test_no_name_and_no_year_of_birth_is_in_an_event(federation: Federation) -> None:
    recorded = await federation.cell.process.runtime.record.read_stream(REGISTER_STREAM)
    whole = b"".join(each.payload for each in recorded)
    assert b"Puig" not in whole
    assert b"2010" not in whole
    assert (await verify(federation.cell.process.runtime.record)).names.bound >= 3


async def test_an_import_of_an_export_changes_no_entry(federation: Federation) -> None:
    exported = format_register((await federation.persons()).values())
    preview = await federation.decide(pb.PreviewImportRequest(rows=read_people(exported).rows))
    assert {row.status for row in preview.rows} == {pb.ROW_STATUS_SAME}
    with pytest.raises(grpc.aio.AioRpcError, match="No row of the list"):
        await federation.take(exported)


async def test_an_import_is_refused_if_the_register_changed_after_its_preview(federation: Federation) -> None:
    rows = read_people("name,federation_id,rating\nAnna Puig,17,1550\n").rows
    preview = await federation.decide(pb.PreviewImportRequest(rows=rows))
    anna = (await federation.persons())["Anna Puig"]
    changed = await federation.decide(pb.SetRegisteredPersonRequest(person_id=anna.person_id, rating=1510))
    with pytest.raises(grpc.aio.AioRpcError, match="since the preview"):
        await federation.decide(pb.ImportPersonsRequest(rows=rows, digest=preview.digest))
    acts = (await federation.decide(pb.ListRegisterActsRequest())).acts
    assert (acts[0].event, acts[0].name, acts[0].actor_id) == ("PersonEntered", "Anna Puig", "fede")
    await federation.decide(pb.UndoRegisterActRequest(version=acts[0].version))
    assert changed.position
    assert (await federation.persons())["Anna Puig"].rating == 1500


async def test_the_undo_of_an_import_restores_details_and_deletes_those_of_new_persons(federation: Federation) -> None:
    before = await federation.persons()
    taken = await federation.take(
        "name,federation_id,club,birth_year\nAnna Puig Roca,17,CE Reus,2010\nDolors Mas,20,CE Reus,1990\n"
    )
    assert (taken.entered, taken.changed) == (1, 1)
    changed = await federation.persons()
    assert changed["Anna Puig Roca"].club == "CE Reus"
    await federation.decide(pb.UndoRegisterActRequest(version=taken.version, note="the list of another year"))
    assert await federation.persons() == before
    undone = (await federation.decide(pb.ListRegisterActsRequest(limit=1))).acts[0]
    assert (undone.undone_version, undone.note) == (taken.version, "the list of another year")
    new = changed["Dolors Mas"].person_id
    record = federation.cell.process.runtime.record
    assert not (await names(record, [new])).get(new, Person(new)).known
    await verify(record)


async def test_a_club_is_renamed_for_all_its_persons(federation: Federation) -> None:
    await federation.decide(pb.SetClubRequest(club_id="ce-vic", name="Club Vic"))
    assert [each.club for each in (await federation.persons()).values()] == ["CE Valls", "Club Vic", "Club Vic"]
    acts = (await federation.decide(pb.ListRegisterActsRequest(limit=1))).acts
    await federation.decide(pb.UndoRegisterActRequest(version=acts[0].version))
    assert (await federation.persons())["Biel Roca"].club == "CE Vic"


async def test_a_tournament_with_a_required_licence_takes_persons_of_the_register(federation: Federation) -> None:
    await federation.ask(
        pairing.CreateTournamentRequest(
            tournament_id="open",
            name="Open",
            rounds=3,
            ruleset="fise",
            without_lexicon=True,
            keeping=game_events.KEEPING_RECORDED,
        )
    )
    await federation.decide(pairing.RequireLicenceRequest(tournament_id="open", required=True, kind="competition"))
    found = (await federation.ask(pb.SearchRegisterRequest(tournament_id="open", search="ce"))).persons
    assert [(each.name, each.category, each.has_licence) for each in found] == [
        ("Anna Puig", "U18", True),
        ("Biel Roca", "", False),
        ("Carla Gil", "", False),
    ]
    anna, biel, carla = found
    players = [
        pairing.RegisterPlayerRequest(
            command_id=str(uuid.uuid4()), player_id=each.person_id, name=each.name, category=each.category
        )
        for each in found
    ]
    registered = await federation.ask(pairing.RegisterPlayersRequest(tournament_id="open", players=players))
    assert [each.reason for each in registered.registrations] == ["", "LICENCE_EXPIRED", "LICENCE_MISSING"]
    alone = {"tournament_id": "open", "player_id": biel.person_id, "name": biel.name}
    with pytest.raises(grpc.aio.AioRpcError, match="expired on 2020-08-31"):
        await federation.ask(pairing.RegisterPlayerRequest(**alone))
    await federation.ask(pairing.RegisterPlayerRequest(**alone, licence_exception="Renewed today."))
    await federation.ask(pairing.RequireLicenceRequest(tournament_id="open"))
    await federation.ask(
        pairing.RegisterPlayerRequest(tournament_id="open", player_id=carla.person_id, name=carla.name)
    )
    await federation.ask(pairing.RequireLicenceRequest(tournament_id="open", required=True))
    missing = await federation.ask(pairing.ListMissingLicencesRequest(tournament_id="open"))
    assert [(each.player_id, each.valid_to, each.has_exception) for each in missing.players] == [
        (biel.person_id, "2020-08-31", True),
        (carla.person_id, "", False),
    ]
    details = await federation.ask(pairing.GetPersonalDetailsRequest(tournament_id="open", player_id=anna.person_id))
    assert "17" in str(details), "the details of the register are those of the player"
    player = build_credential(needs.ROLE_PLAYER, tournament="open", player=anna.person_id)
    federation.web.cookies.set("faristol", federation.cell.token(player))
    own = (await federation.web.get("/my-data.json")).json()["register"]
    assert (own["birth_year"], own["federation_id"], own["licences"][0]["valid_to"]) == (2010, "17", "2099-08-31")
    assert "competition until 2099-08-31" in (await federation.web.get("/my-data?lang=en")).text
    federation.web.cookies.clear()
    with pytest.raises(grpc.aio.AioRpcError) as foreign:
        await do(federation.cell, pb.GetRegisteredPersonRequest(person_id=biel.person_id), player)
    assert foreign.value.code() is grpc.StatusCode.PERMISSION_DENIED
    federation.web.cookies.set("faristol", federation.cell.token(DIRECTOR))
    page = (await federation.web.get("/tournaments/open/console/players", params={"lang": "en"})).text
    assert "Without a valid licence" in page
    known = await federation.web.post(
        "/tournaments/open/console/players/known?lang=en",
        data={"act": "look", "command_id": str(uuid.uuid4()), "list": "_register", "name": "puig"},
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    federation.web.cookies.clear()
    assert known.status_code == HTTPStatus.OK
    assert anna.person_id in known.text


async def test_the_form_of_a_player_takes_what_the_register_knows_of_a_number(federation: Federation) -> None:
    await federation.ask(
        pairing.CreateTournamentRequest(
            tournament_id="club",
            name="Club",
            rounds=3,
            ruleset="fise",
            without_lexicon=True,
            keeping=game_events.KEEPING_RECORDED,
        )
    )
    federation.web.cookies.set("faristol", federation.cell.token(DIRECTOR))

    async def register(**fields: str) -> str:
        answer = await federation.web.post(
            "/tournaments/club/console/players?lang=en",
            data={"act": "RegisterPlayer", "command_id": str(uuid.uuid4()), **fields},
            headers={"Sec-Fetch-Site": "same-origin"},
            follow_redirects=True,
        )
        assert answer.status_code == HTTPStatus.OK
        return answer.text

    page = await register(name="Anna Puig", federation_id="17", rating="", category="")
    assert "From the register: Club, Rating, Category." in page
    assert "From the register: Club." in await register(name="Biel Roca", federation_id="18", rating="1450")
    assert "From the register" not in await register(name="Rosa Vila", federation_id="19")
    federation.web.cookies.clear()
    found = await federation.ask(pairing.GetTournamentRequest(tournament_id="club"))
    known = {each.name: each.person_id for each in (await federation.persons()).values()}
    players = {each.name: each for each in found.players}
    assert {name: each.player_id for name, each in players.items() if name in known} == {
        name: known[name] for name in ("Anna Puig", "Biel Roca")
    }
    assert (players["Anna Puig"].rating, players["Anna Puig"].category) == (1500, "U18")
    assert players["Biel Roca"].rating == 1450, "a typed value wins"
    assert players["Rosa Vila"].unrated, "the number is that of a person with another name"


async def test_only_the_federation_keeps_the_register(federation: Federation) -> None:
    for request in (pb.SetClubRequest(club_id="x", name="X"), pb.ListRegisteredPersonsRequest()):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await federation.ask(request)
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    narrow = build_credential(needs.ROLE_FEDERATION, tournament="open", subject="fede")
    with pytest.raises(grpc.aio.AioRpcError, match="only some"):
        await do(federation.cell, pb.SetClubRequest(club_id="x", name="X"), narrow)


@pytest.mark.parametrize("language", ["ca", "es", "el", "en"])
async def test_the_pages_of_the_register_show_it(federation: Federation, language: str) -> None:
    anna = (await federation.persons())["Anna Puig"]
    federation.web.cookies.set("faristol", federation.cell.token(FEDERATION))
    expected = {
        "": "Anna Puig",
        f"/persons/{anna.person_id}": "2099-08-31",
        "/clubs": "CE Valls",
        "/categories": "U18",
        "/history": "Members",
        "/import": "licence_to",
        ".csv": "Anna Puig",
    }
    for path, text in expected.items():
        answer = await federation.web.get(f"/federation/register{path}", params={"lang": language})
        assert answer.status_code == HTTPStatus.OK, path
        assert text in answer.text, path
    assert (await federation.web.get("/federation/register/persons/nobody")).status_code == HTTPStatus.NOT_FOUND
    federation.web.cookies.clear()


async def test_the_forms_of_the_register_change_it(federation: Federation) -> None:
    entered = await federation.send("", "SetRegisteredPerson", name="Eva Sol", club="CE Valls", rating="1300")
    assert "Eva Sol" in entered.text
    eva = (await federation.persons("eva"))["Eva Sol"]
    again = await federation.send("", "SetRegisteredPerson", name="Eva Sol")
    assert again.status_code == HTTPStatus.CONFLICT
    page = f"/persons/{eva.person_id}"
    licensed = await federation.send(page, "SetLicence", kind="club", valid_to="2099-12-31")
    assert "2099-12-31" in licensed.text
    wrong = await federation.send(page, "SetLicence", kind="club", valid_from="2100-01-01", valid_to="2099-12-31")
    assert wrong.status_code == HTTPStatus.BAD_REQUEST
    await federation.send(
        page,
        "SetRegisteredPerson",
        **{"name": "Eva Sol", "name.before": "Eva Sol", "rating": "", "rating.before": "1300"},
    )
    assert not (await federation.persons("eva"))["Eva Sol"].HasField("rating")
    preview = await federation.send("/import", "preview", text="name,rating\nEva Sol,1350\nFina Pla,\n")
    assert preview.status_code == HTTPStatus.OK
    digest = preview.text.partition('name="digest" value="')[2].partition('"')[0]
    text = "name,rating\nEva Sol,1350\nFina Pla,\n"
    taken = await federation.send("/import", "selected", text=text, digest=digest, **{"take.2": "2"})
    assert "1 changed" in taken.text
    assert (await federation.persons("eva"))["Eva Sol"].rating == 1350
    assert not await federation.persons("fina")
    acts = (await federation.decide(pb.ListRegisterActsRequest(limit=1))).acts
    undone = await federation.send("/history", "UndoRegisterAct", version=str(acts[0].version))
    assert undone.status_code == HTTPStatus.OK
    removed = await federation.send(page, "RemoveRegisteredPerson")
    assert removed.status_code == HTTPStatus.OK
    assert not await federation.persons("eva")


async def test_an_erased_person_is_in_no_list_and_is_not_restored(federation: Federation) -> None:
    carla = (await federation.persons())["Carla Gil"]
    await federation.decide(pb.SetRegisteredPersonRequest(person_id=carla.person_id, club="CE Reus"))
    version = (await federation.decide(pb.ListRegisterActsRequest(limit=1))).acts[0].version
    await erase(federation.cell.process.runtime.record, carla.person_id)
    assert "Carla Gil" not in await federation.persons()
    notes = (await federation.cell.process.runtime.record.notes_of(REGISTER_STREAM)).values()
    assert notes
    assert not [note for note in notes if "Carla" in note or "CE Vic" in note]
    with pytest.raises(grpc.aio.AioRpcError, match="erased"):
        await federation.decide(pb.SetRegisteredPersonRequest(person_id=carla.person_id, name="Carla Gil"))
    undone = await federation.decide(pb.UndoRegisterActRequest(version=version))
    assert undone.position
