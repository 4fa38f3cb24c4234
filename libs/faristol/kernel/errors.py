"""Errors of a caller, whatever the state of things: what is not there, what is there already, what is malformed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from faristol.kernel.refusal import N_, Param, fill

Say = Callable[[str, Mapping[str, Param]], str]
"""Says a text that is marked with ``N_``, with what fills its places, in some language."""

Missing = Literal[
    "act",
    "case",
    "case of the game",
    "clock",
    "credential",
    "dead letter",
    "game",
    "player",
    "provider",
    "claim",
    "rating list",
    "round",
    "ruleset",
    "team",
    "tournament",
    "webhook",
]
"""What may be asked for and not be there."""

Taken = Literal["player", "team", "tournament"]
"""What may be made and be there already."""

# A sentence for each kind: in other languages its article and its ending depend on the kind.
THERE_IS_NO: Mapping[Missing, str] = {
    "act": N_("there is no act {id}"),
    "case": N_("there is no case {id}"),
    "case of the game": N_("there is no case of the game {id}"),
    "credential": N_("there is no credential {id}"),
    "dead letter": N_("there is no dead letter {id}"),
    "clock": N_("there is no clock {id}"),
    "game": N_("there is no game {id}"),
    "player": N_("there is no player {id}"),
    "provider": N_("there is no provider to sign in by: {id}"),
    "claim": N_("there is no claim {id}"),
    "rating list": N_("there is no rating list {id}"),
    "round": N_("there is no round {id}"),
    "ruleset": N_("there is no ruleset of content {id}"),
    "team": N_("there is no team {id}"),
    "tournament": N_("there is no tournament {id}"),
    "webhook": N_("there is no webhook {id}"),
}
THERE_IS: Mapping[Taken, str] = {
    "player": N_("there is a player {id} already"),
    "team": N_("there is a team {id} already"),
    "tournament": N_("there is a tournament {id} already"),
}


class NotFound(Exception):
    """There is no such thing."""

    def __init__(self, kind: Missing, wanted: str) -> None:
        super().__init__(kind, wanted)
        self.kind = kind
        self.wanted = wanted

    def told(self, say: Say) -> str:
        """The sentence, by ``say``."""
        return say(THERE_IS_NO[self.kind], {"id": repr(self.wanted)})

    def __str__(self) -> str:
        return self.told(fill)


class AlreadyExists(Exception):
    """The id is taken."""

    def __init__(self, kind: Taken, wanted: str) -> None:
        super().__init__(kind, wanted)
        self.kind = kind
        self.wanted = wanted

    def told(self, say: Say) -> str:
        """The sentence, by ``say``."""
        return say(THERE_IS[self.kind], {"id": repr(self.wanted)})

    def __str__(self) -> str:
        return self.told(fill)


class Invalid(Exception):
    """A field of a request is malformed, whatever the state of things.

    ``problem`` is an English text, marked with ``N_``, with ``{named}`` places that ``params`` fill. ``where`` is
    another such text, which says in a person's terms what the field is of; may be empty.
    """

    def __init__(self, field: str, problem: str, params: Mapping[str, Param] | None = None, *, where: str = "") -> None:
        super().__init__(field, problem, params)
        self.field = field
        self.problem = problem
        self.where = where
        self.params: Mapping[str, Param] = dict(params or {})

    def told(self, say: Say) -> str:
        """The name of the field, what it is of, and what is wrong with it, by ``say``."""
        of = f" ({say(self.where, self.params)})" if self.where else ""
        return f"{self.field}{of}: {say(self.problem, self.params)}"

    def __str__(self) -> str:
        return self.told(fill)
