"""`faristol gcg …`: games in the exchange format of other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from faristol.cli.client import Client
from faristol.cli.duplicate_game.export import duplicate_game
from faristol.cli.game.sheet import fetch_game
from faristol.cli.options import AsJson, AtTable, Game, InRound, OneObject
from faristol.gateway.api.gcg import gcg_of, no_gcg_of_duplicate
from faristol.host import StartError
from faristol.kernel.refusal import Refusal
from faristol.rules import OptionValue, Ruleset, load_ruleset, ruleset_names
from faristol.rules.gcg import (
    MAX_GCG_BYTES,
    GcgError,
    GcgGame,
    GcgProblem,
    Replay,
    adapt_ruleset,
    decode_gcg,
    draw_board,
    draw_sheet,
    parse_digraphs,
    read_gcg,
    replace_digraphs,
    replay,
    write_gcg,
)
from faristol.rules.ruleset.with_options import with_options
from faristol.table_terminal.shared.common import print_answer
from faristol.table_terminal.shared.screen import progress
from faristol.text import cite_refusal
from faristol.text.terminal import language_of_terminal

RulesetName = Annotated[str, typer.Option("--ruleset", help="Rules that the game is replayed under.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Options of those rules, such as `ending=instructions`."),
]


Digraphs = Annotated[
    str,
    typer.Option(
        metavar="NAME|1=CH,…",
        help="Meaning of single characters in files of other programs: `digits`, `letters`, or pairs of "
        "character and tile.",
    ),
]


@dataclass(frozen=True, slots=True)
class _Checked:
    """Result of one file: replayed, or with errors that prevent a replay."""

    file: Path
    replayed: Replay | None
    problems: tuple[GcgProblem, ...]


def check(
    files: Annotated[list[Path], typer.Argument(help="GCG files; a folder includes its .gcg files.")],
    ruleset: RulesetName = "box",
    option: Options = None,
    digraphs: Digraphs = "",
    every: Annotated[bool, typer.Option("--all", help="List all errors, one per line.")] = False,
    json_output: OneObject = False,
) -> None:
    """Replay games and compare every score and total. Exit code 1 if a file has errors or is malformed.

    Under the rules `box`, the file determines its tile set, the cost of failed challenges and the count of the tiles
    left.
    """
    rules, options = _rules(ruleset, option)
    paths = _files(files)
    checked = []
    with progress("checking") as done:
        for path in paths:
            checked.append(_check(path, rules, options, digraphs))
            done(len(checked), len(paths))
    print_answer(
        _as_json(checked, rules),
        [line for file in checked for line in _format_check(file, every=every)],
        json_output=json_output,
    )
    if wrong := sum(bool(file.problems) for file in checked):
        if len(checked) > 1:
            typer.echo(f"{wrong} of {len(checked)} files are wrong", err=True)
        raise typer.Exit(1)


def show(
    file: Annotated[Path, typer.Argument(help="A GCG file.")],
    ruleset: RulesetName = "box",
    option: Options = None,
    digraphs: Digraphs = "",
    json_output: AsJson = False,
) -> None:
    """Print the sheet and the board at the end, or at the first line with an error (then exit code 1)."""
    if file.is_dir():
        raise typer.BadParameter(f"{file} is a folder: specify a file")
    rules, options = _rules(ruleset, option)
    checked = _check(_files([file])[0], rules, options, digraphs)
    if json_output:
        print_answer(_file_as_json(checked), (), json_output=True)
        raise typer.Exit(1 if checked.problems else 0)
    if checked.replayed:
        typer.echo(f"{draw_sheet(checked.replayed)}\n\n{draw_board(checked.replayed.board)}")
    if checked.problems:
        typer.echo("\n".join(_format_check(checked, every=True)), err=True)
        raise typer.Exit(1)


def export(client: Client, game: Game, table: AtTable = 0, number: InRound = 0) -> None:
    """Print a game of two players as a GCG file: plays, exchanges, passes, phonies, penalties, scores, totals."""
    game_id = client.find_game(game, table, number)
    try:
        found = fetch_game(game_id, client)
    except StartError:
        if duplicate_game(game_id, client) is None:
            raise
        raise StartError(cite_refusal(no_gcg_of_duplicate(), client.language)) from None
    try:
        text = write_gcg(gcg_of(found))
    except (Refusal, ValueError) as error:
        raise StartError(str(error)) from error
    client.print({"game_id": found.game_id, "gcg": text}, text.removesuffix("\n"), indent=None)


def _rules(name: str, given: Iterable[str] | None) -> tuple[Ruleset, dict[str, OptionValue]]:
    """Return the ruleset and its chosen options. Raises ``BadParameter`` if one is unknown."""
    of_tables = ruleset_names("classic", "multi")
    if name in ruleset_names("duplicate"):
        raise typer.BadParameter(
            f"{name!r} is of duplicate games, where all players have the same rack: a GCG file has the "
            f"turns of a game of two. Choose one of {', '.join(of_tables)}"
        )
    if name not in of_tables:
        raise typer.BadParameter(f"there is no ruleset {name!r}: choose one of {', '.join(of_tables)}")
    options: dict[str, OptionValue] = {}
    for option in given or ():
        key, sign, value = option.partition("=")
        if not sign:
            raise typer.BadParameter(f"{option!r} has no value: expected NAME=VALUE")
        options[key] = value
    try:
        with_options(load_ruleset(name), options)
    except Refusal as refusal:
        raise typer.BadParameter(cite_refusal(refusal, language_of_terminal())) from refusal
    return load_ruleset(name), options


def _files(given: Iterable[Path]) -> list[Path]:
    """Return the files, those of folders in alphabetical order."""
    found: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.suffix.lower() == ".gcg" and not file.is_dir())
            if not inside:
                raise typer.BadParameter(f"there is no .gcg file in {path}")
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise typer.BadParameter(f"there is no file {path}")
    return found


def _check(path: Path, ruleset: Ruleset, options: Mapping[str, OptionValue], digraphs: str) -> _Checked:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_GCG_BYTES + 1)
    except OSError as error:
        problem = GcgProblem(1, "UNREADABLE", f"the file cannot be read: {(error.strerror or str(error)).lower()}")
        return _Checked(path, None, (problem,))
    try:
        game = read_gcg(decode_gcg(data), digits=bool(digraphs))
        rules = adapt_ruleset(ruleset, game, options)
        replayed = replay(_replace_digraphs(game, digraphs, rules), rules)
    except GcgError as error:
        return _Checked(path, None, (error.problem,))
    return _Checked(path, replayed, replayed.problems)


def _replace_digraphs(game: GcgGame, digraphs: str, rules: Ruleset) -> GcgGame:
    """Replace the digraphs of other programs. Raises ``GcgError`` if the tiles of the file have no such digraphs."""
    if not digraphs:
        return game
    try:
        return replace_digraphs(game, parse_digraphs(digraphs, rules.tile_set))
    except ValueError as error:
        raise GcgError(GcgProblem(1, "DIGRAPHS", str(error))) from None


def _format_check(checked: _Checked, *, every: bool) -> list[str]:
    """Return the line on a file, or with ``every`` one for each of its errors."""
    replayed, problems = checked.replayed, checked.problems
    if problems:
        more = len(problems) - 1
        rest = f" (and {more} more)" if more and not every else ""
        lines = [f"{checked.file}:{found.line}: {found.reason}: {found}{_article(found)}" for found in problems]
        return lines if every else [lines[0] + rest]
    assert replayed is not None, "a file without problems was replayed"
    totals = ", ".join(f"{nick} {total}" for nick, total in replayed.totals.items())
    over = "" if replayed.end else ", not played to its end"
    return [f"{checked.file}: right, {len(replayed.steps)} events, {totals}{over}"]


def _article(problem: GcgProblem) -> str:
    return f" ({problem.article})" if problem.article else ""


def _as_json(checked: Iterable[_Checked], ruleset: Ruleset) -> dict[str, Any]:
    files = list(map(_file_as_json, checked))
    wrong = sum(not file["right"] for file in files)
    return {"ruleset": ruleset.name, "files": files, "right": len(files) - wrong, "wrong": wrong}


def _file_as_json(checked: _Checked) -> dict[str, Any]:
    content: dict[str, Any] = {"file": str(checked.file), "right": not checked.problems}
    if replayed := checked.replayed:
        content |= {
            "tile_set": replayed.ruleset.tile_set.name,
            "end": replayed.end,
            "totals": dict(replayed.totals),
            "lines": [
                {
                    "line": step.event.line,
                    "nick": step.event.nick,
                    "kind": type(step.event).__name__,
                    "score": {"file": step.event.score, "rules": step.score},
                    "total": {"file": step.event.total, "rules": step.total},
                }
                for step in replayed.steps
            ],
        }
    return content | {"problems": [asdict(problem) for problem in checked.problems]}
