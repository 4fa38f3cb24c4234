"""The texts of `help`: for each verb of a table its meaning, its arguments and an example; and the house rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from faristol.casebook.commands import TABLE_STEP_FIELDS, Verb
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import kebab, names_of
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.presentation.table_commands import FIELD_LABELS, TABLE_COMMANDS, label_of
from faristol.rules import Ruleset
from faristol.text import say, with_article
from faristol.typed_input.fields import Kind, kind_of


class Guide(NamedTuple):
    """A sentence about a verb, and an example of it."""

    sentence: str
    example: str


GUIDES: Mapping[str, Guide] = {
    "turn": Guide(N_("Records a whole turn with all the steps of the rules."), "Anna: turn H8 C A S A"),
    "rule": Guide(
        N_("Waits for the ruling, or rules: valid or invalid."), "judge: rule invalid, with: {reason: …, source: …}"
    ),
    **{kebab(method): Guide(command.sentence, command.example) for method, command in TABLE_COMMANDS.items()},
}
"""Every verb of the services of a table, and those of the tool."""

WORDS: Mapping[str, str] = {
    "player_id": "player",
    "drawer_id": "drawer",
    "answerer_id": "answered-by",
    "player_ids": "players",
    "used_ms": "used",
    "row": "square",
    "column": "square",
}
"""Typed words for fields of the contract with other names."""

REASONS = N_("Reasons under these rules: {reasons}")
EXAMPLE = N_("Example: {example}")
YES_OR_NO = N_("{label} (yes or no)")


def word_of(field: str) -> str:
    """Return the typed word for a field of the contract: ``player`` for ``player_id``."""
    return WORDS.get(field, field.replace("_", "-"))


def arguments_of(verb: Verb) -> list[str]:
    """Return the arguments of a verb as typed, the positional one first."""
    fields = [field.name for field in verb.request.DESCRIPTOR.fields]
    own = [name for name in fields if name not in TABLE_STEP_FIELDS]
    both = {"arbiter_id", "player_id"} <= set(fields)
    return list(dict.fromkeys(word_of(name) for name in (*own, *(["player_id"] if both else ()))))


def describe_argument(verb: Verb, word: str, language: str) -> str:
    """Return the meaning of an argument of a verb, by the word that is typed."""
    field = next(field for field in verb.request.DESCRIPTOR.fields if word_of(field.name) == word)
    label = say(label_of(FIELD_LABELS, verb.method.name, "square" if word == "square" else field.name), {}, language)
    return say(YES_OR_NO, {"label": label}, language) if kind_of(field) is Kind.TICK else label


def overview(language: str) -> Iterator[str]:
    """Yield a line for every verb with its sentence."""
    width = max(map(len, GUIDES))
    for name, guide in sorted(GUIDES.items()):
        yield f"  {name:<{width}}  {say(guide.sentence, {}, language)}"


def _reasons_of(name: str, ruleset: Ruleset | None) -> Sequence[str] | None:
    """Return the reasons that a verb can give under ``ruleset``; None if it gives none, or the rules are unknown."""
    if ruleset is None:
        return None
    if name == "correct-clock":
        known = names_of(clock_events.CorrectionReason.DESCRIPTOR)
        absent = {0} if ruleset.clock.forgotten_heard else {0, clock_events.CORRECTION_REASON_FORGOTTEN}
        return [reason for reason, value in known.items() if value not in absent]
    return ruleset.clock.neutralised_by if name == "neutralise" else None


def explain_verb(name: str, verb: Verb | None, language: str, ruleset: Ruleset | None = None) -> Iterator[str]:
    """Yield the help of a verb of ``GUIDES``: sentence, arguments, and an example, for ``ruleset`` if known."""
    guide = GUIDES[name]
    if name == "neutralise" and ruleset is not None and (reasons := ruleset.clock.neutralised_by):
        guide = Guide(guide.sentence, f"arbiter: neutralise {reasons[0]}")
    yield f"{name}: {say(guide.sentence, {}, language)}"
    if verb:
        yield from (f"  {word}: {describe_argument(verb, word, language)}" for word in arguments_of(verb))
    if (known := _reasons_of(name, ruleset)) is not None:
        yield say(REASONS, {"reasons": ", ".join(known) or "–"}, language)
    yield say(EXAMPLE, {"example": guide.example}, language)


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
