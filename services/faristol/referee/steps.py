"""Steps as a file has them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from faristol.kernel.refusal import N_
from faristol.referee.case import OFFICIALS, Step, Word
from faristol.referee.document import Errors, Value

SAID_KEYS = frozenset({"with", "at", "after"})
"""Keys of what a step says beside who does what."""


def words_of(shared: Mapping[str, Value], own: Mapping[str, Value], errors: Errors) -> frozenset[Word]:
    """The good words of a case: those of its file and its own."""
    words: set[Word] = set()
    for part in (shared, own):
        with errors.gather():
            words.update(tuple(word.split()) for word in (part["words"].parts() if "words" in part else ()))
    return frozenset(words)


def read_steps(
    value: Value,
    players: Collection[str],
    errors: Errors,
    expectations: Collection[str] = (),
    given: Collection[str] = (),
) -> tuple[Step, ...]:
    """The steps under a key, without those that ``errors`` takes something of; see ``read_step``."""
    steps = []
    for item in value.items():
        with errors.gather():
            steps.append(read_step(item, players, expectations, given, errors))
    return tuple(steps)


def read_step(
    value: Value,
    players: Collection[str],
    expectations: Collection[str] = (),
    given: Collection[str] = (),
    errors: Errors | None = None,
) -> Step:
    """A step of these players. Raises ``CaseError``, also for a key that says nothing, unless ``errors`` takes that.

    ``expectations`` are the keys of what can be expected of it, ``given`` those of what else can happen in it.
    """
    actors = {*players, *OFFICIALS}
    keys = value.keys({*actors, *SAID_KEYS, *expectations, *given}, errors)
    acting = [key for key in keys if key in actors]
    if len(acting) > 1:
        raise value.wrong(N_("expected one to act in a step, got {acting}"), {"acting": " and ".join(acting)})
    verb, argument = "", None
    if acting:
        said = keys[acting[0]]
        verb, _, rest = said.text().partition(" ")
        argument = said.saying(rest) if rest.strip() else None
        if not verb:
            raise said.wrong(N_("expected what {who} does"), {"who": acting[0]})
    if "at" in keys and "after" in keys:
        raise value.wrong(N_("expected `at` or `after`, not both"))
    return Step(
        place=value,
        actor=acting[0] if acting else "",
        verb=verb,
        argument=argument,
        fields=keys["with"].keys() if "with" in keys else {},
        at_ms=keys["at"].milliseconds() if "at" in keys else None,
        after_ms=keys["after"].milliseconds() if "after" in keys else None,
        expected={key: said for key, said in keys.items() if key in expectations},
        given={key: said for key, said in keys.items() if key in given},
    )
