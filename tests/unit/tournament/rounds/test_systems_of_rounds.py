"""A single round can be paired by a different system: king of the hill, by hand, or another Swiss system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import pytest
from google.protobuf.message import Message
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.halls import FISC, Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.engines import king
from faristol.tournament.pairing_explanations.player_pairs import explain
from faristol.tournament.rounds.ranking import standing_of


def hall_of(count: int, rounds: int = 2, ruleset: Ruleset = FISC) -> Hall:
    hall = Hall({f"p{place}": 2000 - 10 * place for place in range(count)}, max(rounds, 5), ruleset)
    for number in range(1, rounds + 1):
        hall.play(number)
    return hall


def pair(hall: Hall, number: int, system: str) -> Sequence[Message]:
    return hall.carry_out(pb.PairRoundRequest(round=number, system=system))


def test_king_of_the_hill_pairs_each_with_who_stands_next_even_if_they_have_met() -> None:
    hall = hall_of(8, 4)
    standing = standing_of(hall.state, FISC)
    paired, *rest = pair(hall, 5, "king-of-the-hill")
    assert isinstance(paired, events.RoundPaired)
    assert rest == []
    pairs = [(table.first_player_id, table.second_player_id) for table in paired.pairings]
    assert pairs == list(zip(standing[::2], standing[1::2], strict=True))
    assert paired.algorithm == king.ALGORITHM
    assert len(paired.inputs_digest) == 64


def test_the_standings_of_king_of_the_hill_are_parted_by_spread_and_what_sanctions_took_of_it() -> None:
    pes = load_ruleset("pes-2024")
    hall = Hall({"anna": 2000, "blai": 1900, "carme": 1800, "dora": 1700}, 3, pes)
    hall.pair(1)
    hall.start(1)
    for pairing in hall.state.played[0].pairings:
        hall.report(pairing.game_id, 400, 300 if "anna" in pairing.player_ids else 310)
    hall.close(1)
    first, second = standing_of(hall.state, pes)[:2]
    game = next(table.game_id for table in hall.state.played[0].pairings if first in table.player_ids)
    hall.do([events.PointsAdjusted(round=1, game_id=game, player_id=first, points=-50)])
    assert standing_of(hall.state, pes)[:2] == (second, first)


def test_with_an_odd_number_the_lowest_without_a_bye_rests() -> None:
    hall = hall_of(7, 2)
    byes = {played.bye for played in hall.state.played}
    standing = standing_of(hall.state, FISC)
    _, awarded = pair(hall, 3, "king-of-the-hill")
    assert isinstance(awarded, events.ByeAwarded)
    assert awarded.player_id == [player for player in standing if player not in byes][-1]


@given(count=st.integers(2, 9), data=st.data())
def test_neighbours_who_are_kept_apart_meet_somebody_near(count: int, data: st.DataObject) -> None:
    standing = [f"p{place}" for place in range(count)]
    pairs = [frozenset(pair) for pair in pairwise(standing)]
    apart = data.draw(st.frozensets(st.sampled_from(pairs)))
    if count < 4 and frozenset(("p0", "p1")) in apart:
        with pytest.raises(Refusal, match="cannot all be paired"):
            king.pair_neighbours(standing, frozenset(), apart)
        return
    found, bye = king.pair_neighbours(standing, frozenset(), apart)
    assert sorted([player for pair in found for player in pair] + [player for player in [bye] if player]) == standing
    assert not apart & {frozenset(pair) for pair in found}


@pytest.mark.parametrize(("standing", "bye"), [([], None), (["p0"], "p0")])
def test_king_of_the_hill_pairs_nobody_where_pairs_made_by_hand_leave_nobody(
    standing: list[str], bye: str | None
) -> None:
    assert king.pair_neighbours(standing, frozenset(), frozenset()) == ((), bye)


def matchings(players: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every way to pair all players, the first with each in turn."""
    if not players:
        yield ()
        return
    first, *others = players
    for other in others:
        for rest in matchings([left for left in others if left != other]):
            yield ((first, other), *rest)


@given(half=st.integers(1, 4), data=st.data())
@settings(deadline=None)
def test_of_several_pairings_as_near_the_first_player_meets_the_nearest_then_the_next(
    half: int, data: st.DataObject
) -> None:
    places = range(2 * half)
    apart = data.draw(st.frozensets(st.sampled_from(list(combinations(places, 2)))))
    allowed = [matching for matching in matchings(places) if not apart.intersection(matching)]
    assume(allowed)
    names = [f"p{place}" for place in places]
    found, _ = king.pair_neighbours(
        names, frozenset(), {frozenset((names[first], names[other])) for first, other in apart}
    )
    best = min(allowed, key=lambda pairs: (sum((low - high) ** 2 for high, low in pairs), pairs))
    assert found == tuple((names[high], names[low]) for high, low in best)


def test_a_round_by_hand_needs_everybody_in_a_pair_and_says_who_is_left() -> None:
    hall = hall_of(6, 1)
    hall.carry_out(pb.KeepPairRequest(player_ids=["p0", "p1"], rematch=False))
    with pytest.raises(Refusal, match="these players have no opponent: p2, p3, p4, p5"):
        pair(hall, 2, "by-hand")
    for first, other in (("p2", "p5"), ("p3", "p4")):
        hall.carry_out(pb.KeepPairRequest(player_ids=[first, other], rematch=True))
    paired, *_ = pair(hall, 2, "by-hand")
    assert isinstance(paired, events.RoundPaired)
    met = {frozenset((table.first_player_id, table.second_player_id)) for table in paired.pairings}
    assert met == {frozenset(("p0", "p1")), frozenset(("p2", "p5")), frozenset(("p3", "p4"))}


def test_rounds_after_it_are_paired_by_the_system_of_the_tournament() -> None:
    hall = hall_of(8, 1)
    pair(hall, 2, "dutch")
    hall.start(2)
    for table in hall.state.played[1].pairings:
        hall.report(table.game_id, 400, 300)
    hall.close(2)
    hall.play(3)
    assert [played.algorithm for played in hall.state.played] == [
        "swiss-classification-1",
        "fide-dutch-2026-2",
        "swiss-classification-1",
    ]


def test_why_they_meet_is_told_by_the_system_of_the_round() -> None:
    hall = hall_of(6, 1)
    before = hall.state
    pair(hall, 2, "king-of-the-hill")
    first, second, third, *_ = standing_of(before, FISC)
    round_two = hall.state.played[1]
    assert explain(before, FISC, round_two, first, "").message.startswith(
        "King of the hill: {one} and {other} are next"
    )
    assert "are not next to" in explain(before, FISC, round_two, first, third).message
    assert explain(before, FISC, round_two, first, second).reason == "king-of-the-hill"


def test_a_pairing_taken_back_by_slip_comes_back_by_the_same_system() -> None:
    hall = hall_of(6, 1)
    pair(hall, 2, "king-of-the-hill")
    was = hall.state.played[1]
    hall.carry_out(pb.UnpairRoundRequest(round=2))
    hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert hall.state.played[1] == was


def test_an_unknown_system_and_one_where_the_whole_tournament_is_one_are_refused() -> None:
    hall = hall_of(6, 1)
    with pytest.raises(Invalid, match="expected one of classification, swiss, dutch, king-of-the-hill, by-hand"):
        pair(hall, 2, "chess")
    berger = with_options(load_ruleset("fise"), {"pairing": "round-robin"})
    with pytest.raises(Refusal) as refused:
        pair(Hall({f"p{place}": 2000 - place for place in range(6)}, 5, berger), 1, "king-of-the-hill")
    assert refused.value.reason == "SYSTEM_FIXED"
