"""Reading rulesets: strict, so that a typing mistake in a rule book is found when it is loaded.

Every section of a file is one class of ``faristol.rules.ruleset``, every key one of its fields, every value a
table ``{ value = …, article = "…" }``. A key too many or too few, a value of the wrong kind, or two values
that cannot both hold are refused with the file, the key and the reason.
"""

from __future__ import annotations

import dataclasses
import tomllib
import types
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from faristol.rules.ruleset import Law, Ruleset
from faristol.rules.tiles import load_tile_set

UNLIMITED = "unlimited"
"""How a file writes that a number has no bound: TOML has no null."""

S = TypeVar("S")


class RulesetError(ValueError):
    """A ruleset file is wrong. ``file``, ``key`` (``section.key``) and ``problem`` say where and how."""

    def __init__(self, file: str, key: str, problem: str) -> None:
        self.file, self.key, self.problem = file, key, problem
        super().__init__(f"{file}: {key}: {problem}" if key else f"{file}: {problem}")


def read_ruleset(text: str, *, file: str) -> Ruleset:
    """The ruleset that the TOML ``text`` holds; ``file`` is its name for messages. Raises ``RulesetError``."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesetError(file, "", f"is not TOML: {error}") from None
    reader = _Reader(file)
    ruleset = reader.read(data)
    for key, problem in _contradictions(ruleset):
        reader.fail(key, problem)
    return ruleset


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.articles: dict[str, str] = {}

    def fail(self, key: str, problem: str) -> NoReturn:
        raise RulesetError(self.file, key, problem)

    def read(self, data: Mapping[str, Any]) -> Ruleset:
        hints = {name: hint for name, hint in get_type_hints(Ruleset).items() if name != "articles"}
        self._same_keys("", data, hints)
        values: dict[str, Any] = {}
        for name, hint in hints.items():
            if hint is str:
                values[name] = self._plain(name, data[name], str)
            elif hint is Law:
                values[name] = self._law(name, data[name])
            else:
                values[name] = self._section(name, data[name], hint)
        return Ruleset(**values, articles=types.MappingProxyType(dict(sorted(self.articles.items()))))

    def _section(self, section: str, table: object, kind: type[S]) -> S:
        table = self._table(section, table)
        hints = get_type_hints(kind)
        self._same_keys(section, table, hints)
        values: dict[str, Any] = {}
        for name, hint in hints.items():
            key = f"{section}.{name}"
            entry = self._table(key, table[name])
            self._same_keys(key, entry, {"value": hint, "article": str})
            values[name] = self._plain(key, entry["value"], hint)
            self.articles[key] = self._plain(key, entry["article"], str)
        return kind(**values)

    def _law(self, section: str, table: object) -> Law:
        table = self._table(section, table)
        self._same_keys(section, table, {field.name: str for field in dataclasses.fields(Law)})
        return Law(**{name: self._plain(f"{section}.{name}", article, str) for name, article in table.items()})

    def _table(self, key: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self.fail(key, f"expected a table, got {value!r}")
        return value

    def _same_keys(self, section: str, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
        dot = f"{section}." if section else ""
        for name in found:
            if name not in expected:
                self.fail(dot + name, f"unknown key; expected {', '.join(expected)}")
        for name in expected:
            if name not in found:
                self.fail(dot + name, "is missing")

    def _plain(self, key: str, value: object, hint: Any) -> Any:
        """``value`` as the field's type wants it."""
        arguments = get_args(hint)
        if get_origin(hint) is Literal:
            if value not in arguments:
                self.fail(key, f"expected one of {', '.join(map(repr, arguments))}, got {value!r}")
            return value
        if get_origin(hint) is tuple:
            if not isinstance(value, list):
                self.fail(key, f"expected a list, got {value!r}")
            items = tuple(self._plain(f"{key}[{place}]", item, arguments[0]) for place, item in enumerate(value))
            if len(set(items)) < len(items):
                self.fail(key, f"names something twice: {', '.join(map(str, items))}")
            return items
        if get_origin(hint) in (types.UnionType, Union):
            return None if value == UNLIMITED else self._plain(key, value, arguments[0])
        if hint is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if type(value) is not hint:
            names = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
            self.fail(key, f"expected {names[hint]}, got {value!r}")
        if isinstance(value, int | float) and value < 0:
            self.fail(key, f"expected 0 or more, got {value!r}")
        return value


def _contradictions(rules: Ruleset) -> Iterator[tuple[str, str]]:
    """(key, problem) for values that are each well formed and cannot hold together."""
    game, clock, end, challenge, champion = rules.game, rules.clock, rules.end, rules.challenge, rules.championship
    if not 2 <= game.players_min <= game.players_max:
        yield "game.players_min", f"expected 2 or more, and at most players_max ({game.players_max})"
    try:
        tile_set = load_tile_set(game.tile_set)
    except LookupError as error:
        yield "game.tile_set", str(error)
    else:
        if game.rack_size < 1 or game.rack_size * game.players_max > tile_set.size:
            yield "game.rack_size", f"{game.players_max} racks must fit into {tile_set.size} tiles"
    if not 1 <= rules.first_move.tiles_min <= game.rack_size:
        yield "first_move.tiles_min", f"expected 1 to rack_size ({game.rack_size})"
    if clock.minutes < 1:
        yield "clock.minutes", "a player needs at least one minute"
    if clock.overtime_cap_minutes is not None and clock.overtime_points == 0:
        yield "clock.overtime_cap_minutes", "a cap has no sense where overtime costs nothing"
    if end.lost_turns == 0 or end.scoreless_turns == 0:
        yield "end.lost_turns" if end.lost_turns == 0 else "end.scoreless_turns", "a game cannot end before it begins"
    if end.lost_turns is not None and "play" in end.lost_turn_kinds:
        yield "end.lost_turn_kinds", "a play that stands is not a lost turn"
    if end.scoreless_turns is not None and end.scoreless_turns % game.players_max:
        yield "end.scoreless_turns", f"expected as many for each of {game.players_max} players"
    if end.lost_turns and end.scoreless_turns and end.scoreless_turns < end.lost_turns * game.players_max:
        yield "end.scoreless_turns", f"is reached before {end.lost_turns} lost turns of each player can be"
    if (challenge.appeal_by == "none") != (challenge.rulings_max == 1):
        yield (
            "challenge.rulings_max",
            f"expected 1 exactly when nobody may appeal (appeal_by is {challenge.appeal_by!r})",
        )
    if not champion.loss <= champion.draw <= champion.win:
        yield "championship.draw", "expected loss ≤ draw ≤ win"
    if champion.bye > champion.win:
        yield "championship.bye", f"is worth more than a win ({champion.win:g})"
    for name in ("win", "draw", "loss", "bye", "late_entry_points"):
        if getattr(champion, name) * 2 % 1:
            yield f"championship.{name}", "expected a multiple of a half"
    if champion.rounds_min <= champion.buchholz_cut or champion.long_from_rounds <= champion.buchholz_cut_long:
        yield "championship.buchholz_cut", "leaves no opponent over in the shortest championship"
