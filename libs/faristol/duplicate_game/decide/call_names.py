"""The names by which tiles and squares are called out in a game (FISC II.4)."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game.call_names import CallNames, load_call_names, with_names
from faristol.rules.tiles import BLANK


def set_call_names(situation: Situation, request: pb.SetCallNamesRequest) -> list[StreamEvent]:
    """Set a club's own names. Empty ones, and those of the language's table, are not stored."""
    situation.running()
    tile_set = situation.ruleset.tile_set
    try:
        table = load_call_names(tile_set.language)
    except LookupError:
        raise Refusal(
            "NO_CALL_NAMES", N_("There are no call names in {language}."), {"language": tile_set.language}
        ) from None
    own = {
        given.face: given.name.strip()
        for given in request.names
        if given.name.strip() and given.name.strip() != _find_name(table, given.face)
    }
    numbers = _numbers(table, request.numbers)
    with_names(table, own, tile_set, numbers)
    given = events.CallNamesSet(
        names=[events.CallName(face=face, name=name) for face, name in sorted(own.items())],
        numbers=numbers,
        arbiter_id=request.arbiter_id,
    )
    return [(GAME_STREAM_NUMBER, given)]


def _find_name(table: CallNames, face: str) -> str:
    return table.blank if face == BLANK else table.names.get(face, "")


def _numbers(table: CallNames, given: Sequence[str]) -> list[str]:
    """Return the columns, empty ones filled from the table; an empty list if all equal the table."""
    found = [number.strip() for number in given]
    if len(found) == len(table.numbers):
        found = [own or known for own, known in zip(found, table.numbers, strict=True)]
    return [] if tuple(found) == table.numbers else found
