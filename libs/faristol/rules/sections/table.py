"""Who plays with what, who begins, and how a turn goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Step = Literal["place", "announce", "stop", "write", "draw", "press"]
"""One step of a turn: lay the tiles, say word and score (PES: declare the play done), stop the own clock, write the
score, refill the rack, start the opponent's clock."""


@dataclass(frozen=True, slots=True)
class Game:
    """Who plays, and with what."""

    mode: Literal["classic", "multi"]
    """Two players, or a table of several."""
    players_min: int
    players_max: int
    tile_set: str
    """Name of a tile set, see ``load_tile_set``."""
    rack_size: int
    """Tiles that a player holds while the bag lasts; laying that many at once is a bingo."""
    turn_direction: Literal["alternate", "right", "left"]
    """To whom the turn passes: the other player, or the neighbour on that side."""


@dataclass(frozen=True, slots=True)
class Start:
    """Who begins."""

    method: Literal["draw", "lot", "first-named", "system", "draw-then-alternate"]
    """Each draws a tile; a lot before the game fixes the whole order; the first named in the pairing; as the
    pairing system says; a draw for the first game of a match, then in turn."""
    blank: Literal["first", "last"]
    """Where a blank stands in a draw: before the first letter or after the last."""
    tie: Literal["return-and-redraw", "redraw"]
    """Equal tiles: whether they go back before the next draw."""
    seat: Literal["free", "drawn", "starter-chooses", "lot"]
    """Who sits where: no rule; a draw if wanted; whoever begins chooses; the lot of the start."""

    @property
    def by_pairing(self) -> bool:
        """The first named of a pair begins (FISE 4.1, 4.2, PES Γ.α)."""
        return self.method in {"first-named", "system"}


@dataclass(frozen=True, slots=True)
class FirstMove:
    """What the first play on an empty board must do."""

    tiles_min: int
    centre: Literal["mandatory", "opponent-decides"]
    """Whether a play that misses the centre breaks the rules, or is the opponent's to accept or declare invalid."""
    direction: Literal["any", "across"]


@dataclass(frozen=True, slots=True)
class Touch:
    """What a tile laid on the board binds its player to."""

    rule: Literal["strict", "until-announced", "free-until-clock"]
    """A tile laid must be played; or may be taken back until the play is announced; or until the clock is stopped."""
    line_fixed_by_first_tile: bool
    """The row or column in which a play was begun must be kept."""
    sanction: Literal["turn-lost", "none"]
    """What a breach costs, after the tiles are taken back."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The course of a turn in which tiles are laid."""

    steps: tuple[Step, ...]
    """In the order of the book."""
    written_by: Literal["both", "mover", "keeper"]
    """Who writes the score of a play: both players, the mover, or the one who keeps the sheet of the table."""
    complete_on: Literal["placed", "both-written", "draw", "press"]
    """The step with which a play is complete and no longer in doubt."""
    next_waits_for_draw: bool
    """The opponent may lay no tile before the mover has drawn and shown a full rack."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points beyond those of tiles and premiums."""

    bingo: int
    """Points for laying a full rack in one play."""


@dataclass(frozen=True, slots=True)
class Blank:
    """What a blank stands for, and who is believed."""

    fixed_on: Literal["declared", "counting", "clock-stopped"]
    """When what it stands for can no longer be changed."""
    written_by: Literal["both", "mover", "keeper"]
    claims: Literal["placer-prevails", "arbiter"]
    """When the sheets differ, or nobody wrote: the one who laid it is believed, or an arbiter decides."""
    fake: Literal["turn-lost", "none"]
    """A letter laid face down as a blank, and noticed before the score is written."""
