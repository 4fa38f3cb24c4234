"""A knock-out tournament, from its first pairing to its final standings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.halls import FISC, Hall

from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings.bracket import MatchFormat, most_rounds_of
from faristol.tournament.pairing_explanations import player_pairs
from faristol.tournament.pairing_explanations.player_pairs import explain
from faristol.tournament.rounds.ranking import standing_of
from faristol.tournament.state import Pairing


def knock_out(players: int, rounds: int = 9, **options: str) -> Hall:
    """Return a knock-out of players p1, p2 … in the order of their ratings."""
    rules = with_options(FISC, {"format": "knock-out", **options})
    return Hall({f"p{number}": 2000 - number for number in range(1, players + 1)}, rounds, rules)


def play_round(hall: Hall, number: int, *losers: str) -> list[tuple[str, ...]]:
    """Play a round, in which the better seed wins unless it is one of ``losers``; return the tables."""
    hall.pair(number)
    hall.start(number)
    tables = hall.state.played[-1].pairings
    for table in tables:
        first = table.player_ids[0]
        better = min(table.player_ids, key=lambda player: int(player[1:]))
        wins = (first == better) != (better in losers)
        hall.report(table.game_id, 400 if wins else 300, 300 if wins else 400)
    hall.carry_out(pb.CloseRoundRequest(round=number))
    return sorted(tuple(sorted(table.player_ids)) for table in tables)


def test_a_knock_out_plays_each_match_to_its_decision_and_ends_before_its_last_round() -> None:
    hall = knock_out(6, match_games="3", final_games="5", placed="4")
    assert play_round(hall, 1) == [("p3", "p6"), ("p4", "p5")], "the first two seeds have the byes"
    assert play_round(hall, 2, "p4") == [("p3", "p6"), ("p4", "p5")]
    assert play_round(hall, 3, "p4") == [("p4", "p5")], "the other match is decided, and its winner waits"
    assert play_round(hall, 4) == [("p1", "p5"), ("p2", "p3")]
    assert play_round(hall, 5) == [("p1", "p5"), ("p2", "p3")]
    assert play_round(hall, 6) == [("p1", "p2"), ("p3", "p5")]
    assert play_round(hall, 7) == [("p1", "p2"), ("p3", "p5")]
    assert play_round(hall, 8, "p1") == [("p1", "p2")], "the match for the third place has three games"
    with pytest.raises(Refusal, match="8 of 9 rounds are closed"):
        hall.carry_out(pb.PublishStandingsRequest())
    play_round(hall, 9)
    assert hall.state.rounds == 9
    (published,) = hall.carry_out(pb.PublishStandingsRequest())
    assert isinstance(published, events.StandingsPublished)
    assert standing_of(hall.state, hall.ruleset) == ("p1", "p2", "p3", "p5", "p4", "p6")


def test_a_decided_knock_out_is_published_before_its_last_round_and_pairs_no_further_one() -> None:
    hall = knock_out(4)
    play_round(hall, 1)
    play_round(hall, 2)
    with pytest.raises(Refusal, match="no match is left to play") as refused:
        hall.pair(3)
    assert refused.value.reason == "KNOCK_OUT_DECIDED"
    (published,) = hall.carry_out(pb.PublishStandingsRequest())
    assert published.round == 2  # type: ignore[attr-defined] # StandingsPublished


def test_the_starts_of_a_match_alternate() -> None:
    hall = knock_out(2, match_games="5")
    firsts = []
    for number in range(1, 6):
        play_round(hall, number, *(["p1"] if number % 2 else []))
        firsts.append(hall.state.played[-1].pairings[0].player_ids[0])
    assert firsts in (["p1", "p2", "p1", "p2", "p1"], ["p2", "p1", "p2", "p1", "p2"])


def test_the_opponent_of_a_player_who_withdraws_goes_on() -> None:
    hall = knock_out(4)
    play_round(hall, 1)
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="p1"))
    with pytest.raises(Refusal, match="no match is left to play"):
        hall.pair(2)
    assert standing_of(hall.state, hall.ruleset)[:2] == ("p2", "p1")


def test_a_match_waits_while_a_player_has_a_bye() -> None:
    hall = knock_out(4)
    hall.carry_out(pb.GrantByeRequest(player_id="p4", round=1, kind=events.BYE_KIND_ZERO_POINT))
    assert play_round(hall, 1) == [("p2", "p3")]
    assert play_round(hall, 2) == [("p1", "p4")]
    assert play_round(hall, 3) == [("p1", "p2")]


def test_a_drawn_bracket_does_not_follow_the_ratings_and_is_on_the_record() -> None:
    hall = knock_out(16, bracket="drawn")
    hall.pair(1)
    seeds = hall.state.seeds
    assert sorted(seeds) == sorted(f"p{number}" for number in range(1, 17))
    assert seeds != tuple(f"p{number}" for number in range(1, 17))
    paired = next(event for event in hall.events if isinstance(event, events.RoundPaired))
    assert tuple(paired.seeded_player_ids) == seeds


def test_players_of_a_draft_are_swapped_at_their_table_only() -> None:
    hall = knock_out(4)
    hall.carry_out(pb.PairRoundRequest(round=1, draft=True))
    hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=["p1", "p4"]))
    with pytest.raises(Refusal, match="The pairs follow from the bracket") as refused:
        hall.carry_out(pb.SwapPlayersRequest(round=1, player_ids=["p1", "p2"]))
    assert refused.value.reason == "BRACKET_FIXED"


def scores_of(table: Pairing, worst: int = 0) -> list[game_events.FinalScore]:
    """Return scores with which the better seed wins, or the worse one with ``worst`` points more for each number."""
    return [
        game_events.FinalScore(player_id=each, score=400 + (worst or -10) * int(each[1:])) for each in table.player_ids
    ]


def test_a_round_of_the_bracket_is_paired_again_after_a_correction_of_the_level_before() -> None:
    hall = knock_out(4)
    hall.pair(1)
    hall.start(1)
    tables = hall.state.played[0].pairings
    for table in tables:
        hall.carry_out(pb.EnterResultRequest(game_id=table.game_id, scores=scores_of(table), arbiter_id="eva"))
    hall.carry_out(pb.CloseRoundRequest(round=1))
    hall.pair(2)
    corrected = next(table for table in tables if "p1" in table.player_ids)
    hall.carry_out(
        pb.CorrectResultRequest(game_id=corrected.game_id, scores=scores_of(corrected, 10), arbiter_id="eva")
    )
    with pytest.raises(Refusal, match="the bracket changed") as refused:
        hall.start(2)
    assert refused.value.reason == "BRACKET_CHANGED"
    hall.carry_out(pb.UnpairRoundRequest(round=2))
    assert play_round(hall, 2) == [("p2", "p4")]


def test_a_knock_out_does_not_start_without_a_player_who_entered_after_the_pairing() -> None:
    hall = knock_out(3)
    hall.pair(1)
    hall.carry_out(pb.RegisterPlayerRequest(player_id="p9", rating=1100))
    with pytest.raises(Refusal, match="entered after it was paired"):
        hall.start(1)
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    assert play_round(hall, 1) == [("p1", "p9"), ("p2", "p3")]


def explain_player(hall: Hall, number: int, player_id: str) -> tuple[str, dict[str, object]]:
    """Return the reason why a player has no game in a paired round, and its parameters."""
    before = replace(hall.state, played=hall.state.played[: number - 1])
    found = explain(before, hall.ruleset, hall.state.played[number - 1], player_id, "")
    return found.message, dict(found.params)


def test_a_player_who_waits_in_a_knock_out_is_told_for_which_matches() -> None:
    hall = knock_out(6, match_games="3", placed="4")
    play_round(hall, 1)
    assert explain_player(hall, 1, "p1") == (player_pairs.BYE_OF_LEVEL, {"one": "p1"})
    play_round(hall, 2, "p4")
    play_round(hall, 3)
    waits = {"one": "p3", "other": "p6", "players": "p4 – p5"}
    assert explain_player(hall, 3, "p3") == (player_pairs.WAITS_AFTER_MATCH, waits)
    message, _ = explain_player(hall, 3, "p6")
    assert message == player_pairs.OUT_AFTER_MATCH
    play_round(hall, 4)
    play_round(hall, 5, "p2")
    play_round(hall, 6)
    message, params = explain_player(hall, 6, "p4")
    assert (message, params["best"], params["worst"]) == (player_pairs.WAITS_AFTER_LOSS, 3, 4)


def test_a_player_whose_opponent_is_absent_is_told_so() -> None:
    hall = knock_out(4)
    hall.carry_out(pb.GrantByeRequest(player_id="p4", round=1, kind=events.BYE_KIND_ZERO_POINT))
    play_round(hall, 1)
    absent = {"one": "p1", "other": "p4", "absent": "p4"}
    assert explain_player(hall, 1, "p1") == (player_pairs.OPPONENT_AWAY, absent)


def test_the_losers_of_a_level_have_a_second_way_in_by_a_repechage() -> None:
    hall = knock_out(4, repechage="1")
    assert play_round(hall, 1) == [("p1", "p4"), ("p2", "p3")]
    assert play_round(hall, 2, "p3") == [("p3", "p4")]
    assert explain_player(hall, 2, "p1")[0] == player_pairs.WAITS_AFTER_MATCH
    assert play_round(hall, 3) == [("p2", "p4")], "the first seed has the bye of three"
    assert play_round(hall, 4, "p1") == [("p1", "p2")]
    assert standing_of(hall.state, hall.ruleset) == ("p2", "p1", "p4", "p3")
    assert most_rounds_of(4, MatchFormat.of(hall.ruleset)) == 4


def test_a_loser_who_waits_for_the_repechage_is_told_so() -> None:
    hall = knock_out(8, match_games="3", repechage="1")
    play_round(hall, 1)
    play_round(hall, 2, "p4")
    play_round(hall, 3)
    message, params = explain_player(hall, 3, "p8")
    assert (message, params["other"], params["players"]) == (player_pairs.WAITS_FOR_REPECHAGE, "p1", "p4 – p5")
