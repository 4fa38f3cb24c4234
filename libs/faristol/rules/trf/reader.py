"""Parsing of TRF files: TRF16 with JaVaFo's extensions, and TRF26.

Lines without data for pairing are stored unchanged. Invalid lines and contradictory results are refused with the line
and the column.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from faristol.kernel.quotation import quote_text
from faristol.rules.trf.columns import Columns, TrfError, TrfProblem
from faristol.rules.trf.consistency import (
    FIRST_ROUND_COLUMN_NUMBER,
    ROUND_WIDTH_CHARACTERS,
    check,
    check_points,
    complete_rounds,
)
from faristol.rules.trf.document import (
    ABSENT_CELL,
    Adjustment,
    Byes,
    Colour,
    Document,
    Edition,
    Fictitious,
    Forbidden,
    Note,
    Scores,
    TrfCell,
    TrfPlayer,
    TrfTeam,
)
from faristol.rules.trf.scoring import SCORING, build_points

_CP1252 = {byte: text for byte in range(256) if (text := bytes([byte]).decode("cp1252", "ignore"))}
_END_OF_FILE = "\x1a"
"""End of a text written by programs of DOS."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_HEADER_TAG = re.compile(r"[0-9]{2}2")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NATIONAL_RATING = re.compile(r"[A-Z]{3} [ 0-9]{3}[0-9](?: |$)")
_SCORE_PAIR_PATTERN = re.compile(r"(-?[0-9]{1,4}):(-?[0-9]{1,4})")

MAX_TRF_ROUNDS = 999
"""The most rounds of the format."""
MAX_TRF_TEAMS = 999
"""The most teams of the format."""
ACCELERATION_COLUMN_NUMBER = 10
"""First column of the points of round 1 in a line XXA."""
ACCELERATION_WIDTH_CHARACTERS = 5
"""Columns of a round in a line XXA, with the blank between two rounds."""

_INFORMATIVE_TAGS = frozenset(("300", "320", "330", "801", "802"))
"""Records about matches of teams, without pairings beyond those in the players' lines."""

_TRF26_TAGS = frozenset(
    (
        "142",
        "152",
        "162",
        "172",
        "182",
        "192",
        "202",
        "212",
        "222",
        "240",
        "250",
        "260",
        "299",
        "300",
        "310",
        "320",
        "330",
        "352",
        "362",
    )
)


def decode_trf(data: bytes) -> str:
    """Decode a file: UTF-16 with a byte order mark, otherwise valid UTF-8, otherwise windows-1252.

    windows-1252 has all letters of ISO 8859-1. Its few undefined bytes are decoded as ISO 8859-1, and so refused later
    as control characters with their place.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "".join(_CP1252.get(byte, chr(byte)) for byte in data)


def read_trf(text: str) -> Document:
    """Parse a tournament. Raises ``TrfError`` at the first error."""
    reader = _Reader()
    for number, line in enumerate(_LINE_END.split(text.rstrip(_END_OF_FILE)), 1):
        reader.read(Columns(number, line.rstrip()))
    return reader.document()


_COLOURS: dict[str, Colour] = {"w": "w", "b": "b", "-": "-", " ": "-"}
_RESULTS = "1=0WDL+-FHUZ "


def read_player(line: Columns) -> TrfPlayer:
    """Parse the player of a line 001. Raises ``TrfError`` for an invalid line."""
    number = line.whole(5, 8, "the starting number", least=1)
    if number is None:
        line.refuse(5, "NUMBER", "the starting number is missing", "a whole number from 1 to 9999")
    return TrfPlayer(
        number=number,
        sex=line.take(10, 10),
        title=line.take(11, 13),
        name=line.take(15, 47),
        rating=line.whole(49, 52, "the rating"),
        federation=line.take(54, 56),
        fide_number=line.take(58, 68),
        birth=line.take(70, 79),
        points=line.points(81, 84, "the points"),
        rank=line.whole(86, 89, "the rank"),
        cells=tuple(
            _cell(line, start) for start in range(FIRST_ROUND_COLUMN_NUMBER, len(line.text) + 1, ROUND_WIDTH_CHARACTERS)
        ),
    )


def _cell(line: Columns, start: int) -> TrfCell:
    text = line.text[start - 1 : start + 7].ljust(8)
    if not text.strip():
        return ABSENT_CELL
    opponent = line.whole(start, start + 3, "the opponent") or 0
    colour = _COLOURS.get(text[5].lower())
    result = text[7].upper()
    if text[4] != " " or text[6] != " ":
        line.refuse(start, "CELL", f"a round is {quote_text(text)}", "opponent, colour and result as '  12 w 1'")
    if colour is None:
        line.refuse(start + 5, "COLOUR", f"the colour is {quote_text(text[5])}", "w, b or -")
    if result not in _RESULTS:
        line.refuse(start + 7, "RESULT", f"the result is {quote_text(text[7])}", f"one of {' '.join(_RESULTS)}")
    return TrfCell(opponent, colour, result if opponent or result != " " else "Z")


class _Reader:
    def __init__(self) -> None:
        self._lines: dict[int, Columns] = {}
        self._players: dict[int, TrfPlayer] = {}
        self._headers: list[tuple[str, str]] = []
        self._other: list[str] = []
        self._rounds: int | None = None
        self._initial: Colour = "-"
        self._points: dict[str, int] = {}
        self._scoring_line: Columns | None = None
        self._notes: list[Note] = []
        self._byes: list[tuple[Columns, Byes]] = []
        self._absent: list[tuple[Columns, int]] = []
        self._fictitious: list[Fictitious] = []
        self._forbidden: list[Forbidden] = []
        self._adjustments: list[Adjustment] = []
        self._scores: dict[int, Scores] = {}
        self._team_lines: list[tuple[Columns, int, TrfTeam]] = []
        self._named: list[tuple[Columns, int, int]] = []
        self._editions: dict[Edition, int] = {}

    def read(self, line: Columns) -> None:
        """Parse one line."""
        if not line.text:
            return
        if found := _CONTROL.search(line.text):
            line.refuse(found.start() + 1, "CONTROL", f"a control character {quote_text(found[0])} in the text")
        if line.text.startswith("###"):
            self._other.append(line.text)
            return
        if line.tag in _TRF26_TAGS:
            self._editions.setdefault(Edition.TRF26, line.number)
        elif line.tag.startswith(("XX", "BB")):
            self._editions.setdefault(Edition.TRF16, line.number)
        known = line.text[3:4] in {"", " "}
        if known and (read := _RECORDS.get(line.tag)):
            read(self, line)
        elif known and (scoring := SCORING.get(line.tag)):
            self._points |= scoring(line)
            self._scoring_line = line
        elif known and _HEADER_TAG.fullmatch(line.tag) and line.tag not in _INFORMATIVE_TAGS:
            self._headers.append((line.tag, line.text[4:]))
        else:
            self._other.append(line.text)
            if not (known and line.tag in _INFORMATIVE_TAGS) and not _NATIONAL_RATING.match(line.text):
                self._notes.append(Note(line.number, line.text))

    def document(self) -> Document:
        """Return the document after the last line."""
        if not self._players:
            raise TrfError(TrfProblem(1, 1, "NO_PLAYERS", "the file has no players", "a line 001 for each player"))
        teams = self._list_teams()
        numbered = any(team.number for team in teams)  # other records then name teams instead of players
        for line, column, player in self._named:
            if player not in self._players and not (numbered and line.tag in _TAGS_OF_TEAMS):
                line.refuse(column, "NO_PLAYER", f"there is no player {player}")
        players = tuple(self._players[number] for number in sorted(self._players))
        document = Document(
            players=players,
            headers=tuple(self._headers),
            rounds=self._rounds,
            initial_colour=self._initial,
            points=build_points(self._points, self._scoring_line),
            fictitious=tuple(self._fictitious),
            forbidden=tuple(self._forbidden),
            adjustments=tuple(self._adjustments),
            scores=tuple(self._scores[number] for number in sorted(self._scores)),
            teams=teams,
            other=tuple(self._other),
            notes=tuple(self._notes),
            edition=min(self._editions, key=lambda edition: self._editions[edition], default=Edition.TRF26),
        )
        check(document, self._lines)
        check_points(document, self._lines)
        return complete_rounds(document, self._lines, self._byes, self._absent)

    def _read_player(self, line: Columns) -> None:
        player = read_player(line)
        if player.number in self._players:
            first = self._lines[player.number].number
            line.refuse(5, "TWICE", f"player {player.number} stands in line {first} already", "another number")
        self._lines[player.number] = line
        self._players[player.number] = player

    def _read_team(self, line: Columns) -> None:
        """Parse a record 013; `document` drops it if a record 310 describes the same team."""
        self._team_lines.append((line, 37, TrfTeam(line.take(5, 36), tuple(self._ids(line, 37)))))

    def _read_numbered_team(self, line: Columns) -> None:
        number = line.whole(5, 7, "the pairing number of the team", least=1, most=MAX_TRF_TEAMS)
        if number is None:
            line.refuse(
                5, "NUMBER", "the pairing number of the team is missing", f"a whole number from 1 to {MAX_TRF_TEAMS}"
            )
        if any(team.number == number for _, _, team in self._team_lines):
            line.refuse(5, "TWICE", f"there is a team {number} already", "another number")
        team = TrfTeam(line.take(9, 40), tuple(self._ids(line, 73)), number, line.text[41:71].rstrip())
        self._team_lines.append((line, 73, team))

    def _list_teams(self) -> tuple[TrfTeam, ...]:
        """Return the teams, each once. Raises ``TrfError`` for a player of two teams."""
        numbered = {team.name for _, _, team in self._team_lines if team.number}
        taken: set[int] = set()
        teams = []
        for line, first, team in self._team_lines:
            if not team.number and team.name in numbered:
                self._other.append(line.text)
                continue
            for (column, _), player in zip(line.words(first), team.players, strict=True):
                if player in taken:
                    line.refuse(
                        column, "TWICE", f"player {player} is in a team already", "each player in one team, once"
                    )
                taken.add(player)
            teams.append(team)
        return tuple(teams)

    def _read_rounds(self, line: Columns) -> None:
        rounds = line.as_whole(line.take(5, len(line.text)), 5, "the number of rounds", least=1, most=MAX_TRF_ROUNDS)
        if self._rounds not in {None, rounds}:
            line.refuse(5, "TWICE", f"the number of rounds is {rounds} here", f"{self._rounds}, as said before")
        self._rounds = rounds

    def _read_initial_colour(self, line: Columns) -> None:
        colour = line.take(5, len(line.text)).lower()
        if colour not in {"w", "b"}:
            line.refuse(5, "COLOUR", f"the initial colour is {quote_text(colour)}", "W or B")
        self._initial = "w" if colour == "w" else "b"

    def _read_configuration(self, line: Columns) -> None:
        for column, word in line.words(5):
            if word not in {"white1", "black1", "rank"}:
                line.refuse(column, "COLOUR", f"the configuration is {quote_text(word)}", "white1, black1 or rank")
            if word != "rank":
                self._initial = "w" if word == "white1" else "b"

    def _read_absent(self, line: Columns) -> None:
        self._absent += [(line, player) for player in self._ids(line, 5)]

    def _read_forbidden(self, line: Columns) -> None:
        self._forbidden.append(Forbidden(self._at_least_two(line, self._ids(line, 5))))

    def _read_acceleration(self, line: Columns) -> None:
        player = line.whole(5, 8, "the player", least=1)
        if player is None:
            line.refuse(5, "NUMBER", "the player is missing", "a starting number")
        self._named.append((line, 5, player))
        last = len(line.text)
        for number, first in enumerate(range(ACCELERATION_COLUMN_NUMBER, last + 1, ACCELERATION_WIDTH_CHARACTERS), 1):
            if line.take(first - 1, first - 1):
                line.refuse(
                    first - 1, "POINTS", f"the fictitious points of round {number} begin too early", f"column {first}"
                )
            points = line.points(first, first + ACCELERATION_WIDTH_CHARACTERS - 2, "the fictitious points")
            if points:
                self._fictitious.append(Fictitious(points, number, number, player, player))

    def _read_byes(self, line: Columns) -> None:
        kind = line.take(5, 5).upper()
        if kind not in set("FHZ"):
            line.refuse(5, "BYE", f"the bye is {quote_text(kind)}", "F, H or Z")
        number = self._round(line, 7, 9)
        self._byes.append((line, Byes(kind, number, tuple(self._ids(line, 11)))))

    def _read_fictitious(self, line: Columns) -> None:
        points = line.points(10, 13, "the fictitious points")
        if points is None and line.take(5, 8):  # match points, which only teams have
            self._other.append(line.text)
            return
        if points is None:
            line.refuse(10, "POINTS", "the fictitious points are missing", "points with one decimal, as 01.0")
        ids = [line.whole(first, first + 3, "the player", least=1) for first in (23, 28)]
        if None in ids:
            line.refuse(23, "NUMBER", "the players are missing", "the first and the last of them")
        first, last = (number or 0 for number in ids)
        self._fictitious.append(Fictitious(points, self._round(line, 15, 17), self._round(line, 19, 21), first, last))

    def _read_forbidden_in_rounds(self, line: Columns) -> None:
        first, last = self._round(line, 5, 7), self._round(line, 9, 11)
        self._forbidden.append(Forbidden(self._at_least_two(line, self._ids(line, 13)), first, last))

    def _read_adjustment(self, line: Columns) -> None:
        points = line.points(14, 18, "the points")
        if points is None:
            line.refuse(14, "POINTS", "the points are missing", "points with one decimal, as -0.5")
        number = line.whole(20, 22, "the round", most=MAX_TRF_ROUNDS) or 0
        self._adjustments.append(Adjustment(points, number, tuple(self._ids(line, 24)), line.text[4:5] or " "))

    def _read_data(self, line: Columns) -> None:
        """Parse game points, in an extension in the style of Tornelo: ``DAT 0012 SCORES 401:377 - 350:350``."""
        words = line.words(5)
        if len(words) < 2 or words[1][1] != "SCORES":
            self._other.append(line.text)
            return
        player = line.as_whole(words[0][1], words[0][0], "the player", least=1)
        self._named.append((line, words[0][0], player))
        if player in self._scores:
            line.refuse(words[0][0], "TWICE", f"the scores of player {player} stand above already")
        rounds: list[tuple[int, int] | None] = []
        for column, word in words[2:]:
            found = _SCORE_PAIR_PATTERN.fullmatch(word)
            if found is None and word != "-":
                line.refuse(
                    column, "SCORES", f"the scores are {quote_text(word)}", "scored and suffered, as 401:377, or -"
                )
            rounds.append((int(found[1]), int(found[2])) if found else None)
        self._scores[player] = Scores(player, tuple(rounds))

    def _round(self, line: Columns, first: int, last: int) -> int:
        number = line.whole(first, last, "the round", least=1, most=MAX_TRF_ROUNDS)
        if number is None:
            line.refuse(first, "NUMBER", "the round is missing", f"a whole number from 1 to {MAX_TRF_ROUNDS}")
        return number

    def _ids(self, line: Columns, start: int) -> list[int]:
        found = []
        for column, word in line.words(start):
            number = line.as_whole(word, column, "the player", least=1)
            self._named.append((line, column, number))
            found.append(number)
        return found

    def _at_least_two(self, line: Columns, players: list[int]) -> tuple[int, ...]:
        if len(set(players)) < 2:
            line.refuse(5, "FORBIDDEN", "a pair that is forbidden needs two players", "two players or more")
        return tuple(players)


_RECORDS: dict[str, Callable[[_Reader, Columns], None]] = {
    "001": _Reader._read_player,
    "013": _Reader._read_team,
    "142": _Reader._read_rounds,
    "152": _Reader._read_initial_colour,
    "240": _Reader._read_byes,
    "250": _Reader._read_fictitious,
    "260": _Reader._read_forbidden_in_rounds,
    "299": _Reader._read_adjustment,
    "310": _Reader._read_numbered_team,
    "DAT": _Reader._read_data,
    "XXA": _Reader._read_acceleration,
    "XXC": _Reader._read_configuration,
    "XXP": _Reader._read_forbidden,
    "XXR": _Reader._read_rounds,
    "XXZ": _Reader._read_absent,
}
"""The parser of each tag."""

_TAGS_OF_TEAMS = frozenset(("240", "250", "260", "299"))
"""Records whose numbers are of teams if the file has numbered teams."""
