"""Modes: which sections a ruleset has. A book of duplicate games invents no exchange, the others no slip."""

from __future__ import annotations

from typing import Final, Literal, NoReturn

from faristol.kernel.refusal import N_, Refusal

Mode = Literal["classic", "multi", "duplicate"]
"""Two players; a table of several; or one game that everybody plays with the same tiles, each alone."""

COMMON: Final = ("name", "title", "game", "first_move", "scoring", "lexicon", "law")
"""In every ruleset."""

DUPLICATE: Final = ("racks", "turns", "slips", "warnings", "master_plays", "solo", "finish", "ranking", "claims")
"""In one of duplicate games, beside those."""

PLACEMENT_LAW: Final = (
    "on_board",
    "free_square",
    "face_of_set",
    "digraph",
    "blank_face",
    "blank_value",
    "in_rack",
    "one_line",
    "no_gap",
    "contact",
    "premiums_once",
)
"""What the law of every mode has: how a play lies."""

DUPLICATE_LAW: Final = (*PLACEMENT_LAW, "warning", "game_over", "correction", "correction_closed", "result_final")
"""The rules without a value that a book of duplicate games has articles for; the others are empty there."""


def refuse_without_tables(mode: str, tournament_id: str) -> None:
    """Raise ``Refusal`` for a tournament of duplicate games, of which a question about tables has no answer."""
    if mode == "duplicate":
        raise Refusal(
            "DUPLICATE_GAMES",
            "",
            N_(
                "{tournament} is a tournament of duplicate games, in which nobody meets an opponent: it has no "
                "pairings, crosstable, special prizes, TRF report or rating list, and its standings are those of its "
                "games."
            ),
            {"tournament": tournament_id},
        )


def has_section(mode: str, section: str) -> bool:
    """Whether a ruleset of ``mode`` has that section."""
    return section in COMMON or (section in DUPLICATE) == (mode == "duplicate")


def law_of(mode: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of the section ``law`` in a file of ``mode``, out of all that are ``known``."""
    return DUPLICATE_LAW if mode == "duplicate" else known


class Absent:
    """Stands where a ruleset has no section: whoever reads a value of it is told so.

    It is an ``AttributeError``: code of one mode that is given the rules of another must not go on with an invention.
    """

    __slots__ = ("mode", "section")

    def __init__(self, mode: str, section: str) -> None:
        self.mode, self.section = mode, section

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or name in Absent.__slots__:  # as copying and pickling ask for them
            raise AttributeError(name)
        raise AttributeError(f"rules of mode {self.mode!r} have no section {self.section!r}, and so no {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Absent) and (self.mode, self.section) == (other.mode, other.section)

    def __hash__(self) -> int:
        return hash((self.mode, self.section))

    def __repr__(self) -> str:
        return f"<no section {self.section}>"
