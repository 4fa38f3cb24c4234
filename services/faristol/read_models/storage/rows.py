"""Rows of the read models as plain values: a class for each table. Pure.

A queried value, such as a score, a player or a line, has a column or a row. A variable list that is read only with its
row is a tuple of named tuples, stored as JSON in one column. Rarely read lists, such as the tiles and words of a play,
stay JSON in memory too (``encode_tuples``). Values are replaced, never modified, so that changed rows can be detected.

``STORED_APART`` marks fields whose rows are stored in other tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

KEY = {"key": True}
STORED_APART = {"beside": True}
"""The row has no such column: these rows have their own table."""


class StoredRow:
    """A row of a table."""

    __slots__ = ()


def key() -> Any:
    """Return a field for a column of the primary key."""
    return field(metadata=KEY)


N = TypeVar("N", bound=tuple[Any, ...])


def encode_tuples(items: Sequence[Any]) -> str:
    """Encode named tuples or texts as JSON; empty for an empty sequence."""
    return _encode(items) if items else ""


def decode_tuples(item: type[N], text: str) -> list[N]:
    """Decode named tuples from JSON. A sequence inside a tuple becomes a list."""
    return [item(*read) for read in json.loads(text)] if text else []


def decode_many_tuples(texts: Iterable[str]) -> list[list[list[Any]]]:
    """Decode the fields of the named tuples of many values at once."""
    found: list[list[list[Any]]] = json.loads(f"[{','.join(text or '[]' for text in texts)}]")
    return found


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Option(NamedTuple):
    """A chosen option of a ruleset."""

    name: str
    value: str


class Division(NamedTuple):
    """A division of a championship."""

    tournament_id: str
    name: str
    stage: int = 0
    """Number of the stage, if its players qualify in earlier ones; 0 otherwise."""


class StoredHall(NamedTuple):
    """A hall and its tables."""

    name: str
    first_table: int
    last_table: int
    row_tables: Sequence[int] = ()
    """Numbers of tables of the rows of its plan; empty without a plan."""
    rows_turn: bool = False
    entrance: int = 0
    """Side of the plan, of the enumeration of the contract."""
    stage: int = 0


class Announced(NamedTuple):
    """The announced start of a round; times are in nanoseconds since 1970."""

    round: int
    starts_at: int
    announced_at: int


class StoredMessage(NamedTuple):
    """A message of officials; times are in nanoseconds since 1970."""

    number: int
    kind: int
    audience: int
    hall: str
    tables: Sequence[int]
    player_ids: Sequence[str]
    round: int
    until: int | None
    interrupts: bool
    sent_at: int
    expires_at: int
    public: bool
    """Whether everyone can read it; else only its players and officials."""
    text_at: int
    """Position of its event, beside which the text is stored."""


class StoredPart(NamedTuple):
    """A part of the programme of a screen."""

    content: int
    hall: str = ""
    table: int = 0
    digest: str = ""


class StoredScreen(NamedTuple):
    """A screen; ``set_at`` is the position of the event that named it last."""

    code: str
    name: str
    programme: Sequence[Sequence[Any]]
    """Each a ``StoredPart``."""
    seconds: int
    set_at: int


class StoredPicture(NamedTuple):
    """A picture for screens."""

    digest: str
    name: str


class StoredSlot(NamedTuple):
    """A stream slot; ``for_round`` is 0 if it follows the table or the rank from round to round."""

    slot: int
    table: int
    for_round: int = 0
    rank: int = 0
    """Line of the standings that it follows; 0 for a table."""


class StoredClaim(NamedTuple):
    """The claim of an annotator on a table."""

    table: int
    annotator_id: str


class StoredHallCell(NamedTuple):
    """The cell of a hall."""

    hall: str
    address: str
    """Address of its pages; empty if unknown."""


class StoredHallBehind(NamedTuple):
    """A hall whose cell has not been heard."""

    hall: str
    since: int
    """In nanoseconds since 1970."""


class StoredKept(NamedTuple):
    """A command on a result that a hall keeps until its line is back."""

    table: int
    game_id: str
    command_id: str
    scores: tuple[int, ...]
    """Scores after the command, in the order of the seats."""


class Placement(NamedTuple):
    """A tile on a square."""

    row: int
    column: int
    face: str
    blank: bool


class ScoredWord(NamedTuple):
    """A word of a play."""

    faces: Sequence[str]
    row: int
    column: int
    across: bool
    score: int


class RuledWord(NamedTuple):
    """A word of a ruling."""

    faces: Sequence[str]
    valid: bool


class SheetScore(NamedTuple):
    """A score as a player wrote it."""

    player_id: str
    score: int
    total: int


class Incident(NamedTuple):
    """An incident that is not a turn."""

    kind: int
    turn: int
    player_id: str = ""
    number: int = 0
    open: bool = False
    article: str = ""


class Wait(NamedTuple):
    """A matter that waits at a table; ``since`` is in nanoseconds since 1970."""

    kind: int
    since: int
    turn: int
    player_id: str
    number: int
    arbiter: bool
    article: str


class Adjustment(NamedTuple):
    """Points of the spread that do not come from scores."""

    player_id: str
    points: int
    article: str
    sanction: bool = False


class Sanction(NamedTuple):
    """Points that a sanction deducted from a score; ``version`` is that of its event in the tournament's stream."""

    player_id: str
    points: int
    article: str
    version: int


class TeamRound(NamedTuple):
    """The round of a team, under the names of the contract."""

    round: int
    final: bool
    basis: int = 0
    outcome: int = 0
    match: int = 0
    opponent_id: str = ""
    board_half_points: int = 0
    against_half_points: int = 0


class TieBreak(NamedTuple):
    """The value of a tie-break, in quarters; for a mean, its sum and divisor."""

    name: str
    quarters: int
    divisor: int


@dataclass(slots=True)
class Ruleset(StoredRow):
    """The content of a ruleset, as stored on the record."""

    digest: str = key()
    content: bytes = b""


@dataclass(slots=True)
class Player(StoredRow):
    """A registered player."""

    tournament_id: str = key()
    player_id: str = key()
    rating: int = 0
    unrated: bool = False
    new_rating: int | None = None
    entered_round: int = 1
    withdrawn_round: int = 0
    checked_in: bool = False
    team_id: str = ""
    category: str = ""
    seed_number: int = 0
    carried_half_points: int = 0
    carried_spread: int = 0

    @property
    def never_came(self) -> bool:
        """Whether the player withdrew before any round: without a place in the standings."""
        return 0 < self.withdrawn_round <= self.entered_round


@dataclass(slots=True)
class Team(StoredRow):
    """A registered team; ``number`` is its place in the order of registration."""

    tournament_id: str = key()
    team_id: str = key()
    number: int = 0
    name: str = ""
    entered_round: int = 1
    withdrawn_round: int = 0
    line_up: tuple[str, ...] = ()

    @property
    def never_came(self) -> bool:
        """Whether the team withdrew before any round, and so has no place in the standings."""
        return 0 < self.withdrawn_round <= self.entered_round


class ByeKind(StrEnum):
    """The reason for a bye."""

    ALLOCATED = "allocated"
    """The pairing left the player over."""
    REQUESTED = "requested"
    """The bye was granted, or the player has no opponent in a match."""
    TEAM = "team"
    """The bye of a whole team."""


@dataclass(slots=True)
class Bye(StoredRow):
    """The bye of a player or a team; ``worth`` is a ``ByeKind`` of the events."""

    tournament_id: str = key()
    round: int = key()
    kind: str = key()
    place: int = key()
    player_id: str = ""
    team_id: str = ""
    worth: int = 0
    match: int = 0
    board: int = 0


@dataclass(slots=True)
class Match(StoredRow):
    """Two teams in a round."""

    tournament_id: str = key()
    round: int = key()
    match: int = key()
    first_team_id: str = ""
    second_team_id: str = ""


@dataclass(slots=True)
class Seat(StoredRow):
    """A player at a table: the score that counts in the tournament, the score of the table, and the clock.

    Times are in milliseconds; ``running_since`` is in nanoseconds since 1970, None while the clock is stopped.
    """

    game_id: str = key()
    place: int = key()
    tournament_id: str = ""
    round: int = 0
    player_id: str = ""
    team_id: str = ""
    score: int = 0
    table_score: int = 0
    used_ms: int = 0
    turn_used_ms: int = 0
    running_since: int | None = None
    absent: bool = False


@dataclass(slots=True)
class Line(StoredRow):
    """A line of a scoresheet; ``number`` increases from line to line."""

    game_id: str = key()
    number: int = key()
    tournament_id: str = ""
    kind: int = 0
    turn: int = 0
    player_id: str = ""
    score: int = 0
    total: int = 0
    bingo: bool = False
    challenged: bool = False
    complete: bool = False
    exchanged: int = 0
    overtime_ms: int = 0
    coordinates: str = ""
    withdrawn_for: int = 0
    lost_for: int = 0
    article: str = ""
    faces: tuple[str, ...] = ()
    placements: str = ""
    """Packed, each a ``Placement``."""
    words: str = ""
    """Packed, each a ``ScoredWord``, the main word first."""
    written: tuple[SheetScore, ...] = ()
    ruled_words: tuple[RuledWord, ...] = ()


@dataclass(slots=True)
class Sheet(StoredRow):
    """The state of an open table, without the lines of its sheet."""

    game_id: str = key()
    ruleset: str = ""
    ruleset_digest: str = ""
    ruleset_options: tuple[Option, ...] = ()
    lexicon: str = ""
    lexicon_digest: str = ""
    first_player_id: str = ""
    turn_player_id: str = ""
    bag_left: int = 0
    end_condition: int = 0
    final: bool = False
    winner_id: str = ""
    lost_by_all: bool = False
    loser_ids: tuple[str, ...] = ()
    laid: tuple[Placement, ...] = ()
    settled: tuple[Placement, ...] = ()
    """Blanks on the board that were changed to a letter other than that in their play."""
    incidents: tuple[Incident, ...] = ()
    clocked: bool = False
    """Whether there are clocks."""
    allowance_ms: int = 0
    turn_ms: int = 0
    neutralised_for: int = 0
    round_time_over: bool = False
    last_turn: int = 0
    draw_commitment: bytes = b""
    seed: bytes = b""
    arbiter_id: str = ""
    """The arbiter assigned to the table."""
    waits: tuple[Wait, ...] = ()
    """In the order in which they arose."""


@dataclass(slots=True)
class Game(StoredRow):
    """A table of a round: the pairing, and the result in the tournament."""

    game_id: str = key()
    tournament_id: str = ""
    round: int = 0
    place: int = 0
    """In the order of the pairing."""
    table: int = 0
    hall: str = ""
    match: int = 0
    board: int = 0
    first_player_id: str = ""
    turns: int = 0
    final: bool = False
    winner_id: str = ""
    lost_by_all: bool = False
    condition: int = 0
    loser_ids: tuple[str, ...] = ()
    unplayed: bool = False
    corrected: bool = False
    postponed_to: int | None = None
    """In nanoseconds since 1970."""
    spread_adjustments: tuple[Adjustment, ...] = ()
    score_sanctions: tuple[Sanction, ...] = ()
    entered_by: str = ""
    corrected_by: str = ""
    cell_hall: str = ""
    """The hall whose cell decides at the table; empty if the championship does."""
    seats: list[Seat] = field(default_factory=list, metadata=STORED_APART, compare=False)
    """In the order of the pairing."""
    sheet: Sheet | None = field(default=None, metadata=STORED_APART, compare=False)
    """None until the table is opened."""
    lines: list[Line] = field(default_factory=list, metadata=STORED_APART, compare=False)

    def seat(self, player_id: str) -> Seat | None:
        """Return the seat of a player; None if the player does not sit here."""
        for seat in self.seats:
            if seat.player_id == player_id:
                return seat
        return None


@dataclass(slots=True)
class Round(StoredRow):
    """A round that is paired."""

    tournament_id: str = key()
    round: int = key()
    phase: int = 0
    algorithm: str = ""
    tables: int = 0
    finished: int = 0
    corrected_before: bool = False
    paired_by: tuple[str, ...] = ()
    """Results of earlier rounds that have changed since this one was paired, as they were then."""
    paired_at: int | None = None
    """In nanoseconds since 1970, as are the two below."""
    started_at: int | None = None
    closed_at: int | None = None
    seeds: tuple[str, ...] = ()
    """In the first round of a knock-out: its players in the order in which they are placed in the bracket."""
    games: list[Game] = field(default_factory=list, metadata=STORED_APART, compare=False)
    byes: list[Bye] = field(default_factory=list, metadata=STORED_APART, compare=False)
    matches: list[Match] = field(default_factory=list, metadata=STORED_APART, compare=False)

    def byes_of(self, kind: ByeKind) -> Iterator[Bye]:
        """Return the byes of a kind, in order."""
        return (bye for bye in self.byes if bye.kind == kind)

    @property
    def complete(self) -> bool:
        """Whether all results are final."""
        return all(game.final for game in self.games)


@dataclass(slots=True)
class Tournament(StoredRow):
    """A tournament. Times are in nanoseconds since 1970."""

    tournament_id: str = key()
    name: str = ""
    rounds: int = 0
    players: int = 0
    """The number of players who take part."""
    ruleset: str = ""
    """Empty between the two events of the append that creates the tournament."""
    ruleset_digest: str = ""
    ruleset_options: tuple[Option, ...] = ()
    lexicon: str = ""
    lexicon_digest: str = ""
    over: bool = False
    created_at: int = 0
    division: str = ""
    division_of: str = ""
    divisions: tuple[Division, ...] = ()
    """Of a championship; only the first division has them."""
    team_boards: int = 0
    time_zone: str = ""
    halls: tuple[StoredHall, ...] = ()
    announced: tuple[Announced, ...] = ()
    """In the order of the rounds."""
    ranked_at: int = 0
    """Position of the last event after which standings may have changed."""
    rating_system: str = ""
    rating_revision: int = 0
    rating_published_at: int | None = None
    rating_revised_at: int | None = None
    place: str = ""
    country: str = ""
    starts_on: str = ""
    """The first day, as ``2026-11-28``."""
    ends_on: str = ""
    organiser: str = ""
    link: str = ""
    archived: bool = False
    removed: bool = False
    contact_at: int = 0
    """Position of the last ``ContactSet``, beside which the text is stored; 0 if there is no such event."""
    arbiters_at: int = 0
    """The same for ``ArbitersNamed``."""
    screens: tuple[StoredScreen, ...] = ()
    """In the order in which they were first named."""
    pictures: tuple[StoredPicture, ...] = ()
    """In the order of addition."""
    broadcast_delay_minutes: int = 0
    """Minutes after which events of games are published."""
    held_from: int = 0
    """Position of the first delay, after which events are held back; 0 if there never was one."""
    told: int = 0
    """Position up to which held events are published."""
    slots: tuple[StoredSlot, ...] = ()
    """By number."""
    claims: tuple[StoredClaim, ...] = ()
    """By table."""
    hall_cells: tuple[StoredHallCell, ...] = ()
    """Cells of halls, by name."""
    halls_behind: tuple[StoredHallBehind, ...] = ()
    """Halls whose cells have not been heard, by name."""
    kept: tuple[StoredKept, ...] = ()
    """Commands that halls keep, in order."""
    form_open: bool = False
    """Whether the form accepts entries of players between the times below."""
    form_opens_at: int | None = None
    form_closes_at: int | None = None
    stage_number: int = 1
    """Number of the stage of its championship."""
    stage_sources: tuple[str, ...] = ()
    """Ids of the tournaments in which its players qualify."""
    stage_first_place: int = 0
    """First place of each source that qualifies."""
    stage_last_place: int = 0
    final_place: int = 1
    """Best place of the final table that its players play for."""
    messages: tuple[StoredMessage, ...] = ()
    """Messages that are not withdrawn and had not expired when the latest was sent, by number."""


@dataclass(slots=True)
class Standing(StoredRow):
    """A player's line in the standings after a round."""

    tournament_id: str = key()
    round: int = key()
    player_id: str = key()
    rank: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    bye: bool = False
    half_points: int = 0
    spread: int = 0
    total: int = 0
    tie_breaks: str = ""
    """Packed, each a ``TieBreak``, in the order in which they decide."""
    annulled: bool = False
    """Whether the player left before half of the games, which are annulled (FIDE C.05 6.6)."""


@dataclass(slots=True)
class TeamStanding(StoredRow):
    """A team's line in the standings after a round."""

    tournament_id: str = key()
    round: int = key()
    team_id: str = key()
    rank: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    match_half_points: int = 0
    board_half_points: int = 0
    spread: int = 0
    total: int = 0
    tie_breaks: str = ""
    """Packed, each a ``TieBreak``, in the order in which they decide."""
    rounds: str = ""
    """Packed, each a ``TeamRound``, in order."""


CLASSES: tuple[type[StoredRow], ...] = (
    Ruleset,
    Tournament,
    Player,
    Team,
    Round,
    Bye,
    Match,
    Game,
    Seat,
    Sheet,
    Line,
    Standing,
    TeamStanding,
)
