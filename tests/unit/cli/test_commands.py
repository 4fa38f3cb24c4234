"""The command line has nouns and verbs, for every task of a director, and the guides use its terms."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.unit.cli.command_list import listing
from typer.testing import CliRunner

from faristol.cli.commands import COMMANDS, Noun, format_command
from faristol.cli.contract import SERVICE
from faristol.cli.main import app, main
from faristol.gateway.print.duplicate import ALL_PAPERS

ROOT = Path(__file__).parents[3]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
READS_ONLY = re.compile(r"Get|List|Explain")

NO_JSON = {
    "completion",
    "season qualified",
    "rating-list export",
    "register export",
    "duplicate run",
    "duplicate train",
    "table keep",
    "enter",
    "print",
    "trf generate",
}
"""Commands without an answer: a script of a shell, prompts, paper, and files of another format."""


def _tree(command: Any = None, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command by its words."""
    command = command or typer.main.get_command(app)
    if not hasattr(command, "list_commands"):
        yield words, command
        return
    context = command.context_class(command)
    for name in command.list_commands(context):
        yield from _tree(command.get_command(context, name), (*words, name))


TREE = dict(_tree())


def test_every_method_of_the_contract_has_its_noun_and_verb() -> None:
    methods = {method.name for method in SERVICE.methods}
    said = {method: format_command(method) for method in methods}
    assert [method for method in sorted(methods) if tuple(said[method].split()) not in TREE] == []
    assert [method for method in sorted(methods) if not READS_ONLY.match(method) and said[method] == method] == []


LOADED = "import sys; from faristol.cli.main import main\ntry: main([*sys.argv[1:]])\nfinally: print(*sys.modules)"
"""A program that does a command and prints which modules that took."""


@pytest.mark.parametrize("words", TREE, ids=" ".join)
def test_every_command_says_what_it_does_and_answers_programs_in_json(words: tuple[str, ...]) -> None:
    command = TREE[words]
    assert len(command.get_short_help_str(200)) > 5
    options = {option for param in command.params for option in param.opts}
    assert "--json" in options or " ".join(words) in NO_JSON


def test_what_the_list_of_verbs_says_of_a_command_is_there_without_its_import() -> None:
    for words in (["--help"], ["player", "--help"], ["round", "--help"]):
        done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True)
        heavy = {"grpc", "google.protobuf", "faristol.gateway", "sqlalchemy", "rich"}
        assert heavy.isdisjoint(done.stdout.split())
        assert len(words) > 1 or "pydantic" not in done.stdout.split()
        assert "Commands:" in done.stdout


def test_a_command_that_asks_a_service_loads_no_store() -> None:
    words = ["tournament", "list", "--address", "127.0.0.1:1"]
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False)
    loaded = set(done.stdout.split())
    assert {"grpc", "faristol.client.credentials"} <= loaded
    assert {"sqlalchemy", "asyncpg", "nats", "faristol.event_store.record"}.isdisjoint(loaded)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plaeyr"], "there is no command 'plaeyr'; did you mean player"),
        (["player", "widthraw", "kup", "anna"], "there is no command 'widthraw'; did you mean withdraw"),
        (["ruleset", "shw"], "there is no command 'shw'; did you mean show"),
        (["player", "withdraw", "kup", "anna", "--gmae", "lost"], "--game"),
        (["xyz"], "there is no command 'xyz'; there are: up, serve, demo,"),
    ],
)
def test_a_command_or_option_that_there_is_not_is_told_with_the_nearest(words: list[str], said: str) -> None:
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 2
    assert said in " ".join(answer.output.split())


@pytest.mark.parametrize(
    ("words", "help_of"),
    [
        (["round", "show"], "faristol round show"),
        (["round", "show", "copa", "--jsn"], "faristol round show"),
        (["--as", "Eva", "bye", "grant", "copa", "anna", "--round", "x"], "faristol bye grant"),
        (["xyz"], "faristol"),
        (["round", "xyz"], "faristol round"),
    ],
)
def test_who_writes_a_command_wrongly_is_pointed_to_its_help(
    words: list[str], help_of: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "en")
    with pytest.raises(SystemExit):
        main(words)
    assert capsys.readouterr().err.endswith(f"; `{help_of} --help` lists the commands.\n")


def _lines(guide: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield the commands of a guide: whole lines of its blocks, and texts in backticks, which may be a part."""
    text = guide.read_text(encoding="utf-8")
    joined = re.sub(r" *\\\n\s*", lambda found: " " + "\0" * found[0].count("\n"), text)
    block = False
    number = 0
    for line in joined.split("\n"):
        number += 1 + line.count("\0")
        line = line.replace("\0", "")
        if line.startswith("```"):
            block = not block
        elif block:
            command = re.search(r"^(?:\$ )?(?:FARISTOL_\w+=\S+ +)*(faristol .*)", line)
            if command:
                yield number, command[1], False
        else:
            yield from ((number, found, True) for found in re.findall(r"`(faristol [^`]*)`", line))


NOT_ONE = "faristol seal 1"
"""The first line of the statement of a seal."""

COMMAND_LINES = [(guide, *found) for guide in GUIDES for found in _lines(guide) if found[1] != NOT_ONE]


def _parse_commands(line: str) -> list[list[str]]:
    """Return the words of each command of a line: without comments, and with each of several verbs."""
    line = re.split(r" {2,}(?!faristol)|\s#\s|\s<<?\s?|\s>\s", line)[0]
    parts = re.split(r"\s+\|\s+", line)
    first = shlex.split(parts[0])[1:]
    return [first, *([first[0], *shlex.split(part)] for part in parts[1:])]


@pytest.mark.parametrize(
    ("line", "inline"),
    [found[2:] for found in COMMAND_LINES],
    ids=[f"{guide.name}:{number}" for guide, number, *_ in COMMAND_LINES],
)
def test_every_command_of_the_guides_is_one_that_there_is(line: str, inline: bool) -> None:
    for part in re.split(r" {2,}(?=faristol )", line):
        for words in _parse_commands(part):
            _check(words, loose=inline or len(_parse_commands(part)) > 1 or bool(re.search(r"…|\[|\]", part)))


def _check(words: list[str], *, loose: bool) -> None:
    """Parse a command; where it is a pattern, only look for its words and options."""
    found = next((words[:length] for length in (2, 1) if tuple(words[:length]) in TREE), None)
    if found is None:
        assert words[0] in COMMANDS or (words[0],) in TREE or words[0].startswith("-"), f"there is no {words[0]!r}"
        assert len(words) == 1 or words[1] in "…|NOUNVERB" or words[1].startswith("-"), f"there is no {' '.join(words)}"
        return
    command, rest = TREE[tuple(found)], words[len(found) :]
    options = {option for param in command.params for option in (*param.opts, *param.secondary_opts)} | {"--help"}
    given = {word.strip("[]…").partition("=")[0] for word in rest if word.strip("[]").startswith("--")}
    assert given <= options, f"{' '.join(found)} has no {', '.join(sorted(given - options))}"
    if not loose and any(not word.isupper() for word in rest) and "--help" not in rest:
        command.make_context(" ".join(found), [re.sub(r"^(N|PORT)$", "1", word) for word in rest])


def test_the_guides_have_commands_and_those_of_a_director_are_in_them() -> None:
    told = {tuple(words[:2]) for _, _, line, _ in COMMAND_LINES for words in _parse_commands(line)}
    acts = {
        (noun, name)
        for noun, entry in COMMANDS.items()
        if isinstance(entry, Noun)
        for name, verb in entry.verbs.items()
        if ":" not in verb.where
    }
    assert len(acts & told) > 40, sorted(acts - told)


def test_the_list_of_commands_is_that_of_the_command_line() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page.endswith(f"\n\n{listing()}"), "make it again: python tests/unit/cli/command_list.py"


def test_every_paper_is_printed_at_the_command_line() -> None:
    refused = CliRunner().invoke(app, ["print", "cup", "menu"])
    assert refused.exit_code == 2
    assert {*ALL_PAPERS} <= {*re.findall(r"\w+", refused.output)}
