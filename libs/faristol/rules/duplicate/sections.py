"""The sections of a ruleset for duplicate games: one class for each, one field for each value.

The docstring of a field says what its value means; what a book says is in its file, beside the article.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cost = Literal["null", "warning", "nothing"]
"""What a fault of a slip costs: its play is null; it counts and its player is warned; or it counts as any other."""

DuplicateTieBreak = Literal["tops", "best-play", "last-turn-backwards"]
"""What parts players that are equal: how many tops they found; their best play; the score of the last turn, then of the
one before it, and so on."""


@dataclass(frozen=True, slots=True)
class Racks:
    """Which racks are valid, and what happens to one that is not."""

    vowels_min: int
    consonants_min: int
    late_from_turn: int
    """From this turn on the two values below hold."""
    vowels_min_late: int
    consonants_min_late: int
    late_when_left: int | None
    """When so many vowels, or so many consonants, or fewer are left in bag and rack, the late values hold from then on;
    None where the number of the turn alone counts."""
    blanks_left_count: bool
    """Whether a blank counts as a vowel or a consonant that is left. In a rack it fills the place of either."""
    invalid: Literal["return-all", "return-drawn"]
    """What goes back before the next draw: the whole rack; or the tiles drawn, and the leftover is kept while a
    valid rack can come of it."""


@dataclass(frozen=True, slots=True)
class DuplicateTurns:
    """The course of a game: how many turns, how long, and for whom."""

    seconds: int
    """Time of a turn, from the call to the end of writing."""
    may_warn_seconds: int | None
    """So long before the end the judge may warn; None for no such warning."""
    must_warn_seconds: int | None
    """So long before the end the judge must warn."""
    turns: int | None
    """An announced number of turns; None for a complete game."""
    official_players: int
    """A game of fewer players is not official."""
    official_complete: bool
    """Only a complete game is official."""
    late_entry: Literal["never"]
    """Nobody enters a game whose first turn has begun."""


@dataclass(frozen=True, slots=True)
class Slips:
    """What must stand on a slip, and what each fault costs."""

    coordinates: Literal["null"]
    """They are missing, illegible or wrong, or the word cannot lie there."""
    word: Literal["null"]
    """The main word is not whole, illegible, no word, or not made of the rack."""
    score: Literal["asked", "not-asked"]
    """Whether the organiser asks for the score of the play on the slip."""
    score_missing: Cost
    """A score that is asked for and not there."""
    score_wrong: Cost
    """A score that is not that of the play. Null, or recomputed."""
    blank_uncircled: Cost
    """A blank was laid, and its letter is not marked."""
    cross_invalid: Literal["null", "nothing"]
    """A word across the main word that is none: the play is null, or only the main word is looked at."""
    late: Literal["null"]
    """A slip after the end of the turn, one not handed in, a hand not raised."""
    two_slips: Literal["arbiter"]
    """A player handed two in: an arbiter rules which of them counts, if any."""


@dataclass(frozen=True, slots=True)
class Warnings:
    """What warnings cost in a game."""

    free: int
    """Warnings of a player that cost nothing."""
    points: int
    """Points that each further one takes off the total."""


@dataclass(frozen=True, slots=True)
class MasterPlays:
    """The play that is laid on every board."""

    chosen_by: Literal["judge"]
    lower: Literal["free", "with-reason", "never"]
    """Whether a play below the highest score can be chosen."""


@dataclass(frozen=True, slots=True)
class Solo:
    """A bonus for whoever is the only one to find the highest score of a turn."""

    points: int
    """0 for none."""
    players_min: int
    """The bonus is given where so many play, or more."""


@dataclass(frozen=True, slots=True)
class DuplicateEnd:
    """When a game ends, beside an announced number of turns."""

    exhausted: bool
    """When no vowel or no consonant is left, and no blank to stand for one; also when no valid rack can be had."""
    no_play: bool
    """When nothing can be laid of all that is left."""
    agreement: bool
    """When the judge decides so, together with the players."""


@dataclass(frozen=True, slots=True)
class DuplicateRanking:
    """Who comes before whom."""

    by: Literal["total", "percent"]
    """Points of all turns; or those as a part of the points of the master plays, over all games that are summed."""
    tie_breaks: tuple[DuplicateTieBreak, ...]
    """In the order in which they decide. Who is equal in all of them shares a rank."""


@dataclass(frozen=True, slots=True)
class Claims:
    """Publishing results, and putting them right."""

    published: Literal["turns-and-players"]
    """Every score, by turn and by player, during the event."""
    final_on: Literal["validated"]
    """No claim is heard once the judge has validated the results."""
