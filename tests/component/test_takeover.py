"""Tournaments of other programs are taken over after half of their rounds, and end here with their own standings."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.component.processes import faristol
from tests.component.quick import Championship, championship
from tests.support.spreadsheets import read_ods

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.other_programs.packs import open_pack
from faristol.rules.tournament_files import FileDivision, FilePlayer, FileRound, RoundKind, TournamentFile
from faristol.rules.tournament_files.files import read_file, read_folder
from faristol.rules.tournament_files.tou import write_tou
from faristol.rules.tournament_files.tsh import encode_tsh, read_division, write_tsh
from faristol.shadow.sources import TournamentSource

pytestmark = pytest.mark.asyncio(loop_scope="module")

REAL_DIVISION = Path(__file__).parents[3] / "shared" / "data" / "tsh" / "kingston-b.json"
PLANNED_ROUNDS = 6
BYE_SPREAD_POINTS = 50
OPTIONS = ("--ruleset", "fise", "--option", "tie_breaks=spread")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory, shared_nats: str) -> AsyncIterator[Championship]:
    """Yield a cell with a tournament of nine players and three played rounds of five."""
    folder = tmp_path_factory.mktemp("takeover")
    options = {"tie_breaks": "spread", "bye_spread": "50"}
    async with championship(folder, shared_nats, book="fise", rounds=5, seed=17, options=options) as made:
        await made.create(9)
        for number in (1, 2, 3):
            await made.enter_round(number)
        yield made


async def run(hall: Championship, *words: str) -> Any:
    """Return the JSON of a command and its exit code."""
    done = await asyncio.to_thread(faristol, *words, "--json", "--address", hall.address, timeout=180)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def play_elsewhere() -> FileDivision:
    """Return a division of nine players and six rounds: each meets another, and one has the bye of a round."""
    players = 9
    cells: list[list[FileRound]] = [[] for _ in range(players)]
    for number in range(PLANNED_ROUNDS):
        order = [(place + number) % players for place in range(players)]
        cells[order[0]].append(FileRound(RoundKind.BYE, score=BYE_SPREAD_POINTS))
        for place in range(1, players // 2 + 1):
            one, other = order[place], order[-place]
            scores = 300 + 37 * (one * 7 + number * 5) % 211, 300 + 31 * (other * 11 + number * 3) % 197
            cells[one].append(FileRound(RoundKind.GAME, other + 1, *scores, True, place))
            cells[other].append(FileRound(RoundKind.GAME, one + 1, scores[1], scores[0], False, place))
    names = ("Anna Puig", "Biel Mas", "Carme Roca", "Dolors Vidal", "Eloi Serra", "Fina Soler", "Gil Pons", "Ona Riu")
    return FileDivision(
        "A",
        tuple(
            FilePlayer(name, 1_900 - 50 * place, tuple(cells[place]))
            for place, name in enumerate((*names, "Pau Ferrer"))
        ),
    )


def until(division: FileDivision, rounds: int) -> TournamentFile:
    """Return a tournament of six rounds after some of them."""
    players = tuple(replace(player, rounds=player.rounds[:rounds]) for player in division.players)
    return TournamentFile("Open", "2026-03-07", (FileDivision("A", players),), PLANNED_ROUNDS, "tsh")


def write_folder(tournament: TournamentFile, folder: Path) -> Path:
    folder.mkdir()
    for name, text in write_tsh(tournament).items():
        (folder / name).write_bytes(encode_tsh(text))
    return folder


async def go_on(hall: Championship, tournament_id: str, division: FileDivision, ids: Sequence[str], first: int) -> None:
    """Play the rounds of a division from ``first`` on here, with the pairs made by hand."""
    pairing_service = hall.api.pairing

    async def ask(method: Any, request: Any) -> Any:
        request.tournament_id, request.command_id = tournament_id, str(uuid.uuid4())
        answer = await method(request)
        hall.position = max(hall.position, answer.position)
        return answer

    for number in range(first, division.rounds + 1):
        for own, player in enumerate(division.players, 1):
            cell = player.round(number)
            if own < cell.opponent:
                pair = [ids[own - 1], ids[cell.opponent - 1]]
                await ask(pairing_service.KeepPair, pairing.KeepPairRequest(player_ids=pair))
        await ask(pairing_service.PairRound, pairing.PairRoundRequest(round=number))
        await ask(pairing_service.StartRound, pairing.StartRoundRequest(round=number))
        told = await pairing_service.ListResults(pairing.ListResultsRequest(tournament_id=tournament_id, round=number))
        results = []
        for table in told.tables:
            scores = []
            for seat in table.players:
                cell = division.players[ids.index(seat.player_id)].round(number)
                scores.append(game_events.FinalScore(player_id=seat.player_id, score=cell.score or 0))
            results.append(pairing.GameResult(game_id=table.game_id, scores=scores))
        entered = pairing.EnterResultsRequest(results=results, arbiter_id="eva")
        await ask(pairing_service.EnterResults, entered)
        await ask(pairing_service.CloseRound, pairing.CloseRoundRequest(round=number))


async def list_standings(hall: Championship, tournament_id: str) -> list[tuple[str, float, int]]:
    path = f"/api/v1/tournaments/{tournament_id}/standings?min_position={hall.position}"
    lines = (await hall.http.get(path)).json()["standings"]
    return [(line["name"], line["points"], line["spread"]) for line in lines]


def list_expected(division: FileDivision) -> list[tuple[str, float, int]]:
    return [
        (division.players[number - 1].name, half_points / 2, spread) for number, half_points, spread in division.rank()
    ]


@pytest.mark.parametrize("kind", ["tsh", "tou"])
async def test_an_event_taken_over_after_half_its_rounds_ends_here_with_the_standings_of_its_program(
    hall: Championship, tmp_path: Path, kind: str
) -> None:
    division, tournament_id = play_elsewhere(), f"from-{kind}"
    half = until(division, PLANNED_ROUNDS // 2)
    if kind == "tsh":
        path = write_folder(half, tmp_path / "tsh")
    else:
        path = tmp_path / "half.tou"
        path.write_text(write_tou(half))
    options = (*OPTIONS, "--rounds", str(PLANNED_ROUNDS), "--yes")

    code, taken, said = await run(hall, "tournament", "import", str(path), "--id", tournament_id, *options)

    assert (code, taken["closed"], taken["differences"]) == (0, PLANNED_ROUNDS // 2, []), said
    assert "The byes have 50 points on the spread" in said
    await go_on(hall, tournament_id, division, taken["player_ids"], PLANNED_ROUNDS // 2 + 1)
    assert await list_standings(hall, tournament_id) == list_expected(division)


@pytest.mark.skipif(not REAL_DIVISION.exists(), reason="the real division is not beside the checkout")
async def test_a_real_division_taken_over_after_five_of_eleven_rounds_has_its_published_table_and_medals(
    hall: Championship, tmp_path: Path
) -> None:
    known = json.loads(REAL_DIVISION.read_text())["players"][1:]
    text = "\n".join(
        f"Player{chr(64 + each['id'])}, X {each['rating']} {' '.join(map(str, each['pairings']))}; "
        f"{' '.join(map(str, each['scores']))}; p12 {' '.join(map(str, each['etc']['p12']))}"
        for each in known
    )
    division = read_division(text)
    half = tuple(replace(player, rounds=player.rounds[:5]) for player in division.players)
    folder = write_folder(TournamentFile("Kingston", "", (FileDivision("B", half),), 11), tmp_path / "kingston")

    code, taken, said = await run(hall, "tournament", "import", str(folder), "--id", "kingston", *OPTIONS)

    assert (code, taken["closed"]) == (0, 5), said
    await go_on(hall, "kingston", division, taken["player_ids"], 6)
    names = [name for name, _, _ in await list_standings(hall, "kingston")]
    ranks = {f"X Player{chr(64 + each['id'])}": each["etc"]["rrank"][11] for each in known}
    assert [ranks[name] for name in names] == [*range(1, 13)]

    published = pairing.PublishStandingsRequest(tournament_id="kingston", command_id=str(uuid.uuid4()))
    position = (await hall.api.pairing.PublishStandings(published)).position
    for number, player in enumerate(division.players):
        path = f"/api/v1/players/{taken['player_ids'][number]}/career?min_position={position}"
        medals = (await hall.http.get(path)).json()["medals"]
        rank = ranks[player.name]
        assert [medal["place"] for medal in medals] == ([rank] if rank <= 3 else [])


@pytest.mark.parametrize("kind", ["tsh", "tou", "trf", "csv"])
async def test_what_this_program_exports_it_takes_over_again_with_the_same_standings(
    hall: Championship, tmp_path: Path, kind: str
) -> None:
    own = hall.tournament_id
    path = tmp_path / {"tsh": "folder", "tou": "results.tou", "trf": "report.trf", "csv": "rounds.csv"}[kind]
    if kind == "tsh":
        await run(hall, "tsh", "export", own, "--folder", str(path))
    elif kind == "csv":
        at = f"/api/v1/tournaments/{own}/rounds"
        rounds = [(await hall.http.get(f"{at}/{number}/pairings.csv")).text for number in (1, 2, 3)]
        lines = [text.lstrip("\ufeff").splitlines() for text in rounds]
        path.write_text("\n".join([lines[0][0], *(line for each in lines for line in each[1:])]) + "\n")
    else:
        done = await asyncio.to_thread(
            faristol, kind, "export", own, "--output", str(path), "--address", hall.address, timeout=180
        )
        assert done.returncode == 0, done.stderr
    options = (*OPTIONS, "--option", "bye_spread=50", "--rounds", "5", "--yes")

    code, taken, said = await run(hall, "tournament", "import", str(path), "--id", f"again-{kind}", *options)

    if kind in ("tsh", "tou"):  # they have the spread of a bye; the others have the points only
        assert (code, taken["differences"]) == (0, []), f"{said}\n{taken}"
    assert taken["closed"] == 3
    again, before = [await list_standings(hall, each) for each in (f"again-{kind}", own)]
    assert [line[1:] for line in again] == [line[1:] for line in before]
    if kind in ("trf", "csv"):  # names of the others have no digits
        assert sorted(again) == sorted(before)


async def test_errors_are_shown_and_mended_before_any_change_and_doubts_are_accepted(
    hall: Championship, tmp_path: Path
) -> None:
    lines = write_tsh(until(play_elsewhere(), 2))["a.t"].splitlines()
    broken = tmp_path / "broken.t"
    broken.write_text("\n".join([lines[0].replace(" 0 ", " 5 ", 1), *lines[1:]]) + "\n")

    code, found, said = await run(hall, "tournament", "import", str(broken), "--check")
    assert (code, found["errors"] > 0) == (1, True)
    assert "! Round 1, Anna Puig (1): the opponent 5 has the opponent" in said

    done = await asyncio.to_thread(
        faristol, "tournament", "import", str(broken), "--id", "broken", "--yes", "--address", hall.address
    )
    assert done.returncode == 2
    assert "to be mended first" in done.stderr
    missing = await hall.http.get("/api/v1/tournaments/broken")
    assert missing.status_code == 404

    mended = ("--mend", "1/1/kind=bye", *OPTIONS, "--rounds", "6", "--yes")
    code, taken, said = await run(hall, "tournament", "import", str(broken), "--id", "broken", *mended)
    assert taken["closed"] == 2, said


async def test_the_shadow_of_an_export_has_no_difference_and_a_planted_one_is_on_the_record(
    hall: Championship, tmp_path: Path
) -> None:
    own, folder, state = hall.tournament_id, tmp_path / "shadow", str(tmp_path / "state.json")
    await run(hall, "tsh", "export", own, "--folder", str(folder))
    names = [line["name"] for line in (await hall.http.get(f"/api/v1/tournaments/{own}/standings")).json()["standings"]]
    options = (*OPTIONS, "--option", "bye_spread=50", "--once", "--state", state)
    if any(sign.isdigit() for name in names for sign in name):  # names of tsh have no digits: compare with the rules
        linked: tuple[str, ...] = ()
    else:
        linked = ("--tournament", own)
    code, found, said = await run(hall, "shadow", str(folder), *options, *linked)
    assert (code, found["differences"]) == (0, []), f"{said}\n{found}"

    report = tmp_path / "report.trf"
    done = await asyncio.to_thread(
        faristol, "trf", "export", own, "--output", str(report), "--address", hall.address, timeout=180
    )
    assert done.returncode == 0, done.stderr
    linked = ("--tournament", own, "--system", "none")
    code, found, said = await run(hall, "shadow", str(report), *options, *linked)
    assert (code, found["differences"]) == (0, []), f"{said}\n{found}"

    told = report.read_text(encoding="utf-8")
    rating = next(line[48:52] for line in told.splitlines() if line.startswith("001"))
    report.write_text(told.replace(f" {rating} ", " 1234 ", 1), encoding="utf-8")
    code, found, said = await run(hall, "shadow", str(report), *options, *linked)

    assert code == 1
    assert {each["kind"] for each in found["differences"]} == {"rating"}
    acts = await hall.api.pairing.ListActs(pairing.ListActsRequest(tournament_id=own, types=["ShadowCompared"]))
    assert "differences: 1" in acts.acts[-1].details
    checks = await hall.api.pairing.ListFinalChecks(pairing.ListFinalChecksRequest(tournament_id=own))
    (shadow,) = [each for each in checks.checks if each.check == events.FINAL_CHECK_SHADOW]
    assert (shadow.open, len(shadow.subjects)) == (1, 1)


async def test_the_shadow_of_a_tournament_of_this_product_reads_its_page_and_has_no_difference(
    hall: Championship, tmp_path: Path
) -> None:
    page = f"{str(hall.http.base_url).rstrip('/')}/tournaments/{hall.tournament_id}"
    options = (*OPTIONS, "--option", "bye_spread=50", "--once", "--state", str(tmp_path / "state.json"))

    code, found, said = await run(hall, "shadow", page, *options, "--tournament", hall.tournament_id)

    assert (code, found["players"], found["complete_rounds"], found["differences"]) == (0, 9, 3, []), f"{said}\n{found}"
    assert (found["ratings"]["system"], found["ratings"]["compared"], found["ratings"]["left_out"]) == ("elo-1", 9, 0)
    source = TournamentSource(str(hall.http.base_url).rstrip("/"), hall.tournament_id)
    await asyncio.to_thread(source.load)
    waiting = asyncio.create_task(asyncio.to_thread(source.wait, 60.0))
    await asyncio.sleep(1)
    assert not waiting.done()
    described = pairing.DescribeTournamentRequest(tournament_id=hall.tournament_id, place="Valls")
    described.command_id = str(uuid.uuid4())
    await hall.api.pairing.DescribeTournament(described)
    await asyncio.wait_for(waiting, 30)


async def test_a_federation_pack_has_the_same_bytes_each_time_is_verified_and_read_back(
    hall: Championship, tmp_path: Path
) -> None:
    key, first, second = tmp_path / "seal.key", tmp_path / "first.zip", tmp_path / "second.zip"
    made = await asyncio.to_thread(faristol, "record", "key", str(key))
    assert made.returncode == 0, made.stderr
    words = ("tournament", "pack", hall.tournament_id, "--seal-key", str(key), "--output")
    _, told, _ = await run(hall, *words, str(first))
    await run(hall, *words, str(second))

    assert first.read_bytes() == second.read_bytes()
    opened = open_pack(first.read_bytes())
    assert not opened.problems
    standings = await list_standings(hall, hall.tournament_id)
    for name in ("report-trf16.trf", "report-trf26.trf", "results.tou"):
        division = read_file(name, opened.files[name]).tournament.divisions[0]
        assert (len(division.players), division.complete_rounds) == (9, 3), name
    folder = {name.removeprefix("tsh/"): data for name, data in opened.files.items() if name.startswith("tsh/")}
    (division,) = read_folder(folder).tournament.divisions
    assert [(points / 2, spread) for _, points, spread in division.rank()] == [line[1:] for line in standings]
    assert {f"rounds/round-{number:02}.csv" for number in (1, 2, 3)} <= opened.files.keys()
    tables = read_ods(opened.files["minutes.ods"])
    assert [row[1] for row in tables[1].rows[1:]] == [name for name, _, _ in standings]
    assert set(told["missing"]) == {"standings.tlog-proof"} | ({"minutes.pdf"} - opened.files.keys())

    public = str(key.with_name("seal.key.pub"))
    valid = await asyncio.to_thread(faristol, "pack", "verify", str(first), "--public-key", public)
    assert valid.returncode == 0, valid.stdout
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(first.read_bytes().replace(b"standings.csv", b"standing2.csv"))
    refused = await asyncio.to_thread(faristol, "pack", "verify", str(damaged), "--public-key", public)
    assert refused.returncode == 1
