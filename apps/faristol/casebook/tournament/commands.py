"""Commands and queries of a tournament's services, by the names of cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faristol.casebook.case import Step
from faristol.casebook.document import Value
from faristol.casebook.hosts.services import PAIRING
from faristol.casebook.tournament.names import Names
from faristol.casebook.verbs import Verb
from faristol.kernel.spellings import kebab

TOURNAMENT_STEP_FIELDS = frozenset({"command_id", "tournament_id", "occurred_at", "arbiter_id"})
"""Fields that the step itself determines."""

INSTEAD = {"team_id": "player_id", "team_ids": "player_ids"}
"""Fields that are given instead of another, and only under ``with``."""

TOURNAMENT_VERBS: Mapping[str, Verb] = {
    kebab(method.name): Verb(method)
    for method in PAIRING.methods
    if {"tournament_id", "to_tournament_id"}.intersection(method.input_type.fields_by_name) == {"tournament_id"}
}
"""All commands and queries of the pairing service on one tournament, by name.

Those on two divisions of a championship are excluded: a case has one tournament.
"""


def arguments(verb: Verb, step: Step, names: Names) -> Mapping[str, Value]:
    """Return the fields of a command: after its verb in the order of the contract, and under ``with``.

    A player that acts is the player of the command. Players separated only by dashes are a pair, or the game that they
    play. Raises ``CaseError``.
    """
    known = verb.request.DESCRIPTOR.fields_by_name
    fields = [
        field
        for field in verb.request.DESCRIPTOR.fields
        if field.name not in TOURNAMENT_STEP_FIELDS and not (field.name in INSTEAD and INSTEAD[field.name] in known)
    ]
    found: dict[str, Value] = {}
    if step.actor in names.ids and fields and fields[0].name == "player_id":
        found["player-id"] = step.place.saying(step.actor)
        fields = fields[1:]
    tokens = names.tokens(step.argument.text()) if step.argument else []
    for field in fields:
        if not tokens:
            break
        taken = _count_field_tokens(field, tokens, names)
        found[kebab(field.name)] = step.place.saying(" ".join(tokens[:taken]))
        tokens = tokens[taken:]
    if tokens:
        raise step.place.wrong(f"{verb.name} takes no {' '.join(tokens)!r}")
    return {**found, **step.fields}


def _count_field_tokens(field: Any, tokens: list[str], names: Names) -> int:
    """Return how many of the tokens belong to a field."""
    if field.name in ("game_id", "player_ids"):
        return next((count for count, token in enumerate(tokens) if token not in names.ids), len(tokens))
    return 1
