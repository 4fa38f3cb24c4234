from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.support.halls import NOON, Hall, hall_of

from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.kernel.topics import place_of
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Bye, load_ruleset
from faristol.tournament.command_handling.undo import undone_by
from faristol.tournament.state import HallRange as Room
from faristol.tournament.state import TournamentState

PLAYED_OUT = pb.RUNNING_GAME_PLAYED_OUT
GIVEN_UP = pb.RUNNING_GAME_GIVEN_UP
GAME = "open-r1-t1"
PES = load_ruleset("pes-2024")
PAIRING = pb.DESCRIPTOR.services_by_name["PairingService"]

Act = Callable[[Hall], Sequence[Message]]

ACTS: dict[str, Act] = {
    "RoundsChanged": lambda hall: hall.decide(pb.ChangeRoundsRequest(rounds=7)),
    "PlayerCheckedIn": lambda hall: hall.decide(pb.CheckInPlayerRequest(player_id="p1")),
    "PlayerWithdrawn": lambda hall: hall.decide(pb.WithdrawPlayerRequest(player_id="p1")),
    "ByeGranted": lambda hall: hall.decide(
        pb.GrantByeRequest(player_id="p1", round=1, kind=events.BYE_KIND_HALF_POINT)
    ),
    "PairForbidden": lambda hall: hall.decide(pb.ForbidPairRequest(player_ids=["p1", "p2"])),
    "PairKept": lambda hall: hall.decide(pb.KeepPairRequest(player_ids=["p1", "p2"], rematch=False)),
    "HallsSet": lambda hall: hall.decide(
        pb.SetHallsRequest(halls=[hall.message() for hall in [Room("A", 1, 20)]], top_tables=4)
    ),
    "RoundsAnnounced": lambda hall: hall.decide(
        pb.AnnounceRoundsRequest(times=[events.RoundTime(round=1, starts_at=to_timestamp(NOON))])
    ),
    "RoundPaired": lambda hall: hall.decide(pb.PairRoundRequest(round=len(hall.state.played) + 1)),
}
"""Acts of a director before a round begins."""


def undo(hall: Hall, act: Message) -> Sequence[Message]:
    version = 1 + next(place for place, event in enumerate(hall.events) if event is act)
    new_events = hall.carry_out(pb.UndoActRequest(version=version, note="a slip"))
    return [event for event in new_events if not isinstance(event, events.UndoNoted)]


def do_and_undo(hall: Hall, name: str) -> Message:
    """Return the event that undid a command."""
    act, *_ = hall.do(ACTS[name](hall))
    (undone,) = undo(hall, act)
    return undone


def withdraw(hall: Hall, player_id: str, running_game: pb.RunningGame.ValueType = PLAYED_OUT) -> Message:
    (event,) = hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id, running_game=running_game))
    return event


def reinstate(hall: Hall, player_id: str) -> Message:
    (event,) = hall.carry_out(pb.ReinstatePlayerRequest(player_id=player_id))
    return event


def timeless(state: TournamentState) -> TournamentState:
    return replace(state, latest=NOON, kept={})


@pytest.mark.parametrize("name", ACTS)
def test_an_act_that_is_undone_leaves_the_tournament_as_it_was_and_both_in_the_record(name: str) -> None:
    hall = hall_of()
    before = hall.state

    act, *_ = hall.do(ACTS[name](hall))
    assert act.DESCRIPTOR.name == name
    assert timeless(hall.state) != timeless(before) or name == "PairKept"
    (undone,) = undo(hall, act)

    assert timeless(hall.state) == timeless(before)
    assert hall.state.kept_pairs(1) == before.kept_pairs(1)
    assert undone in hall.events


@pytest.mark.parametrize("name", ACTS)
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

    with pytest.raises(Refusal, match=r"Command \d+ cannot be undone by another command"):
        undo(hall, started)


def test_who_was_registered_by_mistake_is_withdrawn() -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(1, 9)})
    undo(hall, hall.events[-1])

    assert hall.state.players[-1].never_came


def read_later(hall: Hall, act: Message) -> str:
    """Return the later event because of which a command cannot be undone."""
    before = hall.state
    with pytest.raises(Refusal) as refused:
        undo(hall, act)
    assert refused.value.reason == "NOT_UNDONE"
    assert hall.state == before
    return hall.events[int(refused.value.params["later"]) - 1].DESCRIPTOR.name


@pytest.mark.parametrize("name", [name for name in ACTS if name != "RoundPaired"])
def test_an_act_is_undone_once(name: str) -> None:
    hall = hall_of()
    act, *_ = hall.do(ACTS[name](hall))
    (undone,) = undo(hall, act)

    assert read_later(hall, act) == undone.DESCRIPTOR.name


def test_an_old_act_is_not_undone_on_what_took_its_place() -> None:
    hall = hall_of()
    first, *_ = hall.do(ACTS["PairKept"](hall))
    hall.play(1)
    again, *_ = hall.carry_out(pb.KeepPairRequest(player_ids=["p1", "p2"], rematch=True))

    assert read_later(hall, first) == "RoundPaired"
    assert hall.state.kept_pairs(2) == (("p1", "p2"),)
    undo(hall, again)
    assert hall.state.kept_pairs(2) == ()


def test_of_two_withdrawals_only_the_last_is_undone() -> None:
    hall = hall_of()
    first = withdraw(hall, "p1")
    back = reinstate(hall, "p1")
    second = withdraw(hall, "p1")

    assert read_later(hall, first) == "PlayerReinstated"
    assert read_later(hall, back) == "PlayerWithdrawn"
    undo(hall, second)
    assert hall.state.players[0].withdrawn is None


def test_a_withdrawal_is_not_undone_once_a_round_was_paired_without_the_player() -> None:
    hall = hall_of()
    hall.play(1)
    act = withdraw(hall, "p1")
    hall.pair(2)

    assert read_later(hall, act) == "RoundPaired"
    hall.carry_out(pb.UnpairRoundRequest(round=2))
    undo(hall, act)
    assert hall.state.players[0].takes_part(2)


def test_a_withdrawal_is_not_undone_once_its_game_is_lost() -> None:
    hall = hall_of()
    hall.pair(1)
    hall.start(1)
    act = withdraw(hall, "p1", GIVEN_UP)
    hall.report(GAME, 0, 0)

    assert read_later(hall, act) == "ResultRecorded"


def test_undoing_a_return_leaves_the_game_that_is_being_played_alone() -> None:
    hall = hall_of()
    hall.pair(1)
    hall.start(1)
    withdraw(hall, "p1")
    back = reinstate(hall, "p1")
    (undone,) = undo(hall, back)

    assert isinstance(undone, events.PlayerWithdrawn)
    assert (undone.round, undone.game_id) == (2, "")


def test_undoing_a_return_leaves_the_rounds_missed_before_it_missed() -> None:
    hall = hall_of()
    withdraw(hall, "p1")
    hall.play(1)
    hall.play(2)
    gone = hall.state
    undo(hall, reinstate(hall, "p1"))

    assert timeless(hall.state) == timeless(gone)
    assert hall.state.players[0].never_came


def test_a_return_is_undone_after_other_acts_about_the_player_and_not_once_the_player_was_paired() -> None:
    hall = hall_of()
    withdraw(hall, "p1")
    back = reinstate(hall, "p1")
    hall.carry_out(pb.GrantByeRequest(player_id="p1", round=2, kind=events.BYE_KIND_HALF_POINT))
    assert isinstance(hall.decide(pb.UndoActRequest(version=1 + hall.events.index(back)))[0], events.PlayerWithdrawn)
    hall.pair(1)

    assert read_later(hall, back) == "RoundPaired"


def test_undoing_a_return_asks_for_the_own_withdrawal_of_the_player_the_last_before_it() -> None:
    hall = hall_of()
    withdraw(hall, "p1")
    reinstate(hall, "p1")
    hall.play(1)
    withdraw(hall, "p1")
    hall.play(2)
    withdraw(hall, "p2")
    hall.play(3)
    (undone,) = undo(hall, reinstate(hall, "p1"))

    assert isinstance(undone, events.PlayerWithdrawn)
    assert undone.round == 2


def test_a_withdrawal_is_undone_after_other_games_ended_and_other_byes_were_granted() -> None:
    hall = hall_of()
    hall.pair(1)
    hall.start(1)
    act = withdraw(hall, "p1", GIVEN_UP)
    hall.report("open-r1-t2", 400, 300)
    hall.carry_out(pb.GrantByeRequest(player_id="p2", round=3, kind=events.BYE_KIND_HALF_POINT))

    assert isinstance(undo(hall, act)[0], events.PlayerReinstated)


def test_undoing_a_second_table_of_ones_own_gives_the_first_one_back() -> None:
    hall = hall_of()
    hall.carry_out(pb.SetHallsRequest(halls=[hall.message() for hall in [Room("A", 1, 20)]], top_tables=0))

    def fix(table: int) -> Message:
        (event,) = hall.carry_out(pb.FixTableRequest(player_id="p1", table=table))
        return event

    first = fix(15)
    second = fix(17)
    assert read_later(hall, first) == "TableFixed"
    undo(hall, second)
    assert hall.state.players[0].table == 15

    hall.carry_out(pb.ReleaseTableRequest(player_id="p1"))
    undo(hall, fix(17))
    assert hall.state.players[0].table is None


def test_a_registration_is_not_undone_once_something_was_done_with_the_player() -> None:
    hall = hall_of()
    act = next(event for event in hall.events if isinstance(event, events.PlayerRegistered))
    hall.play(1)

    assert read_later(hall, act) == "RoundPaired"


def test_a_bye_that_was_revoked_is_granted_again_as_it_was() -> None:
    hall = hall_of()
    undo(hall, do_and_undo(hall, "ByeGranted"))

    assert hall.state.players[0].byes == {1: Bye.HALF_POINT}


def test_a_pairing_that_was_taken_back_is_made_again_unless_anything_came_after() -> None:
    hall = hall_of()
    hall.pair(1)
    paired = hall.state.played
    (back,) = hall.carry_out(pb.UnpairRoundRequest(round=1))
    undo(hall, back)
    assert hall.state.played == paired

    (back,) = hall.carry_out(pb.UnpairRoundRequest(round=1))
    hall.do(ACTS["PairForbidden"](hall))
    assert read_later(hall, back) == "PairForbidden"


def postponement(hall: Hall) -> Sequence[Message]:
    """Postpone the first game of the first round for a day."""
    due = hall.now + timedelta(days=1)
    return hall.decide(
        pb.PostponeGameRequest(
            game_id=GAME,
            player_ids=hall.state.played[0].pairings[0].player_ids,
            scheduled_at=to_timestamp(due),
            postponed_to=to_timestamp(due + timedelta(days=1)),
            arbiter_id="eleni",
        )
    )


def test_a_postponement_is_taken_back_before_its_round_begins_and_not_after() -> None:
    hall = hall_of(ruleset=PES)
    hall.pair(1)
    undo(hall, *hall.do(postponement(hall)))
    assert hall.state.played[0].postponed == frozenset()
    (act,) = hall.do(postponement(hall))
    hall.start(1)
    assert read_later(hall, act) == "RoundStarted"


def test_every_act_that_is_said_to_be_undone_has_what_undoes_it() -> None:
    new_events = [value for value in vars(events).values() if isinstance(value, type) and issubclass(value, Message)]
    told = {undone_by(kind(), ()) for kind in new_events} - {""}

    assert len(told) > 10
    assert told <= {method.name for method in PAIRING.methods}


def test_what_is_told_to_undo_a_table_of_ones_own_is_what_undoes_it() -> None:
    hall = hall_of()
    hall.do(ACTS["HallsSet"](hall))
    told = []
    for table in (15, 17):
        (event,) = hall.carry_out(pb.FixTableRequest(player_id="p1", table=table))
        told.append((undone_by(event, hall.events[:-1]), undo_of(hall, event)))

    assert told == [("ReleaseTable", "TableReleased"), ("FixTable", "TableFixed")]


def undo_of(hall: Hall, act: Message) -> str:
    """Return the event that would undo a command, without undoing it."""
    (event,) = hall.decide(pb.UndoActRequest(version=len(hall.events)))
    assert act is hall.events[-1]
    return event.DESCRIPTOR.name


def test_halls_that_are_undone_are_those_that_there_were_before() -> None:
    hall = hall_of()
    first, *_ = hall.do(ACTS["HallsSet"](hall))
    second, *_ = hall.carry_out(
        pb.SetHallsRequest(halls=[hall.message() for hall in [Room("B", 1, 9), Room("C", 10, 30)]], top_tables=2)
    )
    assert read_later(hall, first) == "HallsSet"
    undo(hall, second)

    assert (hall.state.halls, hall.state.top_tables) == ((Room("A", 1, 20),), 4)


def test_a_pairing_that_is_made_again_keeps_the_games_that_were_postponed() -> None:
    hall = hall_of(ruleset=PES)
    hall.pair(1)
    hall.do(postponement(hall))
    paired = hall.state.played
    (back,) = hall.carry_out(pb.UnpairRoundRequest(round=1))
    undo(hall, back)

    assert hall.state.played == paired
    assert hall.state.played[0].postponed == {GAME}


def test_a_pairing_that_would_come_out_otherwise_is_not_made_again() -> None:
    hall = hall_of()
    hall.pair(1)
    first, second = hall.state.played[0].pairings[0].pair
    hall.carry_out(pb.ForbidPairRequest(player_ids=[first, second]))
    (back,) = hall.carry_out(pb.UnpairRoundRequest(round=1))
    before = hall.state

    with pytest.raises(Refusal, match="would be paired differently"):
        undo(hall, back)
    assert hall.state == before


@given(st.lists(st.sampled_from(sorted(ACTS)), min_size=1, max_size=6))
@settings(max_examples=scale_examples(60), deadline=None)
def test_whatever_came_before_undo_leaves_what_there_was_and_redo_what_there_had_been(names: list[str]) -> None:
    hall = hall_of(ruleset=PES)
    for name in names:
        before = hall.state
        try:
            act, *_ = hall.do(ACTS[name](hall))
        except Refusal:
            continue
        after = hall.state
        undone, *_ = undo(hall, act)
        assert same(hall.state, before), name
        undo(hall, undone)
        assert same(hall.state, after), name


def same(state: TournamentState, other: TournamentState) -> bool:
    """Return whether both are the same tournament, regardless of the time of their last commands."""
    kept = [{number: set(pairs) for number, pairs in state.kept.items() if pairs} for state in (state, other)]
    return timeless(state) == timeless(other) and kept[0] == kept[1]


def publish_standings() -> tuple[Hall, Message]:
    """Return a tournament with published final standings, and that command."""
    hall = hall_of()
    for number in range(1, 6):
        hall.play(number)
    (act,) = hall.carry_out(pb.PublishStandingsRequest())
    return hall, act


def test_final_standings_that_are_reopened_can_be_corrected_and_published_again() -> None:
    hall, act = publish_standings()
    (reopened,) = undo(hall, act)

    assert isinstance(reopened, events.StandingsReopened)
    assert (reopened.round, reopened.note, hall.state.over) == (5, "a slip", False)
    hall.carry_out(pb.ChangeRoundsRequest(rounds=6))
    hall.play(6)
    (again,) = hall.carry_out(pb.PublishStandingsRequest())
    assert isinstance(again, events.StandingsPublished)
    assert (again.round, hall.state.over) == (6, True)


def test_final_standings_are_reopened_once_and_only_when_published() -> None:
    hall, act = publish_standings()
    undo(hall, act)

    assert read_later(hall, act) == "StandingsReopened"
    with pytest.raises(Refusal) as refused:
        hall.decide(pb.ReopenStandingsRequest())
    assert refused.value.reason == "NOT_PUBLISHED"
    (once_more,) = undo(hall, hall.events[-1])
    assert isinstance(once_more, events.StandingsPublished)
    assert hall.state.over


def test_what_is_refused_once_final_standings_are_published_says_how_to_reopen_them() -> None:
    hall, _ = publish_standings()

    with pytest.raises(Refusal, match="standings reopen"):
        hall.carry_out(pb.WithdrawPlayerRequest(player_id="p1"))


def test_a_result_that_is_not_undone_is_said_to_be_corrected() -> None:
    hall = hall_of()
    hall.play(1)
    version = 1 + next(place for place, event in enumerate(hall.events) if isinstance(event, events.ResultRecorded))

    with pytest.raises(Refusal, match=f"`result correct` for {GAME}") as refused:
        hall.decide(pb.UndoActRequest(version=version))
    assert refused.value.reason == "NOT_UNDONE"


def test_another_game_at_a_table_has_another_id_and_the_same_game_its_own() -> None:
    hall = hall_of()
    hall.pair(1)
    first = {pairing.game_id: pairing.player_ids for pairing in hall.state.played[0].pairings}
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    together = next(iter(first.values()))
    hall.carry_out(pb.ForbidPairRequest(player_ids=together))
    hall.pair(1)
    second = {pairing.game_id: pairing.player_ids for pairing in hall.state.played[0].pairings}
    assert second != first
    assert all(first[game] == players for game, players in second.items() if game in first)
    others = [game for game in second if game not in first]
    assert others
    assert all(game.endswith("-2") and place_of(game)[1] == 1 for game in others)

    hall.carry_out(pb.UnpairRoundRequest(round=1))
    hall.carry_out(pb.AllowPairRequest(player_ids=together))
    hall.pair(1)
    assert {pairing.game_id: pairing.player_ids for pairing in hall.state.played[0].pairings} == first


def test_an_undo_keeps_its_reason_once_with_the_players_of_the_act() -> None:
    hall = hall_of()
    (checked_in,) = hall.carry_out(pb.CheckInPlayerRequest(player_id="p1"))
    version = len(hall.events)
    _, noted = hall.carry_out(pb.UndoActRequest(version=version, note="the wrong Anna"))
    assert isinstance(noted, events.UndoNoted)
    assert (noted.version, noted.note, list(noted.player_ids)) == (version, "the wrong Anna", ["p1"])
    hall.do([checked_in])
    assert len(hall.carry_out(pb.UndoActRequest(version=len(hall.events)))) == 1, "no reason, no event"
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="p1"))
    (reinstated,) = hall.carry_out(pb.UndoActRequest(version=len(hall.events), note="came back"))
    assert getattr(reinstated, "note", "") == "came back"
