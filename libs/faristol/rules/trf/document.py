"""A tournament in a TRF file: players, results, and input for a pairing program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from faristol.kernel.quotation import quote_text

Colour = Literal["w", "b", "-"]
"""White, black, or neither. In crossword games white is the player who starts."""

POINT_TENTHS_FACTOR = 10
"""Points are stored in whole tenths, as written in the format: 5 is half a point."""


class Edition(Enum):
    """The description of the format that a file follows: FIDE's of 2016 with JaVaFo's extensions, or FIDE's of 2026."""

    TRF16 = "TRF16"
    TRF26 = "TRF26"


@dataclass(frozen=True, slots=True)
class TrfCell:
    """One round in one player's line."""

    opponent: int = 0
    """Starting number of the opponent; 0 without an opponent."""
    colour: Colour = "-"
    result: str = "Z"
    """``1 = 0`` played, ``W D L`` played and not rated, ``+ -`` won and lost by forfeit, ``F H U Z`` byes: full point,
    half point, allocated by the pairing, none. A space is a game without a result yet."""

    @property
    def played(self) -> bool:
        """Whether a game took place over the board."""
        return self.opponent != 0 and self.result in "1=0WDL"

    @property
    def paired(self) -> bool:
        """Whether the player was paired: with an opponent, or with the allocated bye."""
        return self.opponent != 0 or self.result == "U"

    @property
    def open(self) -> bool:
        """Whether the cell has an opponent and no result yet."""
        return self.opponent != 0 and self.result == " "


ABSENT_CELL = TrfCell()


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A player's line. Empty text and None are blank fields."""

    number: int
    """Starting number, 1 to 9999: the pairing number."""
    name: str = ""
    rating: int | None = None
    points: int | None = None
    """Points in the file, in tenths."""
    rank: int | None = None
    sex: str = ""
    title: str = ""
    federation: str = ""
    fide_number: str = ""
    birth: str = ""
    cells: tuple[TrfCell, ...] = ()
    """One cell for each round, from the first."""

    def cell(self, round_number: int) -> TrfCell:
        """Return the cell of a round; absence if the line has none."""
        return self.cells[round_number - 1] if round_number <= len(self.cells) else ABSENT_CELL


CODES_OF_RESULTS: Mapping[str, str] = {
    **dict.fromkeys("1W", "win"),
    **dict.fromkeys("=D", "draw"),
    **dict.fromkeys("0L", "loss"),
    "+": "FW",
    "-": "FL",
    "F": "FPB",
    "H": "HPB",
    "Z": "ZPB",
    "U": "PAB",
    " ": "open",
}
_CODES_BY_COLOUR = {("win", "b"): "BW", ("draw", "b"): "BD", ("loss", "b"): "BL"}
_FIELDS_OF_CODES = {
    **dict.fromkeys(("win", "BW", "FW", "FPB"), "win"),
    **dict.fromkeys(("draw", "BD", "HPB"), "draw"),
    **dict.fromkeys(("loss", "BL"), "loss"),
    **dict.fromkeys(("ZPB", "FL"), "absence"),
    "PAB": "allocated_bye",
}


@dataclass(frozen=True, slots=True)
class Points:
    """The points of a round by its result, in tenths.

    ``exceptions`` has the codes with other points than the result to which they belong, sorted by code. They are
    JaVaFo's codes: ``BW``, ``BD``, ``BL``, ``FW``, ``FL``, ``FPB`` and ``HPB``.
    """

    win: int = 10
    draw: int = 5
    loss: int = 0
    absence: int = 0
    """Points of a zero-point bye and of a game lost by forfeit."""
    allocated_bye: int = 10
    unknown: int = 5
    exceptions: tuple[tuple[str, int], ...] = ()

    def of(self, cell: TrfCell) -> int:
        """Return the points for one round; 0 for a game without a result yet."""
        result = CODES_OF_RESULTS[cell.result]
        if result == "open":
            return 0
        code = _CODES_BY_COLOUR.get((result, cell.colour), result)
        for exception, tenths in self.exceptions:
            if exception == code:
                return tenths
        tenths = getattr(self, _FIELDS_OF_CODES[code])
        return int(tenths)


@dataclass(frozen=True, slots=True)
class Byes:
    """The players with a bye of one kind in a round: ``F``, ``H``, ``Z``, or ``U`` if allocated before the pairing."""

    kind: str
    round_number: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fictitious:
    """Points for pairing only, in tenths, with the first and last round and player."""

    points: int
    first_round: int
    last_round: int
    first_player: int
    last_player: int


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Players who may not be paired with each other from the first to the last round; a last round of 0 is no limit."""

    players: tuple[int, ...]
    first_round: int = 1
    last_round: int = 0


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points given or deducted apart from results (record 299), in tenths."""

    points: int
    round_number: int
    """The round; 0 before the first round, such as points of an earlier stage."""
    players: tuple[int, ...]
    kind: str = " "


@dataclass(frozen=True, slots=True)
class TrfTeam:
    """A team (record 013 or 310): its name, and the starting numbers of its players in the order of the boards."""

    name: str
    players: tuple[int, ...]
    number: int = 0
    """Pairing number (record 310); 0 in a record 013, which has none."""
    standing: str = ""
    """Columns 42 to 71 of a record 310 unchanged: nickname, strength, match points, game points, rank."""


@dataclass(frozen=True, slots=True)
class Scores:
    """A player's game points by round: scored and conceded; None without a game."""

    player: int
    rounds: tuple[tuple[int, int] | None, ...]

    @property
    def spread(self) -> int:
        """Points scored less points conceded, over all rounds."""
        return sum(score[0] - score[1] for score in self.rounds if score is not None)


@dataclass(frozen=True, slots=True)
class Note:
    """A line that was ignored because its tag is unknown."""

    line: int
    """Line number from 1."""
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {quote_text(self.text)} was passed over: the tag is not known"


@dataclass(frozen=True, slots=True)
class Document:
    """A tournament, with players in the order of their numbers."""

    players: tuple[TrfPlayer, ...]
    headers: tuple[tuple[str, str], ...] = ()
    """Tag and text of other lines about the tournament, such as ``("012", "Open de Reus")``."""
    rounds: int | None = None
    """Number of rounds of the tournament, if the file has it."""
    initial_colour: Colour = "-"
    """The colour of the first player of the ranking in the first round, if the file has it."""
    points: Points = field(default_factory=Points)
    byes: tuple[Byes, ...] = ()
    fictitious: tuple[Fictitious, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    scores: tuple[Scores, ...] = ()
    teams: tuple[TrfTeam, ...] = ()
    other: tuple[str, ...] = ()
    """Lines that are stored unchanged: comments, national ratings."""
    edition: Edition = Edition.TRF26
    notes: tuple[Note, ...] = field(default=(), compare=False)
    """Ignored lines, in the order of the file."""

    @property
    def pairs_teams(self) -> bool:
        """Whether rounds pair teams: the file has numbered teams, or declares a system of teams."""
        return any(team.number for team in self.teams) or any(
            tag in {"352", "362"} or (tag in {"092", "192"} and "TEAM" in text.upper()) for tag, text in self.headers
        )

    @property
    def is_knock_out(self) -> bool:
        """Whether a bracket pairs the players: the file declares a knock-out."""
        systems = [text.casefold() for tag, text in self.headers if tag in {"092", "192"}]
        return any(word in text for text in systems for word in ("knock-out", "knockout", "knock_out", "elimination"))

    @property
    def paired_rounds(self) -> int:
        """Number of rounds with all results, before the round to be paired.

        A round without a game is over if each player has a bye in it, or if a later round has games. Otherwise a bye
        belongs to the round to be paired.
        """
        played = max((number for player in self.players for number in _games_over(player)), default=0)
        while self.players and all(len(player.cells) > played for player in self.players):
            cells = [player.cells[played] for player in self.players]
            if any(cell.opponent for cell in cells) or all(cell.result != "U" for cell in cells):
                break
            played += 1
        return played

    def player(self, number: int) -> TrfPlayer | None:
        """Return the player with that starting number, or None."""
        return next((player for player in self.players if player.number == number), None)

    def points_of(self, player: TrfPlayer, rounds: int) -> int:
        """Return the points after that number of rounds, in tenths, with adjustments."""
        earned = sum(self.points.of(player.cell(number)) for number in range(1, rounds + 1))
        return earned + sum(
            adjustment.points
            for adjustment in self.adjustments
            if player.number in adjustment.players and adjustment.round_number <= rounds
        )

    def points_before(self, player: int) -> int:
        """Return the points of a player before the first round, in tenths: those of record 299 with round 0."""
        return sum(
            adjustment.points
            for adjustment in self.adjustments
            if not adjustment.round_number and player in adjustment.players
        )

    def fictitious_points(self, player: int, round_number: int) -> int:
        """Return the points of a player for the pairing of a round only, in tenths."""
        return sum(
            entry.points
            for entry in self.fictitious
            if entry.first_round <= round_number <= entry.last_round
            and entry.first_player <= player <= entry.last_player
        )


def _games_over(player: TrfPlayer) -> Iterator[int]:
    """Yield the rounds in which the player's line has a game with its result."""
    for number, cell in enumerate(player.cells, 1):
        if cell.opponent and not cell.open:
            yield number


def told_by_first_round(players: Sequence[TrfPlayer]) -> Colour:
    """Return the initial colour by the first player with an opponent in round 1; ``-`` if that colour is unknown.

    It is the colour of the odd numbers, counted among the players paired in that round: a player who enters later has
    no number yet (FIDE C.04.2, C.04.3 5.2.5).
    """
    there = sorted((player for player in players if player.cell(1).paired), key=lambda player: player.number)
    for place, player in enumerate(there, 1):
        if player.cell(1).opponent:
            colour = player.cell(1).colour
            return colour if place % 2 or colour == "-" else "b" if colour == "w" else "w"
    return "-"
