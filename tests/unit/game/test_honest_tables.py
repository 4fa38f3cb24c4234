"""The championship takes every event that an honest hall writes, under every book and in any order of commands."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.unit.table.hall import Hall, rules
from tests.unit.table.test_any_command import TABLES, Somebody

from faristol.game.halls.plausibility import Implausible, apply_pushed
from faristol.game.halls.rulings import Surroundings
from faristol.kernel.cases import case_id_of
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.table.game.state import Phase

STEPS_COUNT = 70
ON_CLOCKS = (
    clock_pb2.NeutraliseRequest(arbiter_id="eleni", reason=clock_events.NEUTRALISATION_REASON_FORCE_MAJEURE),
    clock_pb2.NeutraliseRequest(arbiter_id="eleni", reason=clock_events.NEUTRALISATION_REASON_CORRECTION),
    clock_pb2.ResumeRequest(arbiter_id="eleni"),
    clock_pb2.CorrectClockRequest(
        arbiter_id="eleni", reason=clock_events.CORRECTION_REASON_DEVICE, used_ms=60_000, player_id="anna"
    ),
    clock_pb2.ExpireRoundTimeRequest(arbiter_id="eleni"),
    clock_pb2.ReportAbsenceRequest(arbiter_id="eleni", player_id="biel"),
    clock_pb2.RecordArrivalRequest(player_id="biel"),
    clock_pb2.LeaveTableRequest(player_id="anna", told=True),
    clock_pb2.LeaveTableRequest(player_id="biel"),
    clock_pb2.ReturnToTableRequest(player_id="anna"),
    clock_pb2.ClaimTimeRequest(player_id="anna"),
)
"""Commands on the clock, by arbiters and by players."""


class LoggedHall(Hall):
    """A table with a log of its events in the order in which its cell writes them, with those of its cases."""

    def __init__(self, *given: object, **options: object) -> None:
        self.log: list[Message] = []
        super().__init__(*given, **options)  # type: ignore[arg-type] # as of a hall

    def rule(self, good: Sequence[bool]) -> None:
        raised = next(event for event in reversed(self.events) if isinstance(event, events.ChallengeRaised))
        game = self.game
        about: dict[str, Any] = {
            "case_id": case_id_of(game.game_id, game.seed, raised.challenge),
            "game_id": game.game_id,
            "turn": raised.turn,
            "challenge": raised.challenge,
            "mode": lexicon_events.MODE_AUTOMATIC,
            "occurred_at": timestamp(self.at),
        }
        opened = lexicon_events.CaseOpened(
            **about, words=raised.words, tournament_id=game.tournament_id, lexicon=game.lexicon.message()
        )
        ruled = lexicon_events.CaseRuled(**about, valid=all(good))
        for word, valid in zip(raised.words, good, strict=True):
            ruled.words.add(word=word, valid=valid)
        self.log += [opened, ruled]
        super().rule(good)

    def _write(self, past_events: Sequence[Message]) -> None:
        self.log.extend(past_events)
        super()._write(past_events)


@pytest.mark.parametrize("recorded", [False, True], ids=["hosted", "recorded"])
@pytest.mark.parametrize(("name", "players"), TABLES, ids=lambda value: str(value))
@settings(
    max_examples=scale_examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(seed=st.integers(0, 2**32))
def test_what_a_table_writes_by_its_rules_is_plausible(name: str, players: int, recorded: bool, seed: int) -> None:
    hall, chance = LoggedHall(rules(name), players, recorded=recorded), Random(seed)
    begun = len(hall.log)
    before = hall.table
    somebody = Somebody(hall, chance, arbiters=0.05)
    for _ in range(STEPS_COUNT):
        if chance.random() < 0.08:
            try:
                hall.do(chance.choice(ON_CLOCKS), chance.random() * chance.choice([10, 10, 10, 900]))
            except (Refusal, Invalid):
                continue
        else:
            somebody.act()
        if hall.game.phase is Phase.FINAL:
            break
    written = hall.log[begun:]
    try:
        after = apply_pushed(before, written, Surroundings((*hall.players, "nobody")))
    except Implausible as implausible:
        wrong = written[max(0, implausible.place - 3) : implausible.place + 1]
        raise AssertionError(f"{implausible.problem}: {wrong}") from implausible
    assert (after.game, after.clock) == (hall.game, hall.clock)
