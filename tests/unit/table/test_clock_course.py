"""For any sequence of events of a game, its clocks show the used time exactly once.

The table below plays by the rules and counts the time separately. Its steps are random, and so are the recipients and
times of notifications.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

from google.protobuf.message import Message
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.table.clocks import settle

from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules.ruleset.file import load_ruleset
from faristol.table import Table
from faristol.table.clock import Clock, elapsed_ms, fold
from faristol.table.decide import decide
from faristol.table.game.evolution import evolve as evolve_game
from faristol.table.game.state import Game, Phase

FISC = load_ruleset("fisc-2023")
START_NS = 1_700_000_000_123_456_789
SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS
ALLOWANCE_MS = 25 * 60_000
LIMIT_MS = 35 * 60_000
PLAYERS = ("anna", "biel")


@dataclass(frozen=True)
class Step:
    """The next step, if the table allows it."""

    elapsed: int
    """Nanoseconds since the last step."""
    choice: int
    clock_hears: bool
    game_hears: bool


STEPS = st.lists(
    st.builds(
        Step,
        elapsed=st.one_of(st.integers(0, 3 * SECOND_NS), st.integers(0, 3 * MINUTE_NS), st.integers(0, 40 * MINUTE_NS)),
        choice=st.integers(0, 5),
        clock_hears=st.booleans(),
        game_hears=st.booleans(),
    ),
    max_size=60,
)


@dataclass
class Course:
    """A game in progress with a clock."""

    game: list[Message] = field(default_factory=list)
    clock: list[Message] = field(default_factory=list)
    now: int = START_NS
    used: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PLAYERS, 0))
    """The table's own account, in milliseconds."""
    running: str = "biel"
    since: int = START_NS
    neutral_ms: int = 0
    bag_left: int = 30
    challenges: int = 0
    over_cap: bool = False

    def __post_init__(self) -> None:
        at = timestamp(START_NS)
        self.game += [
            game_events.GameOpened(game_id="cup-r1-t1", tournament_id="cup", player_ids=PLAYERS, occurred_at=at),
            game_events.TilesDrawn(player_id="biel", faces="??????", bag_left=93, occurred_at=at),
            game_events.TilesDrawn(player_id="anna", faces="??????", bag_left=86, occurred_at=at),
            game_events.GameStarted(first_player_id="biel", occurred_at=at),
        ]

    @property
    def table(self) -> Game:
        return reduce(evolve_game, self.game, Game())

    @property
    def state(self) -> Clock:
        return fold(Clock(), self.clock)

    @property
    def ended(self) -> bool:
        return self.table.phase is Phase.ENDED

    def hear(self) -> None:
        """Apply the events of the game to the clock."""
        self.clock += settle(self.state, self.table, FISC)

    def tell(self) -> None:
        """Apply the events of the clock to the game: a press completes the turn."""
        table, state = self.table, self.state
        if table.phase in (Phase.PLACED, Phase.DRAWN) and state.pressed_turn == table.turn:
            self.game.append(
                game_events.PlayCompleted(
                    turn=table.turn, player_id=table.mover, occurred_at=timestamp(state.running_since)
                )
            )

    def take(self, step: Step) -> None:
        self.now += step.elapsed
        self.tell()
        self._act(step.choice)
        if step.clock_hears:
            self.hear()
        if step.game_hears and not self.ended:
            self.tell()

    def _act(self, choice: int) -> None:
        table, at = self.table, timestamp(self.now)
        turn, mover = table.turn, table.mover
        match table.phase:
            case Phase.TURN if choice == 0:
                self._end(game_events.END_CONDITION_LOST_TURNS)
            case Phase.TURN if choice == 1:
                self.game.append(game_events.Passed(turn=turn, player_id=mover, occurred_at=at))
            case Phase.TURN if choice == 2:
                self.game.append(game_events.Exchanged(turn=turn, player_id=mover, occurred_at=at))
                self._draw(mover, 0)
            case Phase.TURN:
                self.game.append(game_events.PlayPlaced(turn=turn, player_id=mover, occurred_at=at))
            case Phase.PLACED if choice < 2 and not self._is_challenged(turn):
                self._challenge(turn, mover)
            case Phase.PLACED if choice == 3 and not self.running:
                self.game.append(game_events.ScoreWritten(turn=turn, player_id=mover, occurred_at=at))
                self._go_on(mover)
            case Phase.PLACED if self.bag_left:
                self._draw(mover, min(7, self.bag_left))
            case Phase.CHALLENGED:
                self._rule(turn, mover, valid=choice > 2)
            case Phase.PLACED | Phase.DRAWN:
                self._press(mover)
            case Phase.UNSPECIFIED | Phase.ENDED:
                pass

    def _is_challenged(self, turn: int) -> bool:
        return any(isinstance(event, game_events.ChallengeRaised) and event.turn == turn for event in self.game)

    def _draw(self, mover: str, count: int) -> None:
        self.bag_left -= count
        self._go_on(mover)
        self.game.append(
            game_events.TilesDrawn(player_id=mover, bag_left=self.bag_left, occurred_at=timestamp(self.now))
        )

    def _challenge(self, turn: int, mover: str) -> None:
        self.challenges += 1
        self.game.append(
            game_events.ChallengeRaised(turn=turn, challenge=self.challenges, occurred_at=timestamp(self.now))
        )
        if not self._account():
            self.running, self.since = "", self.now

    def _rule(self, turn: int, mover: str, *, valid: bool) -> None:
        at = timestamp(self.now)
        self.game.append(game_events.ChallengeRuled(turn=turn, challenge=self.challenges, valid=valid, occurred_at=at))
        if not valid:
            self.game.append(game_events.PlayWithdrawn(turn=turn, player_id=mover, occurred_at=at))
            self._go_on(_other(mover))

    def _go_on(self, player_id: str) -> None:
        """End a challenge: the play is withdrawn, or its mover writes it down, draws or presses (FISC I.10)."""
        if not self.running:
            self.neutral_ms += elapsed_ms(self.since, self.now)
            self.running, self.since = player_id, self.now

    def _press(self, mover: str) -> None:
        settled = settle(self.state, self.table, FISC)
        pressed = decide(
            Table(FISC, self.table, fold(self.state, settled)), clock_pb2.PressRequest(player_id=mover), self.now
        )
        self.clock += [*settled, *pressed]
        self._go_on(mover)
        if not self._account():
            self.running, self.since = _other(mover), self.now

    def _end(self, condition: game_events.EndCondition.ValueType) -> None:
        self.game.append(game_events.GameEnded(condition=condition, occurred_at=timestamp(self.now)))
        self._account()
        self.running = ""

    def _account(self) -> bool:
        """Count the running time. Beyond the cap the game ends at the moment when the cap was reached."""
        left = LIMIT_MS - self.used[self.running]
        used = elapsed_ms(self.since, self.now)
        self.used[self.running] += min(left, used)
        if used <= left:
            return False
        self.over_cap = True
        self.now = self.since + left * 1_000_000
        if not self.ended:
            condition = game_events.END_CONDITION_OVERTIME
            self.game.append(game_events.GameEnded(condition=condition, occurred_at=timestamp(self.now)))
        self.running = ""
        return True


def _other(player_id: str) -> str:
    return PLAYERS[1 - PLAYERS.index(player_id)]


def play(steps: list[Step], *, hearing: bool | None = None) -> Course:
    """Return the game that ``steps`` make; with ``hearing`` the clock gets every event at once, or none."""
    course = Course()
    for step in steps:
        clock_hears = step.clock_hears if hearing is None else hearing
        course.take(Step(step.elapsed, step.choice, clock_hears, step.game_hears))
        if course.ended:
            break
    course.hear()
    return course


@given(STEPS)
def test_each_player_has_used_exactly_the_time_that_passed_on_their_turns(steps: list[Step]) -> None:
    course = play(steps)
    state = course.state
    assert dict(zip(state.player_ids, state.used_ms, strict=True)) == course.used
    assert state.running == course.running


@given(STEPS)
def test_no_time_is_negative_and_none_goes_beyond_the_cap(steps: list[Step]) -> None:
    course = play(steps)
    told = [0]
    for event in course.clock:
        match event:
            case clock_events.ClockPressed() | clock_events.ClockNeutralised():
                told.append(event.used_ms)
            case clock_events.ClockStopped():
                told += [side.used_ms for side in event.times]
                assert all(side.overtime_ms == max(0, side.used_ms - ALLOWANCE_MS) for side in event.times)
    assert min(told) == 0
    assert max(told) <= LIMIT_MS


@given(STEPS)
def test_the_times_of_both_players_add_up_to_the_time_that_was_not_neutralised(steps: list[Step]) -> None:
    course = play(steps)
    until = course.now if course.ended else course.state.running_since
    assert sum(course.state.used_ms) == elapsed_ms(START_NS, until) - course.neutral_ms


@given(STEPS)
def test_settling_twice_is_settling_once(steps: list[Step]) -> None:
    course = play(steps)
    assert settle(course.state, course.table, FISC) == []


@given(STEPS)
@example([Step(0, 3, False, False), Step(36 * MINUTE_NS, 0, False, False), Step(0, 5, False, False)])
def test_it_does_not_matter_when_the_clock_hears_of_the_game(steps: list[Step]) -> None:
    heard_late = play(steps, hearing=False)
    heard_at_once = play(steps, hearing=True)
    assert heard_late.clock == heard_at_once.clock


@given(STEPS)
def test_a_game_that_ended_has_a_clock_that_stopped_and_one_end_by_overtime_at_most(steps: list[Step]) -> None:
    course = play(steps)
    assert course.state.stopped == course.ended
    ends = [event for event in course.clock if isinstance(event, clock_events.OvertimeCapExceeded)]
    assert len(ends) == course.over_cap


@given(STEPS)
def test_a_clock_is_at_most_pressed_once_for_a_turn(steps: list[Step]) -> None:
    turns = [event.turn for event in play(steps).clock if isinstance(event, clock_events.ClockPressed)]
    assert turns == sorted(set(turns))
