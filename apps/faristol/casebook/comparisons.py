"""Comparisons of a state with the expectations of a step, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any

from faristol.casebook.document import Value
from faristol.casebook.forms import is_id
from faristol.casebook.world import Differences, World
from faristol.kernel.spellings import name_of

Expectation = Callable[[World, Value], Differences]
"""Yields the differences of a state from an expectation."""

NO_PLAYER_WORD, NONE, NO = "nobody", "none", "no"

Known = Callable[[World], Collection[str]]
Find = Callable[[World], Awaitable[Any]]
"""Finds a value, values by name, or an answer of a service."""


def find_field(answer: Find, name: str) -> Find:
    """Return the function that finds a field of an answer, as a case writes it."""

    async def find(world: World) -> object:
        return _read_field(world, await answer(world), name)

    return find


def find_by_key(answer: Find, repeated: str, key: str, name: str) -> Find:
    """Return the function that finds a field of each item of an answer, by the key of the item."""

    async def find(world: World) -> Mapping[str, object]:
        items = getattr(await answer(world), repeated)
        return {str(_read_field(world, item, key)): _read_field(world, item, name) for item in items}

    return find


def _read_field(world: World, message: Any, name: str) -> object:
    """Return a field as a case writes it: names for ids, points for half points, words for enumerations."""
    value, enum = getattr(message, name), message.DESCRIPTOR.fields_by_name[name].enum_type
    if enum is not None:
        return name_of(enum, value) if value else NO
    if is_id(name):
        return world.name_of(value) or NO_PLAYER_WORD
    return value / 2 if name.endswith("half_points") else value


def known_names(world: World) -> Collection[str]:
    """Return all names of a case."""
    return world.names.ids


def names_at_table(world: World) -> Collection[str]:
    """Return the names of the players at the table of the last step."""
    return [world.names.name(player) for player in world.table.players] if world.table else ()


def check_known(value: Value, what: str, known: Collection[str]) -> None:
    """Raise ``CaseError`` for an expectation with an unknown name, with the known ones."""
    if value.text() not in known:
        raise value.no_such(what, value.text(), known)


def read_number(value: Value) -> float:
    """Parse a number in quarters: ``8.5``, ``−0.25``. Raises ``CaseError``."""
    try:
        return float(value.text().replace("−", "-"))
    except ValueError:
        raise value.wrong(f"expected a number such as 8.5, got {value.text()!r}") from None


def read_words(value: Value) -> str:
    """Return the words of a text, with single spaces between them."""
    return " ".join(value.text().split())


def one(
    what: str,
    find: Find,
    read: Callable[[Value], object] = Value.text,
    known: tuple[str, Known] | None = None,
) -> Expectation:
    """Return the expectation of one value.

    ``what`` says it, with ``{wanted}`` for the value. ``known`` are a noun and the valid texts.
    """

    async def compare(world: World, value: Value) -> Differences:
        if known is not None:
            check_known(value, known[0], known[1](world))
        found = await find(world)
        if found != read(value):
            yield f"expected {what.format(wanted=value.text())}, got {_format(found)}"

    return compare


def each(
    what: str,
    find: Find,
    read: Callable[[Value], object] = Value.text,
    known: Known | None = known_names,
    missing: object = NONE,
) -> Expectation:
    """Return the expectation of values by name. Names that the expectation omits are not compared.

    ``what`` says one of them, with ``{name}`` and ``{wanted}``. ``missing`` is found without a value.
    """

    async def compare(world: World, value: Value) -> Differences:
        wanted = value.keys(known(world) if known is not None else None)
        found = await find(world)
        for name, item in wanted.items():
            if found.get(name, missing) != read(item):
                text = what.format(name=name, wanted=item.text())
                yield f"expected {text}, got {_format(found.get(name, missing))}"

    return compare


def several(
    what: str,
    find: Find,
    read: Callable[[Value], object] = Value.text,
    *,
    ordered: bool = True,
    known: tuple[str, Known] | None = None,
) -> Expectation:
    """Return the expectation of a list, in its order unless it is not ``ordered``; ``none`` expects an empty one.

    ``what`` says it, with ``{wanted}`` for the list and with the punctuation at its end.
    """

    async def compare(world: World, value: Value) -> Differences:
        items = () if value.is_text and value.text() == NONE else value.items()
        for item in items if known is not None else ():
            check_known(item, known[0], known[1](world))  # type: ignore[index] # not None in this loop
        found, wanted = list(await find(world)), [read(item) for item in items]
        if found != wanted if ordered else Counter(found) != Counter(wanted):
            yield f"expected {what.format(wanted=format_list(wanted))} got {format_list(found)}"

    return compare


def format_list(values: Iterable[object]) -> str:
    """Format values with commas between them."""
    return ", ".join(map(str, values)) or NONE


def _format(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
