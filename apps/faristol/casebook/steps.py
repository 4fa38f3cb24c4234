"""Steps read from files."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from faristol.casebook.case import OFFICIALS, Step, Word
from faristol.casebook.document import Errors, Value
from faristol.casebook.letters import quote_letters
from faristol.kernel.refusal import N_
from faristol.rules.tiles import TileSet

SAID_KEYS = frozenset({"with", "at", "after"})
"""Keys of a step other than its action."""


def words_of(
    shared: Mapping[str, Value], own: Mapping[str, Value], errors: Errors, tile_set: TileSet
) -> frozenset[Word]:
    """Return the valid words of a case: those of its file and its own, of tiles of the set."""
    words: set[Word] = set()
    for part in (shared, own):
        with errors.gather():
            for item in part["words"].items() if "words" in part else ():
                for word in item.parts():
                    words.add(_word(item, word, tile_set))
    return frozenset(words)


def _word(item: Value, text: str, tile_set: TileSet) -> Word:
    faces = tuple(tile_set.face(face) or face for face in tile_set.normalize(text).split())
    for face in faces:
        if face not in tile_set.index:
            raise item.wrong(
                f"{tile_set.name} has no tile {quote_letters(face)}, which the word {text} has: expected its "
                "faces with spaces between"
            )
    return faces


def read_steps(
    value: Value,
    players: Collection[str],
    errors: Errors,
    expectations: Collection[str] = (),
    given: Collection[str] = (),
) -> tuple[Step, ...]:
    """Return the steps under a key as ``read_step`` does, without the faulty ones that ``errors`` collects."""
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
    """Read a step of these players. Raises ``CaseError``; unknown keys go to ``errors`` if given.

    ``expectations`` are the keys of its expectations, ``given`` those of its other events.
    """
    actors = {*players, *OFFICIALS}
    keys = value.keys({*actors, *SAID_KEYS, *expectations, *given}, errors)
    acting = [key for key in keys if key in actors]
    if len(acting) > 1:
        raise value.wrong(N_("expected one actor in a step, got {acting}"), {"acting": " and ".join(acting)})
    verb, argument = "", None
    if acting:
        each = keys[acting[0]]
        verb, _, rest = each.text().partition(" ")
        argument = each.saying(rest) if rest.strip() else None
        if not verb:
            raise each.wrong(N_("expected the action of {who}"), {"who": acting[0]})
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
        expected={key: each for key, each in keys.items() if key in expectations},
        given={key: each for key, each in keys.items() if key in given},
    )
