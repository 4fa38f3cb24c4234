"""The program that follows another one tells what is new and what is settled, and goes on after a restart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from tests.unit.shadow.event import RULES, play_event, write_folder

from faristol.cli.client import Client
from faristol.cli.tournament.shadow import Follower, shadow
from faristol.shadow.memory import load_memory, save_memory
from faristol.shadow.sources import FolderSource, Reader


def write(folder: Path, score: bytes = b"") -> None:
    """Write an event of four rounds, with another score of the last player on one side."""
    folder.mkdir(exist_ok=True)
    files = write_folder(play_event(4))
    if score:
        first, _, rest = files["a.t"].partition(b";")
        found = rest.split(b" ")[1]
        files["a.t"] = first + b";" + rest.replace(b" " + found + b" ", b" " + score + b" ", 1)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def follow(folder: Path, state: Path) -> Follower:
    """Return a program that was started now."""
    reader = Reader(FolderSource(folder), sleep=lambda _: None)
    return Follower(reader, (RULES, False), "", "swiss", "", Client(), load_memory(state))


def test_new_and_settled_differences_are_told_once_also_after_a_restart(tmp_path: Path) -> None:
    folder, state = tmp_path / "open", tmp_path / "state.json"
    write(folder)
    follower = follow(folder, state)
    assert follower.compare(follower.reader.read()) == []
    assert follower.has_news, "the first comparison is told"

    write(folder, b"999")
    found = follower.compare(follower.reader.read())
    told = follower.new
    assert found
    assert len(told) == len(found)
    follower.compare(follower.reader.read())
    assert (follower.new, follower.has_news) == ([], False)
    save_memory(state, follower.memory)

    again = follow(folder, state)
    again.compare(again.reader.read())
    assert again.new == []
    write(folder)
    again.compare(again.reader.read())
    assert again.settled


def test_one_comparison_ends_with_its_exit_code_and_a_list_for_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, state = tmp_path / "open", tmp_path / "state.json"
    for score, code in ((b"", 0), (b"999", 1)):
        write(folder, score)
        with pytest.raises(typer.Exit) as ended:
            shadow(Client(json_output=True), str(folder), option=["tie_breaks=spread"], once=True, memory_file=state)
        assert ended.value.exit_code == code
        told = json.loads(capsys.readouterr().out)
        assert bool(told["differences"]) == bool(code)
        assert (told["players"], told["complete_rounds"]) == (9, 4)
    assert {each["kind"] for each in told["differences"]} == {"file", "changed"}
    assert all(each["text"] for each in told["differences"])


def test_an_unknown_system_and_unknown_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter):
        shadow(Client(), str(tmp_path), system="lottery", once=True)
    with pytest.raises(typer.BadParameter):
        shadow(Client(), str(tmp_path), ruleset="nowhere", once=True)
