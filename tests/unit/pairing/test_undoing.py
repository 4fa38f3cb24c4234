from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from google.protobuf.message import Message
from tests.unit.pairing.halls import FISC, NOON, Hall

from faristol.pairing import decide
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Refusal

Act = Callable[[Hall], Sequence[Message]]

ACTS: dict[str, Act] = {
    "PlayerCheckedIn": lambda hall: decide.check_in(hall.state, player_id="p1", at=None, now=hall.now),
    "PlayerWithdrawn": lambda hall: decide.withdraw(hall.state, player_id="p1", note="", at=None, now=hall.now),
    "ByeGranted": lambda hall: decide.grant_bye(
        hall.state, player_id="p1", number=1, kind=events.BYE_KIND_HALF_POINT, at=None, now=hall.now
    ),
    "PairForbidden": lambda hall: decide.forbid(hall.state, FISC, player_ids=["p1", "p2"], at=None, now=hall.now),
    "PairKept": lambda hall: decide.keep(
        hall.state, FISC, player_ids=["p1", "p2"], rematch=False, at=None, now=hall.now
    ),
    "RoundPaired": lambda hall: decide.pair(hall.state, FISC, number=1, at=None, now=hall.now),
}


def undo(hall: Hall, act: Message) -> Sequence[Message]:
    return hall.do(decide.undo(hall.state, FISC, act, note="a slip", at=None, now=hall.now))


def timeless(state: Tournament) -> Tournament:
    return replace(state, latest=NOON, kept={})


@pytest.mark.parametrize("name", ACTS)
def test_an_act_that_is_undone_leaves_the_tournament_as_it_was_and_both_in_the_record(name: str) -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)})
    before = hall.state

    act, *_ = hall.do(ACTS[name](hall))
    assert act.DESCRIPTOR.name == name
    assert timeless(hall.state) != timeless(before) or name == "PairKept"
    (undone,) = undo(hall, act)

    assert timeless(hall.state) == timeless(before)
    assert hall.state.kept_pairs(1) == before.kept_pairs(1)
    assert hall.facts[-1] == undone


@pytest.mark.parametrize("name", ["PlayerCheckedIn", "PlayerWithdrawn", "PairForbidden", "PairKept"])
def test_what_undid_an_act_can_be_undone_as_well(name: str) -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)})
    act, *_ = hall.do(ACTS[name](hall))
    after = hall.state
    (undone,) = undo(hall, act)
    undo(hall, undone)

    assert timeless(hall.state) == timeless(after)
    assert hall.state.kept_pairs(1) == after.kept_pairs(1)


def test_a_round_that_has_begun_is_not_undone() -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)})
    hall.pair(1)
    (started,) = hall.start(1)

    with pytest.raises(Refusal, match="RoundStarted cannot be undone"):
        undo(hall, started)


def test_who_was_registered_by_mistake_is_withdrawn() -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)})
    undo(hall, hall.facts[-1])

    assert hall.state.players[-1].never_came
