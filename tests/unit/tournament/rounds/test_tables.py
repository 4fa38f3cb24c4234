from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.halls import Hall as Tables
from tests.support.refusals import reason_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.tournament.rounds import tables
from faristol.tournament.rounds.pairing import obstacles
from faristol.tournament.state import HallRange, Pairing, Phase, RoundState, TournamentState
from faristol.tournament.state import PlayerState as Registered

MAIN, UPPER = HallRange("Main", 1, 3), HallRange("Upper", 11, 13)


def sat(tables: dict[str, int]) -> TournamentState:
    """Return a tournament of two halls after a round in which players sat alone at these tables."""
    pairings = tuple(Pairing(table, f"g{player}", (player, f"x{player}")) for player, table in tables.items())
    return TournamentState(tournament_id="open", halls=(MAIN, UPPER), played=(RoundState(1, Phase.CLOSED, pairings),))


def way(state: TournamentState, pairings: list[tuple[str, str]], tables: tuple[int, ...]) -> int:
    """Return the distance that the players of pairings move to tables, counted directly."""
    last = {player: pairing.table for pairing in state.played[0].pairings for player in pairing.player_ids}
    total = 0
    for pair, table in zip(pairings, tables, strict=True):
        for player in pair:
            if player in last:
                total += abs(last[player] - table) + 6 * ((last[player] in MAIN) != (table in MAIN))
    return total


@settings(deadline=None)
@given(st.lists(st.sampled_from([1, 2, 3, 11, 12, 13]), min_size=10, max_size=10))
def test_players_move_no_farther_than_they_must(before: list[int]) -> None:
    state = sat({f"p{place}": table for place, table in enumerate(before)})
    pairings = [(f"p{place}", f"p{place + 5}") for place in range(5)]

    found = tables.tables_for(state, pairings)

    assert sorted(found) == [1, 2, 3, 11, 12]
    assert way(state, pairings, found) == min(way(state, pairings, other) for other in permutations(found))


def test_in_the_first_round_the_first_pairing_sits_at_the_first_table() -> None:
    state = TournamentState(tournament_id="open", halls=(HallRange("Main", 5, 9),))

    assert tables.tables_for(state, [("a", "b"), ("c", "d"), ("e", "f")]) == (5, 6, 7)


def test_without_halls_tables_are_numbered_from_1() -> None:
    assert tables.tables_for(TournamentState(), [("a", "b"), ("c", "d")]) == (1, 2)


def test_the_top_pairings_may_sit_at_the_first_tables_whoever_sat_where() -> None:
    state = replace(sat({"a": 3, "b": 3, "c": 2, "d": 2, "e": 1, "f": 1}), top_tables=1)

    assert tables.tables_for(state, [("a", "b"), ("c", "d"), ("e", "f")]) == (1, 2, 3)
    assert tables.tables_for(replace(state, top_tables=0), [("a", "b"), ("c", "d"), ("e", "f")]) == (3, 2, 1)


def test_who_has_a_table_of_their_own_always_sits_there() -> None:
    state = replace(sat({"a": 1, "b": 1, "c": 2, "d": 2}), players=(Registered("d", 0, True, table=13),))

    assert tables.tables_for(state, [("a", "b"), ("c", "d")]) == (1, 13)
    other = replace(state, players=(*state.players, Registered("c", 0, True, table=12)))
    with pytest.raises(Refusal, match="c, d meet, and each of them has a fixed table"):
        tables.tables_for(other, [("a", "b"), ("c", "d")])


def test_a_round_of_more_pairings_than_tables_is_refused() -> None:
    with pytest.raises(Refusal, match="The round has 7 pairings, and the halls have 6 tables"):
        tables.tables_for(sat({}), [(f"a{n}", f"b{n}") for n in range(7)])


def hall_of(*halls: HallRange) -> Tables:
    hall = Tables({f"p{place}": 2000 - place for place in range(1, 9)})
    hall.carry_out(pb.SetHallsRequest(halls=[hall.message() for hall in halls], top_tables=0))
    return hall


def fix(hall: Tables, player_id: str, table: int) -> None:
    hall.carry_out(pb.FixTableRequest(player_id=player_id, table=table))


def test_a_round_is_paired_at_the_tables_of_the_halls() -> None:
    hall = hall_of(MAIN, UPPER)
    fix(hall, "p2", 12)
    (paired,) = hall.pair(1)

    assert isinstance(paired, events.RoundPaired)
    seats = {table.first_player_id: (table.table, table.hall, table.game_id) for table in paired.pairings}
    assert seats["p1"] == (1, "Main", "open-r1-t1")
    assert seats["p2"] == (12, "Upper", "open-r1-t12")
    assert [table.table for table in paired.pairings] == [1, 2, 3, 12]


def test_where_tables_are_too_few_that_is_told_before_the_round_is_paired() -> None:
    hall = hall_of(MAIN)

    (obstacle,) = obstacles(hall.state, hall.ruleset, 1)
    assert obstacle.reason == "TOO_FEW_TABLES"
    assert reason_of(lambda: hall.pair(1)) == "TOO_FEW_TABLES"


def test_a_table_is_in_a_hall_and_of_one_player() -> None:
    hall = hall_of(MAIN)
    fix(hall, "p1", 2)

    assert reason_of(lambda: fix(hall, "p2", 2)) == "TABLE_TAKEN"
    assert reason_of(lambda: fix(hall, "p2", 4)) == "NO_SUCH_TABLE"
    assert reason_of(lambda: fix(hall, "nobody", 1)) == "NOT_REGISTERED"
    other = pb.SetHallsRequest(halls=[UPPER.message()])
    assert reason_of(lambda: hall.decide(other)) == "TABLE_NEEDED"
    assert hall.decide(pb.SetHallsRequest(halls=[UPPER.message(), MAIN.message()]))
    release = pb.ReleaseTableRequest(player_id="p1")
    hall.carry_out(release)
    assert reason_of(lambda: hall.decide(release)) == "NO_OWN_TABLE"
    fix(hall, "p2", 2)


@pytest.mark.parametrize(
    ("halls", "said"),
    [
        ([HallRange("Main", 1, 3), HallRange("Main", 4, 6)], "without duplicates"),
        ([HallRange("", 1, 3)], "expected a name"),
        ([HallRange("Main", 3, 1)], "Main has tables 3 to 1"),
        ([HallRange("Main", 0, 1)], "expected numbers from 1"),
        ([HallRange("Main", 1, 5), HallRange("Upper", 5, 9)], "table 5 is in Main and in Upper"),
        ([HallRange("Main", 1, 5, (5, 1))], "Main has 5 tables and rows of 5\\+1"),
        ([HallRange("Main", 1, 5, (0,))], "1 or more tables in each row"),
        ([HallRange("Main", 1, 5, entrance=events.HALL_SIDE_LEFT)], "Main has an entrance.* and no rows"),
    ],
)
def test_halls_have_names_and_tables_of_their_own(halls: list[HallRange], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        hall_of(*halls)


def test_halls_of_duplicate_games_have_as_many_seats_as_players_may_enter() -> None:
    great = [HallRange("Nord", 1, 6_000), HallRange("Sud", 6_001, 10_000)]
    request = pb.SetHallsRequest(halls=[hall.message() for hall in great])
    with pytest.raises(Invalid, match="numbers from 1 to 1000"):
        Tables({"p1": 2000, "p2": 1900}).decide(request)
    duplicate = Tables({"p1": 2000, "p2": 1900}, ruleset=load_ruleset("fisc-2023-duplicate"))
    (said,) = duplicate.decide(request)
    assert isinstance(said, events.HallsSet)
    assert said.halls[1].last_table == 10_000
