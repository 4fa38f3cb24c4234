"""Who may decide on what happens in a game."""

from __future__ import annotations

from collections.abc import Collection

from faristol.kernel.refusal import N_, Refusal


def check_not_concerned(field: str, officials: Collection[str], concerned: Collection[str]) -> None:
    """Refuse officials among the players whom an act concerns; ``field`` names the officials.

    Nobody is judge of their own game. No book says it, and every book means it.
    """
    if own := [official for official in officials if official in concerned]:
        raise Refusal(
            "OWN_GAME",
            "",
            N_("{officials} cannot decide on their own game or sanction: give another in {field}."),
            {"officials": ", ".join(own), "field": field},
        )
