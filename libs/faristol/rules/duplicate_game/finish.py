"""The end of a duplicate game, and whether it was official (FISC II.1, II.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from faristol.rules.duplicate_game.racks import can_be_valid, is_exhausted
from faristol.rules.ruleset.ruleset import Ruleset


class DuplicateEndReason(StrEnum):
    """The reason for the end of a game."""

    EXHAUSTED = "exhausted"
    """No vowel or no consonant is left."""
    NO_RACK = "no-rack"
    """The tiles left make no valid rack."""
    NO_PLAY = "no-play"
    """The tiles left make no play."""
    TURNS = "turns"
    """The announced number of turns is complete."""
    AGREEMENT = "agreement"
    """The judge decided it, together with the players."""


_KEYS = {
    DuplicateEndReason.EXHAUSTED: "finish.exhausted",
    DuplicateEndReason.NO_RACK: "finish.exhausted",
    DuplicateEndReason.NO_PLAY: "finish.no_play",
    DuplicateEndReason.TURNS: "turns.turns",
    DuplicateEndReason.AGREEMENT: "finish.agreement",
}


class Unofficial(StrEnum):
    """The reason why a game is not official."""

    PLAYERS = "players"
    """It had too few players."""
    TURNS = "turns"
    """It was not complete."""


def end_article(reason: DuplicateEndReason, ruleset: Ruleset) -> str:
    """Return the article on the end of a game for ``reason``."""
    return ruleset.article(_KEYS[reason])


def end_before(
    turn: int, left: Sequence[str], ruleset: Ruleset, can_lay: Callable[[Sequence[str]], bool]
) -> DuplicateEndReason | None:
    """Return the reason why the game ends before ``turn``, from 1; None if it continues.

    ``left`` are all tiles in bag and rack. ``can_lay`` checks whether tiles make any play; it is called only if no more
    than a rack is left, since otherwise another rack can be drawn.
    """
    if ruleset.turns.turns is not None and turn > ruleset.turns.turns:
        return DuplicateEndReason.TURNS
    if not left or is_exhausted(left, ruleset):
        return DuplicateEndReason.EXHAUSTED
    if not can_be_valid(turn, left, ruleset):
        return DuplicateEndReason.NO_RACK
    if ruleset.finish.no_play and len(left) <= ruleset.game.rack_size and not can_lay(left):
        return DuplicateEndReason.NO_PLAY
    return None


def unofficial(players: int, end: DuplicateEndReason | None, ruleset: Ruleset) -> tuple[Unofficial, ...]:
    """Return the reasons why a game of ``players`` is not official; empty if it is, or can still be."""
    found = []
    if players < ruleset.turns.official_players:
        found.append(Unofficial.PLAYERS)
    announced = ruleset.turns.turns is not None
    cut_short = end in (DuplicateEndReason.TURNS, DuplicateEndReason.AGREEMENT)
    if ruleset.turns.official_complete and (announced or cut_short):
        found.append(Unofficial.TURNS)
    return tuple(found)
