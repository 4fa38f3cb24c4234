"""What goes between the racks and the bag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Exchange:
    """How tiles are exchanged for a turn."""

    limit: Literal["bag", "full-rack-in-bag", "leave-full-rack"]
    """As many as the bag holds; any number while it holds a full rack; or as many as leave a full rack in it."""
    max: int
    """The most in one exchange, whatever the bag holds."""
    illegal: Literal["none", "turn-lost", "reveal-and-choose"]
    """What follows when more were taken: nothing but a refusal; the turn is lost; or the opponent reveals as many
    tiles of the player and the whole bag, and chooses which of them the player keeps."""
    stops_clock: bool
    """The mover stops the clock before drawing."""
    number_fixed: bool
    """The number announced cannot be changed."""
    announced_can_be_dropped: bool
    """After announcing an exchange the player may still play or pass."""


@dataclass(frozen=True, slots=True)
class FreeExchange:
    """Changing a rack of vowels alone, or of consonants alone, without losing the turn."""

    allowed: bool
    bag_min: int
    """Tiles that the bag must hold."""
    blanks_count: bool
    """Whether a blank passes for the vowel or consonant that is wanted."""
    all_tiles: bool
    """The whole rack must be changed."""
    when: Literal["before-acting", "never"]
    """On the own turn, before anything else was done in it."""
    unfounded: Literal["none", "turn-lost"]
    """What asking for it without such a rack costs."""


@dataclass(frozen=True, slots=True)
class Passing:
    """When a turn may be passed."""

    allowed: Literal["always", "full-rack-in-bag"]
    cannot_play: bool
    """Where passing is not allowed, a player who can lay nothing says so and gives the turn up."""


@dataclass(frozen=True, slots=True)
class Overdraw:
    """Too many tiles drawn."""

    unracked: Literal["random-of-new", "two-more-of-new", "arbiter"]
    """Before the new tiles are among the others: the surplus is taken at random out of the new ones; or two more
    than the surplus are, and the opponent chooses which of them go back; or an arbiter decides."""
    racked: Literal["random-of-rack", "two-more-of-rack", "arbiter"]
    """The same when the new tiles cannot be told from the others."""
    seen_counts_as_racked: bool
    """Tiles that the player has looked at are treated as racked."""
    returned_seen: Literal["by-nobody", "by-opponent-if-mover-saw", "by-opponent"]
    """Who may look at tiles taken at random before they go back."""
    late: Literal["as-racked", "choose-and-lose-turn", "arbiter"]
    """Noticed by the opponent before the player's next play is complete: as racked; or the opponent sees the rack,
    chooses what goes back, and the player loses the next turn; or an arbiter decides."""
    expulsion_after_in_game: int | None
    """Held on purpose so many times in one game: expulsion is proposed."""
    expulsion_after_in_tournament: int | None


@dataclass(frozen=True, slots=True)
class Underdraw:
    """Too few tiles drawn."""

    unracked: Literal["complete", "arbiter"]
    racked: Literal["complete", "complete-and-show", "arbiter"]
    """Draw what is missing; draw it and show it to the opponent; or an arbiter decides."""


@dataclass(frozen=True, slots=True)
class FoundTiles:
    """Tiles found beside the board after the game began."""

    rule: Literal["refused", "into-bag"]
    """No claim is heard any more; or they go into the bag."""
    out_at: int | None
    """They stay out of the game when the bag holds so many tiles or fewer."""
    counted: Literal["before", "after"]
    """Whether the bag is counted before or after the tiles found are added."""
