"""Modes, which determine the sections of a ruleset: duplicate games have no exchange, the others no slip."""

from __future__ import annotations

from typing import Final, Literal, NoReturn

from faristol.kernel.refusal import N_, Refusal

Mode = Literal["classic", "multi", "duplicate"]
"""Two players; a table of several; or one game that all play with the same tiles, each on a separate board."""

COMMON: Final = ("name", "title", "game", "first_move", "scoring", "lexicon", "law")
"""Sections of every ruleset."""

DUPLICATE: Final = ("racks", "turns", "slips", "warnings", "master_plays", "solo", "finish", "ranking", "claims")
"""Further sections of a ruleset for duplicate games."""

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
"""Keys of ``law`` in every mode: the placement of a play."""

DUPLICATE_LAW: Final = (*PLACEMENT_LAW, "warning", "game_over", "correction", "correction_closed", "result_final")
"""Keys of ``law`` for duplicate games; the others are empty there."""


def refuse_without_tables(mode: str, tournament_id: str) -> None:
    """Raise ``Refusal`` for a tournament of duplicate games: a question about tables has no answer there."""
    if mode == "duplicate":
        raise Refusal(
            "DUPLICATE_GAMES",
            N_(
                "{tournament} is a tournament of duplicate games, without opponents: it has no pairings, "
                "crosstable, special prizes, TRF report or rating list. Its standings are those of its games."
            ),
            {"tournament": tournament_id},
        )


def has_section(mode: str, section: str) -> bool:
    """Check whether a ruleset of ``mode`` has a section."""
    return section in COMMON or (section in DUPLICATE) == (mode == "duplicate")


def law_of(mode: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of the section ``law`` in a file of ``mode``, out of all ``known`` keys."""
    return DUPLICATE_LAW if mode == "duplicate" else known


class Absent:
    """Placeholder for an absent section of a ruleset: access to a value of it raises ``AttributeError``.

    Code for one mode that gets the rules of another mode must not continue with an invented value.
    """

    __slots__ = ("mode", "section")

    def __init__(self, mode: str, section: str) -> None:
        self.mode, self.section = mode, section

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or name in Absent.__slots__:  # copying and pickling look these up
            raise AttributeError(name)
        raise AttributeError(f"rules of mode {self.mode!r} have no section {self.section!r}, and so no {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Absent) and (self.mode, self.section) == (other.mode, other.section)

    def __hash__(self) -> int:
        return hash((self.mode, self.section))

    def __repr__(self) -> str:
        return f"<no section {self.section}>"
