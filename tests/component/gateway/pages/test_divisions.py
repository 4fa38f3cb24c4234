"""Divisions of a championship on pages and in files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO

import pytest
from google.protobuf.message import Message
from tests.component.gateway.live.test_streams import read
from tests.support.stage import Stage

from faristol.event_store import Decision, Metadata, Write
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.api.public_events import PUBLIC
from faristol.rules import load_ruleset

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMES = {"copa": "A", "copa-b": "Juvenil", "copa-c": "C"}


def create_tournament(tournament_id: str, at: int) -> list[Message]:
    event = pairing.TournamentCreated(
        tournament_id=tournament_id,
        name="Copa",
        rounds=5,
        division=NAMES[tournament_id],
        division_of="" if tournament_id == "copa" else "copa",
    )
    event.occurred_at.FromSeconds(at)
    return [event, pin_ruleset()]


def pin_ruleset() -> Message:
    rules = load_ruleset("fisc-2023")
    return pairing.RulesetPinned(ruleset=game.Pin(name=rules.name, digest=rules.digest))


def add_division(tournament_id: str) -> pairing.DivisionAdded:
    division = pairing.Division(tournament_id=tournament_id, name=NAMES[tournament_id])
    return pairing.DivisionAdded(division=division)


def pair_round(tournament_id: str, number: int) -> pairing.RoundPaired:
    table = pairing.Pairing(
        table=3, game_id=f"{tournament_id}-r{number}-t3", first_player_id="anna", second_player_id="biel"
    )
    return pairing.RoundPaired(round=number, pairings=[table])


async def championship(stage: Stage) -> None:
    """Prepare a championship: division A has two rounds paired, Juvenil one and C none; another tournament is in
    between.
    """
    other = pairing.TournamentCreated(tournament_id="other", name="Una altra", rounds=5)
    other.occurred_at.FromSeconds(150)
    players = [pairing.PlayerRegistered(player_id=player_id, rating=1500) for player_id in ("anna", "biel")]
    steps: Sequence[dict[str, list[Message]]] = (
        {"copa": create_tournament("copa", 100)},
        {"other": [other, pin_ruleset()]},
        {"copa-b": create_tournament("copa-b", 200), "copa": [add_division("copa-b")]},
        {"copa-c": create_tournament("copa-c", 300), "copa": [add_division("copa-c")]},
        {"copa": [*players, pair_round("copa", 1), pair_round("copa", 2)]},
        {"copa-b": [*players, pair_round("copa-b", 1)]},
    )
    for step in steps:
        writes = [
            Write(stream, len(await stage.record.read_stream(stream)), new_events, tournament_id)
            for tournament_id, new_events in step.items()
            if (stream := f"tournament-{tournament_id}")
        ]
        await stage.record.append(Decision(writes), Metadata())
    await stage.caught_up()


async def test_a_page_says_its_division_and_leads_to_the_same_page_of_the_others(stage: Stage) -> None:
    await championship(stage)
    for part in ("", "/crosstable", "/prizes", "/players"):
        shown = (await stage.http.get(f"/tournaments/copa-b{part}", headers={"Accept-Language": "ca"})).text
        assert '<h1>Copa <span class="division">Divisió Juvenil</span></h1>' in shown
        assert f'<a href="/tournaments/copa{part}">A</a>' in shown
        assert f'<a href="/tournaments/copa-b{part}" aria-current="page">Juvenil</a>' in shown
        assert f'<a href="/tournaments/copa-c{part}">C</a>' in shown
    for language, word in (("es", "División"), ("el", "Κατηγορία"), ("en", "Division")):
        shown = (await stage.http.get("/tournaments/copa-b", headers={"Accept-Language": language})).text
        assert f"{word} Juvenil" in shown


async def test_a_round_leads_to_that_round_of_other_divisions_or_to_the_last_that_they_have(stage: Stage) -> None:
    await championship(stage)
    second = (await stage.http.get("/tournaments/copa/round/2")).text
    assert '<a href="/tournaments/copa/round/2" aria-current="page">A</a>' in second
    assert '<a href="/tournaments/copa-b/round/1">Juvenil</a>' in second
    assert '<a href="/tournaments/copa-c">C</a>' in second
    first = (await stage.http.get("/tournaments/copa-b/round/1")).text
    assert '<a href="/tournaments/copa/round/1">A</a>' in first
    assert '<span class="where sub">Juvenil</span>' in first


async def test_the_list_has_the_divisions_of_a_championship_together_and_in_their_order(stage: Stage) -> None:
    await championship(stage)
    page = (await stage.http.get("/")).text
    places = [
        page.index(f'href="/tournaments/{tournament_id}"') for tournament_id in ("copa", "copa-b", "copa-c", "other")
    ]
    assert places == sorted(places)


async def test_a_tournament_without_divisions_speaks_of_none(stage: Stage) -> None:
    await championship(stage)
    page = (await stage.http.get("/tournaments/other")).text
    assert "division" not in page.lower().replace("divisionadded", "").replace("divisionrenamed", "")


async def test_an_app_reads_division_first_division_and_all_divisions(stage: Stage) -> None:
    await championship(stage)
    listed = (await stage.http.get("/api/v1/tournaments")).json()["tournaments"]
    alone = (await stage.http.get("/api/v1/tournaments/copa-b")).json()["tournament"]
    assert alone in listed
    assert (alone["division"], alone["division_of"]) == ("Juvenil", "copa")
    assert alone["divisions"] == [{"tournament_id": key, "name": name, "stage": 0} for key, name in NAMES.items()]
    assert {division["tournament_id"]: division["division_of"] for division in listed} == {
        "copa": "",
        "copa-b": "copa",
        "copa-c": "copa",
        "other": "",
    }
    for part in ("standings", "rounds/1/pairings", "crosstable"):
        assert (await stage.http.get(f"/api/v1/tournaments/copa-b/{part}")).json()["division"] == "Juvenil"


async def test_every_line_of_a_file_says_the_division(stage: Stage) -> None:
    await championship(stage)
    for part in ("standings", "rounds/1/pairings", "crosstable"):
        answer = await stage.http.get(f"/api/v1/tournaments/copa-b/{part}.csv")
        lines = list(csv.DictReader(StringIO(answer.text.removeprefix("\ufeff"))))
        assert lines, part
        assert {line["division"] for line in lines} == {"Juvenil"}
    report = (await stage.http.get("/api/v1/tournaments/copa-b/report.trf?edition=TRF16")).text
    assert "012 Copa (Juvenil)\r\n" in report


async def test_the_stream_of_a_further_division_tells_of_divisions_that_are_added_and_of_nothing_else_of_the_first(
    stage: Stage,
) -> None:
    await championship(stage)
    first = {event.position for event in await stage.record.read(tournament="copa") if event.name == "DivisionAdded"}
    own = await stage.record.read(tournament="copa-b", types=PUBLIC)
    expected = sorted(first | {event.position for event in own})
    for after in (0, expected[1]):
        left = [position for position in expected if position > after]
        address = f"/api/v1/tournaments/copa-b/stream?after={after}"
        async with stage.http.stream("GET", address, timeout=10) as response:
            assert [each["id"] for each in await read(response.aiter_lines(), len(left))] == left
