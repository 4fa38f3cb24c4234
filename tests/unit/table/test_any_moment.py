"""Under every book, a clock may be settled at any time after its game, and its times add up."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.table.clocks import (
    FISC,
    FISE,
    FM,
    NON_RUNNING,
    PES,
    SECOND_NS,
    START_NS,
    TIMER,
    UF,
    build_clock,
    settle,
    start_table,
)

from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules import Ruleset
from faristol.table.clock import Clock, elapsed_ms, fold
from faristol.table.deadlines import due
from faristol.table.game.evolution import evolve as evolve_game
from faristol.table.game.state import Game

BOOKS = {"uf": UF, "fisc": FISC, "fise": FISE, "non-running": NON_RUNNING, "timer": TIMER, "pes": PES, "fm": FM}
STEPS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 150 * SECOND_NS)), max_size=40)


@dataclass
class Course:
    """A game with random events, each when it is possible."""

    table: Game = field(default_factory=start_table)
    events: list[Message] = field(default_factory=list)
    now: int = START_NS
    challenges: int = 0
    lasting: list[str] = field(default_factory=list)

    def step(self, choice: int, elapsed: int) -> list[Message]:
        """Return the next events, if ``choice`` is possible now."""
        self.now += elapsed
        made = list(self._build_events(choice))
        for event in made:
            event.occurred_at.FromNanoseconds(self.now)  # type: ignore[attr-defined] # each of these has it
            self.table = evolve_game(self.table, event)
        self.events += made
        return made

    def _build_events(self, choice: int) -> list[Message]:
        table, turn, mover = self.table, self.table.turn, self.table.mover
        taken = table.signals.taken_at(turn) is not None
        match choice:
            case 0 if not taken:
                return [game_events.PlayPlaced(turn=turn, player_id=mover)]
            case 1 if taken and "challenge" not in self.lasting:
                self.challenges += 1
                self.lasting.append("challenge")
                return [game_events.ChallengeRaised(turn=turn, challenge=self.challenges)]
            case 2 if "challenge" in self.lasting:
                self.lasting.remove("challenge")
                return [game_events.ChallengeRuled(turn=turn, challenge=self.challenges, valid=True)]
            case 3 if "challenge" in self.lasting:
                self.lasting.remove("challenge")
                ruled = game_events.ChallengeRuled(turn=turn, challenge=self.challenges, valid=False)
                return [ruled, game_events.PlayWithdrawn(turn=turn, player_id=mover)]
            case 4 if "arbiter" not in self.lasting:
                self.lasting.append("arbiter")
                return [game_events.ArbiterCalled(turn=turn)]
            case 5 if "arbiter" in self.lasting:
                self.lasting.remove("arbiter")
                return [game_events.ArbiterLeft(turn=turn)]
            case 6 if "challenge" not in self.lasting:
                return [game_events.TurnLost(turn=turn, player_id=mover)]
            case 7 if taken and "challenge" not in self.lasting:
                return [game_events.PlayCompleted(turn=turn, player_id=mover)]
        return []


def play_steps(steps: list[tuple[int, int]], ruleset: Ruleset, *, at_once: bool) -> tuple[Course, list[Message]]:
    """Return the game that ``steps`` make, and its clock: told event by event, or at the end."""
    game, said = Course(), settle(Clock(), start_table(), ruleset)
    for choice, elapsed in steps:
        game.step(choice, elapsed)
        if at_once:
            said += settle(fold(Clock(), said), game.table, ruleset)
    return game, said + settle(fold(Clock(), said), game.table, ruleset)


@pytest.mark.parametrize("book", BOOKS)
@given(steps=STEPS)
def test_it_does_not_matter_when_a_clock_hears_of_its_game(book: str, steps: list[tuple[int, int]]) -> None:
    ruleset = BOOKS[book]
    _, late = play_steps(steps, ruleset, at_once=False)
    _, at_once = play_steps(steps, ruleset, at_once=True)
    assert late == at_once


@pytest.mark.parametrize("book", BOOKS)
@given(steps=STEPS)
def test_one_clock_runs_at_a_time_and_what_ran_is_what_was_used(book: str, steps: list[tuple[int, int]]) -> None:
    ruleset = BOOKS[book]
    game, said = play_steps(steps, ruleset, at_once=False)
    clock, ran_ms = Clock(), 0
    for event in said:
        after = fold(clock, [event])
        ran_ms += elapsed_ms(clock.running_since, after.last_at) if clock.running else 0
        assert after.last_at >= clock.last_at
        clock = after
    assert sum(clock.used_ms) == ran_ms
    assert build_clock(game.table, ruleset, clock) == clock
    assert {clock.mover} <= set(clock.player_ids)


@pytest.mark.parametrize("book", BOOKS)
@given(steps=STEPS, later=st.integers(0, 4_000 * SECOND_NS))
def test_what_is_due_is_due_once_and_in_order(book: str, steps: list[tuple[int, int]], later: int) -> None:
    ruleset = BOOKS[book]
    game, said = play_steps(steps, ruleset, at_once=False)
    clock = fold(Clock(), said)
    new_events = due(clock, game.table, ruleset, game.now + later)
    after = fold(clock, new_events)
    assert due(after, game.table, ruleset, game.now + later) == []
    moments = [event.occurred_at.ToNanoseconds() for event in new_events]  # type: ignore[attr-defined] # as above
    assert moments == sorted(moments)
    assert all(moment <= game.now + later for moment in moments)
    timed_out = [event.turn for event in said + new_events if isinstance(event, clock_events.TurnTimedOut)]
    assert len(timed_out) == len(set(timed_out))
    assert settle(after, game.table, ruleset) == []


def test_the_moments_of_the_events_are_theirs() -> None:
    game = Course()
    (placed,) = game.step(0, SECOND_NS)
    assert isinstance(placed, game_events.PlayPlaced)
    assert placed.occurred_at == timestamp(START_NS + SECOND_NS)
