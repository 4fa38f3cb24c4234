"""Errors of a caller that do not depend on state: not found, already exists, malformed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from typing import Literal

from faristol.kernel.refusal import N_, Param, fill

Say = Callable[[str, Mapping[str, Param]], str]
"""Formats a text marked with ``N_`` with its parameters, in some language."""

Missing = Literal[
    "act",
    "case",
    "case of the game",
    "clock",
    "credential",
    "dead letter",
    "message",
    "entry",
    "game",
    "hall",
    "log",
    "log tile",
    "payment",
    "picture",
    "player",
    "provable event",
    "provider",
    "circuit",
    "claim",
    "club",
    "rating list",
    "round",
    "ruleset",
    "season",
    "team",
    "tournament",
    "webhook",
]
"""Kinds of entities that may not be found."""

Taken = Literal["player", "season", "team", "tournament"]
"""Kinds of entities that may exist already."""

# A sentence for each kind: in other languages the article and the ending depend on the kind.
THERE_IS_NO: Mapping[Missing, str] = {
    "act": N_("there is no command {id}"),
    "case": N_("there is no case {id}"),
    "case of the game": N_("there is no case of the game {id}"),
    "credential": N_("there is no credential {id}"),
    "message": N_("there is no message {id}"),
    "dead letter": N_("there is no dead letter {id}"),
    "clock": N_("there is no clock {id}"),
    "entry": N_("there is no entry {id}"),
    "game": N_("there is no game {id}"),
    "hall": N_("there is no hall {id}"),
    "log": N_("there is no published log with {id}"),
    "log tile": N_("the published log has no hashes at {id}"),
    "payment": N_("there is no payment {id}"),
    "picture": N_("there is no picture {id}"),
    "player": N_("there is no player {id}"),
    "provable event": N_("there is no public event yet that proves {id}"),
    "provider": N_("there is no sign-in provider {id}"),
    "circuit": N_("there is no circuit {id}"),
    "claim": N_("there is no claim {id}"),
    "club": N_("there is no club {id}"),
    "rating list": N_("there is no rating list {id}"),
    "round": N_("there is no round {id}"),
    "ruleset": N_("there is no ruleset with the digest {id}"),
    "season": N_("there is no season {id}"),
    "team": N_("there is no team {id}"),
    "tournament": N_("there is no tournament {id}"),
    "webhook": N_("there is no webhook {id}"),
}
NO_ROUND_OF = N_("{tournament} has no round {round}")
THERE_IS: Mapping[Taken, str] = {
    "player": N_("there is a player {id} already"),
    "season": N_("there is a season {id} already"),
    "team": N_("there is a team {id} already"),
    "tournament": N_("there is a tournament {id} already"),
}


class NotFound(Exception):
    """No entity of this kind has the id."""

    def __init__(self, kind: Missing, wanted: str) -> None:
        super().__init__(kind, wanted)
        self.kind = kind
        self.wanted = wanted

    def format_message(self, say: Say) -> str:
        """Return the message that ``say`` formats."""
        tournament, slash, round_ = self.wanted.rpartition("/")
        if self.kind == "round" and slash:
            return say(NO_ROUND_OF, {"tournament": tournament, "round": round_})
        return say(THERE_IS_NO[self.kind], {"id": repr(self.wanted)})

    def __str__(self) -> str:
        return self.format_message(fill)


class AlreadyExists(Exception):
    """An entity of this kind already has the id."""

    def __init__(self, kind: Taken, wanted: str) -> None:
        super().__init__(kind, wanted)
        self.kind = kind
        self.wanted = wanted

    def format_message(self, say: Say) -> str:
        """Return the message that ``say`` formats."""
        return say(THERE_IS[self.kind], {"id": repr(self.wanted)})

    def __str__(self) -> str:
        return self.format_message(fill)


class Invalid(Exception):
    """A malformed field of a request, independent of state.

    ``problem`` is an English text, marked with ``N_``, with ``{named}`` fields that ``params`` fill. ``where`` is
    another such text, which describes the object of the field in the reader's terms; it may be empty.
    """

    def __init__(self, field: str, problem: str, params: Mapping[str, Param] | None = None, *, where: str = "") -> None:
        super().__init__(field, problem, params)
        self.field = field
        self.problem = problem
        self.where = where
        self.params: Mapping[str, Param] = dict(params or {})

    def format_message(self, say: Say) -> str:
        """Return the field's name, its object and the problem, formatted by ``say``."""
        of = f" ({say(self.where, self.params)})" if self.where else ""
        return f"{self.field}{of}: {say(self.problem, self.params)}"

    def __str__(self) -> str:
        return self.format_message(fill)


def check_range(field: str, given: int, least: int, most: int) -> int:
    """Return a number. Raises ``Invalid`` if it is below ``least`` or above ``most``."""
    if not least <= given <= most:
        raise Invalid(
            field, N_("is {given}; expected {least} to {most}"), {"given": given, "least": least, "most": most}
        )
    return given


def check_count(field: str, items: Sized, most: int) -> None:
    """Raise ``Invalid`` for an empty list, and for one of more than ``most`` items."""
    if not 1 <= len(items) <= most:
        raise Invalid(field, N_("are {count}; expected 1 to {most}"), {"count": len(items), "most": most})
