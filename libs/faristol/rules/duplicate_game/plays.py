"""Plays of a duplicate turn: those of the highest score, and the proposals for the master play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.board import Board, Direction, Placement, Tile
from faristol.rules.notation import Notation, Start, lay, write_word
from faristol.rules.placement import check_play
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.scoring import score_play

IsWord = Callable[[tuple[str, ...]], bool]
"""Checks whether a word, as faces, is in the lexicon of the game."""


class Play(NamedTuple):
    """A possible play in a turn."""

    start: Start
    """The start of its main word."""
    word: tuple[Tile, ...]
    """The main word, including tiles of the board."""
    placements: tuple[Placement, ...]
    score: int

    @property
    def blanks(self) -> int:
        """Number of blanks laid."""
        return sum(tile.blank for _, tile in self.placements)

    def lays_as(self, other: Play) -> bool:
        """Check whether it lays the same tiles on the same squares as another play, with any main word."""
        return set(self.placements) == set(other.placements)

    def __str__(self) -> str:
        return f"{Notation.FISC.write(self.start)} {write_word(self.word)} {self.score}"


def sort_tops(tops: Sequence[Play]) -> tuple[Play, ...]:
    """Sort ``tops`` in the order of proposal as master play.

    The order is the highest score, the fewest blanks, across before down, the lowest row, the lowest column. Equal
    plays sort by the faces of the word, so that the order is unique. The book leaves the choice to the judge (FISC
    II.1).
    """
    return tuple(sorted(tops, key=_place))


def _place(play: Play) -> tuple[int, int, bool, int, int, tuple[str, ...], tuple[bool, ...]]:
    (row, col), direction = play.start
    faces, blanks = tuple(tile.face for tile in play.word), tuple(tile.blank for tile in play.word)
    return (-play.score, play.blanks, direction is Direction.DOWN, row, col, faces, blanks)


def make_play(
    start: Start, word: Sequence[Tile], board: Board, rack: Sequence[str], ruleset: Ruleset, is_word: IsWord
) -> Play:
    """Return the scored play of ``word`` from ``start`` on.

    Raises ``Refusal`` if it does not fit the board or the rack, or if it forms a word that is not in the lexicon.
    """
    try:
        laid = lay(board, start, word)
    except ValueError:
        raise _no_play(N_("{word} does not fit there: other tiles are on its squares."), start, word, ruleset) from None
    words = check_play(board, laid, rack=rack, ruleset=ruleset)
    if not any(formed.start == start and formed.faces == tuple(tile.face for tile in word) for formed in words):
        raise _no_play(N_("{word} would be only a part of the word formed there."), start, word, ruleset)
    for formed in words:
        if not is_word(formed.faces):
            raise Refusal(
                "NO_WORD",
                N_("{word} is not in the lexicon."),
                {"word": str(formed)},
                article=ruleset.article("lexicon.layers"),
            )
    main = next(formed for formed in words if formed.start == start)
    return Play(start, main.tiles, laid, score_play(board, laid, ruleset, words).points)


def _no_play(message: str, start: Start, word: Sequence[Tile], ruleset: Ruleset) -> Refusal:
    written = f"{Notation.FISC.write(start)} {write_word(word)}"
    return Refusal("NO_PLAY", message, {"word": written}, article=ruleset.law.free_square)


def check_master(play: Play, top: int, reason: str, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a master play below the highest score ``top`` if it is forbidden or needs a reason."""
    if play.score >= top or ruleset.master_plays.lower == "free":
        return
    article = ruleset.article("master_plays.lower")
    params = {"score": play.score, "top": top}
    if ruleset.master_plays.lower == "never":
        raise Refusal(
            "MASTER_PLAY_LOWER",
            N_("The master play must have the highest score: {score} is not {top}."),
            params,
            article=article,
        )
    if not reason.strip():
        raise Refusal(
            "REASON_NEEDED", N_("A master play of {score} instead of {top} needs a reason."), params, article=article
        )
