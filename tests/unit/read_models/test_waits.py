"""Pending matters of a table for officials: their start, their addressee, and their end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.projections.model import table_of

AT = Timestamp(seconds=1_000)
PLAY = game.PlayPlaced(
    turn=1,
    player_id="anna",
    words=[game.ScoredWord(word=game.Word(faces="CASA"), row=7, column=1, across=True)],
    occurred_at=AT,
)
OFF_CENTRE = game.PlayPlaced()
OFF_CENTRE.CopyFrom(PLAY)
OFF_CENTRE.off_centre = True
CHALLENGE = game.ChallengeRaised(turn=1, challenge=1, player_id="biel", occurred_at=AT)


def watch_table(*events: Message) -> results.WatchedTable:
    opened = game.GameOpened(game_id="cup-r1-t1", player_ids=("anna", "biel"))
    found = table_of([opened, clock.ClockOpened(player_ids=("anna", "biel")), *events])
    assert found is not None
    return answers.to_watched_table(found)


def kinds(events: Iterable[Message]) -> list[str]:
    return [results.WaitKind.Name(wait.kind).removeprefix("WAIT_KIND_") for wait in watch_table(*events).waits]


@pytest.mark.parametrize(
    ("kind", "before", "settled"),
    [
        ("ARBITER", [game.ArbiterCalled(turn=1, player_id="anna", occurred_at=AT)], game.ArbiterLeft(turn=1)),
        ("CHALLENGE", [PLAY, CHALLENGE], game.ChallengeRuled(turn=1, challenge=1)),
        ("CHALLENGE", [PLAY, CHALLENGE], game.EntriesTakenBack(turn=1, player_id="anna")),
        ("APPEAL", [game.AppealRaised(turn=1, challenge=1, player_id="anna")], game.AppealRuled(turn=1, challenge=1)),
        ("COUNT", [game.CountDisputed(turn=1, player_id="anna")], game.CountSettled(turn=1)),
        ("OVERDRAW", [game.OverdrawFound(turn=1, player_id="anna", surplus=2)], game.OverdrawResolved(turn=1)),
        ("UNDERDRAW", [game.UnderdrawFound(turn=1, player_id="anna")], game.UnderdrawResolved(turn=1)),
        ("ILLEGAL_EXCHANGE", [game.IllegalExchangeFound(turn=1, player_id="anna")], game.IllegalExchangeResolved()),
        ("OFF_CENTRE", [OFF_CENTRE], game.OffCentreDecided(turn=1, player_id="biel", accepted=True)),
        ("OFF_CENTRE", [OFF_CENTRE], game.PlayWithdrawn(turn=1, player_id="anna")),
        ("ABSENT", [clock.PlayerAbsent(player_id="biel", signal_at=AT)], clock.PlayerArrived(player_id="biel")),
        ("AWAY", [clock.PlayerLeft(player_id="biel", occurred_at=AT)], clock.PlayerReturned(player_id="biel")),
        ("ABSENT", [clock.PlayerAbsent(player_id="biel", signal_at=AT)], game.GameEnded(loser_ids=["biel"])),
    ],
)
def test_a_wait_lasts_from_what_brings_it_up_to_what_settles_it(
    kind: str, before: Sequence[Message], settled: Message
) -> None:
    assert kinds(before) == [kind]
    assert kinds([*before, settled]) == []


def test_a_wait_says_since_when_whom_it_concerns_how_many_tiles_and_whether_an_arbiter_decides() -> None:
    found = game.OverdrawFound(
        turn=4, player_id="anna", surplus=2, arbiter=True, article="FISC I.7.3", occurred_at=AT, shown=["A", "B"]
    )
    (wait,) = watch_table(found).waits
    assert (wait.since, wait.turn, wait.player_id, wait.number) == (AT, 4, "anna", 2)
    assert (wait.arbiter, wait.article) == (True, "FISC I.7.3")


def test_who_is_absent_waits_since_the_signal_and_each_for_themselves() -> None:
    noted = Timestamp(seconds=1_300)
    absent = [clock.PlayerAbsent(player_id=each, signal_at=AT, occurred_at=noted) for each in ("anna", "biel")]
    waits = watch_table(*absent).waits
    assert [(wait.player_id, wait.since) for wait in waits] == [("anna", AT), ("biel", AT)]
    (left,) = watch_table(*absent, clock.PlayerArrived(player_id="anna")).waits
    assert left.player_id == "biel"


def test_a_table_says_which_arbiter_has_it_until_that_one_leaves() -> None:
    called = game.ArbiterCalled(turn=1, player_id="anna", occurred_at=AT)
    assert watch_table(called, game.ArbiterAssigned(arbiter_id="eva")).arbiter_id == "eva"
    assert watch_table(called, game.ArbiterAssigned(arbiter_id="eva"), game.ArbiterLeft(turn=1)).arbiter_id == ""


def test_a_dispute_about_a_count_is_still_to_be_settled_when_the_game_has_ended_and_not_when_its_result_is_final() -> (
    None
):
    disputed = [game.CountDisputed(turn=1, player_id="anna"), game.GameEnded()]
    assert kinds(disputed) == ["COUNT"]
    assert kinds([*disputed, game.ResultFinal()]) == []
