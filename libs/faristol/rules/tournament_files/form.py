"""The form of a tournament that all formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count

from faristol.kernel.refusal import Param, fill


class UnreadableFile(ValueError):
    """A file that is not of the format, with the line. ``str()`` returns the English text."""

    def __init__(self, file: str, line: int, problem: str, params: Mapping[str, Param] | None = None) -> None:
        self.file = file
        self.line = line
        """Line number from 1; 0 for the whole file."""
        self.problem = problem
        """English sentence, to be translated."""
        self.params: Mapping[str, Param] = dict(params or {})
        super().__init__(f"{self.place}: {fill(problem, self.params)}")

    @property
    def place(self) -> str:
        """File and line, such as ``a.t:3``; only the file if the problem has no line."""
        return f"{self.file}:{self.line}" if self.line else self.file


class RoundKind(StrEnum):
    """The kind of a player's round."""

    GAME = "game"
    """A game over the board, perhaps without a result yet."""
    FORFEIT_WIN = "forfeit-win"
    """A game that the opponent lost by absence."""
    FORFEIT_LOSS = "forfeit-loss"
    """A game that the player lost by absence."""
    BYE = "bye"
    """A bye with the points of a win."""
    HALF_BYE = "half-bye"
    """A bye with the points of a draw."""
    ABSENCE = "absence"
    """A round without points."""


WITHOUT_OPPONENT = frozenset({RoundKind.BYE, RoundKind.HALF_BYE, RoundKind.ABSENCE})
"""Kinds of rounds that have no opponent."""

MAX_FILE_ROUNDS = 200
"""Most rounds of a file."""

MAX_FILE_PLAYERS = 10_000
"""Most players of a file."""


@dataclass(frozen=True, slots=True)
class FileRound:
    """One round of one player."""

    kind: RoundKind
    opponent: int = 0
    """Number of the opponent in the division, from 1; 0 without an opponent."""
    score: int | None = None
    """Own points; None without a result. Of a bye or an absence: its points on the spread."""
    against: int | None = None
    """Points of the opponent; None without a result."""
    starts: bool | None = None
    """Whether the player starts; None if the file does not tell."""
    table: int = 0
    """Number of the table, from 1; 0 if the file does not tell."""

    @property
    def half_points(self) -> int:
        """Points in halves: 2 for a win, 1 for a draw; 0 for a game without a result."""
        match self.kind:
            case RoundKind.BYE | RoundKind.FORFEIT_WIN:
                return 2
            case RoundKind.HALF_BYE:
                return 1
            case RoundKind.GAME if self.score is not None and self.against is not None:
                return 2 if self.score > self.against else 1 if self.score == self.against else 0
            case _:
                return 0

    @property
    def is_played(self) -> bool:
        """Whether it is a game over the board with a result."""
        return self.kind is RoundKind.GAME and self.score is not None and self.against is not None

    @property
    def spread(self) -> int:
        """Points scored less points conceded; 0 without a result."""
        if self.kind in WITHOUT_OPPONENT:
            return self.score or 0
        return self.score - self.against if self.score is not None and self.against is not None else 0


ABSENT = FileRound(RoundKind.ABSENCE)


@dataclass(frozen=True, slots=True)
class FileStanding:
    """The line of a player in the standings that another program computed; None for a value that it does not tell."""

    rank: int | None = None
    """From 1."""
    half_points: int | None = None
    spread: int | None = None


@dataclass(frozen=True, slots=True)
class FilePlayer:
    """A player of a division."""

    name: str
    """In the order given name, surname."""
    rating: int | None = None
    """None for an unrated player."""
    rounds: tuple[FileRound, ...] = ()
    """One for each paired round, from the first."""
    player_id: str = ""
    """Id in this program; empty in files of others."""
    country: str = ""
    club: str = ""
    left: bool = False
    """Whether the player has left the tournament."""
    line: int = 0
    """Line of the file, from 1; 0 without a file of lines."""
    standing: FileStanding = FileStanding()
    """After the last round with all results, as the program of the file computed it."""
    ratings: tuple[int | None, ...] = ()
    """After each round from the first, as the program of the file computed them; None for a value that it lacks."""
    start_rating: int = 0
    """The value from which an unrated player is rated; 0 if the file does not tell."""
    games: int | None = None
    """Rated games before the tournament; None if the file does not tell."""

    def round(self, number: int) -> FileRound:
        """Return a round, from 1; an absence if the player has none."""
        return self.rounds[number - 1] if number <= len(self.rounds) else ABSENT

    @property
    def first_round(self) -> int:
        """The first round with a game or a bye; 1 without one."""
        return next((number for number, cell in enumerate(self.rounds, 1) if cell.kind is not RoundKind.ABSENCE), 1)


@dataclass(frozen=True, slots=True)
class FileDivision:
    """A division of a tournament, or the whole of it."""

    name: str
    players: tuple[FilePlayer, ...] = ()
    """By their numbers, from 1."""

    @property
    def rounds(self) -> int:
        """Number of paired rounds."""
        return max((len(player.rounds) for player in self.players), default=0)

    @property
    def complete_rounds(self) -> int:
        """Number of rounds before the first without a result of a game."""
        for number in range(1, self.rounds + 1):
            cells = [player.round(number) for player in self.players]
            if any(cell.kind is RoundKind.GAME and cell.score is None for cell in cells):
                return number - 1
        return self.rounds

    def name_of(self, number: int) -> str:
        """Return the name of a player; empty for a number that no player has, such as 0."""
        return self.players[number - 1].name if 0 < number <= len(self.players) else ""

    def rank(self, rounds: int | None = None) -> list[tuple[int, int, int]]:
        """Return number, half points and spread of each player, the best first, as tsh ranks them.

        Equal players are in the order of their numbers. ``rounds`` is the number of rounds that count, by default all.
        """
        last = self.rounds if rounds is None else rounds
        lines = []
        for number, player in enumerate(self.players, 1):
            cells = player.rounds[:last]
            lines.append((number, sum(cell.half_points for cell in cells), sum(cell.spread for cell in cells)))
        return sorted(lines, key=lambda line: (-line[1], -line[2], line[0]))


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament of a file or a folder."""

    name: str = ""
    date: str = ""
    """First day, in the form ``2026-11-28``; empty if the file does not tell."""
    divisions: tuple[FileDivision, ...] = ()
    rounds: int = 0
    """Number of rounds of the tournament; 0 if the file does not tell."""
    program: str = ""
    """Format of the file: ``tsh``, ``tou``, ``trf`` or ``csv``."""
    rating_system: str = ""
    """Name of the rating system in the program of the file; empty if the file does not tell."""
    passed_over: tuple[str, ...] = field(default=(), compare=False)
    """Lines and settings that were not read, in the order of the file."""

    def choose_division(self, name: str) -> TournamentFile | None:
        """Return the tournament with one division; None if it has several and none of them is named."""
        chosen = tuple(each for each in self.divisions if not name or each.name.casefold() == name.casefold())
        return replace(self, divisions=chosen) if len(chosen) == 1 else None

    def name_divisions(self) -> str:
        """Return the names of the divisions with commas between."""
        return ", ".join(each.name for each in self.divisions)


def put_given_name_first(name: str) -> str:
    """Return a name with the given name first: ``Puig, Anna`` is Anna Puig."""
    surname, comma, given = name.partition(",")
    return f"{given.strip()} {surname.strip()}" if comma and given.strip() else name.strip()


def list_unique_names(names: Iterable[str]) -> list[str]:
    """Return names of which none occurs twice: the second Anna Puig is Anna Puig B."""
    taken: set[str] = set()
    unique = []
    for name in names:
        found = next(each for each in _list_variants(name) if each.casefold() not in taken)
        taken.add(found.casefold())
        unique.append(found)
    return unique


def _list_variants(name: str) -> Iterator[str]:
    yield name
    for number in count(1):
        yield f"{name} {write_letters(number)}"


def write_letters(place: int) -> str:
    """Return a place from 0 in capital letters: those of the alphabet, then pairs of them."""
    text, rest = "", place + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        text = chr(ord("A") + letter) + text
    return text
