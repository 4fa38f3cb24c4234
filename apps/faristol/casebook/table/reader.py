"""Cases of tables read from files."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from faristol.casebook.case import OFFICIALS, Position, TableCase
from faristol.casebook.document import Errors, Value
from faristol.casebook.headings import HEADING_KEYS, check_refusals, heading_of
from faristol.casebook.letters import quote_letters
from faristol.casebook.names import Names
from faristol.casebook.steps import read_steps, words_of
from faristol.casebook.table.actions import TABLE_KIND
from faristol.rules import Ruleset
from faristol.rules.tiles import BLANK

SHARED_KEYS = frozenset({"ruleset", "players", "words"})
"""Keys that may apply to all cases of a file."""
CASE_KEYS = HEADING_KEYS | {
    *("players", "words", "board", "racks", "bag", "scores", "clocks", "turns", "to-play", "start-tiles"),
    *("arbiter", "keeping", "layers", "drawn"),
}
DEFAULT_PLAYERS = ("Anna", "Blai", "Cesca", "Dídac")
"""The default players, in the order of their turns."""

TURNS = frozenset("LPWX")
MAX_CASE_TURNS = 200
"""More than any game has, so that a typing error does not stall the run."""


def table_case(value: Value, shared: Mapping[str, Value], errors: Errors) -> TableCase:
    """Read a case of a table; ``shared`` are the keys of its file. ``errors`` collects recoverable errors.

    Raises ``CaseError`` if the rest of it cannot be read.
    """
    own = value.keys(CASE_KEYS, errors)
    keys = {**shared, **own}
    heading = heading_of(value, keys, errors)
    ruleset = heading.ruleset
    players = keys["players"].parts() if "players" in keys else DEFAULT_PLAYERS[: ruleset.game.players_min]
    if len(set(players)) < len(players) or set(OFFICIALS) & set(players):
        raise keys["players"].wrong(f"expected players with different names, none of them {' or '.join(OFFICIALS)}")
    position = Position(to_play=players[0])
    with errors.gather():
        position = _position(own, players, ruleset)
    steps = read_steps(keys["steps"], players, errors, TABLE_KIND.expectations)
    check_refusals(steps, ruleset, errors)
    return TableCase(
        **heading._asdict(),
        place=value,
        names=Names(players, are_ids=True),
        players=players,
        words=words_of(shared, own, errors, heading.ruleset.tile_set),
        layers=tuple(keys["layers"].text().split()) if "layers" in keys else (),
        position=position,
        steps=steps,
    )


def _position(keys: Mapping[str, Value], players: tuple[str, ...], ruleset: Ruleset) -> Position:
    bag: tuple[str, ...] | int | None = None
    if "bag" in keys:
        bag = int(keys["bag"].text()) if keys["bag"].text().isdecimal() else _faces(keys["bag"], ruleset)
    turns = keys["turns"].text().replace(" ", "") if "turns" in keys else ""
    if not set(turns) <= TURNS:
        raise keys["turns"].wrong(
            "expected letters: L a play, P a pass, X an exchange, W a play withdrawn after a challenge"
        )
    if len(turns) > MAX_CASE_TURNS:
        raise keys["turns"].wrong(f"expected {MAX_CASE_TURNS} turns at most, got {len(turns)}")
    to_play = keys["to-play"].text() if "to-play" in keys else players[0]
    if to_play not in players:
        raise keys["to-play"].wrong(f"{to_play!r} does not play here; {', '.join(players)} do")
    return Position(
        to_play=to_play,
        recorded="keeping" in keys and _one_of(keys["keeping"], ("hosted", "recorded")) == "recorded",
        drawn_ms=keys["drawn"].milliseconds() if "drawn" in keys else None,
        arbiter=keys["arbiter"].truth() if "arbiter" in keys else True,
        board=keys["board"].items() if "board" in keys else (),
        racks={player: _rack(rack, ruleset) for player, rack in _of_players(keys, "racks", players).items()},
        bag=bag,
        bag_place=keys.get("bag"),
        scores={player: score.number() for player, score in _of_players(keys, "scores", players).items()},
        used_ms={player: used.milliseconds() for player, used in _of_players(keys, "clocks", players).items()},
        turns=turns,
        turns_place=keys.get("turns"),
        start_tiles={
            player: _one_face(tile, ruleset) for player, tile in _of_players(keys, "start-tiles", players).items()
        },
    )


def _rack(value: Value, ruleset: Ruleset) -> tuple[str, ...]:
    faces = _faces(value, ruleset)
    if len(faces) > ruleset.game.rack_size:
        raise value.wrong(f"expected {ruleset.game.rack_size} tiles on a rack at most, got {len(faces)}")
    return faces


def _one_face(value: Value, ruleset: Ruleset) -> str:
    faces = _faces(value, ruleset)
    if len(faces) != 1:
        raise value.wrong(f"expected one tile, got {value.text()!r}")
    return faces[0]


def _one_of(value: Value, known: Collection[str]) -> str:
    if value.text() not in known:
        raise value.wrong(f"expected {' or '.join(known)}, got {value.text()!r}")
    return value.text()


def _of_players(keys: Mapping[str, Value], key: str, players: Collection[str]) -> Mapping[str, Value]:
    return keys[key].keys(players) if key in keys else {}


def _faces(value: Value, ruleset: Ruleset) -> tuple[str, ...]:
    tile_set = ruleset.tile_set
    given = tile_set.normalize(value.text()).split()
    faces = tuple(face if face == BLANK else tile_set.face(face) or face for face in given)
    for face in faces:
        if face != BLANK and face not in tile_set.index:
            raise value.wrong(
                f"{ruleset.tile_set.name} has no tile {quote_letters(face)}: expected its faces with spaces "
                "between, ? a blank"
            )
    return faces
