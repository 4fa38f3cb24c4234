"""From files to cases. The grammar is described in ``docs/rulebook-cases.md``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from faristol.cli.referee.articles import articles_of
from faristol.cli.referee.case import OFFICIALS, Case, Position, Step, Word
from faristol.cli.referee.document import CaseError, Value, documents, there_is_no
from faristol.cli.referee.expectations import EXPECTATIONS
from faristol.rules import Refusal, Ruleset, check_settled, load_ruleset, with_options
from faristol.rules.tiles import BLANK

SUFFIX = ".yaml"
KINDS = ("table",)
"""What a file can hold cases of."""

FILE_KEYS = frozenset({"kind", "ruleset", "players", "words", "cases"})
CASE_KEYS = frozenset(
    {
        *("case", "scenario", "articles", "ruleset", "players", "words", "board", "racks", "bag", "scores"),
        *("clocks", "turns", "to-play", "start-tiles", "arbiter", "keeping", "layers", "steps"),
    }
)
STEP_KEYS = frozenset({"with", "at", "after", *EXPECTATIONS})
PLAYERS = ("Anna", "Blai", "Cesca", "Dídac")
"""Who plays where a case does not say, in the order of their turns."""

TURNS = frozenset("LPWX")


def files_in(paths: Iterable[Path]) -> list[Path]:
    """The files named, and those in the folders named, in alphabetical order.

    Raises ``CaseError`` for a path that is not there and for a folder without cases.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob(f"*{SUFFIX}") if file.is_file())
            if not inside:
                raise CaseError(path, 1, f"there is no {SUFFIX} file in this folder")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise CaseError(path, 1, "there is no such file")
    return found


def read_cases(file: Path) -> list[Case]:
    """The cases of a file. Raises ``CaseError``."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(file, 1, f"the file cannot be read: {error}") from error
    cases = [case for document in documents(file, text) for case in _cases(document)]
    if not cases:
        raise CaseError(file, 1, "there is no case in this file")
    names: dict[str, Case] = {}
    for case in cases:
        if case.name in names:
            raise case.place.wrong(f"the case of line {names[case.name].place.line} is called {case.name!r} too")
        names[case.name] = case
    return cases


def _cases(document: Value) -> list[Case]:
    keys = document.keys(FILE_KEYS)
    if "kind" in keys and keys["kind"].text() not in KINDS:
        raise keys["kind"].wrong(there_is_no("kind", keys["kind"].text(), KINDS))
    if "cases" not in keys:
        raise document.wrong("expected a list of cases under `cases`")
    return [_case(value, keys) for value in keys["cases"].items()]


def _case(value: Value, shared: Mapping[str, Value]) -> Case:
    own = value.keys(CASE_KEYS)
    keys = {**shared, **own}
    for needed in ("case", "ruleset", "articles", "steps"):
        if needed not in keys:
            raise value.wrong(f"expected the key {needed!r} in every case")
    if not keys["steps"].items():
        raise keys["steps"].wrong("expected at least one step")
    ruleset = _ruleset(keys["ruleset"])
    players = keys["players"].parts() if "players" in keys else PLAYERS[: ruleset.game.players_min]
    if len(set(players)) < len(players) or set(OFFICIALS) & set(players):
        raise keys["players"].wrong(f"expected players with names of their own, none of them {' or '.join(OFFICIALS)}")
    return Case(
        name=keys["case"].text(),
        place=value,
        ruleset=ruleset,
        scenarios=tuple(_scenario(part, keys["scenario"]) for part in keys["scenario"].parts())
        if "scenario" in keys
        else (),
        articles=_articles(keys["articles"], ruleset),
        players=players,
        words=frozenset(word for part in (shared, own) if "words" in part for word in _words(part["words"])),
        layers=tuple(keys["layers"].text().split()) if "layers" in keys else (),
        position=_position(own, players, ruleset),
        steps=tuple(read_step(step, players) for step in keys["steps"].items()),
    )


def _scenario(text: str, place: Value) -> int:
    if not text.isdecimal():
        raise place.wrong(f"expected the numbers of scenarios, got {text!r}")
    return int(text)


def _ruleset(value: Value) -> Ruleset:
    try:
        return _settled(value.text())
    except (LookupError, ValueError, Refusal) as problem:
        raise value.wrong(str(problem.args[0] if isinstance(problem, LookupError) else problem)) from problem


@lru_cache(maxsize=256)
def _settled(text: str) -> Ruleset:
    """The ruleset that ``text`` names, with its options behind colons. Raises ``LookupError``, ``ValueError``."""
    name, *options = text.split(":")
    chosen: dict[str, str] = {}
    for option in options:
        key, sign, choice = option.partition("=")
        if not sign:
            raise ValueError(f"{option!r} is no option: expected NAME=VALUE")
        chosen[key] = choice
    ruleset = with_options(load_ruleset(name), chosen)
    check_settled(ruleset)
    return ruleset


def _articles(value: Value, ruleset: Ruleset) -> tuple[str, ...]:
    named = value.parts()
    known = articles_of(ruleset)
    for article in named:
        if article not in known:
            raise value.wrong(f"{ruleset.name} cites no article {article!r}; it cites: {', '.join(sorted(known))}")
    if not named:
        raise value.wrong("expected the articles that the case shows")
    return named


def _words(value: Value) -> list[Word]:
    return [tuple(part.split()) for part in value.parts()]


def _position(keys: Mapping[str, Value], players: tuple[str, ...], ruleset: Ruleset) -> Position:
    bag: tuple[str, ...] | int | None = None
    if "bag" in keys:
        bag = int(keys["bag"].text()) if keys["bag"].text().isdecimal() else _faces(keys["bag"], ruleset)
    turns = keys["turns"].text().replace(" ", "") if "turns" in keys else ""
    if not set(turns) <= TURNS:
        raise keys["turns"].wrong(
            "expected letters: L a play, P a pass, X an exchange, W a play withdrawn after a challenge"
        )
    to_play = keys["to-play"].text() if "to-play" in keys else players[0]
    if to_play not in players:
        raise keys["to-play"].wrong(f"{to_play!r} does not play here; {', '.join(players)} do")
    return Position(
        to_play=to_play,
        recorded="keeping" in keys and _one_of(keys["keeping"], ("hosted", "recorded")) == "recorded",
        arbiter=keys["arbiter"].truth() if "arbiter" in keys else True,
        board=keys["board"].items() if "board" in keys else (),
        racks={player: _faces(rack, ruleset) for player, rack in _of_players(keys, "racks", players).items()},
        bag=bag,
        scores={player: score.number() for player, score in _of_players(keys, "scores", players).items()},
        used_ms={player: used.milliseconds() for player, used in _of_players(keys, "clocks", players).items()},
        turns=turns,
        start_tiles={
            player: _faces(tile, ruleset)[0] for player, tile in _of_players(keys, "start-tiles", players).items()
        },
    )


def _one_of(value: Value, known: Collection[str]) -> str:
    if value.text() not in known:
        raise value.wrong(f"expected {' or '.join(known)}, got {value.text()!r}")
    return value.text()


def _of_players(keys: Mapping[str, Value], key: str, players: Collection[str]) -> Mapping[str, Value]:
    return keys[key].keys(players) if key in keys else {}


def _faces(value: Value, ruleset: Ruleset) -> tuple[str, ...]:
    faces = tuple(value.text().split())
    for face in faces:
        if face != BLANK and face not in ruleset.tile_set.index:
            raise value.wrong(
                f"{ruleset.tile_set.name} has no tile {face!r}: expected its faces with spaces between, ? a blank"
            )
    return faces


def read_step(value: Value, players: Collection[str], known: frozenset[str] = STEP_KEYS) -> Step:
    """A step of these players. Raises ``CaseError``, also for a key that is not ``known``."""
    actors = {*players, *OFFICIALS}
    keys = value.keys(actors | known)
    acting = [key for key in keys if key in actors]
    if len(acting) > 1:
        raise value.wrong(f"expected one to act in a step, got {' and '.join(acting)}")
    verb, argument = "", None
    if acting:
        said = keys[acting[0]]
        verb, _, rest = said.text().partition(" ")
        argument = said.saying(rest) if rest.strip() else None
        if not verb:
            raise said.wrong(f"expected what {acting[0]} does")
    if "at" in keys and "after" in keys:
        raise value.wrong("expected `at` or `after`, not both")
    return Step(
        place=value,
        actor=acting[0] if acting else "",
        verb=verb,
        argument=argument,
        fields=keys["with"].keys() if "with" in keys else {},
        at_ms=keys["at"].milliseconds() if "at" in keys else None,
        after_ms=keys["after"].milliseconds() if "after" in keys else None,
        expected={key: one for key, one in keys.items() if key in EXPECTATIONS},
    )
