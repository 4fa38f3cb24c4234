"""Cases of duplicate games read from files."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.casebook.case import OFFICIALS, DuplicateCase
from faristol.casebook.document import Errors, Value
from faristol.casebook.duplicate_game.actions import DUPLICATE_KIND
from faristol.casebook.headings import HEADING_KEYS, check_refusals, heading_of
from faristol.casebook.names import Names
from faristol.casebook.steps import read_steps, words_of

SHARED_KEYS = frozenset({"ruleset", "words", "players", "halls", "others"})
"""Keys that may apply to all cases of a file."""
CASE_KEYS = HEADING_KEYS | {"words", "players", "halls", "others", "board", "bag", "leftover", "turn", "rerun"}


def duplicate_case(value: Value, shared: Mapping[str, Value], errors: Errors) -> DuplicateCase:
    """Read a case of a duplicate game; ``shared`` are the keys of its file. ``errors`` collects recoverable errors.

    Raises ``CaseError`` if the rest of it cannot be read.
    """
    own = value.keys(CASE_KEYS, errors)
    keys = {**shared, **own}
    if "players" in own:
        keys.pop("halls", None) if "halls" not in own else None
    heading = heading_of(value, keys, errors)
    if heading.ruleset.game.mode != "duplicate":
        raise keys["ruleset"].wrong(f"{heading.ruleset.name} is not of duplicate games")
    halls = _halls(value, keys)
    players = [player for some in halls.values() for player in some]
    others = [other.text() for other in keys["others"].items()] if "others" in keys else []
    named = [*players, *others]
    names = Names(named)
    if set(OFFICIALS) & set(named) or not names.distinct or len(set(named)) < len(named):
        raise value.wrong(f"expected players with different names, none of them called {' or '.join(OFFICIALS)}")
    steps = read_steps(keys["steps"], named, errors, DUPLICATE_KIND.expectations)
    check_refusals(steps, heading.ruleset, errors)
    turn = keys["turn"].number() if "turn" in keys else 1
    return DuplicateCase(
        **heading._asdict(),
        place=value,
        steps=steps,
        halls=halls,
        words=words_of(shared, own, errors, heading.ruleset.tile_set),
        layers=(),
        names=names,
        board=keys["board"].items() if "board" in keys else (),
        bag=_tiles(keys["bag"]) if "bag" in keys else None,
        leftover=_tiles(keys["leftover"]) if "leftover" in keys else (),
        turn=turn,
        rerun=keys["rerun"].items() if "rerun" in keys else (),
    )


def _halls(value: Value, keys: Mapping[str, Value]) -> dict[str, tuple[str, ...]]:
    if "halls" in keys:
        return {name: tuple(player.text() for player in some.items()) for name, some in keys["halls"].keys().items()}
    if "players" not in keys:
        raise value.wrong("expected the key 'players' or 'halls' in every case of a duplicate game")
    return {"": tuple(player.text() for player in keys["players"].items())}


def _tiles(value: Value) -> tuple[str, ...]:
    text = value.text()
    return () if text == "0" else tuple(text.split())
