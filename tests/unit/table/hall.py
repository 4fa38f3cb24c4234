"""A table of any ruleset with its real clock, in memory: commands as the service takes them, settled as it settles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from tests.support.table_games import GAME, SECOND_NS, SEED, START_NS

from faristol.kernel.pins import Pin
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1.events_pb2 import Pairing
from faristol.rules import Notation, Ruleset, full_bag, lay, load_ruleset, read_tiles
from faristol.rules.ruleset.with_options import with_options
from faristol.table import Table, of_clock
from faristol.table.clock import Clock
from faristol.table.decide import decide, settle
from faristol.table.decide.draws import bag_of
from faristol.table.game.evolution import fold
from faristol.table.game.state import UNENTERED_TILE, Game, Phase
from faristol.table.start import open_table
from faristol.table.views import Ruling, TableTournament

PLAYERS = ("anna", "biel", "carla", "dolors")
NEEDED: Mapping[str, Mapping[str, Any]] = {"uf-2007": {"minutes": 30}}
"""The choices that a ruleset requires before play."""


def rules(name: str, **chosen: Any) -> Ruleset:
    """Return the ruleset of that name with its required choices, and with ``chosen``."""
    return with_options(load_ruleset(name), {**NEEDED.get(name, {}), **chosen})


class Hall:
    """One table: its two streams, and their state."""

    def __init__(
        self,
        ruleset: Ruleset,
        players: int = 2,
        *,
        racks: Sequence[str] = (),
        bag_left: int | None = None,
        recorded: bool = False,
    ) -> None:
        """Open the table. ``racks`` are those of the players in the order of turns, faces with spaces between them.

        With ``bag_left`` so many tiles stay in the bag, and the others are out of the game.
        """
        self.ruleset = ruleset
        self.players = PLAYERS[:players]
        self.at = START_NS
        self.events: list[Message] = []
        self.ticks: list[Message] = []
        self.table = Table(ruleset)
        self.ruling: Ruling | None = None
        pin = Pin(ruleset.name, ruleset.digest)
        keeping = events.KEEPING_RECORDED if recorded else events.KEEPING_HOSTED
        tournament = TableTournament("cup", SEED, pin, Pin("catalan", "00"), keeping)
        pairing = Pairing(table=1, game_id=GAME, player_ids=self.players)
        self._write(self._deal(open_table(tournament, 1, pairing, ruleset, START_NS), racks, bag_left))
        if ruleset.arbiter.required:
            self.do(game_pb2.AssignArbiterRequest(arbiter_id="eleni"))
        if recorded:
            self.do(game_pb2.StartGameRequest(player_id=self.players[0]))
        self.settle()

    def _deal(self, past_events: list[Message], racks: Sequence[str], bag_left: int | None) -> list[Message]:
        """Return the opening with chosen racks; the first player of ``players`` begins."""
        if racks:
            size = len(full_bag(self.ruleset.tile_set))
            for event in past_events:
                match event:
                    case events.StartDecided() | events.GameStarted():
                        field = "player_id" if isinstance(event, events.StartDecided) else "first_player_id"
                        setattr(event, field, self.players[0])
                    case events.TilesDrawn():
                        event.faces[:] = racks[self.players.index(event.player_id)].split()
                        size -= len(event.faces)
                        event.bag_left = size
        if bag_left is not None:
            game = fold(Game(), past_events)
            out = bag_of(game, self.ruleset)[bag_left:]
            found = events.TilesFound(turn=1, faces=out, bag_left=bag_left)
            found.occurred_at.FromNanoseconds(START_NS)
            past_events = [*past_events, found]
        return past_events

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def clock(self) -> Clock:
        """The clock."""
        return self.table.clock

    def after(self, seconds: float = 1) -> None:
        """Let time pass."""
        self.at += int(seconds * SECOND_NS)

    def do(self, request: Message, seconds: float = 1) -> list[Message]:
        """Execute a command ``seconds`` later, and return its events. A refusal takes no time."""
        at = self.at + int(seconds * SECOND_NS)
        self.settle()
        before = len(self.events)
        self._write(decide(self.table, request, at))
        self.at = at
        self.settle()
        return self.events[before:]

    def decide(self, request: Message, seconds: float = 1) -> list[Message]:
        """Return the events that a command would cause ``seconds`` later. They are not applied."""
        return decide(self.table, request, self.at + int(seconds * SECOND_NS))

    def play(self, text: str, player: str = "") -> list[Message]:
        """Place a play, as the mover or another player: ``H8 C A S (A)``."""
        return self.do(game_pb2.PlacePlayRequest(player_id=player or self.game.mover, placements=self.tiles(text)))

    def tiles(self, text: str) -> list[events.Placement]:
        """Return the tiles of a play."""
        start, word = text.split(" ", 1)
        return [
            events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
            for square, tile in lay(self.game.board, Notation.FISC.read(start), read_tiles(word))
        ]

    def write(self) -> None:
        """Write the score of the play on the board, as both players."""
        for player in self.players:
            if player not in self.game.course.written:
                self.do(game_pb2.WriteScoreRequest(player_id=player))

    def finish(self) -> None:
        """Finish the turn, in the order of the book."""
        mover, turn = self.game.mover, self.game.turn
        if "stop" in self.ruleset.turn.steps and self.clock.held_turn != turn:
            self.stop()
        if self.ruleset.turn.complete_on == "both-written" and self.game.pending is not None:
            self.write()
        if self.game.turn == turn and self.game.phase is Phase.PLACED and self.game.bag_left:
            self.do(game_pb2.DrawTilesRequest(player_id=mover))
        if "press" in self.ruleset.turn.steps:
            self.press()

    def turn(self, text: str) -> None:
        """Play a complete turn; ``-`` for a pass."""
        if text == "-":
            self.do(game_pb2.PassRequest(player_id=self.game.mover))
        else:
            self.play(text)
        self.finish()

    def challenge(self, *words: str, player: str = "", good: bool | Sequence[bool] = False) -> list[Message]:
        """Challenge words (faces with spaces between them); the lexicon finds them ``good`` or not."""
        asked = [events.Word(faces=word.split()) for word in words]
        player = player or self.game.others(self.game.mover)[0]
        before = len(self.events)
        self.do(game_pb2.ChallengeRequest(player_id=player, words=asked))
        self.rule([good] * len(words) if isinstance(good, bool) else good)
        return self.events[before:]

    def rule(self, good: Sequence[bool]) -> None:
        """Rule by the lexicon on the words of the last challenge."""
        raised = next(event for event in reversed(self.events) if isinstance(event, events.ChallengeRaised))
        words = tuple((tuple(word.faces), valid) for word, valid in zip(raised.words, good, strict=True))
        self.ruling = Ruling(all(good), self.at, words)
        self.settle()
        self.ruling = None

    def press(self, seconds: float = 1, player: str = "") -> None:
        """Press the clock, as the mover."""
        self.do(clock_pb2.PressRequest(player_id=player or self.game.mover), seconds)

    def stop(self, seconds: float = 1, player: str = "") -> None:
        """Stop their own clock, as the mover."""
        self.do(clock_pb2.StopRequest(player_id=player or self.game.mover), seconds)

    def settle(self) -> None:
        """Settle all consequences."""
        self._write(settle(self.table, self.ruling))

    def tell(self, tick: Message) -> None:
        """Record an event that the clock finds by itself."""
        self._write([tick])
        self.settle()

    def check_tiles(self) -> None:
        """Check that no tile is created or lost, and that the count of the bag is correct."""
        outside: Counter[str] = Counter(tile.in_rack for tile in self.game.board.values())
        for rack in self.game.racks.values():
            outside.update(rack)
        outside.update(self.game.out)
        bag = bag_of(self.game, self.ruleset)
        whole = Counter(full_bag(self.ruleset.tile_set))
        if self.game.hosted:
            assert outside + Counter(bag) == whole
        else:
            assert outside.total() + len(bag) == whole.total()
            del outside[UNENTERED_TILE]
            assert not outside - whole
        assert len(bag) == self.game.bag_left

    def _write(self, past_events: Sequence[Message]) -> None:
        for event in past_events:
            (self.ticks if of_clock(event) else self.events).append(event)
        self.table = self.table.after(past_events)
