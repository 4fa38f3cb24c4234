"""`faristol demo` plays every rule book: by its law, to the end, and with the same seed to the same standings."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from tests.component.processes import faristol

from faristol.event_store import Record, Recorded
from faristol.kernel.pins import LEXICONS
from faristol.rules import load_ruleset
from faristol.rules.tiles import TileSet, load_tile_set
from faristol.words import About, Library

DEMO_TIMEOUT_SECONDS = 240.0
VERDICTS = {
    "good": {"counts"},
    "no-coordinates": {"coordinates"},
    "off-board": {"coordinates"},
    "coordinates-illegible": {"coordinates"},
    "cannot-lie": {"coordinates"},
    "no-word": {"word-missing"},
    "word-illegible": {"illegible"},
    "not-whole": {"not-whole"},
    "not-in-rack": {"not-in-rack"},
    "invalid": {"invalid"},
    "cross-word": {"cross-word"},
    "uncircled": {"uncircled"},
    "late": {"late"},
    "not-handed-in": {"not-handed-in"},
    "hand-not-raised": {"hand-not-raised"},
    "two-slips": {"counts"},
    "typed-otherwise": {"counts"},
    "after-close": {"late"},
    "score-wrong": {"counts"},
    "mistyped": {"counts"},
}
"""The outcome of each kind of slip of the demonstration's players (FISC II.7)."""


def words(tile_set: TileSet) -> Iterator[tuple[str, ...]]:
    """Yield some hundred strings of the set's commonest tiles that are short and take turns with vowels."""
    common = sorted(tile_set.faces, key=lambda face: -tile_set.counts[face])
    vowels = [face for face in common if face in tile_set.vowels][:4]
    others = [face for face in common if face not in tile_set.vowels][:8]
    yield from product(others, vowels)
    yield from product(vowels, others)
    yield from product(others, vowels, others[:4])
    yield from product(others[:3], vowels, others, vowels[:2])


@pytest.fixture(scope="module")
def lexicon_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a lexicon of strings for every tile set, under the names of the open ones."""
    folder = tmp_path_factory.mktemp("made")
    about = About("made", "1", "CC0-1.0", "strings made for a test", datetime.date(2024, 1, 6))
    for name in ("ca-100", "el-104", "en-100", "es-100"):
        tile_set = load_tile_set(name)
        Library(folder).install(LEXICONS[tile_set.language], words(tile_set), tile_set=tile_set, about=about)
    return folder


@pytest.mark.parametrize(
    ("book", "players", "rounds", "happens", "never"),
    [
        pytest.param(
            "festa-major",
            7,
            1,
            {"TurnTimedOut", "ScoreWritten", "ChallengeRaised"},
            {"ClockPressed"},
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "pes-2024",
            4,
            1,
            {"ArbiterAssigned", "ClockHeldByMover", "ScoreWritten", "ClockPressed"},
            set(),
            marks=pytest.mark.nightly,
        ),
        pytest.param("fisc-2023", 6, 5, {"ClockPressed"}, {"ScoreWritten"}, marks=pytest.mark.nightly),
        pytest.param("fise", 4, 1, {"ScoreWritten", "ClockPressed"}, {"ClockHeldByMover"}, marks=pytest.mark.nightly),
        ("uf-2007", 4, 1, {"ScoreWritten", "ClockPressed"}, {"ClockHeldByMover"}),
        pytest.param("box", 4, 1, {"ScoreWritten", "PlayCompleted"}, {"ClockPressed"}, marks=pytest.mark.nightly),
    ],
)
def test_every_rule_book_is_played_to_the_end_and_again_to_the_same_standings(
    book: str, players: int, rounds: int, happens: set[str], never: set[str], lexicon_folder: Path, tmp_path: Path
) -> None:
    plan = ("demo", "--ruleset", book, "--players", str(players), "--rounds", str(rounds), "--seed", "3", "--json")
    data = tmp_path / "data"
    done, again = (
        faristol(*plan, *more, timeout=DEMO_TIMEOUT_SECONDS, lexicons=lexicon_folder)
        for more in (("--data", str(data)), ())
    )
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert len(outcome["standings"]) == players
    assert sum(line["total"] for line in outcome["standings"]) > 0
    assert outcome["ruleset"]["name"] == book
    assert outcome["lexicon"]["name"] == LEXICONS[load_ruleset(book).tile_set.language]
    assert again.stdout == done.stdout, "the same seed gives the same championship"

    recorded = {event.name for event in asyncio.run(_read_events(data))}
    assert recorded >= {"PlayPlaced", "ResultFinal", *happens}
    assert not recorded & never


@pytest.mark.nightly
@pytest.mark.lexicon
def test_a_round_whose_time_ends_before_the_last_play_is_written_ends_the_championship(
    lexicons: Path, tmp_path: Path
) -> None:
    """UF 27.4: the scores stand when the time of the round, 30 minutes here, is over."""
    plan = ("demo", "--ruleset", "uf-2007", "--players", "6", "--rounds", "1", "--seed", "3", "--options", "minutes=15")
    data = tmp_path / "data"
    done = faristol(*plan, "--data", str(data), timeout=DEMO_TIMEOUT_SECONDS, lexicons=lexicons)
    assert done.returncode == 0, done.stderr
    recorded = [event for event in asyncio.run(_read_events(data)) if event.stream.startswith("game-")]
    last = {event.stream: place for place, event in enumerate(recorded) if event.name == "PlayPlaced"}
    written = [
        sum(event.stream == game and event.name == "ScoreWritten" for event in recorded[place:])
        for game, place in last.items()
    ]
    assert 1 in written, "the case of this test: in a game one player wrote the last play, and the other did not"


@pytest.mark.nightly
def test_a_cell_in_which_a_player_of_a_demonstration_was_erased_plays_another_one(
    lexicon_folder: Path, tmp_path: Path
) -> None:
    data = str(tmp_path / "data")
    plan = ("demo", "--ruleset", "box", "--players", "2", "--rounds", "1", "--data", data, "--json", "--seed")
    first = faristol(*plan, "1", timeout=DEMO_TIMEOUT_SECONDS, lexicons=lexicon_folder)
    erased = faristol("record", "erase-person", "player-001", "--yes", "--data", data)
    another = faristol(*plan, "2", timeout=DEMO_TIMEOUT_SECONDS, lexicons=lexicon_folder)
    for done in (first, erased, another):
        assert done.returncode == 0, done.stderr
    seen = [{line["player_id"] for line in json.loads(done.stdout)["standings"]} for done in (first, another)]
    assert seen == [{"player-001", "player-002"}, {"player-001-2", "player-002"}]


@pytest.mark.parametrize(
    ("players", "halls", "turns"),
    [(24, 2, 3), pytest.param(200, 4, 6, marks=pytest.mark.nightly), pytest.param(60, 3, 0, marks=pytest.mark.nightly)],
)
def test_a_duplicate_game_shows_every_verdict_and_again_the_same_standings(
    players: int, halls: int, turns: int, lexicon_folder: Path, tmp_path: Path
) -> None:
    plan = ("demo", "--mode", "duplicate", "--players", str(players), "--halls", str(halls), "--turns", str(turns))
    data = tmp_path / "data"
    done = faristol(*plan, "--json", "--data", str(data), timeout=DEMO_TIMEOUT_SECONDS, lexicons=lexicon_folder)
    assert done.returncode == 0, done.stderr
    (game,) = json.loads(done.stdout)["games"]
    shown = {kind: set(became) for kind, became in game["slips"].items() if kind != "either-word"}
    assert shown == VERDICTS
    assert sum(sum(became.values()) for became in game["slips"].values()) == players * game["turns"]
    assert game["validated"]
    assert game["end"] == "turns" if turns else game["end"] in ("exhausted", "no-rack", "no-play")
    assert len(game["standings"]) == players
    recorded = {event.name for event in asyncio.run(_read_events(data))}
    assert recorded >= {"HallSeated", "SlipRuled", "SlipCorrected", "ClaimDecided", "ResultsValidated"}
    assert ("TurnTimerStopped" in recorded) == bool(turns), "the last turn is played at the present moment, if known"
    if not turns or players > 100:
        again = faristol(*plan, "--json", timeout=DEMO_TIMEOUT_SECONDS, lexicons=lexicon_folder)
        assert again.stdout == done.stdout, "the same seed gives the same game"


async def _read_events(data: Path) -> list[Recorded]:
    """Return all events on a record."""
    record = await Record.open(f"sqlite:///{data / 'record.db'}")
    events = await record.read(limit=100_000)
    await record.close()
    return events
