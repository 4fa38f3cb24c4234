"""The sections of a ruleset for duplicate games: one class for each, one field for each value.

The docstring of a field gives the meaning of its value, the alternatives in the order of the type; the file of a book
has its values and articles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cost = Literal["null", "warning", "nothing"]
"""The penalty for a fault on a slip: the play is null; it counts and its player is warned; or it simply counts."""

DuplicateTieBreak = Literal["tops", "best-play", "last-turn-backwards"]
"""Criteria that rank equal players: the number of tops; the best play; the score of the last turn, then of the turn
before it, and so on."""


@dataclass(frozen=True, slots=True)
class Racks:
    """Validity of racks, and the procedure for an invalid one."""

    vowels_min: int
    consonants_min: int
    late_from_turn: int
    """The turn from which the two values below apply."""
    vowels_min_late: int
    consonants_min_late: int
    late_when_left: int | None
    """The late values apply once bag and rack have this number of vowels, or of consonants, or fewer; None if only the
    number of the turn counts."""
    blanks_left_count: bool
    """Whether a blank counts as a vowel or a consonant that is left. In a rack it fills the place of either."""
    invalid: Literal["return-all", "return-drawn"]
    """The tiles that go back before the next draw: the whole rack; or the tiles drawn, while the leftover can be part
    of a valid rack."""


@dataclass(frozen=True, slots=True)
class DuplicateTurns:
    """The turns of a game: number, time, and players."""

    seconds: int
    """Time of a turn, from the call to the end of writing."""
    may_warn_seconds: int | None
    """Time before the end at which the judge may warn; None for no such warning."""
    must_warn_seconds: int | None
    """Time before the end at which the judge must warn."""
    turns: int | None
    """An announced number of turns; None for a complete game."""
    official_players: int
    """The least number of players of an official game."""
    official_complete: bool
    """Whether only a complete game is official."""
    late_entry: Literal["never"]
    """A player cannot enter a game whose first turn has begun."""


@dataclass(frozen=True, slots=True)
class Slips:
    """The content of a slip, and the cost of each fault."""

    coordinates: Literal["null"]
    """Penalty for coordinates that are missing, illegible or wrong, or at which the word cannot lie."""
    word: Literal["null"]
    """Penalty for a main word that is incomplete, illegible, not in the lexicon, or not made of the rack."""
    score: Literal["asked", "not-asked"]
    """Whether the organiser requires the score of the play on the slip."""
    score_missing: Cost
    """Penalty for a required score that is missing."""
    score_wrong: Cost
    """Penalty for a wrong score: the play is null, or the score is computed."""
    blank_uncircled: Cost
    """Penalty for a blank whose letter is not marked."""
    cross_invalid: Literal["null", "nothing"]
    """Penalty for an invalid cross word: the play is null, or only the main word is checked."""
    late: Literal["null"]
    """Penalty for a slip after the end of the turn, a slip not handed in, or a hand not raised."""
    two_slips: Literal["arbiter"]
    """If a player handed in two slips, an arbiter rules which of them counts, if any."""


@dataclass(frozen=True, slots=True)
class Warnings:
    """The penalty for warnings in a game."""

    free: int
    """Number of warnings of a player without a penalty."""
    points: int
    """Deduction from the total for each further warning."""


@dataclass(frozen=True, slots=True)
class MasterPlays:
    """The play that is laid on every board."""

    chosen_by: Literal["judge"]
    lower: Literal["free", "with-reason", "never"]
    """Whether a play below the highest score can be chosen."""


@dataclass(frozen=True, slots=True)
class Solo:
    """A bonus for the only player with the highest score of a turn."""

    points: int
    """Points of the bonus; 0 for none."""
    players_min: int
    """The least number of players for the bonus."""


@dataclass(frozen=True, slots=True)
class DuplicateEnd:
    """End conditions of a game other than an announced number of turns."""

    exhausted: bool
    """Whether it ends if vowels or consonants are exhausted without a blank to stand for one, or if no valid rack is
    possible."""
    no_play: bool
    """Whether it ends if the tiles left make no play."""
    agreement: bool
    """Whether the judge can end it, together with the players."""


@dataclass(frozen=True, slots=True)
class DuplicateRanking:
    """The order of players in the standings."""

    by: Literal["total", "percent"]
    """Points of all turns; or their percentage of the points of the master plays, over all games that are summed."""
    tie_breaks: tuple[DuplicateTieBreak, ...]
    """Tie-breaks in the order of application. Players equal in all of them share a rank."""


@dataclass(frozen=True, slots=True)
class Claims:
    """Publication of results, and their corrections."""

    published: Literal["turns-and-players"]
    """Every score, by turn and by player, is published during the event."""
    final_on: Literal["validated"]
    """The end of claims: the judge has validated the results."""
