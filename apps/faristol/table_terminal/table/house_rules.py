"""Rules of a book for people at a table that need no command: seats, absence, the final result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from faristol.kernel.refusal import N_
from faristol.rules import Ruleset
from faristol.text import say, with_article

SEATS: Mapping[str, str] = {
    "drawn": N_(
        "The players may draw lots for the seat or for the direction of the board before the draw for the start."
    ),
    "starter-chooses": N_("The player who begins chooses the seat."),
    "lot": N_("The draw for the start also decides the seats."),
}
"""The seating rule, by ``start.seat``; absent if the book has no rule."""

DIRECTIONS: Mapping[str, str] = {
    "right": N_("The turn passes to the player on the right."),
    "left": N_("The turn passes to the player on the left."),
}
"""The direction of turns at a table of more than two, by ``game.turn_direction``."""

LEAVING: Mapping[str, str] = {
    "arbiter": N_("A player tells the arbiter before leaving the table for a while."),
    "opponent": N_("A player tells the opponent before leaving the table for a while."),
}
"""The person to notify before leaving, by ``absence.told``."""

BLANKS: Mapping[str, str] = {
    "both": N_("Both players note what a blank stands for."),
    "mover": N_("The player who lays a blank notes what it stands for."),
    "keeper": N_("The scorekeeper notes what a blank stands for."),
}
"""The player who notes a blank, by ``blank.written_by``."""

DEFINITIVE: Mapping[str, str] = {
    "both-signed": N_("The result is final when both players have signed the sheet."),
    "handed-over": N_("The result is final when the signed sheet is handed over: here, with the last signature."),
    "written": N_("The result is final when it is written, without signatures."),
}
"""The condition of a definitive result, by ``scoresheet.final_on``."""

CHECKING = N_("By agreement the players may check plays in the lexicon together, without an arbiter.")


def list_house_rules(ruleset: Ruleset, language: str) -> Iterator[str]:
    """Yield the rules for people at a table that typed commands do not cover, each with its article."""
    lines = [
        ("start.seat", SEATS.get(ruleset.start.seat)),
        ("game.turn_direction", DIRECTIONS.get(ruleset.game.turn_direction)),
        ("arbiter.players_may_check", CHECKING if ruleset.arbiter.players_may_check else None),
        ("blank.written_by", BLANKS[ruleset.blank.written_by]),
        ("absence.told", LEAVING.get(ruleset.absence.told)),
        ("scoresheet.final_on", DEFINITIVE[ruleset.scoresheet.final_on]),
    ]
    for key, sentence in lines:
        if sentence is not None:
            yield with_article(say(sentence, {}, language), ruleset.article(key), language)
