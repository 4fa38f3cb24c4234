"""The folder of a tournament of tsh: ``config.tsh``, and a file of each division such as ``a.t``.

A line of ``a.t`` is a player: the name, the rating, the numbers of the opponents round by round, a semicolon, the
scores, and further fields after semicolons, such as ``p12`` (1 for a start, 2 for a reply, 0 for a bye), ``board`` and
``rrank`` (the ranks before the first round and after each), ``newr`` (the ratings after each round) and ``lifeg`` (the
rated games before the tournament).
Players are numbered by their lines. Opponent 0 is a bye: with a score above 0 it is a win, below 0 a loss, and the
score is its spread. ``00`` stands for an unknown value. Names have the form ``Surname, Given``, and no digits. The
documentation of tsh describes the folder (https://www.poslarchive.com/tsh/doc/); tsh reads ISO 8859-1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from faristol.kernel.quotation import quote_text
from faristol.kernel.refusal import N_
from faristol.rules.tournament_files.form import (
    MAX_FILE_PLAYERS,
    MAX_FILE_ROUNDS,
    FileDivision,
    FilePlayer,
    FileRound,
    FileStanding,
    RoundKind,
    TournamentFile,
    UnreadableFile,
    list_unique_names,
    put_given_name_first,
    write_letters,
)

CONFIG_FILE = "config.tsh"

UNKNOWN_VALUE = "00"
"""A value that is not known yet."""

TSH_NAME_CHARACTERS = 22
TSH_RATING_CHARACTERS = 5

MIN_SCORE_POINTS = -999
MAX_SCORE_POINTS = 1_999
"""Limits of a score in a file, beyond those of any game."""

NO_CONFIG = N_("the folder has no config.tsh")
NO_DIVISION = N_("there is no division; expected a line such as `division a a.t`")
NO_DIVISION_FILE = N_("the file {name} of division {division} is missing")
NOT_A_PLAYER = N_("expected a name, a rating, opponents, a semicolon and scores; found {found}")
NOT_AN_OPPONENT = N_("expected the number of an opponent, found {found}")
SCORE_EXPECTED = N_("expected a score, found {found}")
FILE_BEYOND_LIMITS = N_("expected at most {players} players and {rounds} rounds")

_CONFIG_PATTERN = re.compile(r"config\s+(\w+)\s*=\s*(.*?)\s*;?\s*$")
_DIVISION_PATTERN = re.compile(r"division\s+(\S+)\s+(\S+)", re.IGNORECASE)
_RATING_PATTERN = re.compile(r"\d+(?:[.+]\d+)*")
_NUMBER_PATTERN = re.compile(r"\d{1,5}")
_SCORE_PATTERN = re.compile(r"-?\d{1,4}")
_READ_SETTINGS = frozenset({"event_name", "event_date", "max_rounds", "track_firsts", "rating_system"})
_DAY_PATTERN = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


@dataclass(frozen=True, slots=True)
class _Line:
    """A player's line, before its opponents are known."""

    player: FilePlayer
    opponents: tuple[int | None, ...]
    scores: tuple[int | None, ...]
    starts: tuple[int, ...]
    tables: tuple[int, ...]
    ranks: tuple[int, ...]
    """Before the first round, and after each round; empty if the file does not tell."""


def read_tsh(files: Mapping[str, str]) -> TournamentFile:
    """Read a folder: the texts of its files by name. Raises ``UnreadableFile``."""
    named = {name.casefold(): name for name in files}
    if CONFIG_FILE not in named:
        raise UnreadableFile(CONFIG_FILE, 0, NO_CONFIG)
    settings: dict[str, str] = {}
    listed: list[tuple[str, str]] = []
    passed_over: list[str] = []
    for line in files[named[CONFIG_FILE]].splitlines():
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if found := _DIVISION_PATTERN.match(text):
            listed.append((found[1], found[2]))
        elif (found := _CONFIG_PATTERN.match(text)) and found[1] in _READ_SETTINGS:
            settings[found[1]] = _unquote(found[2])
        else:
            passed_over.append(text)
    if not listed:
        raise UnreadableFile(CONFIG_FILE, 0, NO_DIVISION)
    divisions = []
    for division, name in listed:
        if name.casefold() not in named:
            raise UnreadableFile(name, 0, NO_DIVISION_FILE, {"name": name, "division": division})
        divisions.append(read_division(files[named[name.casefold()]], division.upper(), name))
    rounds = settings.get("max_rounds", "")
    day = _DAY_PATTERN.search(settings.get("event_date", ""))
    return TournamentFile(
        name=settings.get("event_name", ""),
        date=day[0] if day else "",
        divisions=tuple(divisions),
        rounds=int(rounds) if rounds.isdecimal() and int(rounds) <= MAX_FILE_ROUNDS else 0,
        program="tsh",
        # A division may have a system of its own, in a setting that is not read.
        rating_system="" if any("rating_system" in each for each in passed_over) else settings.get("rating_system", ""),
        passed_over=tuple(passed_over),
    )


def _unquote(value: str) -> str:
    """Return the text of a setting: without the quotation marks of Perl, and without a comment."""
    if len(value) > 1 and value[0] in "\"'" and (end := value.find(value[0], 1)) > 0:
        return value[1:end]
    return value.partition("#")[0].strip()


def read_division(text: str, name: str = "", file: str = "a.t") -> FileDivision:
    """Read the file of a division. Raises ``UnreadableFile``."""
    lines = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            lines.append(_read_line(line.strip(), number, file))
    if len(lines) > MAX_FILE_PLAYERS or any(len(line.opponents) > MAX_FILE_ROUNDS for line in lines):
        limits = {"players": MAX_FILE_PLAYERS, "rounds": MAX_FILE_ROUNDS}
        raise UnreadableFile(file, 0, FILE_BEYOND_LIMITS, limits)
    division = FileDivision(name, tuple(replace(line.player, rounds=tuple(_rounds(line, lines))) for line in lines))
    last = division.complete_rounds
    ranked = (
        replace(player, standing=FileStanding(line.ranks[last] or None)) if last < len(line.ranks) else player
        for player, line in zip(division.players, lines, strict=True)
    )
    return replace(division, players=tuple(ranked))


def _read_line(text: str, number: int, file: str) -> _Line:
    head, _, rest = text.partition(";")
    words = head.split()
    place = next(
        (
            place
            for place in range(1, len(words))
            if _RATING_PATTERN.fullmatch(words[place])
            and all(_NUMBER_PATTERN.fullmatch(word) for word in words[place + 1 :])
        ),
        0,
    )
    if not place:
        raise UnreadableFile(file, number, NOT_A_PLAYER, {"found": quote_text(text)})
    scores, fields = _split_fields(rest)
    rating = int(re.split(r"[.+]", words[place])[0])
    return _Line(
        FilePlayer(
            name=put_given_name_first(" ".join(words[:place])),
            rating=min(rating, 9_999) or None,
            country=" ".join(fields.get("team", ())),
            left="off" in fields,
            line=number,
            ratings=tuple(int(word) if word.isdecimal() and int(word) else None for word in fields.get("newr", ())),
            games=next((int(word) for word in fields.get("lifeg", ()) if word.isdecimal()), None),
        ),
        tuple(_unless_unknown(word, _NUMBER_PATTERN, file, number, NOT_AN_OPPONENT) for word in words[place + 1 :]),
        tuple(_unless_unknown(word, _SCORE_PATTERN, file, number, SCORE_EXPECTED) for word in scores),
        tuple(int(word) if word.isdecimal() else 0 for word in fields.get("p12", ())),
        tuple(int(word) if word.isdecimal() else 0 for word in fields.get("board", ())),
        tuple(int(word) if word.isdecimal() else 0 for word in fields.get("rrank", ())),
    )


def _split_fields(text: str) -> tuple[list[str], Mapping[str, Sequence[str]]]:
    """Return the scores, and the further fields by name. A backslash protects a semicolon in a field."""
    parts = [part.replace("\\;", ";").replace("\\\\", "\\") for part in re.split(r"(?<!\\);", text)]
    fields = [part.split() for part in parts[1:] if part.strip()]
    return parts[0].split(), {words[0]: words[1:] for words in fields}


def _unless_unknown(word: str, pattern: re.Pattern[str], file: str, line: int, problem: str) -> int | None:
    """Return a number, or None for an unknown value. Raises ``UnreadableFile``."""
    if word == UNKNOWN_VALUE:
        return None
    if not pattern.fullmatch(word) or not MIN_SCORE_POINTS <= int(word) <= MAX_FILE_PLAYERS:
        raise UnreadableFile(file, line, problem, {"found": quote_text(word)})
    return int(word)


def _rounds(line: _Line, lines: Sequence[_Line]) -> Iterator[FileRound]:
    """Yield the rounds of a player; the score of the opponent is in the opponent's line."""
    for place, opponent in enumerate(line.opponents):
        score = _at(line.scores, place)
        if opponent is None:
            yield FileRound(RoundKind.ABSENCE)
        elif opponent == 0:
            kind = RoundKind.BYE if score is None or score > 0 else RoundKind.ABSENCE
            yield FileRound(kind, score=score)
        else:
            other = lines[opponent - 1] if opponent <= len(lines) else None
            first = line.starts[place] if place < len(line.starts) else 0
            yield FileRound(
                RoundKind.GAME,
                opponent,
                score,
                _at(other.scores, place) if other else None,
                {1: True, 2: False}.get(first),
                line.tables[place] if place < len(line.tables) else 0,
            )


def _at(scores: Sequence[int | None], place: int) -> int | None:
    return scores[place] if place < len(scores) else None


def _without_digits(name: str) -> str:
    """Return a name without the signs by which tsh divides a line."""
    return " ".join(re.sub(r"[\d;,#\\()]", " ", name).split()) or "?"


def _surname_first(name: str) -> str:
    """Return a name as tsh has it; the first word is taken as the given name."""
    words = name.split()
    return f"{' '.join(words[1:])}, {words[0]}" if len(words) > 1 else words[0]


def write_tsh(tournament: TournamentFile) -> dict[str, str]:
    """Return the files of a folder by name: ``config.tsh``, and one for each division, from ``a.t`` on."""
    letters = [write_letters(place).lower() for place in range(len(tournament.divisions))]
    config = ["# Written by Faristol."]
    for letter, division in zip(letters, tournament.divisions, strict=True):
        if division.name:
            config.append(f"# Division {letter.upper()} is {_plain(division.name)}.")
        config.append(f"division {letter} {letter}.t")
    if tournament.name:
        config.append(f"config event_name = '{_plain(tournament.name)}'")
    if tournament.date:
        config.append(f"config event_date = '{tournament.date}'")
    rounds = tournament.rounds or max((division.rounds for division in tournament.divisions), default=0)
    config += [f"config max_rounds = {rounds}", "config track_firsts = 1"]
    return {
        CONFIG_FILE: "\n".join(config) + "\n",
        **{f"{letter}.t": _write_division(each) for letter, each in zip(letters, tournament.divisions, strict=True)},
    }


def encode_tsh(text: str) -> bytes:
    """Return the bytes of a file: ISO 8859-1 as tsh expects, UTF-8 if a name has other letters."""
    try:
        return text.encode("iso-8859-1")
    except UnicodeEncodeError:
        return text.encode()


def decode_tsh(content: bytes) -> str:
    """Return the text of a file: UTF-8 if it is valid, else Windows-1252, which has the letters of ISO 8859-1."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _plain(text: str) -> str:
    return re.sub(r"[\\'\"\r\n]", " ", text).strip()


def _write_division(division: FileDivision) -> str:
    names = list_unique_names(_without_digits(player.name) for player in division.players)
    return "".join(f"{_write_player(*each)}\n" for each in zip(division.players, names, strict=True))


def _write_player(player: FilePlayer, name: str) -> str:
    cells = player.rounds
    played = len(cells)
    while played and cells[played - 1].kind is RoundKind.GAME and cells[played - 1].score is None:
        played -= 1
    padded = f"{_surname_first(name):<{TSH_NAME_CHARACTERS}}"
    rating = f"{player.rating or 0:>{TSH_RATING_CHARACTERS}}"
    fields = [
        f"{padded} {rating} {' '.join(str(_write_opponent(cell)) for cell in cells)}".rstrip(),
        " ".join(_write_score(cell) for cell in cells[:played]),
    ]
    if any(cell.table for cell in cells):
        fields.append("board " + " ".join(str(cell.table) for cell in cells))
    if cells:
        fields.append("p12 " + " ".join(str(_write_start(cell)) for cell in cells))
    if player.left:
        fields.append("off 0")
    if team := "".join((player.country or player.club).replace(";", " ").split()):
        fields.append(f"team {team}")
    return "; ".join(fields)


def _write_opponent(cell: FileRound) -> int:
    """Return the opponent; 0 for a forfeit, because tsh would take its scores for those of a game."""
    return cell.opponent if cell.kind is RoundKind.GAME else 0


def _write_score(cell: FileRound) -> str:
    match cell.kind:
        case RoundKind.BYE | RoundKind.FORFEIT_WIN:
            return str(max(1, cell.spread))  # tsh takes a bye without a score for a round without points
        case RoundKind.HALF_BYE | RoundKind.ABSENCE | RoundKind.FORFEIT_LOSS:
            return str(min(0, cell.spread))
        case _:
            return UNKNOWN_VALUE if cell.score is None else str(cell.score)


def _write_start(cell: FileRound) -> int:
    if not _write_opponent(cell):
        return 0
    return 3 if cell.starts is None else 1 if cell.starts else 2
