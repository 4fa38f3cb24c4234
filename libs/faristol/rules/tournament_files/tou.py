"""The ``.tou`` file of AUPAIR, in which national and world federations take results for their ratings.

A line ``*M07.03.2026 Name`` begins a tournament, ``*A`` a division with a line of its highest word, and a last line
ends the file. A player is a line: the name in 20 columns, then for each round the player's score and the number of the
opponent. 2000 is added to the score of a win, 1000 to that of a draw; the number of an opponent has a plus sign if the
player started. A game against oneself is no game: 2001 is a bye with the points of a win, 1000 a round without
points, 0 a forfeit that was lost. The form is that of the files that tsh writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from faristol.kernel.quotation import quote_text
from faristol.kernel.refusal import N_
from faristol.rules.tournament_files.form import (
    MAX_FILE_PLAYERS,
    MAX_FILE_ROUNDS,
    FileDivision,
    FilePlayer,
    FileRound,
    RoundKind,
    TournamentFile,
    UnreadableFile,
    list_unique_names,
)

TOU_NAME_CHARACTERS = 20
"""Columns of a name; longer ones are cut."""

HIGH_WORD_LINE = " " * 38 + "0"
"""Line of the highest word of a division, without one."""

END_LINE = "*** END OF FILE ***"

MAX_CODED_SCORE_POINTS = 999

NO_TOURNAMENT = N_("there is no tournament; expected a first line such as `*M07.03.2026 Open`")
NOT_A_LINE = N_("expected a name, and for each round a score and an opponent; found {found}")
FILE_BEYOND_LIMITS = N_("expected at most {players} players and {rounds} rounds")

_HEAD_PATTERN = re.compile(r"\*M\s*(\S+)\s*(.*)")
_DAY_PATTERN = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
_PLAYER_PATTERN = re.compile(r"(?P<name>.*?\S)(?P<rounds>(?:\s+\d{1,4}\s*[+-]\d{1,5}|\s+\d{1,4}\s+\d{1,5})*)\s*")
_COLUMNS_PATTERN = re.compile(r" [ 012][ \d]{2}\d[ +\d-]{3}\d")
"""A round in its nine columns, in which a score below 100 has blanks."""
_ROUND_WIDTH_CHARACTERS = 9
_ROUND_PATTERN = re.compile(r"(\d{1,4})\s*([+-]?)(\d{1,5})(?=\s|$)")


@dataclass(frozen=True, slots=True)
class _Coded:
    """A round as it is in the file."""

    score: int
    won: int
    """2 for a win, 1 for a draw, 0 for a loss."""
    opponent: int
    starts: bool


def read_tou(text: str, file: str = "results.tou") -> TournamentFile:
    """Read a file. Raises ``UnreadableFile``."""
    name = date = ""
    divisions: list[tuple[str, list[tuple[FilePlayer, list[_Coded]]]]] = []
    is_high_word = began = False
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        written = line.rstrip("\x1a\r ")
        if written.startswith("***"):
            break
        if head := _HEAD_PATTERN.fullmatch(written):
            began, name = True, head[2].strip()
            if day := _DAY_PATTERN.fullmatch(head[1]):
                date = f"{day[3]}-{int(day[2]):02}-{int(day[1]):02}"
        elif written.startswith("*"):
            divisions.append((written[1:].strip(), []))
            is_high_word = True
        elif not began:
            raise UnreadableFile(file, number, NO_TOURNAMENT)
        elif is_high_word and not re.search(r"\d\s+[+-]?\d", written):
            is_high_word = False
        elif written.strip():
            is_high_word = False
            if not divisions:
                divisions.append(("", []))
            divisions[-1][1].append(_read_player(written, number, file))
    if not began:
        raise UnreadableFile(file, 0, NO_TOURNAMENT)
    return TournamentFile(
        name=name,
        date=date,
        divisions=tuple(_build_division(division, players, file) for division, players in divisions),
        program="tou",
    )


def _read_player(text: str, line: int, file: str) -> tuple[FilePlayer, list[_Coded]]:
    if (in_columns := _read_columns(text)) is not None:
        return FilePlayer(" ".join(text[:TOU_NAME_CHARACTERS].split()), line=line), in_columns
    found = _PLAYER_PATTERN.fullmatch(text)
    if found is None:
        raise UnreadableFile(file, line, NOT_A_LINE, {"found": quote_text(text)})
    coded = [
        _Coded(int(code) % 1_000, int(code) // 1_000, int(opponent), sign == "+")
        for code, sign, opponent in _ROUND_PATTERN.findall(found["rounds"])
    ]
    if any(each.won > 2 for each in coded):
        raise UnreadableFile(file, line, NOT_A_LINE, {"found": quote_text(text)})
    return FilePlayer(" ".join(found["name"].split()), line=line), coded


def _read_columns(text: str) -> list[_Coded] | None:
    """Return the rounds of a line that has them in their columns; None for a line of another program."""
    rest = text[TOU_NAME_CHARACTERS:]
    parts = [rest[start : start + _ROUND_WIDTH_CHARACTERS] for start in range(0, len(rest), _ROUND_WIDTH_CHARACTERS)]
    if not text[:TOU_NAME_CHARACTERS].strip() or not all(map(_COLUMNS_PATTERN.fullmatch, parts)):
        return None
    return [_Coded(int(part[2:5]), int(part[1].strip() or 0), abs(int(part[5:])), "+" in part[5:]) for part in parts]


def _build_division(name: str, listed: Sequence[tuple[FilePlayer, list[_Coded]]], file: str) -> FileDivision:
    if len(listed) > MAX_FILE_PLAYERS or any(len(coded) > MAX_FILE_ROUNDS for _, coded in listed):
        raise UnreadableFile(file, 0, FILE_BEYOND_LIMITS, {"players": MAX_FILE_PLAYERS, "rounds": MAX_FILE_ROUNDS})
    return FileDivision(
        name,
        tuple(
            replace(player, rounds=tuple(_rounds(number, coded, listed)))
            for number, (player, coded) in enumerate(listed, 1)
        ),
    )


def _rounds(
    own: int, coded: Sequence[_Coded], listed: Sequence[tuple[FilePlayer, list[_Coded]]]
) -> Iterator[FileRound]:
    """Yield the rounds of a player; the score of the opponent is in the opponent's line."""
    for place, each in enumerate(coded):
        if each.opponent == own:
            kinds = {2: RoundKind.BYE, 1: RoundKind.ABSENCE, 0: RoundKind.FORFEIT_LOSS}
            kind = kinds[each.won]
            # The score of a bye is a mark without a meaning, but for 2050 and the like, which have the spread.
            yield FileRound(kind, score=each.score if kind is RoundKind.BYE and each.score > 1 else 0)
            continue
        other = listed[each.opponent - 1][1] if 1 <= each.opponent <= len(listed) else []
        back = other[place] if place < len(other) else None
        starts = True if each.starts else False if back and back.starts else None
        yield FileRound(RoundKind.GAME, each.opponent, each.score, back.score if back else None, starts)


def write_tou(tournament: TournamentFile) -> str:
    """Return the file of a tournament, with lines ending in CR LF. It has the rounds with all results.

    Players without a round are left out, and the others numbered by their places, as AUPAIR needs it.
    """
    day = ".".join(reversed(tournament.date.split("-"))) if tournament.date else "00.00.0000"
    lines = [f"*M{day} {_plain(tournament.name)}"]
    for division in tournament.divisions:
        rounds = division.complete_rounds
        there = [
            number
            for number, player in enumerate(division.players, 1)
            if any(cell.kind is not RoundKind.ABSENCE for cell in player.rounds[:rounds])
        ]
        number_of = {number: place for place, number in enumerate(there, 1)}
        names = _fit_names(division.name_of(number) for number in there)
        lines += [f"*{_plain(division.name) or 'A'}", HIGH_WORD_LINE]
        for number, name in zip(there, names, strict=True):
            player = division.players[number - 1]
            cells = (_write_round(player.round(each), number_of, number) for each in range(1, rounds + 1))
            lines.append(f"{name:<{TOU_NAME_CHARACTERS}}" + "".join(cells))
    return "".join(f"{line}\r\n" for line in (*lines, END_LINE))


def _plain(text: str) -> str:
    """Return a text for a line: without digits, by which the rounds of a line begin, and without asterisks."""
    return " ".join(re.sub(r"[\d*]", " ", text).split())


def _fit_names(names: Iterable[str]) -> list[str]:
    """Return names in their columns; the letter that tells a namesake stays if a name is cut."""
    fitted = []
    for name in list_unique_names(_plain(name)[:TOU_NAME_CHARACTERS].strip() for name in names):
        rest, _, letter = name.rpartition(" ")
        is_cut = len(name) > TOU_NAME_CHARACTERS
        fitted.append(f"{rest[: TOU_NAME_CHARACTERS - len(letter) - 1].rstrip()} {letter}" if is_cut else name)
    return fitted


def _write_round(cell: FileRound, number_of: dict[int, int], own: int) -> str:
    if cell.kind is RoundKind.GAME and cell.score is not None and cell.against is not None:
        prefix = " 12"[(cell.score >= cell.against) + (cell.score > cell.against)]
        score = min(max(0, cell.score), MAX_CODED_SCORE_POINTS)
        opponent = number_of.get(cell.opponent, number_of[own])
        return f" {prefix}{score:3d}{opponent:+4d}" if cell.starts else f" {prefix}{score:3d}{opponent:4d}"
    me = number_of[own]
    match cell.kind:
        case RoundKind.BYE | RoundKind.FORFEIT_WIN:
            return f" 2{min(max(1, cell.spread), MAX_CODED_SCORE_POINTS):03d}{me:+4d}"
        case RoundKind.FORFEIT_LOSS:
            return f" 0000{me:4d}"
        case _:
            return f" 1000{me:4d}"
