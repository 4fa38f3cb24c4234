from __future__ import annotations

from typing import Any

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.computed.prizes import (
    DEFAULT_PRIZE_KINDS,
    Offered,
    Play,
    Plays,
    apply_prize_event,
    prizes,
)
from faristol.read_models.storage.rows import Adjustment, Game, Line, Round, Seat, encode_tuples


def table(round_: int, scores: dict[str, int], **told: Any) -> Round:
    game_id = f"cup-r{round_}-t1"
    seats = [
        Seat(game_id, place, player_id=player, score=score) for place, (player, score) in enumerate(scores.items())
    ]
    given = {"final": True, **told}
    return Round("cup", round_, games=[Game(game_id, "cup", round_, seats=seats, **given)])


def find_winners(
    kind: pairing.PrizeKind.ValueType, rounds: list[Round], expelled: frozenset[str] = frozenset()
) -> tuple[int, list[str]]:
    (prize,) = prizes(Offered((kind,), expelled=expelled), rounds, NONE)
    return prize.value, [winner.player_id for winner in prize.winners]


NONE = Plays({}, [], recorded=False)


def test_the_best_play_comes_with_its_word_and_equals_share_the_prize() -> None:
    word = encode_tuples([(["C", "A", "L·L", "A"], 7, 7, True, 95)])
    best = [
        Play(Line(f"cup-r{round_}-t1", 3, "cup", player_id=player, score=95, words=word, coordinates="H8"), round_)
        for player, round_ in (("biel", 2), ("anna", 4), ("anna", 1))
    ]
    (prize,) = prizes(Offered((pairing.PRIZE_KIND_HIGH_PLAY,)), [], Plays({}, best, recorded=True))
    assert (prize.value, prize.unrecorded) == (95, False)
    assert [(winner.player_id, winner.round) for winner in prize.winners] == [("anna", 1), ("anna", 4), ("biel", 2)]
    winner = prize.winners[2]
    assert (winner.word, winner.game_id, winner.coordinates) == ("CAL·LA", "cup-r2-t1", "H8")


def test_whoever_has_most_bingos_is_ahead_and_equals_share_the_prize() -> None:
    plays = Plays({"biel": 2, "anna": 2, "carme": 1}, [], recorded=True)
    (prize,) = prizes(Offered((pairing.PRIZE_KIND_BINGOS,)), [], plays)
    assert (prize.value, [winner.player_id for winner in prize.winners]) == (2, ["anna", "biel"])


def test_the_highest_game_is_of_a_result_that_is_final_and_was_played() -> None:
    rounds = [
        table(1, {"anna": 401, "biel": 377}),
        table(2, {"carme": 500, "dolors": 0}, unplayed=True),
        table(3, {"eloi": 600, "anna": 2}, final=False),
    ]
    assert find_winners(pairing.PRIZE_KIND_HIGH_GAME, rounds) == (401, ["anna"])


def test_the_biggest_spread_is_of_games_that_were_played() -> None:
    adjusted = (Adjustment("biel", 4, ""),)
    rounds = [
        table(1, {"anna": 310, "biel": 350}, spread_adjustments=adjusted),
        table(2, {"carme": 150, "dolors": 0}, unplayed=True),
        table(3, {"biel": 420, "carme": 400}),
        table(4, {"anna": 500, "biel": 0}, final=False),
        table(5, {"anna": 900, "biel": 1, "carme": 1}),
    ]
    assert find_winners(pairing.PRIZE_KIND_SPREAD, rounds) == (64, ["biel"])


def test_annulled_games_are_in_no_spread_and_a_sanction_stays() -> None:
    adjusted = (Adjustment("anna", 40, ""), Adjustment("biel", -7, "", sanction=True))
    rounds = [
        table(1, {"anna": 500, "biel": 100}, spread_adjustments=adjusted),
        table(2, {"anna": 410, "carme": 400}),
        table(3, {"biel": 320, "carme": 300}),
    ]
    found = prizes(Offered((pairing.PRIZE_KIND_SPREAD,)), rounds, NONE, annulled={"biel"})
    assert [(prize.value, [each.player_id for each in prize.winners]) for prize in found] == [(10, ["anna"])]
    assert find_winners(pairing.PRIZE_KIND_SPREAD, rounds) == (450, ["anna"])


def test_nobody_is_ahead_before_anything_was_played() -> None:
    assert [list(prize.winners) for prize in prizes(Offered(), [], NONE)] == [[]] * 4


def test_the_organiser_says_which_prizes_there_are_and_all_there_are_until_then() -> None:
    first = pairing.PrizesOffered(prizes=[pairing.PRIZE_KIND_SPREAD, pairing.PRIZE_KIND_BINGOS])
    assert apply_prize_event(Offered(), pairing.TournamentCreated()).kinds == DEFAULT_PRIZE_KINDS
    offer = apply_prize_event(Offered(), first)
    assert list(offer.kinds) == [pairing.PRIZE_KIND_SPREAD, pairing.PRIZE_KIND_BINGOS]
    assert list(apply_prize_event(offer, pairing.PrizesOffered()).kinds) == []


def test_an_expelled_player_takes_no_prize_and_the_next_in_line_does() -> None:
    rounds = [table(1, {"anna": 600, "biel": 100}), table(1, {"carme": 420, "dolors": 400})]
    for kind, value in ((pairing.PRIZE_KIND_HIGH_GAME, 420), (pairing.PRIZE_KIND_SPREAD, 20)):
        assert find_winners(kind, rounds)[1] == ["anna"]
        assert find_winners(kind, rounds, frozenset({"anna"})) == (value, ["carme"])
    plays = Plays({"anna": 3, "biel": 1}, [], recorded=True)
    bingos, best = prizes(
        Offered((pairing.PRIZE_KIND_BINGOS, pairing.PRIZE_KIND_HIGH_PLAY), expelled=frozenset({"anna"})), [], plays
    )
    assert (bingos.value, [winner.player_id for winner in bingos.winners]) == (1, ["biel"])
    assert (list(best.winners), best.unrecorded) == ([], False)


def test_an_expulsion_that_is_lifted_leaves_the_prizes_as_they_were() -> None:
    expelled = apply_prize_event(Offered(), pairing.PlayerExpelled(player_id="anna"))
    assert expelled.expelled == {"anna"}
    assert apply_prize_event(expelled, pairing.ExpulsionLifted(player_id="anna")) == Offered()
