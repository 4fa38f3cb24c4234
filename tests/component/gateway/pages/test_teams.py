"""Teams in JSON, files and pages."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator
from io import StringIO

import httpx
import pytest
import pytest_asyncio
from tests.support.league import STREAM, League
from tests.support.plain_http import PLAIN
from tests.support.stage import Stage, open_stage

from faristol.gateway.app import app
from faristol.gateway.rpc.results import NOW, WHOLE_LIST, Moment, Page, Results
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb

pytestmark = pytest.mark.asyncio(loop_scope="module")

AT = "/api/v1/tournaments/lliga"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def playing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """Yield the league while its last match is played, for tests that read."""
    async with open_stage(tmp_path_factory.mktemp("league")) as made:
        await made.add(*League().steps())
        yield made


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text.removeprefix("\ufeff"))))


async def test_the_standings_of_teams_are_told_with_their_rounds_and_as_of_a_round(playing: Stage) -> None:
    told = (await playing.http.get(f"{AT}/team-standings")).json()
    assert (told["score"], told["round"]) == ("match-points", 2)
    rested, first = told["standings"][:2]
    assert [(round_["basis"], round_["board_points"]) for round_ in rested["rounds"]][:2] == [
        ("bye", 2.0),
        ("game", 1.0),
    ]
    assert rested["board_points"] == 3.0
    assert (first["rank"], first["team_id"], first["name"]) == (2, "tarragona", "Club Tarragona")
    assert (first["match_points"], first["board_points"], first["arithmetic"]) == (1.5, 2.5, None)
    assert first["tie_breaks"] == {"board-points": 2.5, "spread": 60.0, "total": 1130.0}
    assert [
        (round_["opponent_id"], round_["board_points"], round_["against"], round_["outcome"])
        for round_ in first["rounds"]
    ] == [
        ("sabadell", 1.5, 0.5, "win"),
        ("lleida", 1.0, 1.0, "draw"),
        ("", 0.0, 0.0, None),
    ]
    told = (await playing.http.get(f"{AT}/team-standings?round=1&team=lleida&arithmetic=true")).json()
    assert [(line["team_id"], line["match_points"]) for line in told["standings"]] == [("lleida", 1.0)]
    assert told["standings"][0]["arithmetic"]["points"]["text"] == "Total: 1 = 1"
    assert (await playing.http.get(f"{AT}/team-standings?team=reus")).status_code == 404
    before = (await playing.http.get(f"{AT}/team-standings?as_of_position=2")).json()
    assert (before["score"], before["standings"]) == ("match-points", [])


async def test_teams_are_told_in_the_order_of_their_boards_and_players_with_their_team(playing: Stage) -> None:
    told = (await playing.http.get(f"{AT}/teams")).json()["teams"]
    assert [(each["name"], [player["player_id"] for player in each["line_up"]]) for each in told] == [
        ("Club Tarragona", ["biel", "anna"]),
        ("Club Sabadell", ["dolors", "eloi"]),
        ("Club Lleida", ["fina"]),
    ]
    assert told[0]["line_up"][0]["name"] == "Biel Soler"
    players = (await playing.http.get(f"{AT}/players")).json()["players"]
    assert {each["player_id"]: each["team_id"] for each in players}["eloi"] == "sabadell"
    standings = (await playing.http.get(f"{AT}/standings")).json()["standings"]
    assert {standing["player_id"]: standing["team_id"] for standing in standings}["fina"] == "lleida"
    assert (await playing.http.get(AT)).json()["tournament"]["team_boards"] == 2


async def test_the_pairings_say_which_table_is_which_board_of_which_match(playing: Stage) -> None:
    told = (await playing.http.get(f"{AT}/rounds/2/pairings")).json()
    (match,) = told["matches"]
    assert (match["match"], match["final"], match["winner_team_id"]) == (1, True, "")
    assert not match["points_unknown"]
    assert match["first_team"] == {"team_id": "lleida", "name": "Club Lleida", "board_points": 1.0}
    assert [(table["match"], table["board"], table["seats"][0]["team_id"]) for table in told["tables"]] == [
        (1, 1, "lleida")
    ]
    alone = told["requested_byes"][0]
    assert (alone["player"]["player_id"], alone["match"], alone["board"]) == ("biel", 1, 2)
    assert told["team_byes"] == [{"team_id": "sabadell", "name": "Club Sabadell", "kind": None, "opponent_gone": False}]
    third = (await playing.http.get(f"{AT}/rounds/3/pairings")).json()
    assert [(bye["team_id"], bye["kind"]) for bye in third["team_byes"]] == [("tarragona", "half_point")]


async def test_files_of_teams_have_a_line_for_each_team_and_for_each_player(playing: Stage) -> None:
    standings = rows((await playing.http.get(f"{AT}/team-standings.csv")).text)
    assert [
        (standing["rank"], standing["team_id"], standing["match_points"], standing["board_points"])
        for standing in standings
    ] == [
        ("1", "lleida", "1.5", "3"),
        ("2", "tarragona", "1.5", "2.5"),
        ("3", "sabadell", "1", "2.5"),
    ]
    teams = rows((await playing.http.get(f"{AT}/teams.csv")).text)
    assert [(team["team"], team["board"], team["name"]) for team in teams][:2] == [
        ("Club Tarragona", "1", "Biel Soler"),
        ("Club Tarragona", "2", "Anna Puigdomènech i Casadevall"),
    ]
    pairings = rows((await playing.http.get(f"{AT}/rounds/2/pairings.csv")).text)
    assert [(each["match"], each["board"], each["first_team_id"], each["second_team_id"]) for each in pairings] == [
        ("1", "1", "lleida", "tarragona"),
        ("1", "2", "tarragona", ""),
        ("", "1", "sabadell", ""),
        ("", "2", "sabadell", ""),
    ]
    assert [(each["bye"], each["winner_id"], each["unplayed"]) for each in pairings[1:]] == [
        ("", "biel", "true"),
        ("allocated", "", ""),
        ("allocated", "", ""),
    ]


async def test_a_tournament_without_teams_says_so_everywhere(finished_stage: Stage) -> None:
    told = (await finished_stage.http.get(f"{AT}/team-standings")).json()
    assert (told["score"], told["standings"]) == (None, [])
    assert (await finished_stage.http.get(f"{AT}/teams")).json()["teams"] == []
    assert "/tournaments/lliga/teams" not in (await finished_stage.http.get("/tournaments/lliga")).text
    page = await finished_stage.http.get("/tournaments/lliga/teams", headers={"Accept-Language": "ca"})
    assert "No hi ha equips: es juga individualment." in page.text


async def test_the_pages_of_teams_are_there_in_every_language(playing: Stage) -> None:
    words = {
        "ca": ("Equips", "Alineació", "Punts d’encontre"),
        "es": ("Equipos", "Alineación", "Puntos de encuentro"),
        "el": ("Ομάδες", "Σύνθεση", "Βαθμοί αναμετρήσεων"),
        "en": ("Teams", "Line-up", "Match points"),
    }
    for language, (teams, line_up, points) in words.items():
        asked = {"Accept-Language": language}
        standings = (await playing.http.get("/tournaments/lliga", headers=asked)).text
        assert points in standings
        assert standings.index('id="team-standings"') < standings.index('id="standings"')
        assert (
            f'<h2 id="teams-title">{teams}</h2>'
            in (await playing.http.get("/tournaments/lliga/teams", headers=asked)).text
        )
        page = await playing.http.get("/tournaments/lliga/teams/tarragona?round=2", headers=asked)
        assert page.status_code == 200
        assert f">{line_up}</h3>" in page.text
        for path in (
            "/tournaments/lliga/teams",
            "/tournaments/lliga/teams/tarragona",
            "/tournaments/lliga",
            "/tournaments/lliga/round/3",
        ):
            part = (await playing.http.get(path, params={"part": "live"}, headers=asked)).text
            assert part.strip() in (await playing.http.get(path, headers=asked)).text


async def test_the_page_of_a_round_groups_the_tables_by_match(playing: Stage) -> None:
    shown = (await playing.http.get("/tournaments/lliga/round/2")).text
    heading = shown.split('id="match-1"')[1].split("</h3>")[0]
    assert heading.index("Club Lleida") < heading.index("Club Tarragona")
    assert "Board 2: Biel Soler wins; the other team has no player there." in shown
    assert shown.count('class="tables"') == 1
    assert 'href="/tournaments/lliga/teams/sabadell">Club Sabadell</a>' in shown
    assert "Dolors Vilanova" not in shown  # her team has a bye, and so has she


async def test_players_lead_to_their_teams(playing: Stage) -> None:
    for path in ("/tournaments/lliga", "/tournaments/lliga/players"):
        row = (await playing.http.get(path)).text.split('data-key="eloi"')[1].split("</tr>")[0]
        assert '<a href="/tournaments/lliga/teams/sabadell">Club Sabadell</a>' in row


async def test_the_page_of_a_team_shows_its_matches_its_players_and_how_its_points_come_about(playing: Stage) -> None:
    shown = (await playing.http.get("/tournaments/lliga/teams/tarragona")).text
    assert "2. Club Tarragona" in shown
    assert shown.index("Biel Soler") < shown.index("Anna Puigdomènech i Casadevall")
    assert 'href="/tournaments/lliga/round/1#match-1"' in shown
    assert "Round 1, Club Sabadell: 1" in shown
    assert "Round 2, Club Lleida: 380 − 420" in shown
    missing = await playing.http.get("/tournaments/lliga/teams/reus", headers={"Accept-Language": "ca"})
    assert (missing.status_code, "No hi ha cap equip «reus»." in missing.text) == (404, True)


@pytest.mark.parametrize(("path", "lines"), [("teams", "teams"), ("team-standings", "standings")])
async def test_pages_of_teams_hold_the_whole_list(playing: Stage, path: str, lines: str) -> None:
    at = f"/api/v1/tournaments/lliga/{path}"
    whole = (await playing.http.get(at)).json()
    first = (await playing.http.get(at, params={"page_size": 1})).json()
    rest = (await playing.http.get(at, params={"page_size": 9, "page_token": first["next_page_token"]})).json()
    assert (len(first[lines]), first[lines] + rest[lines]) == (1, whole[lines])
    assert {**rest, lines: whole[lines]} == whole
    assert (await playing.http.get(at, params={"page_token": "x"})).status_code == 400


async def test_teams_registered_between_two_reads_of_a_page_do_not_break_it(
    playing: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Results.teams

    async def read_before_registration(
        results: Results, tournament_id: str, when: Moment = NOW, page: Page = WHOLE_LIST
    ) -> pb.ListTeamsResponse:
        return await read(results, tournament_id, Moment(as_of_position=2))

    monkeypatch.setattr(Results, "teams", read_before_registration)
    web = app(playing.running.runtime)
    async with httpx.AsyncClient(verify=PLAIN, transport=httpx.ASGITransport(web), base_url="http://localhost") as http:
        for path in ("/tournaments/lliga/teams", "/tournaments/lliga/teams/tarragona"):
            page = await http.get(path)
            assert (page.status_code, "Club Tarragona" in page.text, "Biel Soler" in page.text) == (200, True, False)


async def test_a_team_that_never_came_has_a_page_with_its_line_up_and_no_place(stage: Stage) -> None:
    await stage.add(*League().create(), {STREAM: [pairing.TeamWithdrawn(team_id="lleida", round=1)]})
    row = (await stage.http.get("/tournaments/lliga/players")).text.split('data-key="fina"')[1].split("</tr>")[0]
    assert '<a href="/tournaments/lliga/teams/lleida">Club Lleida</a>' in row
    page = await stage.http.get("/tournaments/lliga/teams/lleida")
    assert (page.status_code, "has withdrawn" in page.text, 'data-key="fina"' in page.text) == (200, True, True)
    assert 'id="points"' not in page.text
    assert (await stage.http.get(f"{AT}/team-standings?team=lleida")).json()["standings"] == []
    assert 'data-key="lleida"' not in (await stage.http.get("/tournaments/lliga/teams")).text


async def test_both_pages_of_teams_tell_a_bye_alike_and_follow_the_same_news(playing: Stage) -> None:
    among, alone = [
        (await playing.http.get(path)).text
        for path in ("/tournaments/lliga/teams", "/tournaments/lliga/teams/tarragona")
    ]
    row = among.split('data-key="tarragona"')[1].split("</tr>")[0]
    assert row.rsplit("<td>", 1)[1].removesuffix("</td>").strip().startswith("bye")
    assert ">bye</td>" in alone.split('data-key="round-3"')[1].split("</tr>")[0]
    followed = [page.split('data-news="')[1].split('"')[0].split() for page in (among, alone)]
    assert followed[0] == followed[1]
    assert {"LineUpSet", "PlayerWithdrawn", "TeamWithdrawn"} <= set(followed[0])


async def test_a_round_is_shown_without_points_where_its_rules_are_not_installed(stage: Stage) -> None:
    league = League()
    league.ruleset.digest = "of rules that are not here"
    await stage.add(*league.steps())
    (match,) = (await stage.http.get(f"{AT}/rounds/2/pairings")).json()["matches"]
    assert (match["final"], match["points_unknown"], match["winner_team_id"]) == (True, True, "")
    page = await stage.http.get("/tournaments/lliga/round/2")
    heading = page.text.split('id="match-1"')[1].split("</h3>")[0]
    assert (page.status_code, heading.count('class="score" data-flash>–<')) == (200, 2)
    assert (await stage.http.get(f"{AT}/team-standings")).status_code == 409


async def test_a_match_lost_by_both_is_marked_and_who_rests_as_the_opponent_has_left_is_told_from_who_asked_to(
    stage: Stage,
) -> None:
    boards = [("anna", "dolors"), ("biel", "eloi")]
    full = pairing.BYE_KIND_FULL_POINT
    paired = pairing.RoundPaired(
        round=1,
        algorithm="berger-1",
        pairings=[
            pairing.Pairing(
                table=board, game_id=f"g{board}", first_player_id=first, second_player_id=other, match=1, board=board
            )
            for board, (first, other) in enumerate(boards, 1)
        ],
        matches=[pairing.TeamMatch(match=1, first_team_id="tarragona", second_team_id="sabadell")],
        requested_byes=[pairing.RequestedBye(player_id="fina", kind=full, board=1, team_id="lleida")],
        team_byes=[pairing.TeamBye(team_id="lleida", kind=full)],
    )
    lost = [
        pairing.ResultRecorded(
            round=1,
            game_id=f"g{board}",
            scores=[game.FinalScore(player_id=player) for player in players],
            lost_by_all=True,
            unplayed=True,
        )
        for board, players in enumerate(boards, 1)
    ]
    await stage.add(*League().create(), {STREAM: [paired, pairing.RoundStarted(round=1), *lost]})
    told = (await stage.http.get(f"{AT}/rounds/1/pairings")).json()
    assert told["matches"][0]["lost_by_all"]
    assert [each["opponent_gone"] for each in (*told["team_byes"], *told["requested_byes"])] == [True, True]
    shown = (await stage.http.get("/tournaments/lliga/round/1", headers={"Accept-Language": "es"})).text
    assert shown.count("pierden ambos") == 3
    assert "Sin jugar, porque el oponente no está:" in shown


async def test_the_standings_of_teams_mark_a_team_that_has_left(stage: Stage) -> None:
    await stage.add(*League().steps())

    async def line() -> str:
        page = (await stage.http.get("/tournaments/lliga")).text
        return page.split('<tr data-key="team-lleida"')[1].split("</tr>")[0]

    assert "has withdrawn" not in await line()
    await stage.add({STREAM: [pairing.TeamWithdrawn(team_id="lleida", round=4)]})
    assert "has withdrawn" in await line()
