"""Exports of whole tournaments, played through the public interfaces."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from operator import attrgetter
from pathlib import Path

import pytest
import pytest_asyncio
from tests.component.processes import faristol
from tests.component.quick import Championship, championship
from tests.component.recomputation import Exported, recompute_standings

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules.trf import read_trf
from faristol.typed_input.player_list import read_players

pytestmark = pytest.mark.asyncio(loop_scope="module")

FISC = ("median-buchholz", "berger", "spread", "total")
PES = ("buchholz", "spread", "total")

both = attrgetter("rows", "errors")


async def export(hall: Championship, *what: str) -> str:
    done = await asyncio.to_thread(faristol, *what, "--address", hall.address, timeout=180)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def whole(hall: Championship) -> Exported:
    """Return the exported tournament, once it includes all commands."""
    await hall.json("")
    told: Exported = json.loads(await export(hall, "tournament", "export", hall.tournament_id))
    assert told["position"] >= hall.position
    return told


def to_rows(told: Exported) -> list[tuple[int, str, float, tuple[float, ...]]]:
    return [
        (line["rank"], line["player_id"], line["points"], tuple(line["tie_breaks"].values()))
        for line in told["standings"]
    ]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def fisc(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> AsyncIterator[Championship]:
    """Yield a championship of fifteen players and a late one, with byes, a forfeit, and a player who leaves."""
    folder = tmp_path_factory.mktemp("fisc")
    async with championship(folder, shared_nats, book="fisc-2023", rounds=5, seed=11) as hall:
        await hall.create(15)
        await hall.play_round(1)
        await hall.register(16, 1700)
        grant = pairing_pb2.GrantByeRequest(player_id="p03", round=2, kind=pairing_events.BYE_KIND_HALF_POINT)
        await hall.direct(hall.api.pairing.GrantBye, grant)
        await hall.play_round(2)
        await hall.play_round(3, leavers=["p02", "p09"])
        await hall.direct(hall.api.pairing.WithdrawPlayer, pairing_pb2.WithdrawPlayerRequest(player_id="p05"))
        grant = pairing_pb2.GrantByeRequest(player_id="p07", round=5, kind=pairing_events.BYE_KIND_ZERO_POINT)
        await hall.direct(hall.api.pairing.GrantBye, grant)
        await hall.play_round(4)
        await hall.play_round(5)
        yield hall


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pes(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> AsyncIterator[Championship]:
    """Yield a championship of seven players by FIDE's Dutch system, which decides the starts; two are kept apart."""
    folder = tmp_path_factory.mktemp("pes")
    options = {"pairing": "dutch", "start": "system"}
    async with championship(folder, shared_nats, book="pes-2024", rounds=4, seed=12, options=options) as hall:
        await hall.create(7)
        apart = ["p01", "p04"]
        await hall.direct(hall.api.pairing.ForbidPair, pairing_pb2.ForbidPairRequest(player_ids=apart))
        await hall.play_round(1)
        await hall.direct(hall.api.pairing.AllowPair, pairing_pb2.AllowPairRequest(player_ids=apart))
        grant = pairing_pb2.GrantByeRequest(player_id="p06", round=2, kind=pairing_events.BYE_KIND_FULL_POINT)
        await hall.direct(hall.api.pairing.GrantBye, grant)
        await hall.play_round(2, leavers=["p02"])
        await hall.play_round(3)
        grant = pairing_pb2.GrantByeRequest(player_id="p03", round=4, kind=pairing_events.BYE_KIND_HALF_POINT)
        await hall.direct(hall.api.pairing.GrantBye, grant)
        yield hall


async def test_anybody_comes_to_the_same_standings_from_the_exported_json_under_fisc(fisc: Championship) -> None:
    told = await whole(fisc)
    assert (len(told["players"]), len(told["rounds"])) == (16, 5)
    assert any(round_["bye"] for round_ in told["rounds"])
    assert any(table["unplayed"] for round_ in told["rounds"] for table in round_["tables"])
    assert recompute_standings(told, FISC) == to_rows(told)


async def test_anybody_comes_to_the_same_standings_from_the_exported_json_under_pes(pes: Championship) -> None:
    told = await whole(pes)
    assert recompute_standings(told, PES) == to_rows(told)


async def test_a_corrected_result_changes_the_standings_that_anybody_comes_to(tmp_path: Path, shared_nats: str) -> None:
    options = {"minutes": "25"}
    async with championship(tmp_path, shared_nats, book="uf-2007", rounds=2, seed=13, options=options) as hall:
        await hall.create(5)
        await hall.play_round(1)
        before = await whole(hall)
        (game_id, *_), table = hall.games[1], before["rounds"][0]["tables"][0]
        first, second = (seat["player_id"] for seat in table["seats"])
        scores = [
            game_events.FinalScore(player_id=first, score=401),
            game_events.FinalScore(player_id=second, score=444),
        ]
        correct = pairing_pb2.CorrectResultRequest(game_id=game_id, scores=scores, arbiter_id="arbiter", note="a sum")
        await hall.direct(hall.api.pairing.CorrectResult, correct)
        told = await whole(hall)
        assert to_rows(told) != to_rows(before)
        assert recompute_standings(before, PES) == to_rows(before)
        assert recompute_standings(told, PES) == to_rows(told)
        assert next(line for line in told["standings"] if line["player_id"] == second)["spread"] == 43


@pytest.mark.parametrize("edition", ["TRF16", "TRF26"])
async def test_a_report_of_a_dutch_tournament_is_paired_again_as_it_was(
    pes: Championship, edition: str, tmp_path: Path
) -> None:
    await pes.json("")
    file = tmp_path / "report.trf"
    await export(pes, "trf", "export", pes.tournament_id, "--edition", edition, "--output", str(file))
    document = read_trf(file.read_bytes().decode())
    assert (document.paired_rounds, document.rounds) == (3, 4)
    assert [(bye.kind, bye.round_number, bye.players) for bye in document.byes] == [("H", 4, (3,))]
    assert {cell.result for player in document.players for cell in player.cells} >= {"U", "F", "+", "-"}
    if edition == "TRF26":
        assert [(pair.players, pair.first_round, pair.last_round) for pair in document.forbidden] == [((1, 4), 1, 1)]
        checked = await asyncio.to_thread(faristol, "trf", "pair", str(file), "--check", timeout=180)
        told = "3 rounds checked, 0 paired differently from the FIDE Dutch system\n"
        assert (checked.returncode, checked.stdout) == (0, told)


async def test_a_report_tells_what_a_late_entry_has_for_pairing_and_who_was_there(fisc: Championship) -> None:
    await fisc.json("")
    document = read_trf(await export(fisc, "trf", "export", fisc.tournament_id))
    late = next(player for player in document.players if player.name == "Player 16")
    assert late.cell(1).result == "Z"
    (fictitious,) = document.fictitious
    assert (fictitious.first_player, fictitious.points, fictitious.first_round) == (late.number, 5, 2)
    told = await whole(fisc)
    ranks = {line["name"]: (line["rank"], line["points"] * 10) for line in told["standings"]}
    assert {player.name: (player.rank, player.points) for player in document.players} == ranks


async def test_a_rating_list_that_was_exported_registers_the_players_of_the_next_tournament(
    fisc: Championship, tmp_path: Path
) -> None:
    file = tmp_path / "list.csv"
    for _ in range(100):
        done = await asyncio.to_thread(
            faristol, "player", "export", fisc.tournament_id, "--address", fisc.address, timeout=180
        )
        if done.returncode == 0:
            break
        assert "has no rating list yet" in done.stderr
        await asyncio.sleep(0.1)
    file.write_text(done.stdout, encoding="utf-8")
    told = {player["player_id"]: player for player in (await fisc.json("/players"))["players"]}
    listed, errors = both(read_players(file))
    rows = [row.request for row in listed]
    assert errors == []
    assert {row.player_id: (row.name, row.rating) for row in rows} == {
        player_id: (player["name"], player["new_rating"]) for player_id, player in told.items()
    }
    assert [row.rating for row in rows] == sorted((row.rating for row in rows), reverse=True)


async def test_ratings_leave_as_csv_and_json_with_the_same_numbers(fisc: Championship) -> None:
    told = json.loads(await export(fisc, "rating", "export", fisc.tournament_id, "--json"))
    lines = csv.DictReader(io.StringIO(await export(fisc, "rating", "export", fisc.tournament_id)))
    assert [(line["player_id"], int(line["new_rating"]), float(line["points"])) for line in lines] == [
        (player["player_id"], player["new_rating"], player["points"]) for player in told["ratings"]
    ]
    assert all(player["change"] == player["new_rating"] - player["rating"] for player in told["ratings"])
