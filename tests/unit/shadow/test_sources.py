"""Files that another program is writing are read only when they are whole, and never changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.unit.shadow.event import play_event, write_folder

from faristol.shadow.memory import Memory, find_memory_file, load_memory, save_memory
from faristol.shadow.sources import (
    READING_ATTEMPTS,
    AddressSource,
    FileSource,
    FolderSource,
    Reader,
    TournamentSource,
    Unavailable,
    open_source,
)


def write(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def writer(steps: Sequence[Callable[[], object]]) -> Callable[[float], None]:
    """Return a pause during which the other program does its next step."""
    waiting = list(steps)

    def pause(_: float) -> None:
        if waiting:
            waiting.pop(0)()

    return pause


def test_a_folder_is_read_after_its_program_has_written_it(tmp_path: Path) -> None:
    whole = write_folder(play_event(3))
    write(tmp_path / "open", whole)
    division = tmp_path / "open" / "a.t"
    half = whole["a.t"][: len(whole["a.t"]) // 2]
    division.write_bytes(b"")
    steps = [lambda: division.write_bytes(half), lambda: None, lambda: division.write_bytes(whole["a.t"])]

    reading = Reader(FolderSource(tmp_path / "open"), sleep=writer(steps)).read()

    assert reading.read is not None
    assert reading.read.tournament.divisions[0].complete_rounds == 3


def test_a_file_cut_off_at_the_end_of_a_line_is_read_again_because_players_are_missing(tmp_path: Path) -> None:
    whole = write_folder(play_event(3))
    write(tmp_path / "open", whole)
    division = tmp_path / "open" / "a.t"
    reader = Reader(FolderSource(tmp_path / "open"), sleep=lambda _: None)
    assert reader.read().read is not None

    division.write_bytes(b"".join(whole["a.t"].splitlines(keepends=True)[:4]))
    reader.sleep = writer([lambda: None, lambda: division.write_bytes(whole["a.t"])])
    reading = reader.read()

    assert reading.read is not None
    assert len(reading.read.tournament.divisions[0].players) == 9


def test_a_file_that_stays_malformed_is_named_with_its_line_and_the_next_reading_goes_on(tmp_path: Path) -> None:
    whole = write_folder(play_event(2))
    write(tmp_path / "open", {**whole, "a.t": b"no player at all\n"})
    pauses: list[float] = []
    reader = Reader(FolderSource(tmp_path / "open"), sleep=pauses.append)

    reading = reader.read()

    assert (reading.read, len(pauses)) == (None, READING_ATTEMPTS)
    assert reading.problem is not None
    assert (reading.problem.file, reading.problem.line) == ("a.t", 1)
    write(tmp_path / "open", whole)
    assert reader.read().read is not None


def test_a_file_that_changes_all_the_time_is_not_read_as_whole(tmp_path: Path) -> None:
    file = tmp_path / "open.tou"
    file.write_bytes(b"*M01.01.2026 Open\n")
    count = iter(range(100))

    def change(_: float) -> None:
        file.write_bytes(f"*M01.01.2026 Open {'I' * next(count)}\n".encode())

    reading = Reader(FileSource(file), sleep=change).read()

    assert reading.read is None


def test_the_source_is_not_changed_by_readings(tmp_path: Path) -> None:
    write(tmp_path / "open", write_folder(play_event(2)))
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in (tmp_path / "open").iterdir()}

    Reader(FolderSource(tmp_path / "open"), sleep=lambda _: None).read()

    after = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in (tmp_path / "open").iterdir()}
    assert after == before


def test_a_missing_folder_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        Reader(open_source(str(tmp_path / "nowhere.trf")), sleep=lambda _: None).read()


@pytest.mark.parametrize(
    ("place", "kind", "name"),
    [
        ("https://results.example/open/a.t", AddressSource, "a.t"),
        ("https://copa.example/tournaments/copa/standings", TournamentSource, "copa"),
        ("https://copa.example/ca/api/v1/tournaments/copa", TournamentSource, "copa"),
        ("https://copa.example/api/v1/tournaments/copa/report.trf", AddressSource, "report.trf"),
    ],
)
def test_an_address_is_of_a_file_or_of_a_tournament_of_this_product(place: str, kind: type, name: str) -> None:
    source = open_source(place)

    assert isinstance(source, kind)
    assert source.name == name
    if isinstance(source, TournamentSource):
        assert source.server == ("https://copa.example/ca" if "/ca/" in place else "https://copa.example")


def test_the_memory_survives_a_restart_and_a_damaged_file_is_an_empty_one(tmp_path: Path) -> None:
    file = tmp_path / "state" / "one.json"
    memory = Memory("ab", {"Anna": [["game", "Biel", 400, 300]]}, ("a difference",), "cd")

    save_memory(file, memory)

    assert load_memory(file) == memory
    file.write_text("{")
    assert load_memory(file) == Memory()
    assert find_memory_file("one") != find_memory_file("another")
