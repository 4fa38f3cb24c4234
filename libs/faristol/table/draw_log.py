"""The draws of a table, each with the tiles it was made from, and its racks turn by turn, from its events. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board, Ruleset, full_bag, without
from faristol.rules.draws.draw_log import Draw, Source
from faristol.table.decide.draws import unseen
from faristol.table.decide.surplus import rack_parts
from faristol.table.game.evolution import evolve
from faristol.table.game.state import Game


def draws_of(past_events: Iterable[Message], ruleset: Ruleset) -> Iterator[Draw]:
    """Yield every draw of a table whose bag the system holds, in order."""
    game = Game()
    set_aside: tuple[str, ...] = ()
    first = _StartingBag(full_bag(ruleset.tile_set), returns=ruleset.start.tie == "return-and-redraw")
    for event in past_events:
        match event:
            case events.StartTileDrawn():
                among = first.before(event.player_id, event.face)
                yield Draw(event.draw, event.player_id, Source.START, among, (event.face,))
            case events.Exchanged():
                set_aside = tuple(event.faces)  # they go into the bag after as many were drawn (FISC I.7.1)
            case events.TilesDrawn():
                among = without(unseen(game, ruleset), set_aside)
                yield Draw(event.draw, event.player_id, Source.BAG, tuple(sorted(among)), tuple(event.faces))
                set_aside = ()
            case events.OverdrawFound():
                yield _of_surplus(game, ruleset, event)
            case events.IllegalExchangeFound():
                rack = tuple(sorted(game.racks[event.player_id]))
                yield Draw(event.draw, event.player_id, Source.RACK, rack, tuple(event.from_rack))
            case _:
                pass
        game = evolve(game, event)


def _of_surplus(game: Game, ruleset: Ruleset, event: events.OverdrawFound) -> Draw:
    """Return the draw of surplus tiles to return or show; without tiles if all are shown or an arbiter decides."""
    held, new = rack_parts(game, ruleset, event.player_id)
    rack = (*held, *new)
    law = ruleset.overdraw
    if event.arbiter or event.turn_lost:
        return Draw(event.draw, event.player_id, Source.RACK, tuple(sorted(rack)), ())
    if event.stage == events.DRAW_STAGE_LATE:
        among = rack if event.from_rack or law.late == "as-racked" else new
        return Draw(event.draw, event.player_id, Source.RACK, tuple(sorted(among)), tuple(event.shown))
    racked = event.stage == events.DRAW_STAGE_RACKED
    shows = law.racked.startswith("two-more") == bool(event.choose)
    # Tiles lying apart count as racked if they were seen; the remedy chosen shows that.
    procedure = law.racked if racked or (law.seen_counts_as_racked and shows) else law.unracked
    among = new if procedure.endswith("of-new") else rack
    return Draw(event.draw, event.player_id, Source.RACK, tuple(sorted(among)), tuple(event.shown))


class _StartingBag:
    """The bag of the draw for the start: drawn tiles stay out for one round of the draw, or for all rounds."""

    def __init__(self, whole: Sequence[str], *, returns: bool) -> None:
        self._whole = tuple(sorted(whole))
        self._bag = self._whole
        self._returns = returns
        self._drawn: set[str] = set()

    def before(self, player_id: str, face: str) -> tuple[str, ...]:
        """Return the bag before a player draws ``face``, and take that tile out."""
        if player_id in self._drawn:
            self._drawn = set()
            self._bag = self._whole if self._returns else self._bag
        self._drawn.add(player_id)
        held = self._bag
        self._bag = without(held, (face,))
        return held


_BEGIN = (events.PlayPlaced, events.Exchanged, events.Passed, events.CannotPlay, events.TurnLost)
"""Actions of a player with a rack, and the loss of a turn."""


class RackAtTurn(NamedTuple):
    """A rack at the time its turn was played."""

    turn: int
    player_id: str
    faces: tuple[str, ...]
    """``?`` for a blank, in the order of code points."""
    board: Board
    """The board before the turn."""


def racks_of(past_events: Iterable[Message]) -> list[RackAtTurn]:
    """Return the rack before each turn of a table whose bag the system holds, in order.

    After a play that was taken back, the next action in its turn counts: another play, or the loss of the turn.
    """
    game = Game()
    found: dict[tuple[int, str], RackAtTurn] = {}
    for event in past_events:
        if isinstance(event, _BEGIN):
            key = (event.turn, event.player_id)
            found[key] = RackAtTurn(*key, tuple(sorted(game.racks.get(event.player_id, ()))), game.board)
        game = evolve(game, event)
    return sorted(found.values(), key=lambda held: held.turn)
