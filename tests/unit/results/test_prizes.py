from __future__ import annotations

from typing import Any

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.prizes import ALL, figures, offered, prizes


def play(player_id: str, score: int, **told: Any) -> results.Entry:
    word = game_events.ScoredWord(word=game_events.Word(faces=["C", "A", "L·L", "A"]))
    given = {"kind": results.ENTRY_KIND_PLAY, "complete": True, "coordinates": "H8", **told}
    return results.Entry(player_id=player_id, score=score, words=[word], **given)


def game(round_: int, *entries: results.Entry) -> results.GetGameResponse:
    return results.GetGameResponse(game_id=f"cup-r{round_}-t1", round=round_, entries=entries)


def table(round_: int, scores: dict[str, int], **told: Any) -> results.GetPairingsResponse:
    seats = [results.Seat(player_id=player_id, score=score) for player_id, score in scores.items()]
    given = {"final": True, **told}
    return results.GetPairingsResponse(
        round=round_, tables=[results.Table(game_id=f"cup-r{round_}-t1", seats=seats, **given)]
    )


def won(kind: pairing.PrizeKind.ValueType, **told: Any) -> tuple[int, list[str]]:
    (prize,) = prizes([kind], told.get("rounds", []), list(map(figures, told.get("games", []))))
    return prize.value, [winner.player_id for winner in prize.winners]


def test_the_best_play_is_one_that_stands_and_comes_with_its_word() -> None:
    games = [
        game(1, play("anna", 90), play("biel", 120, kind=results.ENTRY_KIND_PHONY)),
        game(2, play("anna", 150, complete=False), play("biel", 95)),
    ]
    (prize,) = prizes([pairing.PRIZE_KIND_HIGH_PLAY], [], list(map(figures, games)))
    (winner,) = prize.winners
    assert (prize.value, winner.player_id, winner.round, winner.word) == (95, "biel", 2, "CAL·LA")
    assert (winner.game_id, winner.coordinates) == ("cup-r2-t1", "H8")


def test_bingos_are_counted_over_all_games_and_equals_share_the_prize() -> None:
    games = [
        game(1, play("biel", 70, bingo=True), play("anna", 71, bingo=True), play("anna", 30)),
        game(2, play("biel", 72, bingo=True), play("anna", 73, bingo=True)),
        game(3, play("carme", 99, bingo=True), play("carme", 99, bingo=True, kind=results.ENTRY_KIND_PHONY)),
    ]
    assert won(pairing.PRIZE_KIND_BINGOS, games=games) == (2, ["anna", "biel"])


def test_the_highest_game_is_of_a_result_that_is_final_and_was_played() -> None:
    rounds = [
        table(1, {"anna": 401, "biel": 377}),
        table(2, {"carme": 500, "dolors": 0}, unplayed=True),
        table(3, {"eloi": 600, "anna": 2}, final=False),
    ]
    assert won(pairing.PRIZE_KIND_HIGH_GAME, rounds=rounds) == (401, ["anna"])


def test_the_biggest_spread_is_of_games_that_were_played() -> None:
    adjusted = [results.SpreadAdjustment(player_id="biel", points=4)]
    rounds = [
        table(1, {"anna": 310, "biel": 350}, spread_adjustments=adjusted),
        table(2, {"carme": 150, "dolors": 0}, unplayed=True),
        table(3, {"biel": 420, "carme": 400}),
        table(4, {"anna": 500, "biel": 0}, final=False),
        table(5, {"anna": 900, "biel": 1, "carme": 1}),
    ]
    assert won(pairing.PRIZE_KIND_SPREAD, rounds=rounds) == (64, ["biel"])


def test_nobody_is_ahead_before_anything_was_played() -> None:
    assert [list(prize.winners) for prize in prizes(ALL, [], [])] == [[]] * 4


def test_the_organiser_says_which_prizes_there_are_and_all_there_are_until_then() -> None:
    first = pairing.PrizesOffered(prizes=[pairing.PRIZE_KIND_SPREAD, pairing.PRIZE_KIND_BINGOS])
    assert list(offered(ALL, pairing.TournamentCreated())) == list(ALL)
    assert list(offered(ALL, first)) == [pairing.PRIZE_KIND_SPREAD, pairing.PRIZE_KIND_BINGOS]
    assert list(offered(first.prizes, pairing.PrizesOffered())) == []
