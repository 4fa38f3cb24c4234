"""Tiles that were laid and then moved or taken back: time limit and sanction.

Under FISC, UF and FISE a tile that was laid must be played, in the row or column in which the play was begun. A play
that breaks this is withdrawn and the turn is lost (FISC I.6, UF 10 to 13, FISE 21 to 24). Under PES every tile may be
moved while the player's clock runs (Δ.β). Festa Major forbids moving a tile after the validation of the word (FM 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.board import Placement
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.sections import Step


def fixed_after(ruleset: Ruleset) -> Step:
    """Return the step after which no tile of a play can be moved or taken back.

    It is the count, which begins with the announced score (FISC I.6, UF 11, FISE 22); the stop of the clock (PES Δ.β);
    or the written score, if plays are not announced (FM 4).
    """
    if ruleset.touch.rule == "free-until-clock":
        return "stop"
    return "announce" if "announce" in ruleset.turn.steps else "write"


def check_change(done: Collection[Step], ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a tile moved or taken back after the step that fixes a play; ``done`` are its steps."""
    step = fixed_after(ruleset)
    if step in done:
        raise Refusal(
            "PLAY_FIXED",
            N_("The play is fixed at this point: no tile can be moved or taken back."),
            article=ruleset.law.rearranged,
        )


def check_touched(laid: Sequence[Placement], play: Sequence[Placement], ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a play that breaks an obligation from the tiles laid before it.

    ``laid`` are the tiles in the order in which they were first laid, with their first squares; ``play`` is the present
    play (empty if all were taken back). Every tile laid must be played. The row or column of the first tile, or the
    line of the first two, is binding. A play of one tile may slide along its row or its column (FISE 22). Whether a
    breach costs the turn is ``ruleset.touch.sanction``.
    """
    if ruleset.touch.rule != "strict" or not laid:
        return
    missing = Counter(tile.in_rack for _, tile in laid) - Counter(tile.in_rack for _, tile in play)
    if missing:
        raise Refusal(
            "TOUCHED_NOT_PLAYED",
            N_("{tiles} lay on the board and must be played: the tiles are withdrawn and the turn is lost."),
            {"tiles": " ".join(sorted(missing.elements()))},
            article=ruleset.article("touch.rule"),
        )
    if ruleset.touch.line_fixed_by_first_tile and not _in_line(laid, play):
        raise Refusal(
            "LINE_CHANGED",
            N_(
                "The play began at {square} and must stay in that row or column: the tiles are withdrawn and the "
                "turn is lost."
            ),
            {"square": str(laid[0].square)},
            article=ruleset.article("touch.line_fixed_by_first_tile"),
        )


def _in_line(laid: Sequence[Placement], play: Sequence[Placement]) -> bool:
    """Check whether ``play`` is in a line that the first one or two tiles of ``laid`` allow."""
    (row, col) = laid[0].square
    in_row = all(square.row == row for square, _ in play)
    in_col = all(square.col == col for square, _ in play)
    if len(laid) > 1:
        in_row = in_row and laid[1].square.row == row
        in_col = in_col and laid[1].square.col == col
    return in_row or in_col
