"""The state of a table after a step, compared with the expectations of the step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from faristol.casebook.document import Value
from faristol.casebook.forms import board_of, by_square, fill, format_duration, format_message, start_of
from faristol.casebook.hosts.services import AtTable
from faristol.casebook.hosts.world import Differences
from faristol.kernel.spellings import kebab, names_of
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.results.api import answers
from faristol.results.computed.sheet import write_sheet
from faristol.rules import Board, Ruleset


@dataclass(frozen=True, slots=True)
class TableView:
    """A table for the comparison with expectations."""

    services: AtTable
    ids: Mapping[str, str]
    """The ids of the players at the table, by name."""
    ruleset: Ruleset
    now_ms: int
    """The time since the case began."""
    called: Callable[[str], str] = str
    """Returns the name for an id; the id itself without a name."""


NO_PLAYER_WORD = "nobody"


def check_known(value: Value, what: str, known: Collection[str]) -> None:
    """Raise ``CaseError`` for an expectation with an unknown name, with the known ones."""
    if value.text() not in known:
        raise value.no_such(what, value.text(), known)


def fields(what: str, found: Any, value: Value, called: Callable[[str], str] = str) -> Iterator[str]:
    """Yield the difference between a message and the fields that ``value`` names, if any.

    ``called`` returns the name for an id.
    """
    wanted = type(found)()
    named = by_square(wanted, value.keys())
    fill(wanted, named, Board())
    names = [key.replace("-", "_") for key in named]
    if any(getattr(found, name) != getattr(wanted, name) for name in names):
        asked = type(found)()
        asked.CopyFrom(found)
        for field in found.DESCRIPTOR.fields:
            if field.name not in names:
                asked.ClearField(field.name)
        yield (
            f"expected of the {what} {format_message(wanted, called, names)}, got "
            f"{format_message(asked, called, names)}"
        )


async def _scores(view: TableView, value: Value) -> Differences:
    found = {view.called(side.player_id): side.score for side in (await view.services.table()).sides}
    for difference in _by_player(
        "points", found, {name: number.number() for name, number in value.keys(view.ids).items()}
    ):
        yield difference


async def _rack_sizes(view: TableView, value: Value) -> Differences:
    found = {view.called(side.player_id): side.rack_size for side in (await view.services.table()).sides}
    for difference in _by_player(
        "tiles", found, {name: number.number() for name, number in value.keys(view.ids).items()}
    ):
        yield difference


def _by_player(what: str, found: Mapping[str, object], wanted: Mapping[str, object]) -> Iterator[str]:
    for player, expected in wanted.items():
        if found.get(player) != expected:
            yield f"expected {expected} {what} for {player}, got {found.get(player)}"


async def _racks(view: TableView, value: Value) -> Differences:
    for player, rack in value.keys(view.ids).items():
        found = (await view.services.table(view.ids[player])).rack
        if Counter(found) != Counter(rack.text().split()):
            yield f"expected the rack of {player} to be {rack.text() or 'empty'}, got {' '.join(found) or 'none'}"


async def _bag(view: TableView, value: Value) -> Differences:
    found = (await view.services.table()).bag_left
    if found != value.number():
        yield f"expected {value.number()} tiles in the bag, got {found}"


async def _board(view: TableView, value: Value) -> Differences:
    board = board_of(await view.services.table())
    for name, tile in value.keys().items():
        found = str(board.get(start_of(tile.saying(name)).square, "empty"))
        if found != tile.text():
            yield f"expected {tile.text()} on {name}, got {found}"


async def _check_used_time(view: TableView, value: Value) -> Differences:
    found = {
        view.called(player): format_duration(used)
        for player, used in (await view.services.used_ms(view.now_ms)).items()
    }
    wanted = {player: format_duration(time.milliseconds()) for player, time in value.keys(view.ids).items()}
    for difference in _by_player("on the clock", found, wanted):
        yield difference


async def _runs(view: TableView, value: Value) -> Differences:
    found = [view.called(side.player_id) for side in (await view.services.clock()).running] or [NO_PLAYER_WORD]
    for item in value.items():
        check_known(item, "player", {*view.ids, NO_PLAYER_WORD})
    wanted = [item.text() for item in value.items()]
    if found != wanted:
        yield f"expected the clock of {', '.join(wanted)} to run, got {', '.join(found)}"


async def _on_turn(view: TableView, value: Value) -> Differences:
    check_known(value, "player", {*view.ids, NO_PLAYER_WORD})
    found = view.called((await view.services.table()).turn_player_id) or NO_PLAYER_WORD
    if found != value.text():
        yield f"expected {value.text()} to be on turn, got {found}"


async def _phase(view: TableView, value: Value) -> Differences:
    check_known(value, "phase", names_of(game_pb2.Phase.DESCRIPTOR))
    found = kebab(game_pb2.Phase.Name((await view.services.table()).phase).removeprefix("PHASE_"))
    if found != value.text():
        yield f"expected the phase {value.text()}, got {found}"


async def _ends(view: TableView, value: Value) -> Differences:
    check_known(value, "end of a game", {"no", *names_of(events.EndCondition.DESCRIPTOR)})
    condition = (await view.services.table()).end_condition
    found = kebab(events.EndCondition.Name(condition).removeprefix("END_CONDITION_")) if condition else "no"
    if found != value.text():
        yield f"expected the game to end: {value.text()}, got {found}"


async def _winner(view: TableView, value: Value) -> Differences:
    check_known(value, "player", {*view.ids, NO_PLAYER_WORD, "no result"})
    results = (fact for fact in reversed(await view.services.facts()) if isinstance(fact, events.ResultFinal))
    final = next(results, None)
    found = "no result" if final is None else view.called(final.winner_id) or NO_PLAYER_WORD
    if found != value.text():
        yield f"expected {value.text()} to win, got {found}"


async def _clock(view: TableView, value: Value) -> Differences:
    for difference in fields("clock", await view.services.clock(), value, view.called):
        yield difference


async def _table(view: TableView, value: Value) -> Differences:
    for difference in fields("table", await view.services.table(), value, view.called):
        yield difference


async def _sheet(view: TableView, value: Value) -> Differences:
    shown_game = answers.game_by_itself(await view.services.facts())
    if shown_game is not None:
        write_sheet(shown_game, view.ruleset)
    lines = list(shown_game.entries) if shown_game is not None else []
    wanted = value.items()
    found = lines[len(lines) - len(wanted) :] if len(lines) >= len(wanted) else []
    if not found:
        yield f"expected {len(wanted)} lines on the sheet, got {len(lines)}"
    for line, line_wanted in zip(found, wanted, strict=False):
        for difference in fields("line of the sheet", line, line_wanted, view.called):
            yield difference


TABLE_STATE: Mapping[str, Callable[[TableView, Value], Differences]] = {
    "scores": _scores,
    "racks": _racks,
    "rack-sizes": _rack_sizes,
    "bag": _bag,
    "board": _board,
    "used": _check_used_time,
    "runs": _runs,
    "on-turn": _on_turn,
    "phase": _phase,
    "ends": _ends,
    "winner": _winner,
    "sheet": _sheet,
    "clock": _clock,
    "table": _table,
}
"""The expectations of the state of a table, by key."""
