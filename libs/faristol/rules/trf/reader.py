"""From the text of a TRF file to the tournament that it tells. TRF16 with JaVaFo's extensions, and TRF26.

Lines that say nothing about pairing are kept as they are. What is no line of such a file, and results that
contradict each other, are refused with the line and the column.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from faristol.kernel.quotation import quoted
from faristol.rules.trf.columns import Columns, Problem, TrfError
from faristol.rules.trf.consistency import FIRST_CELL, WIDTH, check, check_points
from faristol.rules.trf.document import (
    ABSENT,
    Adjustment,
    Byes,
    Cell,
    Colour,
    Document,
    Edition,
    Fictitious,
    Forbidden,
    Player,
    Points,
    Scores,
    Team,
)
from faristol.rules.trf.rounds import settled
from faristol.rules.trf.scoring import SCORING

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TAG = re.compile(r"[0-9A-Z]{3}(?= |$)")
_SCORE = re.compile(r"(-?[0-9]{1,4}):(-?[0-9]{1,4})")

ROUNDS_MAX = 999
"""Rounds that the format can number."""

_TRF26_TAGS = frozenset(
    ("142", "152", "162", "172", "182", "192", "202", "212", "222", "240", "250", "260", "299", "310", "352", "362")
)


def decode_trf(data: bytes) -> str:
    """The text of a file as stored: UTF-8 when it is that, else ISO 8859-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("iso-8859-1")


def read_trf(text: str) -> Document:
    """The tournament that ``text`` tells. Raises ``TrfError`` at the first thing that is wrong."""
    reader = _Reader()
    for number, line in enumerate(_LINE_END.split(text), 1):
        reader.read(Columns(number, line.rstrip()))
    return reader.document()


_COLOURS: dict[str, Colour] = {"w": "w", "b": "b", "-": "-", " ": "-"}
_RESULTS = "1=0WDL+-FHUZ "


def read_player(line: Columns) -> Player:
    """The player of a line 001. Raises ``TrfError`` for what is not of its form."""
    number = line.whole(5, 8, "the starting number", least=1)
    if number is None:
        line.refuse(5, "NUMBER", "the starting number is missing", "a whole number from 1 to 9999")
    return Player(
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
        cells=tuple(_cell(line, start) for start in range(FIRST_CELL, len(line.text) + 1, WIDTH)),
    )


def _cell(line: Columns, start: int) -> Cell:
    text = line.text[start - 1 : start + 7].ljust(8)
    if not text.strip():
        return ABSENT
    opponent = line.whole(start, start + 3, "the opponent") or 0
    colour = _COLOURS.get(text[5].lower())
    result = text[7].upper()
    if text[4] != " " or text[6] != " ":
        line.refuse(start, "CELL", f"a round is {quoted(text)}", "opponent, colour and result as '  12 w 1'")
    if colour is None:
        line.refuse(start + 5, "COLOUR", f"the colour is {quoted(text[5])}", "w, b or -")
    if result not in _RESULTS:
        line.refuse(start + 7, "RESULT", f"the result is {quoted(text[7])}", f"one of {' '.join(_RESULTS)}")
    return Cell(opponent, colour, result if opponent or result != " " else "Z")


class _Reader:
    def __init__(self) -> None:
        self._lines: dict[int, Columns] = {}
        self._players: dict[int, Player] = {}
        self._headers: list[tuple[str, str]] = []
        self._other: list[str] = []
        self._rounds: int | None = None
        self._initial: Colour = "-"
        self._points: dict[str, int] = {}
        self._byes: list[tuple[Columns, Byes]] = []
        self._absent: list[tuple[Columns, int]] = []
        self._fictitious: list[Fictitious] = []
        self._forbidden: list[Forbidden] = []
        self._adjustments: list[Adjustment] = []
        self._scores: dict[int, Scores] = {}
        self._teams: list[Team] = []
        self._named: list[tuple[Columns, int, int]] = []
        self._editions: dict[Edition, int] = {}

    def read(self, line: Columns) -> None:
        """Take in one line."""
        if not line.text:
            return
        if found := _CONTROL.search(line.text):
            line.refuse(found.start() + 1, "CONTROL", f"a control character {quoted(found[0])} in the text")
        if line.text.startswith("###"):
            self._other.append(line.text)
            return
        if not _TAG.match(line.text):
            line.refuse(1, "TAG", f"the line begins with {quoted(line.text[:4])}", "a tag of three characters, as 001")
        if line.tag in _TRF26_TAGS:
            self._editions.setdefault(Edition.TRF26, line.number)
        elif line.tag.startswith(("XX", "BB")):
            self._editions.setdefault(Edition.TRF16, line.number)
        if read := _RECORDS.get(line.tag):
            read(self, line)
        elif scoring := SCORING.get(line.tag):
            self._points |= scoring(line)
        elif line.tag.startswith(("XX", "BB")):
            known = sorted(tag for tag in (*_RECORDS, *SCORING) if tag[0] in "XB")
            line.refuse(1, "TAG", f"{line.tag} is not known", f"one of {', '.join(known)}")
        elif line.tag[2] == "2" and line.tag.isdigit():
            self._headers.append((line.tag, line.text[4:]))
        else:
            self._other.append(line.text)

    def document(self) -> Document:
        """The whole, once every line is taken in."""
        if not self._players:
            raise TrfError(Problem(1, 1, "NO_PLAYERS", "the file has no players", "a line 001 for each player"))
        for line, column, player in self._named:
            if player not in self._players:
                line.refuse(column, "NO_PLAYER", f"there is no player {player}")
        points = Points(**({"allocated_bye": self._points["win"]} if "win" in self._points else {}) | self._points)
        players = tuple(self._players[number] for number in sorted(self._players))
        document = Document(
            players=players,
            headers=tuple(self._headers),
            rounds=self._rounds,
            initial_colour=self._initial,
            points=points,
            fictitious=tuple(self._fictitious),
            forbidden=tuple(self._forbidden),
            adjustments=tuple(self._adjustments),
            scores=tuple(self._scores[number] for number in sorted(self._scores)),
            teams=tuple(self._teams),
            other=tuple(self._other),
            edition=min(self._editions, key=lambda edition: self._editions[edition], default=Edition.TRF26),
        )
        check(document, self._lines)
        check_points(document, self._lines)
        return settled(document, self._lines, self._byes, self._absent)

    def _read_player(self, line: Columns) -> None:
        player = read_player(line)
        if player.number in self._players:
            first = self._lines[player.number].number
            line.refuse(5, "TWICE", f"player {player.number} stands in line {first} already", "another number")
        self._lines[player.number] = line
        self._players[player.number] = player

    def _read_team(self, line: Columns) -> None:
        players = self._ids(line, 37)
        taken = {player for team in self._teams for player in team.players}
        for (column, _), player in zip(line.words(37), players, strict=True):
            if player in taken:
                line.refuse(column, "TWICE", f"player {player} is in a team already", "each player in one team, once")
            taken.add(player)
        self._teams.append(Team(line.take(5, 36), tuple(players)))

    def _read_rounds(self, line: Columns) -> None:
        rounds = line.as_whole(line.take(5, len(line.text)), 5, "the number of rounds", least=1, most=ROUNDS_MAX)
        if self._rounds not in {None, rounds}:
            line.refuse(5, "TWICE", f"the number of rounds is {rounds} here", f"{self._rounds}, as said before")
        self._rounds = rounds

    def _read_initial_colour(self, line: Columns) -> None:
        colour = line.take(5, len(line.text)).lower()
        if colour not in {"w", "b"}:
            line.refuse(5, "COLOUR", f"the initial colour is {quoted(colour)}", "W or B")
        self._initial = "w" if colour == "w" else "b"

    def _read_configuration(self, line: Columns) -> None:
        for column, word in line.words(5):
            if word not in {"white1", "black1", "rank"}:
                line.refuse(column, "COLOUR", f"the configuration is {quoted(word)}", "white1, black1 or rank")
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
        for number, (column, word) in enumerate(line.words(9), 1):
            points = line.as_points(word, column, "the fictitious points")
            if points:
                self._fictitious.append(Fictitious(points, number, number, player, player))

    def _read_byes(self, line: Columns) -> None:
        kind = line.take(5, 5).upper()
        if kind not in set("FHZ"):
            line.refuse(5, "BYE", f"the bye is {quoted(kind)}", "F, H or Z")
        number = self._round(line, 7, 9)
        self._byes.append((line, Byes(kind, number, tuple(self._ids(line, 11)))))

    def _read_fictitious(self, line: Columns) -> None:
        points = line.points(10, 13, "the fictitious points")
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
        number = line.whole(20, 22, "the round", most=ROUNDS_MAX) or 0
        self._adjustments.append(Adjustment(points, number, tuple(self._ids(line, 24)), line.text[4:5] or " "))

    def _read_data(self, line: Columns) -> None:
        """Game points, in a line of our own after the manner of Tornelo: ``DAT 0012 SCORES 401:377 - 350:350``."""
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
            found = _SCORE.fullmatch(word)
            if found is None and word != "-":
                line.refuse(column, "SCORES", f"the scores are {quoted(word)}", "scored and suffered, as 401:377, or -")
            rounds.append((int(found[1]), int(found[2])) if found else None)
        self._scores[player] = Scores(player, tuple(rounds))

    def _round(self, line: Columns, first: int, last: int) -> int:
        number = line.whole(first, last, "the round", least=1, most=ROUNDS_MAX)
        if number is None:
            line.refuse(first, "NUMBER", "the round is missing", f"a whole number from 1 to {ROUNDS_MAX}")
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
    "DAT": _Reader._read_data,
    "XXA": _Reader._read_acceleration,
    "XXC": _Reader._read_configuration,
    "XXP": _Reader._read_forbidden,
    "XXR": _Reader._read_rounds,
    "XXZ": _Reader._read_absent,
}
"""What reads the lines of each tag."""
