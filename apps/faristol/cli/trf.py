"""`faristol trf`: pair, check and generate TRF files by the Dutch system of FIDE, as FIDE asks of a pairing program.

C.04.A asks for a free checker of pairings, and for a generator of random tournaments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faristol.cli.options import Language, OneObject
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Param, Refusal
from faristol.rules.trf import Document, Edition, TrfError, decode_trf, read_trf, write_trf
from faristol.table_terminal.shared.common import print_answer
from faristol.table_terminal.shared.screen import progress
from faristol.text import cite, render, say

if TYPE_CHECKING:
    from faristol.tournament.engines.dutch.pairing import PairedRound
    from faristol.tournament.engines.dutch.player import DutchRound

TEAMS_UNSUPPORTED = N_("the file pairs teams; this command pairs individual players by FIDE C.04.3")
OF_A_BRACKET = N_(
    "the file is of a knock-out, whose bracket pairs the players; this command cannot check it by FIDE C.04.3"
)
BRACKETS_LEFT_OUT = N_("{file}: not checked: a knock-out, whose bracket pairs the players")
ALL_UNAVAILABLE = N_("round {round} has no pair: each player has a bye")
SECOND_BYE = N_(
    "round {round} already has its allocated bye ({players}), and an odd number of players is left to "
    "pair; expected an even number, or a bye of another kind for one more player"
)
DIFFERS = N_("round {round}: the file has {file}; the FIDE Dutch system gives {dutch}")
CHECKED = N_("{rounds} {rounds:round|rounds} checked, {differing} paired differently from the FIDE Dutch system")

NO_FILES = N_("there is no TRF file in {folder}; expected files whose names end in .trf, .trfx or .txt")
FILE_DIFFERS = N_("{file}: {rounds} {rounds:round|rounds}, {differing} paired differently")
FILES_CHECKED = N_(
    "{files} {files:file|files} with {rounds} {rounds:round|rounds} checked, {differing} "
    "{differing:round|rounds} paired differently"
)
FOLDER_NEEDED = N_("several tournaments need a folder: specify --folder")
FILES_WRITTEN = N_("{count} {count:tournament|tournaments} written to {folder}")

TRF_SUFFIXES = frozenset({".trf", ".trfx", ".txt"})
"""Endings of the files of a folder that are checked."""

Line = tuple[int, int]
"""White and black, by pairing number; black is 0 for the bye."""

Differences = Mapping[int, tuple[list[Line], list[Line] | str]]
"""Rounds that the rules pair differently: the lines of the file, and those of the rules or a refusal."""

MAX_SEED = (1 << 64) - 1
"""Largest seed."""


def _build_percent(text: str) -> Any:
    """Return the annotation of an option in percent."""
    return typer.Option(min=0.0, max=100.0, help=text)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Options for the pairing."""

    seed: int
    colours: bool
    language: str


def pair(
    file: Annotated[Path, typer.Argument(help="A TRF file, TRF16 or TRF26.")],
    check: Annotated[bool, typer.Option("--check", help="Pair each round again and list the differences.")] = False,
    round_number: Annotated[int | None, typer.Option("--round", min=1, help="Round; default: the next one.")] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of the initial colour, if the file has none.")
    ] = 0,
    colours: Annotated[
        bool, typer.Option(help="Pair and allocate colours; with --no-colours the start is drawn.")
    ] = True,
    why: Annotated[
        str | None,
        typer.Option(metavar="A[,B]", help="Explain the pairing of A, or why A does not meet B; 0 is the bye."),
    ] = None,
    language: Language = "",
    json_output: OneObject = False,
) -> None:
    """Pair the next round of a tournament by the Dutch system (FIDE C.04.3, 2026).

    Prints the number of pairs and then, line by line, white and black; the bye is the pair with 0. With --check, exit
    code 1 if a round of the file is paired differently, as in a tournament of another pairing system.
    """
    asked = _Asked(seed, colours, language)
    document = _read(file, language)
    _check_supported(document, file, language)
    if check:
        _check(document, asked, json_output=json_output)
        return
    number = round_number or document.paired_rounds + 1
    if document.rounds is not None and number > document.rounds:
        raise typer.BadParameter(f"round {number} cannot be paired: the tournament has {document.rounds} rounds")
    if number > document.paired_rounds + 1:
        raise typer.BadParameter(f"round {number} cannot be paired: {document.paired_rounds} rounds are over")
    a_round = _round(document, number, asked)
    preset = _preset_byes(document, number)
    if impossible := _without_pairs(a_round, preset):
        typer.echo(say(impossible, {"round": number, "players": ", ".join(map(str, preset))}, language), err=True)
        raise typer.Exit(1)
    try:
        paired = _pair(a_round)
    except Refusal as refusal:
        typer.echo("\n".join(_impossible(a_round, refusal, language)), err=True)
        raise typer.Exit(1) from None
    if why is not None:
        typer.echo(_reason(a_round, paired, why, language))
        return
    lines = [*_lines(paired), *((player, 0) for player in preset)]
    output = [str(len(lines)), *(f"{white} {black}" for white, black in lines)]
    print_answer(_as_json(a_round, paired, asked, preset), output, json_output=json_output)


def _read(file: Path, language: str) -> Document:
    try:
        document = read_trf(decode_trf(file.read_bytes()))
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}") from None
    except TrfError as error:
        raise typer.BadParameter(f"{file}: {error}") from None
    for note in document.notes:
        typer.echo(f"{file}: {note}", err=True)
    if document.pairs_teams:
        raise typer.BadParameter(f"{file}: {say(TEAMS_UNSUPPORTED, {}, language)}")
    return document


def _check_supported(document: Document, file: Path, language: str) -> None:
    """Raise ``BadParameter`` for a knock-out, which no rule of the Dutch system pairs."""
    if document.is_knock_out:
        raise typer.BadParameter(f"{file}: {say(OF_A_BRACKET, {}, language)}")


def _round(document: Document, number: int, asked: _Asked) -> DutchRound:
    from faristol.tournament.engines.dutch.digest import draw_initial_colour
    from faristol.tournament.engines.dutch.history import round_to_pair

    initial = draw_initial_colour(asked.seed.to_bytes(32, "big", signed=True))
    return round_to_pair(document, number, initial_colour=initial, colours=asked.colours)


def _preset_byes(document: Document, number: int) -> list[int]:
    from faristol.tournament.engines.dutch.history import preset_byes

    return sorted(preset_byes(document, number))


def _without_pairs(a_round: DutchRound, preset: list[int]) -> str:
    """Return why the round has no pairs to find; empty if it has some."""
    if not a_round.players:
        return ALL_UNAVAILABLE
    return SECOND_BYE if preset and len(a_round.players) % 2 else ""


def _pair(a_round: DutchRound) -> PairedRound:
    from faristol.tournament.engines.dutch.pairing import pair_round

    return pair_round(a_round)


def _impossible(a_round: DutchRound, refusal: Refusal, language: str) -> list[str]:
    """Return the reason why the round cannot be paired, and the remedies."""
    from faristol.tournament.engines.dutch.impossible import MESSAGES, choices

    lines = [f"{render(refusal, language)} ({cite(refusal.article, language)})"]
    for choice in choices(a_round):
        who = "; ".join("–".join(map(str, exception)) for exception in choice.exceptions)
        lines.append(f"  {say(MESSAGES[choice.way], {'players': who}, language)}")
    return lines


def _reason(a_round: DutchRound, paired: PairedRound, asked: str, language: str) -> str:
    from faristol.tournament.pairing_explanations import dutch as reasoning

    numbers = asked.split(",")
    if len(numbers) > 2 or not all(number.strip().isdecimal() for number in numbers) or not int(numbers[0]):
        raise typer.BadParameter(f"--why is {asked!r}; expected a pairing number or two, as 7 or 7,12")
    first = int(numbers[0])
    if len(numbers) == 1:
        reason = reasoning.why(a_round, paired, first)
    else:
        reason = reasoning.why_not(a_round, paired, first, int(numbers[1]))
    sentence = say(reason.message, reason.params, language)
    return f"{sentence} ({cite(reason.article, language)})" if reason.article else sentence


def _lines(paired: PairedRound) -> list[Line]:
    lines = [(board.white, board.black) for board in paired.boards]
    return lines if paired.bye is None else [*lines, (paired.bye, 0)]


def _as_json(a_round: DutchRound, paired: PairedRound, asked: _Asked, preset: list[int]) -> dict[str, Any]:
    from faristol.tournament.engines.dutch.digest import digest
    from faristol.tournament.engines.dutch.pairing import ALGORITHM

    return {
        "round": a_round.number,
        "algorithm": ALGORITHM,
        "seed": asked.seed,
        "inputs": digest(a_round),
        "boards": [
            {"white": board.white, "black": board.black, "colours_by": board.article} for board in paired.boards
        ],
        "bye": next(iter(preset), paired.bye),
    }


def _check(document: Document, asked: _Asked, *, json_output: bool) -> None:
    rounds = document.paired_rounds
    with progress("checking") as done:
        differing = _find_differences(document, asked, done)
    content, output = _describe_differences(differing, asked.language)
    output.append(say(CHECKED, {"rounds": rounds, "differing": len(differing)}, asked.language))
    print_answer({"rounds": rounds, "differing": content}, output, json_output=json_output)
    if differing:
        raise typer.Exit(1)


def _describe_differences(differing: Differences, language: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rounds that are paired differently, for JSON and as sentences."""
    wrong = sorted(differing.items())
    content = [{"round": number, "file": lines, "rules": ours} for number, (lines, ours) in wrong]
    sentences = [
        say(DIFFERS, {"round": number, "file": _format_pairs(lines), "dutch": _format_pairs(ours)}, language)
        for number, (lines, ours) in wrong
    ]
    return content, sentences


def _find_differences(
    document: Document, asked: _Asked, done: Callable[[int, int], None] = lambda _, __: None
) -> Differences:
    """Pair all rounds of a tournament again."""
    rounds = document.paired_rounds
    differing: dict[int, tuple[list[Line], list[Line] | str]] = {}
    for number in range(1, rounds + 1):
        theirs = _list_pairs(document, number)
        try:
            found = {*_lines(_pair(_round(document, number, asked)))}
            if not asked.colours:  # the colours of the start were drawn, so they are not compared
                found, theirs = {*map(_without_colours, found)}, {*map(_without_colours, theirs)}
        except Refusal as refusal:
            differing[number] = sorted(theirs), render(refusal, asked.language)
        else:
            if found != theirs:
                differing[number] = sorted(theirs - found), sorted(found - theirs)
        done(number, rounds)
    return differing


def check_files(
    paths: Annotated[list[Path], typer.Argument(help="TRF files, or folders of them.")],
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of the initial colour, if the file has none.")
    ] = 0,
    colours: Annotated[bool, typer.Option(help="Compare colours; with --no-colours the start is drawn.")] = True,
    language: Language = "",
    json_output: OneObject = False,
) -> None:
    """Pair each round of tournaments again by the Dutch system (FIDE C.04.3, 2026), and list the differences.

    Exit code 1 if a round of a file is paired differently.
    """
    asked = _Asked(seed, colours, language)
    rounds = differing = judged = 0
    output: list[str] = []
    content: list[dict[str, Any]] = []
    files = _list_files(paths, language)
    with progress("checking") as done:
        for number, file in enumerate(files, 1):
            document = _read(file, language)
            if document.is_knock_out:
                if len(files) == 1:
                    _check_supported(document, file, language)
                output.append(say(BRACKETS_LEFT_OUT, {"file": str(file)}, language))
                done(number, len(files))
                continue
            judged += 1
            found = _find_differences(document, asked)
            rounds += document.paired_rounds
            differing += len(found)
            if found:
                values: dict[str, Param] = {
                    "file": str(file),
                    "rounds": document.paired_rounds,
                    "differing": len(found),
                }
                of_rounds, sentences = _describe_differences(found, language)
                output += [say(FILE_DIFFERS, values, language), *(f"  {sentence}" for sentence in sentences)]
                content += ({"path": str(file), **of_round} for of_round in of_rounds)
            done(number, len(files))
    output.append(say(FILES_CHECKED, {"files": judged, "rounds": rounds, "differing": differing}, language))
    print_answer({"files": judged, "rounds": rounds, "differing": content}, output, json_output=json_output)
    if differing:
        raise typer.Exit(1)


def _list_files(paths: Sequence[Path], language: str) -> list[Path]:
    """Return the files, with those of each folder in the order of their names."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(file for file in path.iterdir() if file.suffix.casefold() in TRF_SUFFIXES)
        if not inside:
            raise typer.BadParameter(say(NO_FILES, {"folder": str(path)}, language))
        found += inside
    return found


def generate(
    players: Annotated[int, typer.Option(min=2, max=9_999, help="Number of players.")] = 40,
    rounds: Annotated[int, typer.Option(min=1, max=99, help="Number of rounds.")] = 9,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="The same seed gives the same tournament.")] = 0,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of tournaments, with consecutive seeds.")] = 1,
    half_point_byes: Annotated[float, _build_percent("Players with a half-point bye, in percent of a round.")] = 3.0,
    absences: Annotated[float, _build_percent("Absent players, in percent of a round.")] = 2.0,
    late_entries: Annotated[float, _build_percent("Players who enter after the first round, in percent.")] = 3.0,
    withdrawals: Annotated[float, _build_percent("Players who leave for good, in percent of a round.")] = 1.0,
    forfeits: Annotated[float, _build_percent("Games lost by forfeit, in percent.")] = 2.0,
    draws: Annotated[float, _build_percent("Drawn games between equal players, in percent.")] = 35.0,
    accelerated: Annotated[bool, typer.Option(help="Accelerate the first rounds by the Baku method.")] = False,
    edition: Annotated[Edition, typer.Option(help="Version of the format.")] = Edition.TRF26,
    folder: Annotated[Path | None, typer.Option(help="Folder of the files; default: the terminal.")] = None,
    language: Language = "",
) -> None:
    """Write random tournaments, paired by the Dutch system (FIDE C.04.3, 2026), as TRF files for other programs.

    A tournament ends early if absences leave a round that cannot be paired.
    """
    from faristol.tournament.engines.dutch.generator import TournamentPlan, generate_tournament

    if count > 1 and folder is None:
        raise typer.BadParameter(say(FOLDER_NEEDED, {}, language))
    try:
        plan = TournamentPlan(
            players,
            rounds,
            half_point_byes=half_point_byes,
            absences=absences,
            late_entries=late_entries,
            withdrawals=withdrawals,
            forfeits=forfeits,
            draws=draws,
            accelerated=accelerated,
        )
    except Invalid as error:
        raise typer.BadParameter(say(error.problem, error.params, language)) from None
    if folder is None:
        typer.echo(write_trf(generate_tournament(plan, seed), edition), nl=False)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with progress("generating") as done:
            for number in range(count):
                file = folder / f"p{players}-r{rounds}-{seed + number}.trf"
                file.write_text(write_trf(generate_tournament(plan, seed + number), edition), newline="")
                done(number + 1, count)
    except OSError as error:
        raise typer.BadParameter(f"{folder} cannot be written: {error.strerror}") from None
    typer.echo(say(FILES_WRITTEN, {"count": count, "folder": str(folder)}, language))


def _without_colours(line: Line) -> Line:
    return line if not line[1] else (min(line), max(line))


def _list_pairs(document: Document, number: int) -> set[Line]:
    """Return the pairs of a round in the file."""
    cells = [(line.number, line.cell(number)) for line in document.players]
    return {(player, cell.opponent) for player, cell in cells if cell.colour == "w"} | {
        (player, 0) for player, cell in cells if cell.result == "U"
    }


def _format_pairs(lines: list[Line] | str) -> str:
    return lines if isinstance(lines, str) else ", ".join(f"{white} {black}" for white, black in lines)
