from __future__ import annotations

import pytest
from tests.support.stage import Stage
from tests.support.synthetic import Championship, game_id

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.personal_data.people import store_player
from faristol.presentation.history import bye_worth
from faristol.presentation.labels import (
    BYES_APART,
    RESTS_APART,
    UNPLAYED_EXPLAINED,
    UNPLAYED_IN_CYCLE,
    explain_counts,
    explain_unplayed,
)
from faristol.presentation.ruleset_lookup import known_rules
from faristol.rules.ruleset.file import load_ruleset
from faristol.rules.ruleset.with_options import with_options

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_every_value_of_the_standings_comes_with_its_arithmetic_when_asked(finished_stage: Stage) -> None:
    answer = (await finished_stage.http.get("/api/v1/tournaments/lliga/standings?arithmetic=true")).json()
    for line in answer["standings"]:
        assert set(line["arithmetic"]) == {"points", *line["tie_breaks"]}
        for name, value in {"points": line["points"], **line["tie_breaks"]}.items():
            found = line["arithmetic"][name]
            counted = [term["value"] for term in found["terms"] if term["left_out"] is None]
            assert sum(counted) / found["divisor"] == value
    plain = (await finished_stage.http.get("/api/v1/tournaments/lliga/standings")).json()
    assert all(line["arithmetic"] is None for line in plain["standings"])


async def test_the_arithmetic_is_told_in_the_readers_language(finished_stage: Stage) -> None:
    async def berger(language: str) -> dict[str, list[str]]:
        answer = await finished_stage.http.get(
            "/api/v1/tournaments/lliga/standings?arithmetic=true&player=anna", headers={"Accept-Language": language}
        )
        (line,) = answer.json()["standings"]
        return {
            name: [*(term["text"] for term in each["terms"]), each["text"]] for name, each in line["arithmetic"].items()
        }

    told = await berger("ca")
    assert told["points"][0] == "Ronda 1, Carme Riera: 0"
    assert told["spread"][-1].startswith("En total: ")
    assert (await berger("el"))["points"][0] == "Γύρος 1, Carme Riera: 0"
    assert (
        len({tuple(each["berger"]) for each in [await berger(language) for language in ("en", "es", "ca", "el")]}) >= 3
    )


async def test_one_players_line_has_the_rank_among_all(finished_stage: Stage) -> None:
    every = (await finished_stage.http.get("/api/v1/tournaments/lliga/standings")).json()["standings"]
    for line in every:
        alone = await finished_stage.http.get(f"/api/v1/tournaments/lliga/standings?player={line['player_id']}")
        assert alone.json()["standings"] == [line]
    missing = await finished_stage.http.get("/api/v1/tournaments/lliga/standings?player=nobody")
    assert (missing.status_code, missing.json()["reason"]) == (404, "NOT_FOUND")


async def test_a_value_of_the_standings_page_opens_to_its_arithmetic(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/tournaments/lliga?round=1")).text
    assert '<a href="/tournaments/lliga/standings/biel?round=1#berger">' in page
    opened = await finished_stage.http.get(
        "/tournaments/lliga/standings/biel?round=1", headers={"Accept-Language": "es"}
    )
    assert opened.status_code == 200
    assert 'id="median-buchholz"' in opened.text
    assert "Ronda 1, Dolors Vilanova: " in opened.text
    assert "Una ronda sin partida cuenta como un oponente con los propios puntos" in opened.text
    assert "Ronda 2" not in opened.text.split('class="arithmetic"')[1]
    missing = await finished_stage.http.get("/tournaments/lliga/standings/nobody", headers={"Accept-Language": "es"})
    assert (missing.status_code, "No hay ningún jugador «nobody»" in missing.text) == (404, True)


async def test_the_arithmetic_of_a_great_tournament_arrives_though_it_is_more_than_grpc_takes_unless_told(
    stage: Stage,
) -> None:
    players = [f"p{number:03}" for number in range(100)]
    async with stage.record.writing() as connection:
        for player in players:
            await store_player(connection, player, player * 500, "")
    championship = Championship()
    await stage.add(*championship.create(rounds=5))
    await stage.add(
        {championship.stream: [pairing.PlayerRegistered(player_id=player, rating=1500) for player in players]}
    )
    for round_ in range(1, 4):
        tables = [(players[at], players[50 + (at + round_) % 50]) for at in range(50)]
        await stage.add(*championship.pair(round_, tables, "anna"), *championship.begin(round_))
        results = [
            pairing.ResultRecorded(
                round=round_,
                game_id=game_id(round_, table),
                scores=[game.FinalScore(player_id=seated[0], score=400), game.FinalScore(player_id=seated[1])],
            )
            for table, seated in enumerate(tables, 1)
        ]
        await stage.add({championship.stream: list(results)})
    every = await stage.http.get("/api/v1/tournaments/lliga/standings?arithmetic=true")
    assert every.status_code == 200, every.text
    assert len(every.content) > 4 * 1024 * 1024
    alone = await stage.http.get("/api/v1/tournaments/lliga/standings?arithmetic=true&player=p050")
    assert alone.json()["standings"] == [line for line in every.json()["standings"] if line["player_id"] == "p050"]


async def test_however_the_rules_count_a_round_without_a_game_the_page_has_words_for_it() -> None:
    option = next(each for each in load_ruleset("fise").options if each.name == "unplayed")
    assert set(option.choices) == set(UNPLAYED_EXPLAINED)


def _pin(system: str) -> game.Pin:
    rules = with_options(load_ruleset("pes-2024"), {"pairing": system})
    return game.Pin(name=rules.name, digest=rules.digest, options=[game.ChosenOption(name="pairing", value=system)])


@pytest.mark.parametrize(
    ("system", "apart", "unplayed"),
    [
        ("round-robin", RESTS_APART, UNPLAYED_IN_CYCLE),
        ("swiss", BYES_APART, UNPLAYED_EXPLAINED["fide-dummy"]),
    ],
)
async def test_what_a_bye_gives_is_told_as_the_system_of_the_tournament_has_it(
    system: str, apart: str, unplayed: str
) -> None:
    pin = _pin(system)
    assert explain_counts(pin) == apart
    assert explain_unplayed(known_rules(pin)) == unplayed


@pytest.mark.parametrize(
    ("system", "players", "worth"),
    [
        ("round-robin", "abc", pairing.BYE_KIND_ZERO_POINT),
        ("round-robin", "abcd", pairing.BYE_KIND_FULL_POINT),
        ("swiss", "abc", pairing.BYE_KIND_FULL_POINT),
    ],
)
async def test_the_history_tells_a_rest_as_no_point(system: str, players: str, worth: int) -> None:
    listed = [pairing_pb2.Player(player_id=player, entered_round=1) for player in players]
    assert bye_worth(pairing_pb2.GetTournamentResponse(ruleset=_pin(system), players=listed)) == worth


async def test_standings_mark_a_category_and_show_it_alone_with_the_ranks_among_all(stage: Stage) -> None:
    steps = list(Championship().steps())
    for step in steps:
        for event in step.get("tournament-lliga", ()):
            if isinstance(event, pairing.PlayerRegistered) and event.player_id in {"biel", "dolors"}:
                event.category = "veteran"
    await stage.add(*steps)
    everybody = (await stage.http.get("/api/v1/tournaments/lliga/standings")).json()["standings"]
    young = (await stage.http.get("/api/v1/tournaments/lliga/standings?category=VETERAN")).json()["standings"]
    assert {each["player_id"] for each in young} == {"biel", "dolors"}
    assert young == [each for each in everybody if each["category"] == "veteran"]
    page = (await stage.http.get("/tournaments/lliga?category=VETERAN")).text
    assert ('data-key="biel"' in page, 'data-key="anna"' in page) == (True, False)
    assert '<a href="?category=veteran" aria-current="true">veteran</a>' in page
    lines = (await stage.http.get("/api/v1/tournaments/lliga/standings.csv")).text.splitlines()
    assert lines[0].endswith(",category,club,rating,annulled")
    assert sum(",veteran," in line for line in lines) == 2


async def test_the_public_is_not_told_who_is_a_minor(stage: Stage) -> None:
    steps = list(Championship().steps())
    for step in steps:
        for event in step.get("tournament-lliga", ()):
            if isinstance(event, pairing.PlayerRegistered) and event.player_id == "biel":
                event.category = "U18"
    await stage.add(*steps)
    api = "/api/v1/tournaments/lliga"
    for path in (f"{api}/standings", f"{api}/standings.csv", f"{api}/players", f"{api}/crosstable"):
        assert "U18" not in (await stage.http.get(path)).text, path
    for path in ("/api/v1/players/biel", "/players/biel", "/tournaments/lliga", "/tournaments/lliga/players"):
        assert "U18" not in (await stage.http.get(path)).text, path
    assert (await stage.http.get(f"{api}/standings?category=U18")).json()["standings"] == []


async def test_two_of_one_name_are_told_apart_on_pages_and_in_files(stage: Stage) -> None:
    await stage.add(*Championship().steps())
    async with stage.record.writing() as connection:
        await store_player(connection, "anna", "Anna Puig", "Valls")
        await store_player(connection, "biel", "Anna Puig", "Reus")
        await store_player(connection, "elsewhere", "Carme Roca", "Nobody of this tournament")
    for path in ("/tournaments/lliga", "/tournaments/lliga/players", "/tournaments/lliga/standings/anna"):
        assert "Anna Puig (Valls)" in (await stage.http.get(path)).text, path
    for path in ("standings.csv", "crosstable.csv", "rounds/1/pairings.csv", "report.trf"):
        told = (await stage.http.get(f"/api/v1/tournaments/lliga/{path}")).text
        assert ("Anna Puig (Valls)" in told, "Anna Puig (Reus)" in told) == (True, True), path
