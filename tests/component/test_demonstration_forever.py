"""`faristol demo --forever` shows one championship after another, and keeps the record of one."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import date
from itertools import product
from multiprocessing import active_children
from pathlib import Path

import pytest
from tests.component.processes import faristol

from faristol.demo import forever
from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.demo.forever import Run, plan_run, prepare_folder, run_forever
from faristol.demo.plan import Plan
from faristol.demo.plans import DemoOptions
from faristol.demo.play_finder import PlayFinder
from faristol.demo.player import PlayerView, find_plays
from faristol.event_store import Record
from faristol.host import Settings, StartError
from faristol.kernel.pins import LEXICONS
from faristol.launcher.processes import hold_folder
from faristol.rules.tiles import load_tile_set
from faristol.words import About, Library, WordGraph
from faristol.words.plays import Grid

PACE_FACTOR = 5_000.0
"""A turn of a minute takes 12 ms."""


@pytest.fixture(scope="module")
def catalan(tmp_path_factory: pytest.TempPathFactory) -> WordGraph:
    """Return an installed lexicon of short strings; its library is in the folder of its name."""
    tiles = load_tile_set("ca-100")
    words = [*product("TRSLN", "AEI"), *product("AEI", "TRSLN"), *product("TRSLN", "AEI", "TRSLN")]
    about = About("made", "1", "CC0-1.0", "made for a test", date(2024, 1, 6))
    folder = tmp_path_factory.mktemp("lexicons")
    Library(folder).install(LEXICONS["ca"], words, tile_set=tiles, about=about)
    graph = Library(folder).open(LEXICONS["ca"])
    FOLDERS[graph.digest] = folder
    return graph


FOLDERS: dict[str, Path] = {}


async def list_events(data: Path) -> list[str]:
    """Return the names of all events on a record."""
    record = await Record.open(f"sqlite:///{data / 'record.db'}")
    events = await record.read(limit=100_000)
    await record.close()
    return [event.name for event in events]


def list_names(folder: Path) -> list[str]:
    """Return the names of the folders in a folder."""
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


async def test_a_run_follows_another_and_only_its_record_stays(catalan: WordGraph, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, http_port=0, lexicons=FOLDERS[catalan.digest])
    runs: list[int] = []

    def plan_run(number: int) -> Run:
        runs.append(number)
        return Run(Plan(4, 1, number, "uf-2007", (), PACE_FACTOR), None)

    await run_forever(settings, plan_run, rest_seconds=0.0, most_runs=2)
    assert runs == [1, 2]
    assert list_names(tmp_path) == ["run-0002"]
    names = await list_events(tmp_path / "run-0002")
    assert {"HallsSet", "JudgeAppointed", "StandingsPublished"} <= set(names)
    assert names.count("RoundClosed") == 1
    with closing(sqlite3.connect(tmp_path / "run-0002" / "record.db")) as database:
        people = " ".join(str(row) for row in database.execute("SELECT * FROM people"))
    for entrant in Plan(4, 1, 2, "uf-2007", (), PACE_FACTOR).entrants:
        assert entrant.club in people
        assert entrant.country in people


async def test_a_duplicate_game_begins_beside_the_tables(catalan: WordGraph, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, http_port=0, lexicons=FOLDERS[catalan.digest])
    beside = DuplicatePlan(6, 1, 1, "fisc-2023-duplicate", pace=10.0, halls=2, turns=3)
    run = Run(Plan(6, 5, 1, "fisc-2023", (), 0.1), beside)
    playing = asyncio.create_task(run_forever(settings, lambda _: run, rest_seconds=0.0))
    try:
        async with asyncio.timeout(200):
            while True:
                await asyncio.sleep(0.5)
                if playing.done():
                    playing.result()
                if (tmp_path / "run-0001" / "record.db").exists():
                    names = set(await list_events(tmp_path / "run-0001"))
                    if {"RackCalled", "GameStarted"} <= names:
                        break
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)


async def test_a_run_that_cannot_continue_is_reported_and_the_next_begins(
    catalan: WordGraph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(data=tmp_path, http_port=0, lexicons=FOLDERS[catalan.digest])
    beside = DuplicatePlan(
        6, 1, 1, "fisc-2023-duplicate", pace=PACE_FACTOR, halls=2, turns=3
    )  # dates slips in the future
    run = Run(Plan(6, 5, 1, "fisc-2023", (), 0.1), beside)
    await run_forever(settings, lambda _: run, rest_seconds=0.0, most_runs=2)
    said = capsys.readouterr().err
    assert "Run 1 cannot continue: slips" in said
    assert "Run 2 begins: http://" in said


async def test_a_judge_that_fails_ends_the_run(
    catalan: WordGraph, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise StartError("the judge has left")

    monkeypatch.setattr(forever, "judge_queue", fail)
    settings = Settings(data=tmp_path, http_port=0, lexicons=FOLDERS[catalan.digest])
    run = Run(Plan(6, 5, 1, "fisc-2023", (), 0.1), None)
    await run_forever(settings, lambda _: run, rest_seconds=0.0, most_runs=1)
    assert "Run 1 cannot continue: the judge has left" in capsys.readouterr().err


async def test_a_run_whose_games_do_not_end_is_reported(
    catalan: WordGraph, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forever, "MIN_RUN_SECONDS", 1.0)
    monkeypatch.setattr(forever, "RUN_TIME_FACTOR", 0.0)
    settings = Settings(data=tmp_path, http_port=0, lexicons=FOLDERS[catalan.digest])
    run = Run(Plan(6, 5, 1, "fisc-2023", (), 0.1), None)
    await run_forever(settings, lambda _: run, rest_seconds=0.0, most_runs=1)
    assert "Run 1 cannot continue: its games have not ended after 0 min" in capsys.readouterr().err


def test_a_run_has_a_duplicate_game_of_a_limited_length_in_real_time() -> None:
    given = DemoOptions(16, 7, rounds=6, ruleset="uf-2007")
    first, second = plan_run(given, 10.0, 1), plan_run(given, 10.0, 2)
    assert first.duplicate is not None
    assert first.duplicate.rules.chosen["turns"] == first.duplicate.turns == forever.FOREVER_TURNS_COUNT
    assert first.duplicate.pace == 1.0, "the services time its turns"
    assert (first.tables.pace, first.tables.rounds, first.duplicate.rounds) == (10.0, 6, 1)
    assert [run.tables.seed for run in (first, second)] == [7, 8]


def test_a_run_may_take_longer_than_its_rounds() -> None:
    run = Run(Plan(16, 5, 1, "fisc-2023", (), 1.0), DuplicatePlan(16, 1, 1, "fisc-2023-duplicate", pace=1.0))
    rounds = 5 * run.tables.round_every.total_seconds()
    assert rounds < run.longest_seconds < 2 * rounds
    assert Run(Plan(4, 1, 1, "uf-2007", (), PACE_FACTOR), None).longest_seconds == forever.MIN_RUN_SECONDS


def test_folders_that_no_run_has_made_stay(tmp_path: Path) -> None:
    for name in ("run-0002", "run-of-mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "record.db").touch()
    (prepare_folder(tmp_path, 1) / "nats").mkdir()
    assert prepare_folder(tmp_path, 3) == tmp_path / "run-0003"
    assert list_names(tmp_path) == ["other", "run-0002", "run-0003", "run-of-mine"]
    with pytest.raises(StartError, match=r"run-0002 of a run cannot be made .*: use another folder with --data"):
        prepare_folder(tmp_path, 2)
    assert (tmp_path / "run-0002" / "record.db").is_file()


async def test_the_runs_of_another_process_stay(tmp_path: Path) -> None:
    earlier = prepare_folder(tmp_path, 1)
    settings = Settings(data=tmp_path, http_port=0)
    with hold_folder(settings), pytest.raises(StartError, match="is in use by process"):
        await run_forever(settings, lambda _: pytest.fail("a run was planned"), rest_seconds=0.0)
    assert earlier.is_dir()


async def test_plays_found_in_another_process_are_those_of_this_one(catalan: WordGraph) -> None:
    rules = Plan(6, 5, 1, "fisc-2023").rules
    finder = PlayFinder(FOLDERS[catalan.digest], catalan.digest)
    try:
        for rack in (list("TARSELN"), list("?ARSELI")):
            sight = PlayerView(Grid.of(catalan.tile_set, {}), rack, 80, 0)
            expected = find_plays(catalan, sight.grid, rack, across=rules.first_move.direction == "across")
            assert await finder.find(rules, sight) == expected
            assert expected
    finally:
        finder.close()


async def test_a_search_whose_process_was_killed_is_an_error_of_the_run(catalan: WordGraph) -> None:
    rules = Plan(6, 5, 1, "fisc-2023").rules
    finder = PlayFinder(FOLDERS[catalan.digest], catalan.digest)
    sight = PlayerView(Grid.of(catalan.tile_set, {}), list("TARSELN"), 80, 0)
    before = {child.pid for child in active_children()}
    try:
        await finder.find(rules, sight)
        for child in active_children():
            if child.pid not in before:
                child.kill()
                child.join()
        with pytest.raises(StartError, match="a process that searches for plays has ended"):
            await finder.find(rules, sight)
    finally:
        finder.close()


def test_options_that_need_other_services_are_refused(catalan: WordGraph) -> None:
    done = faristol("demo", "--forever", "--connect", lexicons=FOLDERS[catalan.digest])
    assert done.returncode == 2
    assert "--forever runs its own services" in done.stderr
