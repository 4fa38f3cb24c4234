"""Tables of four and three are drawn by lot, and results of several players are recorded like those of two."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.halls import Hall, decide_command

from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.tournament.engines.lot import draw_tables, sizes
from faristol.tournament.pairing_explanations.player_pairs import explain
from faristol.tournament.results.results import record_result

FM = load_ruleset("festa-major")
PLAYERS: dict[str, int | None] = dict.fromkeys(("anna", "biel", "carme", "dolors", "eloi", "fina", "guiu"))


@given(st.integers(2, 400))
def test_tables_are_fours_and_threes_and_everybody_sits_at_one(players: int) -> None:
    tables = sizes(players)
    assert sum(tables) == players
    assert list(tables) == sorted(tables, reverse=True)
    if players not in (2, 5):
        assert set(tables) <= {3, 4}
        assert Counter(tables)[3] < 4, "three tables of four take twelve as four of three do"


def test_two_sit_together_only_where_nothing_else_is_left() -> None:
    assert (sizes(2), sizes(5), sizes(6), sizes(9), sizes(1)) == ((2,), (3, 2), (3, 3), (3, 3, 3), (1,))


@given(st.sets(st.text("abcdefgh", min_size=1, max_size=5), min_size=2, max_size=40), st.binary(min_size=1))
def test_the_lot_depends_on_who_is_there_and_not_on_their_order(ids: set[str], seed: bytes) -> None:
    rising = sorted(ids)
    assert draw_tables(rising, seed) == draw_tables(rising[::-1], seed)
    drawn = [player for table in draw_tables(rising, seed) for player in table]
    assert sorted(drawn) == rising


def test_everybody_begins_and_sits_at_the_smaller_table_as_often_as_a_lot_lets_them() -> None:
    began: Counter[str] = Counter()
    at_three: Counter[str] = Counter()
    rounds = 2_000
    for number in range(rounds):
        four, three = draw_tables(tuple(PLAYERS), number.to_bytes(4, "big"))
        began.update((four[0], three[0]))
        at_three.update(three)
    # Seven players: 2 of 7 begin, 3 of 7 sit at the table of three; six standard deviations either way.
    for player in PLAYERS:
        assert abs(began[player] - rounds * 2 / 7) < 6 * (rounds * 2 / 7 * 5 / 7) ** 0.5
        assert abs(at_three[player] - rounds * 3 / 7) < 6 * (rounds * 3 / 7 * 4 / 7) ** 0.5


def pair_hall() -> tuple[Hall, events.RoundPaired]:
    hall = Hall(PLAYERS, rounds=3, ruleset=FM)
    event, *others = hall.pair(1)
    assert isinstance(event, events.RoundPaired)
    assert not others, "at tables of several nobody is left over"
    return hall, event


def test_a_round_holds_its_tables_in_the_order_of_turns() -> None:
    hall, event = pair_hall()
    assert event.algorithm == "lot-1"
    assert [len(pairing.player_ids) for pairing in event.pairings] == [4, 3]
    for pairing, table in zip(event.pairings, hall.state.played[0].pairings, strict=True):
        assert tuple(pairing.player_ids) == table.player_ids
        assert (pairing.first_player_id, pairing.second_player_id) == table.player_ids[:2]


def test_players_whom_a_lot_brought_together_may_meet_again_round_after_round() -> None:
    hall = Hall(PLAYERS, rounds=6, ruleset=FM)
    for number in range(1, 7):
        hall.pair(number)
        hall.start(number)
        for table in hall.state.played[number - 1].pairings:
            scores = [(player_id, 100 + place) for place, player_id in enumerate(table.player_ids)]
            new_events = record_result(
                hall.state, hall.ruleset, game=table.game_id, scores=scores, occurred_at=to_timestamp(hall.now)
            )
            hall.do(new_events)
            assert hall.state.played[number - 1].results[table.game_id] == tuple(score for _, score in scores)
        hall.close(number)
    hall.carry_out(pb.PublishStandingsRequest())


def test_the_result_of_a_table_is_of_all_its_players_in_their_order() -> None:
    hall, event = pair_hall()
    hall.start(1)
    table = event.pairings[0]
    scores = [(player_id, 200) for player_id in table.player_ids]
    with pytest.raises(Refusal) as refused:
        record_result(
            hall.state, hall.ruleset, game=table.game_id, scores=scores[:3], occurred_at=to_timestamp(hall.now)
        )
    assert refused.value.reason == "WRONG_PLAYERS"


def test_nobody_is_paired_by_hand_where_a_lot_makes_the_tables() -> None:
    hall = Hall(PLAYERS, rounds=3, ruleset=FM)
    both = ("anna", "biel")
    with pytest.raises(Refusal) as forbidden:
        decide_command(hall.state, pb.ForbidPairRequest(player_ids=both), rules=FM)
    with pytest.raises(Refusal) as kept:
        decide_command(hall.state, pb.KeepPairRequest(player_ids=both, rematch=False), rules=FM)
    for refused in (forbidden.value, kept.value):
        assert (refused.reason, refused.article) == ("PAIRED_BY_LOT", "FM pr.")


def test_it_is_told_that_a_lot_brought_players_together_or_did_not() -> None:
    hall, event = pair_hall()
    before = Hall(PLAYERS, rounds=3, ruleset=FM).state
    player, together = event.pairings[0].player_ids[:2]
    apart = event.pairings[1].player_ids[0]
    told = explain(before, FM, hall.state.played[0], player, "")
    assert (told.reason, told.article) == ("lot", "FM pr.")
    assert together in str(told.params["others"])
    assert explain(before, FM, hall.state.played[0], player, apart).params == {"one": player, "other": apart}
