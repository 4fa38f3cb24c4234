"""A tournament as a TRF file tells it: players, results, and what a pairing program has to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from faristol.kernel.quotation import quoted

Colour = Literal["w", "b", "-"]
"""White, black, or neither. In crossword games white is who starts."""

TENTHS = 10
"""Points are kept in whole tenths, as the format writes them: 5 is half a point."""


class Edition(Enum):
    """Which description of the format a file follows: FIDE's of 2016 with JaVaFo's extensions, or FIDE's of 2026."""

    TRF16 = "TRF16"
    TRF26 = "TRF26"


@dataclass(frozen=True, slots=True)
class Cell:
    """What one player's line says of one round."""

    opponent: int = 0
    """Starting number of the opponent; 0 where there is none."""
    colour: Colour = "-"
    result: str = "Z"
    """``1 = 0`` played, ``W D L`` played and not rated, ``+ -`` won and lost by forfeit, ``F H U Z`` byes: full point,
    half point, allocated by the pairing, none. A space is a game without a result yet."""

    @property
    def played(self) -> bool:
        """A game took place over the board."""
        return self.opponent != 0 and self.result in "1=0WDL"

    @property
    def paired(self) -> bool:
        """The pairing had the player in it: with an opponent, or with the allocated bye."""
        return self.opponent != 0 or self.result == "U"

    @property
    def open(self) -> bool:
        """A pair is named and its result is not known yet."""
        return self.opponent != 0 and self.result == " "


ABSENT = Cell()


@dataclass(frozen=True, slots=True)
class Player:
    """A player's line. Empty text and None are fields left blank."""

    number: int
    """Starting number, 1 to 9999: the pairing number."""
    name: str = ""
    rating: int | None = None
    points: int | None = None
    """As the file says it, in tenths."""
    rank: int | None = None
    sex: str = ""
    title: str = ""
    federation: str = ""
    fide_number: str = ""
    birth: str = ""
    cells: tuple[Cell, ...] = ()
    """One for each round, from the first."""

    def cell(self, round_number: int) -> Cell:
        """What is said of a round; absence where nothing is."""
        return self.cells[round_number - 1] if round_number <= len(self.cells) else ABSENT


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
    """What a round brings, in tenths.

    ``exceptions`` holds the codes of JaVaFo (``BW``, ``BD``, ``BL``, ``FW``, ``FL``, ``FPB``, ``HPB``) for which a file
    says other points than for the result that they belong to, sorted by code.
    """

    win: int = 10
    draw: int = 5
    loss: int = 0
    absence: int = 0
    """For a bye without points and for a game lost by forfeit."""
    allocated_bye: int = 10
    unknown: int = 5
    exceptions: tuple[tuple[str, int], ...] = ()

    def of(self, cell: Cell) -> int:
        """Return the points for one round. A game without a result yet brings none."""
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
    """Who has a bye of one kind in a round: ``F``, ``H``, ``Z``, or ``U`` where it was allocated before the pairing."""

    kind: str
    round_number: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fictitious:
    """Points that count for pairing alone, in tenths, in rounds and for players from first to last."""

    points: int
    first_round: int
    last_round: int
    first_player: int
    last_player: int


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Players of whom no two may be paired in the rounds from first to last; a last round of 0 is no limit."""

    players: tuple[int, ...]
    first_round: int = 1
    last_round: int = 0


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points given or taken beside the results (record 299), in tenths."""

    points: int
    round_number: int
    players: tuple[int, ...]
    kind: str = " "


@dataclass(frozen=True, slots=True)
class Team:
    """A team (record 013 or 310): its name, and the starting numbers of its players in the order of the boards."""

    name: str
    players: tuple[int, ...]
    number: int = 0
    """Its pairing number (record 310); 0 in a record 013, which has none."""
    standing: str = ""
    """Columns 42 to 71 of a record 310 as they are: nickname, strength, match points, game points, rank."""


@dataclass(frozen=True, slots=True)
class Scores:
    """A player's game points, round by round: scored and suffered; None where no game was played."""

    player: int
    rounds: tuple[tuple[int, int] | None, ...]

    @property
    def spread(self) -> int:
        """Points scored less points suffered, over all rounds."""
        return sum(score[0] - score[1] for score in self.rounds if score is not None)


@dataclass(frozen=True, slots=True)
class Note:
    """A line that was passed over because its tag is not known."""

    line: int
    """Counted from 1."""
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {quoted(self.text)} was passed over: the tag is not known"


@dataclass(frozen=True, slots=True)
class Document:
    """A tournament. Players stand in the order of their numbers."""

    players: tuple[Player, ...]
    headers: tuple[tuple[str, str], ...] = ()
    """Tag and text of lines about the tournament that have no field here, as ``("012", "Open de Reus")``."""
    rounds: int | None = None
    """How many rounds the tournament has, when the file says it."""
    initial_colour: Colour = "-"
    """The colour of the first player of the ranking in the first round, when the file says it."""
    points: Points = field(default_factory=Points)
    byes: tuple[Byes, ...] = ()
    fictitious: tuple[Fictitious, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    scores: tuple[Scores, ...] = ()
    teams: tuple[Team, ...] = ()
    other: tuple[str, ...] = ()
    """Lines that are kept as they are: comments, national ratings."""
    edition: Edition = Edition.TRF26
    notes: tuple[Note, ...] = field(default=(), compare=False)
    """Lines that were passed over, in the order of the file."""

    @property
    def pairs_teams(self) -> bool:
        """Whether rounds pair teams with each other: the file has numbered teams, or says so of its system."""
        return any(team.number for team in self.teams) or any(
            tag in {"352", "362"} or (tag in {"092", "192"} and "TEAM" in text.upper()) for tag, text in self.headers
        )

    @property
    def paired_rounds(self) -> int:
        """Rounds of which every game has its result: those before the one to be paired.

        A round without a game is over when each player has a bye in it, or when a later round has games: a bye alone
        was set for the round to be paired.
        """
        played = max((number for player in self.players for number in _games_over(player)), default=0)
        while self.players and all(len(player.cells) > played for player in self.players):
            cells = [player.cells[played] for player in self.players]
            if any(cell.opponent for cell in cells) or all(cell.result != "U" for cell in cells):
                break
            played += 1
        return played

    def player(self, number: int) -> Player | None:
        """The player with that starting number."""
        return next((player for player in self.players if player.number == number), None)

    def points_of(self, player: Player, rounds: int) -> int:
        """Points after so many rounds, in tenths, adjustments included."""
        earned = sum(self.points.of(player.cell(number)) for number in range(1, rounds + 1))
        return earned + sum(
            adjustment.points
            for adjustment in self.adjustments
            if player.number in adjustment.players and adjustment.round_number <= rounds
        )

    def fictitious_points(self, player: int, round_number: int) -> int:
        """Points that a player has for the pairing of a round alone, in tenths."""
        return sum(
            entry.points
            for entry in self.fictitious
            if entry.first_round <= round_number <= entry.last_round
            and entry.first_player <= player <= entry.last_player
        )


def _games_over(player: Player) -> Iterator[int]:
    """Yield the rounds in which this player's line has a game with its result."""
    for number, cell in enumerate(player.cells, 1):
        if cell.opponent and not cell.open:
            yield number


def told_by_first_round(players: Sequence[Player]) -> Colour:
    """The initial colour, by the first player who had an opponent in round 1; ``-`` when that tells none.

    It is that of the odd numbers, counted among those who were paired in that round: who comes later has no number yet
    (FIDE C.04.2, C.04.3 5.2.5).
    """
    there = sorted((player for player in players if player.cell(1).paired), key=lambda player: player.number)
    for place, player in enumerate(there, 1):
        if player.cell(1).opponent:
            colour = player.cell(1).colour
            return colour if place % 2 or colour == "-" else "b" if colour == "w" else "w"
    return "-"
