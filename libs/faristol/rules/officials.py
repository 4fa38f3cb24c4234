"""Impartiality of officials."""

from __future__ import annotations

from collections.abc import Collection

from faristol.kernel.refusal import N_, Refusal


def check_not_concerned(field: str, officials: Collection[str], concerned: Collection[str]) -> None:
    """Raise ``Refusal`` for officials among the players concerned by a decision; ``field`` names the officials.

    No official decides on their own game: no book states this rule, but every book implies it.
    """
    if own := [official for official in officials if official in concerned]:
        raise Refusal(
            "OWN_GAME",
            N_("{officials} cannot decide on their own game or sanction: name another person in {field}."),
            {"officials": ", ".join(own), "field": field},
        )
