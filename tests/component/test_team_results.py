"""Exports of a tournament of teams, played through the public interfaces."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from tests.component.processes import faristol
from tests.component.quick import Championship, championship
from tests.component.recomputation import recomputed_teams

from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules.trf import Edition, TrfCell, read_trf, write_trf

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEAMS = {
    "avila": ["p01", "p06", "p11"],
    "burgos": ["p02", "p07"],
    "cuenca": ["p03", "p08"],
    "deva": ["p04", "p09"],
    "elche": ["p05", "p10"],
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def league(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> AsyncIterator[Championship]:
    """Yield five teams of two boards in a Swiss of three rounds, with a reserve, byes and withdrawals."""
    folder = tmp_path_factory.mktemp("league")
    options = {"teams": 2, "tie_breaks": "spread"}
    async with championship(folder, shared_nats, book="fise", rounds=3, seed=21, options=options) as hall:
        await hall.create(11)
        for team_id, players in TEAMS.items():
            team = pairing_pb2.RegisterTeamRequest(team_id=team_id, name=f"Club {team_id.title()}", player_ids=players)
            await hall.direct(hall.api.pairing.RegisterTeam, team)
        await hall.play_round(1)
        await hall.direct(hall.api.pairing.WithdrawPlayer, pairing_pb2.WithdrawPlayerRequest(player_id="p07"))
        rest = pairing_pb2.GrantByeRequest(team_id="deva", round=2, kind=pairing_events.BYE_KIND_HALF_POINT)
        await hall.direct(hall.api.pairing.GrantBye, rest)
        line_up = pairing_pb2.SetLineUpRequest(team_id="avila", player_ids=["p11", "p01", "p06"])
        await hall.direct(hall.api.pairing.SetLineUp, line_up)
        await hall.play_round(2)
        await hall.direct(hall.api.pairing.WithdrawTeam, pairing_pb2.WithdrawTeamRequest(team_id="elche"))
        await hall.play_round(3)
        yield hall


async def export(hall: Championship, *what: str) -> str:
    await hall.json("")
    done = await asyncio.to_thread(faristol, *what, "--address", hall.address, timeout=180)
    assert done.returncode == 0, done.stderr
    return done.stdout


def told_of(lines: list[dict[str, Any]]) -> list[tuple[int, str, float, float, int, int]]:
    return [
        (line["rank"], line["team_id"], line["match_points"], line["board_points"], line["spread"], line["total"])
        for line in lines
    ]


async def test_anybody_comes_to_the_same_standings_of_teams_from_the_exported_json(league: Championship) -> None:
    told: dict[str, Any] = json.loads(await export(league, "tournament", "export", league.tournament_id))
    assert [team["team_id"] for team in told["teams"]] == list(TEAMS)
    assert any(bye["match"] for round_ in told["rounds"] for bye in round_["requested_byes"])
    assert [bye["kind"] for bye in told["rounds"][1]["team_byes"]] == ["half_point"]
    assert [bye["kind"] for bye in told["rounds"][0]["team_byes"]] == [None]
    assert told_of(told["team_standings"]) == recomputed_teams(told)


async def test_every_value_of_a_team_is_the_sum_of_its_terms(league: Championship) -> None:
    told = await league.json("/team-standings", arithmetic=True)
    for line in told["standings"]:
        worth = {name: sum(term["value"] for term in value["terms"]) for name, value in line["arithmetic"].items()}
        assert worth["points"] == line["match_points"]
        assert worth == {"points": line["match_points"], **line["tie_breaks"]}


async def test_a_file_is_the_same_on_every_terminal(league: Championship, monkeypatch: pytest.MonkeyPatch) -> None:
    what = [
        ("tournament", "export", league.tournament_id),
        ("standings", "export", league.tournament_id, "--teams", "--json"),
    ]
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    told = [await export(league, *words) for words in what]
    monkeypatch.setenv("LC_ALL", "ca_ES.UTF-8")
    assert [await export(league, *words) for words in what] == told
    refused = await asyncio.to_thread(
        faristol, "standings", "export", "lliga", "--json", "--address", league.address, timeout=180
    )
    assert "no hi ha cap torneig 'lliga'" in refused.stderr


async def test_standings_of_teams_after_a_round_rest_on_the_rounds_until_then(league: Championship) -> None:
    told = json.loads(await export(league, "tournament", "export", league.tournament_id))
    for number in (1, 2):
        then = await league.json("/team-standings", round=number)
        assert told_of(then["standings"]) == recomputed_teams({**told, "rounds": told["rounds"][:number]})
        assert all(len(line["rounds"]) == number for line in then["standings"])


async def test_nobody_of_a_team_plays_for_another_and_boards_follow_the_line_up(league: Championship) -> None:
    of = {player: team for team, players in TEAMS.items() for player in players}
    for number in (1, 2, 3):
        told = await league.json(f"/rounds/{number}/pairings")
        for table in told["tables"]:
            assert [of[seat["player_id"]] for seat in table["seats"]] == [seat["team_id"] for seat in table["seats"]]
        boards = [(table["match"], table["board"]) for table in told["tables"]]
        assert boards == sorted(set(boards))
    last = await league.json("/rounds/2/pairings")
    seats = {seat["player_id"]: table["board"] for table in last["tables"] for seat in table["seats"]}
    seats |= {bye["player"]["player_id"]: bye["board"] for bye in last["requested_byes"]}
    assert (seats["p11"], seats["p01"], seats.get("p06")) == (1, 2, None)


async def test_files_tell_the_teams(league: Championship) -> None:
    standings = list(
        csv.DictReader(io.StringIO(await export(league, "standings", "export", league.tournament_id, "--teams")))
    )
    told = await league.json("/team-standings")
    assert [line["team_id"] for line in standings] == [line["team_id"] for line in told["standings"]]
    teams = list(csv.DictReader(io.StringIO(await export(league, "team", "export", league.tournament_id))))
    assert [player["player_id"] for player in teams if player["team_id"] == "avila"] == ["p11", "p01", "p06"]
    for edition in Edition:
        written = await export(league, "trf", "export", league.tournament_id, "--edition", edition.value)
        report = read_trf(written)
        assert write_trf(report, edition) == written.replace("\r\n", "\n").replace("\n", "\r\n")
        assert any(cell == TrfCell(0, "-", "+") for player in report.players for cell in player.cells)
    assert [(team.name, len(team.players)) for team in report.teams] == [
        ("Club Avila", 3),
        *((f"Club {town.title()}", 2) for town in ("burgos", "cuenca", "deva", "elche")),
    ]
