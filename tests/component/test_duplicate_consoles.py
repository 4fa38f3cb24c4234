"""The consoles of a duplicate game: slips typed fast without feedback, and the judge's list of pending slips."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from tests.component.officials import arbiter, browser, do, press, read_notice
from tests.component.test_duplicate import WORDS
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential

from faristol.access_control.credential import Credential, Scope
from faristol.casebook.hosts.lexicons import LEXICON_NAME, install
from faristol.client.services import call_until_found
from faristol.host import SERVICES, Settings
from faristol.launcher.processes import running
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.game.v1.duplicate_pb2_grpc import DuplicateServiceStub
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import Board, load_tile_set
from faristol.words import Library
from faristol.words.plays import best_plays

pytestmark = pytest.mark.asyncio(loop_scope="module")

GAME = f"{OWN}-r1"
SLIPS, JUDGE = (f"/tournaments/{OWN}/duplicate/{GAME}/{page}" for page in ("slips", "judge"))
PLAYERS = ("anna", "blai", "cesca", "didac")


class Clock:
    """The real time, plus the simulated waits."""

    def __init__(self) -> None:
        self.more = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.more

    def wait(self, seconds: float) -> None:
        self.more += timedelta(seconds=seconds)


CLOCK = Clock()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, shared_nats: str, no_open: None) -> AsyncIterator[Cell]:
    """Yield a platform that requires credentials, with a duplicate game in two halls that has begun."""
    folder = tmp_path_factory.mktemp("consoles")
    library = Library(folder / "lexicons")
    install(library, load_tile_set("ca-100"), WORDS)
    # Without its cache, the machine code of the search is made for half a minute, and the gateway waits for 10 seconds.
    best_plays(library.open(LEXICON_NAME), Board(), ["C", "A", "S", "A"], 1)
    given = {"data": folder, "lexicons": folder / "lexicons", "nats_url": shared_nats, "open": False}
    settings = Settings.model_validate({**given, "http_port": 0, "grpc_port": 0, "grace_seconds": 0.1})
    async with (
        running(settings, SERVICES, CLOCK) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
    ):
        made = Cell(process, channel, folder, {OWN: PLAYERS})
        create = pairing.CreateTournamentRequest(
            tournament_id=OWN, name="Cup", rounds=1, ruleset="fisc-2023-duplicate", lexicon=LEXICON_NAME
        )
        await do(made, create, build_credential(needs.ROLE_FEDERATION, tournament=""))
        players = pairing.RegisterPlayersRequest(tournament_id=OWN)
        for player in PLAYERS:
            players.players.add(command_id=str(uuid.uuid4()), tournament_id=OWN, player_id=player, name=player.title())
        halls = pairing.SetHallsRequest(tournament_id=OWN)
        halls.halls.add(name="Nord", first_table=1, last_table=2)
        halls.halls.add(name="Sud", first_table=3, last_table=4)
        rounds = [kind(tournament_id=OWN, round=1) for kind in (pairing.PairRoundRequest, pairing.StartRoundRequest)]
        for command in (players, halls, *rounds):
            await do(made, command)
        await call_until_found(DuplicateServiceStub(channel).GetDuplicate, pb.GetDuplicateRequest(game_id=GAME))
        yield made


def collector(name: str, *halls: str) -> Credential:
    """Return the credential of a collector of some halls."""
    scope = Scope(frozenset({OWN}), halls=frozenset(halls))
    credential = build_credential(needs.ROLE_SCORER, subject=name)
    return Credential(
        **{**{field: getattr(credential, field) for field in credential.__dataclass_fields__}, "scope": scope}
    )


async def type_slip(web: httpx.AsyncClient, number: str, coordinates: str, word: str, **more: Any) -> httpx.Response:
    fields = {"hall": "Nord", "turn": "1", "table": number, "coordinates": coordinates, "word": word, **more}
    answer = await press(web, SLIPS, "slip", **fields)
    return await web.get(answer.headers["location"]) if answer.status_code == 303 else answer


async def sent_to(cell: Cell, reader: Credential) -> dict[str, list[str]]:
    """Return the words that a service sends to a reader about the slips of the hall, by player who handed one in."""
    asked = pb.ListSlipsRequest(game_id=GAME, hall="Nord", turn=1, collector_id="")
    listed: pb.ListSlipsResponse = await do(cell, asked, reader)
    return {
        line.player_id: ["withheld" if each.withheld else each.slip.word for each in line.typed]
        for line in listed.players
        if line.typed
    }


def row(page: str, number: int, name: str, word: str) -> str:
    """Return a line of typed input, without its player and expectation."""
    found = re.search(rf'(?s)<li data-key="r-{number}".*?</li>', page)
    assert found
    assert word in found[0]
    return re.sub(rf"\b({number}|{name}|{word})\b", "…", found[0])


async def press_judge(web: httpx.AsyncClient, act: str, **fields: str) -> httpx.Response:
    answer = await press(web, JUDGE, act, turn="1", **fields)
    return await web.get(answer.headers["location"]) if answer.status_code == 303 else answer


def slip(field: str, player: str, coordinates: str, word: str) -> dict[str, str]:
    """Return the fields of a slip in a form of the judge."""
    parts = {"player_id": player, "coordinates": coordinates, "word": word, "handed": "1"}
    return {f"{field}.{part}": value for part, value in parts.items()}


async def test_two_collectors_type_a_hall_and_the_judge_rules_scores_and_decides(cell: Cell) -> None:
    async with (
        browser(cell, arbiter("eva")) as judge,
        browser(cell, collector("ona", "Nord")) as ona,
        browser(cell, collector("pau", "Nord")) as pau,
    ):
        assert "No round has started yet." in (await ona.get(SLIPS)).text
        assert "The rack is called." in (await press_judge(judge, "call", faces="c a s e r n a")).text
        assert read_notice(await press_judge(judge, "start")) == "The time runs."
        assert "is not over" in read_notice(await press(ona, SLIPS, "close", hall="Nord", turn="1"))
        stopped = await press_judge(judge, "stop", reason="the lights went out")
        assert re.search(r"The time is stopped: (3:00|2:\d\d) left", stopped.text)
        await press_judge(judge, "resume")
        CLOCK.wait(181)

        assert read_notice(await type_slip(ona, "1", "H4", "caserna")) == "The slip of number 1 is saved."
        assert read_notice(await type_slip(ona, "2", "H5", "CASERNA")) == "The slip of number 2 is saved."
        assert "This hall has no number 9" in read_notice(await type_slip(ona, "9", "H4", "CASERNA"))
        for coordinates, word, doubt in (("", "SACRE", "no coordinates"), ("H4", "ZOO", "does not hold O O Z")):
            asked = await type_slip(ona, "2", coordinates, word)
            assert (asked.status_code, doubt in asked.text) == (409, True), "a slip of the finger is asked about"
        assert row((await ona.get(SLIPS)).text, 2, "Blai", "CASERNA"), "and not taken"
        assert (
            read_notice(await type_slip(ona, "2", "H4", "ZOO", sure="2 H4 ZOO  ")) == "The slip of number 2 is saved."
        )
        assert read_notice(await type_slip(ona, "2", "H4", "SACRE")) == "The slip of number 2 is saved.", (
            "typed again, whatever it is worth"
        )
        page = (await ona.get(SLIPS)).text
        assert row(page, 1, "Anna", "caserna") == row(page, 2, "Blai", "SACRE"), "what is no word looks like one"
        unseen = (await pau.get(SLIPS)).text
        assert ("typed by another collector" in unseen, "SACRE" in unseen) == (True, False), "typed twice, unseen"
        assert await sent_to(cell, collector("pau", "Nord")) == {"anna": ["withheld"], "blai": ["withheld"]}
        assert await sent_to(cell, arbiter("eva")) == {"anna": ["caserna"], "blai": ["SACRE"]}
        assert read_notice(await type_slip(pau, "1", "h-4", "[C]ASERNA")) == "The slip of number 1 is saved.", (
            "the same play agrees"
        )
        assert (
            read_notice(await type_slip(pau, "2", "H8", "CASA"))
            == "The slip of number 2 is saved and waits for an arbiter."
        )
        assert await sent_to(cell, collector("pau", "Nord")) == {
            "anna": ["caserna", "[C]ASERNA"],
            "blai": ["withheld", "CASA"],
        }, "of two different texts, each collector gets their own"
        assert "SACRE" not in (await pau.get(SLIPS)).text
        assert read_notice(await press(ona, SLIPS, "close", hall="Nord", turn="1")) == ""
        assert (await press(ona, SLIPS, "close", hall="Sud", turn="1")).status_code == 404

        waits = (await judge.get(JUDGE)).text
        assert "typed differently" in waits, waits
        assert "Paper, typed by ona at" in waits
        assert "H4" in waits.partition('id="tops"')[2]
        assert "Sud" in waits.partition("Open halls:")[2][:200]
        refused = await press_judge(judge, "score", reason="Sud has no line", without_open_halls="1")
        assert (refused.status_code, "waits for an arbiter" in read_notice(refused)) == (409, True)
        ruled = await press_judge(
            judge, "rule", hall="Nord", reason="so it stands", **slip("slip", "blai", "H8", "CASA")
        )
        assert read_notice(ruled) == "The slip of Blai is decided."
        assert (
            read_notice(await press_judge(judge, "score", reason="Sud has no line", without_open_halls="1"))
            == "The round is scored."
        )
        assert "The round is already scored." in (await ona.get(SLIPS)).text

        claim_of_anna = pb.RaiseClaimRequest(game_id=GAME, hall="Nord", turn=1, player_id="anna", words="no")
        claim_of_anna.about_player_id = "blai"
        await do(cell, claim_of_anna)
        claims = (await judge.get(JUDGE)).text.partition('id="claims"')[2]
        assert ('value="t1-1"' in claims, "Anna contests the slip." in claims) == (True, True)
        own = await do(cell, pb.GetOwnSheetRequest(game_id=GAME, hall="Nord", player_id="anna"))
        assert [claim.about_player_id for claim in own.claims] == ["blai"]
        claim = {"hall": "Nord", "claim_id": "t1-1", "reason": "the paper says so"}
        decided = await press_judge(judge, "decide", correct="1", **claim, **slip("corrected", "blai", "H4", "CASERNA"))
        assert read_notice(decided) == "The claim about the slip of Blai is decided."
        lines = (await do(cell, pb.GetDuplicateStandingsRequest(game_id=GAME))).lines
        assert [(line.player_id, line.total) for line in lines][:2] == [("anna", 70), ("blai", 70)]

        await press(judge, SLIPS, "close", hall="Sud", turn="1")
        assert read_notice(await press_judge(judge, "score")) == "The round is scored."
        await press_judge(judge, "end", reason="it is late")
        assert read_notice(await press_judge(judge, "validate")) == "The results are final."


async def test_the_consoles_are_for_their_roles_and_for_the_halls_that_are_theirs(cell: Cell) -> None:
    people = {
        None: (303, 303),
        build_credential(needs.ROLE_PLAYER, player="anna"): (404, 404),
        collector("ona", "Nord"): (200, 404),
        collector("ona"): (200, 404),
        arbiter("eva"): (200, 200),
        build_credential(needs.ROLE_DIRECTOR): (200, 200),
        build_credential(needs.ROLE_DIRECTOR, FOREIGN): (404, 404),
        build_credential(needs.ROLE_JUDGE): (404, 404),
    }
    for credential, expected in people.items():
        async with browser(cell, credential) as web:
            found = tuple([(await web.get(address)).status_code for address in (SLIPS, JUDGE)])
            assert found == expected, credential
            acted = tuple([(await press(web, address, "nothing")).status_code for address in (SLIPS, JUDGE)])
            assert acted == tuple(400 if status == 200 else status for status in expected), credential
    async with browser(cell, collector("ona", "Nord")) as web:
        assert (await web.get(f"{SLIPS}?hall=Sud")).status_code == 404
        account = (await web.get("/account")).text
        assert f'href="{SLIPS}"' in account
        assert "round/1/results" not in account
    async with browser(cell, arbiter("eva")) as web:
        overview = (await web.get(f"/tournaments/{OWN}/console")).text
        assert f'href="{JUDGE}"' in overview
        assert 'href="/help/director"' in overview
        assert 'href="/help/duplicate"' in (await web.get(JUDGE)).text
        assert "results" not in overview.replace("Prizes", "")[overview.index("<main") :]
        assert (await web.get(JUDGE.replace(GAME, f"{FOREIGN}-r1"))).status_code == 404
        assert (await web.get(JUDGE.replace(GAME, f"{OWN}-r9"))).status_code == 404


async def test_the_page_of_a_slip_is_for_who_plays_and_an_arbiter_who_plays_judges_nothing(cell: Cell) -> None:
    slip = f"/duplicate/{GAME}/slip"
    people = {
        None: 303,
        build_credential(needs.ROLE_PLAYER, player="anna"): 200,
        build_credential(needs.ROLE_PLAYER, player="stranger"): 404,
        build_credential(needs.ROLE_PLAYER, FOREIGN, player="anna"): 404,
        collector("ona", "Nord"): 404,
        arbiter("eva"): 404,
    }
    for credential, expected in people.items():
        async with browser(cell, credential) as web:
            answer = await web.get(slip)
            assert answer.status_code == expected, credential
            assert ('href="/help/duplicate"' in answer.text) == (expected == 200)
            assert "access-control-allow-origin" not in answer.headers
    async with browser(cell, build_credential(needs.ROLE_PLAYER, player="anna")) as web:
        assert f'href="{slip}"' in (await web.get("/account")).text
    async with browser(cell, arbiter("pol", player="didac")) as web:
        refused = await web.post("/api/v1/game/ListTops", json={"game_id": GAME, "turn": 1})
        assert (refused.status_code, refused.json()["reason"]) == (403, "OWN_GAME")
        assert (await web.get(JUDGE)).status_code == 403
    asked = pb.GetOwnSheetRequest(game_id=GAME, hall="Nord", player_id="anna")
    with pytest.raises(grpc.aio.AioRpcError):
        await do(cell, asked, build_credential(needs.ROLE_PLAYER, player="blai"))
    assert not (await do(cell, asked, collector("ona", "Nord"))).saved, "of phones, a collector knows no more"


async def test_what_a_hall_has_handed_in_has_no_place_for_what_it_is_worth() -> None:
    fields = {field.name for message in (pb.HandedIn, pb.TypedSlip) for field in message.DESCRIPTOR.fields}
    assert fields == {"player_id", "number", "typed", "on_phone", "ruled", "slip", "collector_id", "withheld"}


async def test_the_console_of_a_duplicate_tournament_speaks_of_games_and_seats(cell: Cell) -> None:
    of_tables = re.compile(r"(?i)\b(pair(s|ing|ed)?|tables?|clocks?|enter results|crosstable)\b")
    async with browser(cell, build_credential(needs.ROLE_DIRECTOR)) as director:
        for part in ("", "/round/1", "/halls"):
            page = (await director.get(f"/tournaments/{OWN}/console{part}?lang=en")).text
            shown = re.sub(r"<[^>]*>", " ", page.partition("<main")[2].partition("</main>")[0])
            assert of_tables.findall(shown) == [], part
        overview = (await director.get(f"/tournaments/{OWN}/console?lang=en")).text
        assert f'<a href="/tournaments/{OWN}/files">Files to download</a>' in overview
        round_page = f"/tournaments/{OWN}/console/round/1"
        assert "Close game 1" in (await director.get(f"{round_page}?lang=en")).text
        refused = await press(director, f"{round_page}?lang=ca", "StartRound", round="1")
        assert "La partida 1 ja és oberta." in read_notice(refused)
        refused = await press(director, f"{round_page}?lang=es", "PairRound", round="2")
        assert "No hay partida 2: ya se han asignado los asientos de las 1 partidas del campeonato." in read_notice(
            refused
        )
