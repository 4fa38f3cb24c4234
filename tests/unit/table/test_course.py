"""Whole games, played at random against the real clock; consequences are written at once or later.

For any moves and any times of settlement, no tile is created or lost, the sheet adds up, the game ends, and the same
moves give the same events.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest
from google.protobuf.message import Message
from tests.support.squares import neighbours
from tests.support.table_games import FISC, GAME, SECOND_NS, START_NS, to_placements

from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1.events_pb2 import Pairing
from faristol.rules import CENTRE, Board, Direction, Placement, Square, Tile, check_play, full_bag
from faristol.table import Table, of_clock
from faristol.table.decide import decide, settle
from faristol.table.decide.draws import bag_of
from faristol.table.game.evolution import evolve
from faristol.table.game.state import Game, Phase
from faristol.table.start import open_table
from faristol.table.views import Ruling, TableTournament

FACES = FISC.tile_set.faces
WHOLE = Counter(full_bag(FISC.tile_set))


@dataclass
class Course:
    """A game in progress: the contents of its two streams, and the pending ruling."""

    seed: int
    """Of the players: their commands and thinking times follow from it and from the state of the game."""
    hearing: Random
    """Whether consequences are written at their time, or with the next command."""
    pace: int
    """Longest time that a player thinks, in seconds."""
    chance: Random = field(default_factory=Random)
    events: list[Message] = field(default_factory=list)
    ruling: Ruling | None = None
    recorded: Table = field(default_factory=lambda: Table(FISC))

    @property
    def game(self) -> list[Message]:
        """The events of the game."""
        return [event for event in self.events if not of_clock(event)]

    @property
    def clock(self) -> list[Message]:
        """The events of the clock."""
        return [event for event in self.events if of_clock(event)]

    def open(self) -> None:
        tournament = TableTournament("cup", Random(self.seed).randbytes(32), lexicon=Pin("catalan", "00"))
        pairing = Pairing(table=1, game_id=GAME, first_player_id="anna", second_player_id="biel")
        self.write(open_table(tournament, 1, pairing, FISC, START_NS))

    def write(self, past_events: list[Message]) -> None:
        self.events += past_events
        self.recorded = self.recorded.after(past_events)

    def table(self) -> Table:
        """Return the table as players see it: settled, but for a ruling that does not stand on its stream yet."""
        table = self.recorded.after(settle(self.recorded))
        assert settle(table) == []
        return table

    def act(self, past_events: list[Message]) -> None:
        """Execute a command: settled events are written with decided ones."""
        self.write(settle(self.recorded))
        self.write(past_events)

    def step(self) -> None:
        """Execute the next action."""
        table = self.table()
        game, clock = table.game, table.clock
        self.chance = Random(repr((self.seed, game.turn, game.phase.name, game.ruled, game.signed)))
        at = table.last_at + self.chance.randint(1, self.pace if game.phase is Phase.TURN else 4) * SECOND_NS
        match game.phase:
            case Phase.TURN:
                self.act(self._turn(game, at))
            case Phase.PLACED if game.ruled is None and self.chance.random() < 0.2:
                self._challenge(game, at)
            case Phase.PLACED if game.bag_left:
                self.act(decide(Table(FISC, game), game_pb2.DrawTilesRequest(player_id=game.mover), at))
            case Phase.PLACED | Phase.DRAWN:
                self.act(decide(Table(FISC, game, clock), clock_pb2.PressRequest(player_id=game.mover), at))
            case Phase.CHALLENGED:
                self.write(settle(self.recorded, self.ruling))
            case Phase.ENDED:
                player = next(player for player in game.player_ids if player not in game.signed)
                self.act(decide(Table(FISC, game, clock), game_pb2.SignSheetRequest(player_id=player), at))
        if self.hearing.random() < 0.5:
            self.write(settle(self.recorded))

    def _turn(self, game: Game, at: int) -> list[Message]:
        choice = self.chance.random()
        if choice < 0.9 and (play := self._play(game)):
            return decide(
                Table(FISC, game), game_pb2.PlacePlayRequest(player_id=game.mover, placements=to_placements(play)), at
            )
        rack = game.racks[game.mover]
        if choice < 0.97 and game.bag_left:
            wanted = self.chance.randint(1, min(len(rack), game.bag_left))
            return decide(
                Table(FISC, game),
                game_pb2.ExchangeRequest(player_id=game.mover, faces=self.chance.sample(rack, wanted)),
                at,
            )
        return decide(Table(FISC, game), game_pb2.PassRequest(player_id=game.mover), at)

    def _challenge(self, game: Game, at: int) -> None:
        assert game.pending is not None
        asked = [game.pending.words[0].word]
        new_events = decide(
            Table(FISC, game),
            game_pb2.ChallengeRequest(player_id=game.next_player(game.mover), words=asked),
            at,
        )
        self.act(new_events)
        self.ruling = Ruling(valid=self.chance.random() < 0.5, at=at)

    def _play(self, game: Game) -> list[Placement] | None:
        """Return a play that the rules of placement allow, if one is found soon."""
        rack = game.racks[game.mover]
        for _ in range(60):
            chosen = self.chance.sample(rack, self.chance.randint(1, len(rack)))
            direction = self.chance.choice(list(Direction))
            square = self._start(game.board)
            play = []
            for face in chosen:
                while square in game.board:
                    square = square.step(direction)
                tile = Tile(self.chance.choice(FACES), blank=True) if face == "?" else Tile(face)
                play.append(Placement(square, tile))
                square = square.step(direction)
            try:
                check_play(game.board, play, rack=rack, ruleset=FISC)
            except Refusal:
                continue
            return play
        return None

    def _start(self, board: Board) -> Square:
        if not board:
            return CENTRE
        laid_square = self.chance.choice(list(board))
        return self.chance.choice(list(neighbours(laid_square)))


def play_course(seed: int, hearing: int, pace: int) -> Course:
    course = Course(seed, Random(hearing), pace)
    course.open()
    for _ in range(2_000):
        game = course.table().game
        outside = Counter(tile.in_rack for tile in game.board.values())
        for rack in game.racks.values():
            outside.update(rack)
        assert outside + Counter(bag_of(game, FISC)) == WHOLE
        assert outside.total() + game.bag_left == WHOLE.total()
        if game.phase is Phase.FINAL:
            return course
        course.step()
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("pace", [60, 170, 900])
@pytest.mark.parametrize("seed", range(5))
def test_every_game_ends_with_a_sheet_that_adds_up(seed: int, pace: int) -> None:
    course = play_course(seed, seed, pace)
    completed = [event for event in course.game if isinstance(event, events.PlayCompleted)]
    final = course.game[-1]
    assert isinstance(final, events.ResultFinal)
    for line in final.scores:
        points = sum(event.score for event in completed if event.player_id == line.player_id)
        for event in course.game:
            if isinstance(event, events.OutBonus) and event.player_id == line.player_id:
                points += event.points
            if isinstance(event, events.RackPenalty | events.TimePenalty) and event.player_id == line.player_id:
                points -= event.points
        assert line.score == points
    ranked = sorted(final.scores, key=lambda line: line.score)
    assert final.winner_id == ("" if ranked[0].score == ranked[1].score else ranked[1].player_id)


@pytest.mark.parametrize("pace", [60, 900])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_moves_give_the_same_events_whenever_they_are_settled(seed: int, pace: int) -> None:
    first, other = play_course(seed, 1, pace), play_course(seed, 2, pace)
    assert first.game == other.game
    assert first.clock == other.clock


def test_games_end_in_each_of_the_ways_that_chance_can_bring() -> None:
    conditions = {
        event.condition
        for seed, pace in ((0, 60), (1, 60), (0, 900), (1, 900))
        for event in play_course(seed, seed, pace).game
        if isinstance(event, events.GameEnded)
    }
    assert {events.END_CONDITION_OUT, events.END_CONDITION_OVERTIME} <= conditions


def test_time_in_a_game_never_runs_back() -> None:
    game, last = Game(), 0
    for event in play_course(3, 3, 170).game:
        game = evolve(game, event)
        moment = getattr(event, "occurred_at", None)
        if moment is not None:
            assert moment.ToNanoseconds() >= last
            last = moment.ToNanoseconds()
    assert game.last_at == last
