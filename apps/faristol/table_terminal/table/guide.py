"""The texts of `help`: for each verb of a table its meaning, its arguments, and an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from faristol.casebook.verbs import TABLE_STEP_FIELDS, Verb
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import kebab, names_of
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.presentation.table_commands import TABLE_COMMANDS
from faristol.rules import Ruleset
from faristol.text import say, translations


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

MEANINGS: Mapping[str, str] = {
    "accept": N_("yes or no"),
    "answered-by": N_("the player who answered, if any"),
    "arguments": N_("the arguments"),
    "arguments-hidden": N_("yes if the opponent must not see the arguments"),
    "blanks": N_("the letters of the blanks of the play"),
    "count": N_("how many tiles"),
    "done": N_("yes if it was done before an objection"),
    "drawer": N_("the player who drew"),
    "face": N_("the letter"),
    "faces": N_("the tiles"),
    "kind": N_("the kind: points, turn, game, expulsion"),
    "note": N_("a note"),
    "placements": N_("the play: a square and the tiles of the word"),
    "player": N_("the player"),
    "players": N_("the players who agree"),
    "points": N_("the points"),
    "racked": N_("yes if the tiles are already on the rack"),
    "reason": N_("the reason"),
    "score": N_("the score"),
    "seen": N_("yes if the player has seen them"),
    "show": N_("yes or no"),
    "source": N_("the source"),
    "square": N_("the square"),
    "surplus": N_("the number of surplus tiles"),
    "stated": N_("the letter that its player declares"),
    "told": N_("yes if an arbiter was told"),
    "total": N_("the total"),
    "totals": N_("the totals of all players, in the order of the table"),
    "turn": N_("the number of the turn"),
    "used": N_("the time used, in minutes and seconds"),
    "valid": N_("yes or no"),
    "word": N_("the word"),
    "words": N_("the words"),
}
"""The meaning of arguments of verbs, by the word that is typed."""

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


def word_of(field: str) -> str:
    """Return the typed word for a field of the contract: ``player`` for ``player_id``."""
    return WORDS.get(field, field.replace("_", "-"))


def arguments_of(verb: Verb) -> list[str]:
    """Return the arguments of a verb as typed, the positional one first."""
    fields = [field.name for field in verb.request.DESCRIPTOR.fields]
    own = [name for name in fields if name not in TABLE_STEP_FIELDS]
    both = {"arbiter_id", "player_id"} <= set(fields)
    return list(dict.fromkeys(word_of(name) for name in (*own, *(["player_id"] if both else ()))))


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
    for word in arguments_of(verb) if verb else ():
        yield f"  {word}: {translations(language).gettext(MEANINGS[word])}"
    if (known := _reasons_of(name, ruleset)) is not None:
        yield say(REASONS, {"reasons": ", ".join(known) or "–"}, language)
    yield say(EXAMPLE, {"example": guide.example}, language)
