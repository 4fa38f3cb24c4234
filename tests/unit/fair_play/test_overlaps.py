"""Overlaps within a round are compared with those between rounds, which have no cause but chance."""

from __future__ import annotations

import random

from tests.unit.fair_play.test_turns import build_turn

from faristol.fair_play.overlaps import OverlapKind, Overlaps, find_overlaps
from faristol.fair_play.turns import AnalysedTurn

ROUNDS_COUNT = 10
TABLES_COUNT = 12
WORDS = [f"WORD{number:04}" for number in range(3_000)]


def play_round_robin(seed: int, copies: int = 0) -> list[AnalysedTurn]:
    """Return turns with racks and words by chance; ``copies`` turns are those of another table of their round."""
    chance = random.Random(seed)
    turns = [
        build_turn(0, 20)._replace(
            game_id=f"cup-r{round_}-t{table}",
            round=round_,
            table=table,
            turn=turn,
            rack=tuple(sorted(chance.choices("AEILNRST?", k=7))),
            word=tuple(chance.choice(WORDS)),
        )
        for round_ in range(1, ROUNDS_COUNT + 1)
        for table in range(1, TABLES_COUNT + 1)
        for turn in (1, 2)
    ]
    for number in range(copies):
        source, target = 24 * number, 24 * number + 3
        turns[target] = turns[target]._replace(rack=turns[source].rack, word=turns[source].word)
    return turns


def of_kind(found: list[Overlaps], kind: OverlapKind) -> Overlaps:
    return next(each for each in found if each.kind is kind)


def test_overlaps_by_chance_are_no_signal() -> None:
    signals = [each for seed in range(12) for each in find_overlaps(play_round_robin(seed)) if each.is_signal]
    assert len(signals) <= 1


def test_words_that_were_passed_on_are_a_signal() -> None:
    words = of_kind(find_overlaps(play_round_robin(1, copies=10)), OverlapKind.WORD)
    assert words.is_signal
    assert words.count >= 10
    assert all(first.round == second.round and first.table != second.table for first, second in words.pairs)
    assert words.expected is not None
    assert words.expected < words.count / 2


def test_one_round_has_no_base_rate() -> None:
    first = [turn for turn in play_round_robin(1, copies=1) if turn.round == 1]
    words = of_kind(find_overlaps(first), OverlapKind.WORD)
    assert words.count >= 1
    assert (words.expected, words.probability, words.is_signal) == (None, None, False)


def test_short_words_and_short_racks_are_no_overlap() -> None:
    turns = [
        turn._replace(word=tuple("CASA"), rack=tuple("ABC"), game_id=f"cup-r1-t{turn.table}")
        for turn in play_round_robin(1)
    ]
    assert [each.count for each in find_overlaps(turns)] == [0, 0]


def test_a_word_twice_at_one_table_is_no_overlap() -> None:
    turns = [turn for turn in play_round_robin(3) if turn.table == 1]
    same = [turn._replace(word=tuple("CARTERA")) for turn in turns if turn.round == 1]
    assert of_kind(find_overlaps(same), OverlapKind.WORD).count == 0
