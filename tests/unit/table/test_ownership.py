"""A table has one owner: the championship, or the cell of its hall."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.table.hall import Hall, rules

from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.table import Table
from faristol.table.decide import decide, settle
from faristol.table.ownership import hand_over, is_permitted, return_table, stop_clock, take_back

KEY, OTHER_KEY = b"k" * 32, b"o" * 32


def seat_in(hall: Hall, name: str = "Sala Gran") -> Table:
    """Return the table as one of a hall."""
    return replace(hall.table, game=hall.game.but(hall=name))


@pytest.fixture
def hall() -> Hall:
    return Hall(rules("fisc-2023"))


def passing(hall: Hall) -> game_pb2.PassRequest:
    """Return a command of the player on turn."""
    return game_pb2.PassRequest(player_id=hall.game.mover)


def hand_over_table(hall: Hall) -> Table:
    table = seat_in(hall)
    return table.after(hand_over(table, "Sala Gran", KEY, hall.at))


def test_a_table_that_was_handed_over_refuses_commands_and_names_the_hall(hall: Hall) -> None:
    table = hand_over_table(hall)
    assert (table.game.owner_hall, table.game.owner_key, table.game.epoch) == ("Sala Gran", KEY, 1)
    with pytest.raises(Refusal, match="Sala Gran") as refusal:
        decide(table, passing(hall), hall.at)
    assert refusal.value.reason == "TABLE_HANDED_OVER"


def test_the_hall_with_the_key_decides_and_no_other_cell(hall: Hall) -> None:
    table = hand_over_table(hall)
    assert decide(replace(table, cell_key=KEY), passing(hall), hall.at)
    for key in (b"", OTHER_KEY):
        with pytest.raises(Refusal):
            decide(replace(table, cell_key=key), passing(hall), hall.at)


def test_a_hall_decides_at_no_table_of_the_championship(hall: Hall) -> None:
    with pytest.raises(Refusal) as refusal:
        decide(replace(hall.table, cell_key=KEY), passing(hall), hall.at)
    assert refusal.value.reason == "TABLE_OF_CHAMPIONSHIP"


def test_consequences_are_written_by_the_owner_only(hall: Hall) -> None:
    table = hand_over_table(hall)
    ended = [events.GameEnded(condition=events.END_CONDITION_AGREEMENT)]
    assert settle(replace(table, cell_key=KEY).after(ended))
    assert settle(table.after(ended)) == []


def test_a_table_of_another_hall_is_not_hand_over_table(hall: Hall) -> None:
    with pytest.raises(Refusal) as refusal:
        hand_over(seat_in(hall, "Sala Petita"), "Sala Gran", KEY, hall.at)
    assert refusal.value.reason == "OTHER_HALL"


def test_a_table_is_handed_over_to_one_cell(hall: Hall) -> None:
    table = hand_over_table(hall)
    assert hand_over(table, "Sala Gran", KEY, hall.at) == []
    with pytest.raises(Refusal) as refusal:
        hand_over(table, "Sala Gran", OTHER_KEY, hall.at)
    assert refusal.value.reason == "TABLE_HANDED_OVER"


def test_another_laptop_of_the_hall_gets_a_table_only_after_it_was_taken_back(hall: Hall) -> None:
    table = hand_over_table(hall)
    with pytest.raises(Refusal) as refusal:
        hand_over(table, "Sala Gran", OTHER_KEY, hall.at)
    assert "take it back first" in str(refusal.value)
    taken_back = table.after(take_back(table, "another laptop", hall.at))
    assert hand_over(taken_back, "Sala Gran", OTHER_KEY, hall.at)


def test_a_table_that_was_taken_back_is_of_the_championship_in_a_new_epoch(hall: Hall) -> None:
    table = hand_over_table(hall)
    taken = table.after(take_back(table, "The laptop was stolen", hall.at))
    assert (taken.game.owner_key, taken.game.owner_hall, taken.game.epoch) == (b"", "", 2)
    assert decide(taken, passing(hall), hall.at)
    with pytest.raises(Refusal):
        decide(replace(taken, cell_key=KEY), passing(hall), hall.at)
    assert take_back(taken, "", hall.at) == []
    assert taken.after(hand_over(taken, "Sala Gran", OTHER_KEY, hall.at)).game.epoch == 3


def test_no_player_loses_time_that_was_played_in_a_lost_hall(hall: Hall) -> None:
    table = hand_over_table(hall)
    assert table.clock.running
    used = table.clock.used_at(table.clock.running, table.last_at)
    stopped = stop_clock(table, "rosa")
    assert [type(event) for event in stopped] == [clock_events.ClockNeutralised]
    taken = table.after([*take_back(table, "", hall.at + 3_600_000_000_000), *stopped])
    assert not taken.clock.running
    assert taken.clock.used_at(hall.game.mover, hall.at + 7_200_000_000_000) == used


def test_the_hall_returns_a_table_whose_result_is_final(hall: Hall) -> None:
    table = replace(hand_over_table(hall), cell_key=KEY)
    with pytest.raises(Refusal) as refusal:
        return_table(table, hall.at)
    assert refusal.value.reason == "GAME_NOT_OVER"
    final = table.after([events.ResultFinal()])
    returned = final.after(return_table(final, hall.at))
    assert (returned.game.owner_key, returned.game.epoch) == (b"", 1)
    assert not returned.is_own


def test_a_cell_may_write_to_its_own_tables_and_take_back_others(hall: Hall) -> None:
    table = hand_over_table(hall)
    assert is_permitted(replace(table, cell_key=KEY), [events.Passed()])
    assert not is_permitted(table, [events.Passed()])
    assert is_permitted(table, take_back(table, "", hall.at))


def test_entries_that_are_taken_back_leave_the_owner(hall: Hall) -> None:
    recorded = Hall(rules("fisc-2023"), recorded=True)
    table = hand_over_table(recorded)
    back = table.after([events.EntriesTakenBack(turn=1, player_id="anna", arbiter_id="rosa")])
    assert (back.game.owner_key, back.game.owner_hall, back.game.epoch) == (KEY, "Sala Gran", 1)
