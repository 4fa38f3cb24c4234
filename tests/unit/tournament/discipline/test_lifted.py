"""A sanction is lifted once, imposed again once, and stays if it had consequences."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.discipline.checks import is_lifted, lift_undone_by, sanction_undone_by
from faristol.tournament.discipline.sanctions import UNDO
from faristol.tournament.state import Appeal, AppealPhase, TournamentState

EXPELLED = events.PlayerExpelled(player_id="anna", round=2)
POINTS, ROUNDS = events.SANCTION_KIND_POINTS, events.SANCTION_KIND_ROUNDS
WARNED = events.PlayerWarned(player_id="anna")


def rests(act: Message, later: Message) -> bool:
    return UNDO[type(act)].rests(act, later)


@pytest.mark.parametrize(
    ("act", "later", "expected"),
    [
        (EXPELLED, events.ResultRecorded(loser_ids=["anna"]), True),
        (EXPELLED, events.ResultRecorded(loser_ids=["biel"]), False),
        (EXPELLED, events.RoundPaired(round=2), False),
        (EXPELLED, events.RoundPaired(round=3), True),
        (EXPELLED, events.RoundStarted(round=3), False),
        (events.PlayerSanctioned(player_id="anna", rounds=[3]), events.RoundPaired(round=3), True),
        (events.PlayerSanctioned(player_id="anna", rounds=[3]), events.RoundPaired(round=4), False),
        (events.PlayerSanctioned(player_id="anna", rounds=[3]), events.PlayerSanctioned(player_id="anna"), False),
        (events.SanctionLifted(player_id="anna", rounds=[3]), events.RoundPaired(round=3), True),
        (events.SanctionLifted(player_id="anna", rounds=[3]), events.RoundPaired(round=2), False),
        (
            events.SanctionLifted(player_id="anna", kind=POINTS),
            events.PlayerSanctioned(player_id="anna", kind=POINTS),
            True,
        ),
        (
            events.SanctionLifted(player_id="anna", kind=POINTS),
            events.PlayerSanctioned(player_id="biel", kind=POINTS),
            False,
        ),
        (
            events.SanctionLifted(player_id="anna", kind=POINTS),
            events.PlayerSanctioned(player_id="anna", kind=ROUNDS),
            False,
        ),
        (
            events.SanctionLifted(player_id="anna", kind=POINTS, game_id="g"),
            events.PlayerSanctioned(player_id="anna", kind=POINTS, game_id="h"),
            False,
        ),
        (events.WarningLifted(player_id="anna"), WARNED, True),
        (events.WarningLifted(player_id="biel"), WARNED, False),
        (events.WarningLifted(player_id="anna"), events.PlayerExpelled(player_id="anna"), False),
    ],
)
def test_an_act_rests_where_a_later_one_would_have_been_another_without_it(
    act: Message, later: Message, expected: bool
) -> None:
    assert rests(act, later) is expected


@pytest.mark.parametrize(
    ("past_events", "version", "expected"),
    [
        ([EXPELLED], 1, False),
        ([EXPELLED, events.ExpulsionLifted(player_id="anna")], 1, True),
        ([EXPELLED, events.ExpulsionLifted(player_id="biel")], 1, False),
        ([events.ExpulsionLifted(player_id="anna"), EXPELLED], 2, False),
        ([WARNED, events.WarningLifted(version=1)], 1, True),
        ([WARNED, WARNED, events.WarningLifted(version=1)], 2, False),
        ([WARNED, events.SanctionLifted(version=1)], 1, True),
        ([WARNED, events.ExpulsionLifted(player_id="anna")], 1, False),
    ],
)
def test_a_sanction_is_lifted_by_what_names_it(past_events: Sequence[Message], version: int, expected: bool) -> None:
    act = past_events[version - 1]
    assert isinstance(act, events.PlayerExpelled | events.PlayerWarned)
    assert is_lifted(act, past_events, version) is expected


def appeal(version: int, phase: AppealPhase) -> Appeal:
    return Appeal("anna", version, (), (), phase)


@pytest.mark.parametrize(
    ("appeals", "lift", "command"),
    [
        ((), "SanctionPlayer", "LiftSanction"),
        ((appeal(1, AppealPhase.OPEN),), "SanctionPlayer", "DecideAppeal"),
        ((appeal(2, AppealPhase.OPEN),), "SanctionPlayer", "LiftSanction"),
        ((appeal(1, AppealPhase.UPHELD),), "", ""),
        ((appeal(1, AppealPhase.DISMISSED), appeal(2, AppealPhase.OPEN)), "", ""),
        ((appeal(2, AppealPhase.DISMISSED), appeal(1, AppealPhase.OPEN)), "SanctionPlayer", "DecideAppeal"),
    ],
)
def test_what_the_tribunal_has_decided_is_undone_by_nobody(
    appeals: tuple[Appeal, ...], lift: str, command: str
) -> None:
    state = TournamentState(appeals=appeals)
    lifted = [WARNED, events.WarningLifted(player_id="anna", version=1)]
    assert lift_undone_by(state, lifted, 2, "SanctionPlayer") == lift
    assert sanction_undone_by(state, [WARNED, WARNED], 1, "LiftSanction") == command
    assert sanction_undone_by(state, lifted, 1, "LiftSanction") == ""
