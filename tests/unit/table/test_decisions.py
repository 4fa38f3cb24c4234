from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from google.protobuf.message import Message
from tests.support.table_games import FISC, after, names, settle, start_game, tiles, to_placements, words

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Placement, full_bag
from faristol.table import Table
from faristol.table.clock import Clock
from faristol.table.decide import decide
from faristol.table.decide.draws import bag_of
from faristol.table.game.evolution import fold
from faristol.table.game.state import Game, Phase


def place_play(game: Game | None = None) -> Game:
    game = game or start_game()
    return fold(
        game,
        decide(
            Table(FISC, game),
            game_pb2.PlacePlayRequest(player_id=game.mover, placements=to_placements(tiles("H8 C A S A"))),
            after(30),
        ),
    )


def challenge_play(game: Game | None = None) -> Game:
    game = game or place_play()
    return fold(
        game,
        decide(
            Table(FISC, game),
            game_pb2.ChallengeRequest(player_id=game.next_player(game.mover), words=words(*[("C", "A", "S", "A")])),
            after(40),
        ),
    )


def ruled_valid() -> Game:
    event = events.ChallengeRuled(turn=1, challenge=1, valid=True, occurred_at=timestamp(after(40)))
    return fold(challenge_play(), [event])


def draw_tiles() -> Game:
    game = place_play()
    return fold(game, decide(Table(FISC, game), game_pb2.DrawTilesRequest(player_id="anna"), after(50)))


def complete_play() -> Game:
    return fold(draw_tiles(), settle(draw_tiles(), Clock(pressed_turn=1, pressed_at=after(60)), None, FISC))


def end_game() -> Game:
    return fold(
        start_game(), [events.GameEnded(condition=events.END_CONDITION_LOST_TURNS, occurred_at=timestamp(after(9)))]
    )


def expect_refusal(reason: str, article: str, act: Callable[[], object]) -> None:
    with pytest.raises(Refusal) as caught:
        act()
    assert (caught.value.reason, caught.value.article) == (reason, article)
    assert "{" not in str(caught.value)


def test_a_play_is_told_with_its_words_and_its_score() -> None:
    (event,) = decide(
        Table(FISC, start_game()),
        game_pb2.PlacePlayRequest(player_id="anna", placements=to_placements(tiles("H8 C A S A")[::-1])),
        after(30),
    )
    assert event == events.PlayPlaced(
        turn=1,
        player_id="anna",
        placements=[events.Placement(row=7, column=7 + n, face=face) for n, face in enumerate("CASA")],
        words=[events.ScoredWord(word=events.Word(faces="CASA"), row=7, column=7, across=True, score=10)],
        score=10,
        occurred_at=timestamp(after(30)),
    )


def test_a_bingo_is_told_and_counts_fifty() -> None:
    (event,) = decide(
        Table(FISC, start_game()),
        game_pb2.PlacePlayRequest(player_id="anna", placements=to_placements(tiles("8H C A S A R T I"))),
        after(30),
    )
    assert isinstance(event, events.PlayPlaced)
    assert (event.bingo, event.score, event.words[0].across) == (True, 68, False)


def test_a_play_against_the_rules_of_placement_is_refused_with_their_article() -> None:
    expect_refusal(
        "FIRST_PLAY_OFF_CENTRE",
        "FISC I.6",
        lambda: decide(
            Table(FISC, start_game()),
            game_pb2.PlacePlayRequest(player_id="anna", placements=to_placements(tiles("A1 C A S A"))),
            after(1),
        ),
    )


ACTS: dict[str, Callable[[Game, str], list[Message]]] = {
    "play": lambda game, player: decide(
        Table(FISC, game), game_pb2.PlacePlayRequest(player_id=player, placements=to_placements(PLAY)), after(99)
    ),
    "exchange": lambda game, player: decide(
        Table(FISC, game), game_pb2.ExchangeRequest(player_id=player, faces=["A"]), after(99)
    ),
    "pass": lambda game, player: decide(Table(FISC, game), game_pb2.PassRequest(player_id=player), after(99)),
}
PLAY: tuple[Placement, ...] = tiles("H8 C A S A")


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_turn_is_taken_once_by_the_player_whose_it_is(act: Callable[[Game, str], list[Message]]) -> None:
    assert act(start_game(), "anna")
    expect_refusal("NOT_YOUR_TURN", "FISC I.6", lambda: act(start_game(), "biel"))
    expect_refusal("NOT_AT_TABLE", "FISC I.6", lambda: act(start_game(), "carla"))
    expect_refusal("TURN_TAKEN", "FISC I.11", lambda: act(place_play(), "anna"))
    expect_refusal("TURN_TAKEN", "FISC I.11", lambda: act(draw_tiles(), "anna"))
    expect_refusal("CHALLENGE_PENDING", "FISC I.10", lambda: act(challenge_play(), "anna"))
    expect_refusal("NOT_YOUR_TURN", "FISC I.6", lambda: act(complete_play(), "anna"))
    expect_refusal("GAME_OVER", "FISC I.8", lambda: act(end_game(), "anna"))


def test_an_exchange_draws_from_the_bag_before_the_tiles_go_back() -> None:
    game = start_game()
    bag = bag_of(game, FISC)
    exchanged, replaced = decide(
        Table(FISC, game), game_pb2.ExchangeRequest(player_id="anna", faces=["C", "I"]), after(20)
    )
    assert isinstance(exchanged, events.Exchanged)
    assert isinstance(replaced, events.TilesDrawn)
    assert (list(exchanged.faces), len(replaced.faces), replaced.bag_left, replaced.draw) == (["C", "I"], 2, 86, 4)
    assert not Counter(replaced.faces) - Counter(bag)
    after_it = fold(game, [exchanged, replaced])
    assert after_it.phase is Phase.DRAWN
    assert Counter(bag_of(after_it, FISC)) == Counter(bag) - Counter(replaced.faces) + Counter(["C", "I"])


def test_more_tiles_than_the_bag_holds_cannot_be_exchanged() -> None:
    expect_refusal(
        "NOT_IN_RACK",
        "FISC I.7.1",
        lambda: decide(Table(FISC, start_game()), game_pb2.ExchangeRequest(player_id="anna", faces=["X"]), after(1)),
    )
    expect_refusal(
        "NO_TILES",
        "FISC I.7.1",
        lambda: decide(Table(FISC, start_game()), game_pb2.ExchangeRequest(player_id="anna", faces=[]), after(1)),
    )


def test_drawing_fills_the_rack_and_its_draw_is_numbered() -> None:
    (event,) = decide(Table(FISC, place_play()), game_pb2.DrawTilesRequest(player_id="anna"), after(50))
    assert isinstance(event, events.TilesDrawn)
    assert (len(event.faces), event.draw, event.bag_left) == (4, 4, 82)
    assert len(draw_tiles().racks["anna"]) == 7
    everything = [tile.in_rack for tile in draw_tiles().board.values()] + [*bag_of(draw_tiles(), FISC)]
    assert Counter([*everything, *draw_tiles().racks["anna"], *draw_tiles().racks["biel"]]) == Counter(
        full_bag(FISC.tile_set)
    )


def test_tiles_are_drawn_once_after_a_play_of_ones_own() -> None:
    expect_refusal(
        "NOTHING_PLAYED",
        "FISC I.7",
        lambda: decide(Table(FISC, start_game()), game_pb2.DrawTilesRequest(player_id="anna"), after(1)),
    )
    expect_refusal(
        "NOTHING_PLAYED",
        "FISC I.7",
        lambda: decide(Table(FISC, place_play()), game_pb2.DrawTilesRequest(player_id="biel"), after(50)),
    )
    expect_refusal(
        "ALREADY_DRAWN",
        "FISC I.7",
        lambda: decide(Table(FISC, draw_tiles()), game_pb2.DrawTilesRequest(player_id="anna"), after(60)),
    )
    expect_refusal(
        "CHALLENGE_PENDING",
        "FISC I.10",
        lambda: decide(Table(FISC, challenge_play()), game_pb2.DrawTilesRequest(player_id="anna"), after(60)),
    )
    expect_refusal(
        "BAG_EMPTY",
        "FISC I.7",
        lambda: decide(
            Table(FISC, place_play(start_game(bag_left=0))), game_pb2.DrawTilesRequest(player_id="anna"), after(60)
        ),
    )
    expect_refusal(
        "GAME_OVER",
        "FISC I.8",
        lambda: decide(Table(FISC, end_game()), game_pb2.DrawTilesRequest(player_id="anna"), after(60)),
    )


def test_a_challenge_names_all_some_or_one_of_the_words() -> None:
    word = ("C", "A", "S", "A")
    (event,) = decide(
        Table(FISC, place_play()), game_pb2.ChallengeRequest(player_id="biel", words=words(*[word, word])), after(40)
    )
    assert event == events.ChallengeRaised(
        turn=1, challenge=1, player_id="biel", words=[events.Word(faces=word)], occurred_at=timestamp(after(40))
    )
    with pytest.raises(Invalid, match="words: expected one or more"):
        decide(Table(FISC, place_play()), game_pb2.ChallengeRequest(player_id="biel", words=words(*[])), after(40))


def test_only_words_that_the_play_formed_can_be_challenged() -> None:
    expect_refusal(
        "WORD_NOT_FORMED",
        "FISC I.10",
        lambda: decide(
            Table(FISC, place_play()), game_pb2.ChallengeRequest(player_id="biel", words=words(*["CASES"])), after(40)
        ),
    )


def test_only_the_opponent_can_challenge() -> None:
    expect_refusal(
        "OWN_PLAY",
        "FISC I.10",
        lambda: decide(
            Table(FISC, place_play()), game_pb2.ChallengeRequest(player_id="anna", words=words(*["CASA"])), after(40)
        ),
    )
    expect_refusal(
        "NOT_AT_TABLE",
        "FISC I.10",
        lambda: decide(
            Table(FISC, place_play()), game_pb2.ChallengeRequest(player_id="carla", words=words(*["CASA"])), after(40)
        ),
    )


def test_after_a_ruling_no_other_word_of_the_play_can_be_challenged() -> None:
    ruled, waiting = ruled_valid(), challenge_play()
    expect_refusal(
        "CHALLENGED_ALREADY",
        "FISC I.10",
        lambda: decide(
            Table(FISC, ruled), game_pb2.ChallengeRequest(player_id="biel", words=words(*["CASA"])), after(50)
        ),
    )
    expect_refusal(
        "CHALLENGE_PENDING",
        "FISC I.10",
        lambda: decide(
            Table(FISC, waiting), game_pb2.ChallengeRequest(player_id="biel", words=words(*["CASA"])), after(50)
        ),
    )


def test_a_play_is_accepted_when_the_mover_begins_to_draw() -> None:
    expect_refusal(
        "CHALLENGE_TOO_LATE",
        "FISC I.10",
        lambda: decide(
            Table(FISC, draw_tiles()), game_pb2.ChallengeRequest(player_id="biel", words=words(*["CASA"])), after(60)
        ),
    )


def test_with_an_empty_bag_a_play_can_be_challenged_until_the_clock_is_pressed() -> None:
    game = place_play(start_game(bag_left=0))
    assert decide(Table(FISC, game), game_pb2.ChallengeRequest(player_id="biel", words=words(*["CASA"])), after(60))
    done = fold(game, settle(game, Clock(pressed_turn=1, pressed_at=after(60)), None, FISC))
    expect_refusal(
        "NOTHING_TO_CHALLENGE",
        "FISC I.10",
        lambda: decide(
            Table(FISC, done), game_pb2.ChallengeRequest(player_id="biel", words=words(*["CASA"])), after(61)
        ),
    )


def pass_turn() -> Game:
    return fold(start_game(), decide(Table(FISC, start_game()), game_pb2.PassRequest(player_id="anna"), after(5)))


@pytest.mark.parametrize("game", [start_game(), pass_turn(), complete_play()], ids=["start", "pass", "completed play"])
def test_there_is_nothing_to_challenge_in_a_pass_or_between_plays(game: Game) -> None:
    expect_refusal(
        "NOTHING_TO_CHALLENGE",
        "FISC I.10",
        lambda: decide(
            Table(FISC, game), game_pb2.ChallengeRequest(player_id="biel", words=words(*["CASA"])), after(99)
        ),
    )


def test_a_result_is_final_with_the_second_signature_and_not_with_the_first() -> None:
    clock = Clock(stopped=True)
    game = fold(end_game(), settle(end_game(), clock, None, FISC))
    first = decide(Table(FISC, game, clock), game_pb2.SignSheetRequest(player_id="biel"), after(99))
    assert names(first) == ["SheetSigned"]
    game = fold(game, first)
    expect_refusal(
        "SIGNED_ALREADY",
        "FISC I.8",
        lambda: decide(Table(FISC, game, clock), game_pb2.SignSheetRequest(player_id="biel"), after(99)),
    )
    second = decide(Table(FISC, game, clock), game_pb2.SignSheetRequest(player_id="anna"), after(100))
    assert names(second) == ["SheetSigned", "SeedRevealed", "ResultFinal"]
    assert second[-1] == events.ResultFinal(
        scores=[events.FinalScore(player_id="anna", score=-8), events.FinalScore(player_id="biel", score=-8)],
        winner_id="",
        occurred_at=timestamp(after(100)),
        condition=events.END_CONDITION_LOST_TURNS,
    )
    expect_refusal(
        "RESULT_FINAL",
        "FISC I.8",
        lambda: decide(Table(FISC, fold(game, second), clock), game_pb2.SignSheetRequest(player_id="anna"), after(101)),
    )


def test_a_sheet_is_signed_after_the_game_and_after_the_clock() -> None:
    expect_refusal(
        "GAME_NOT_OVER",
        "FISC I.8",
        lambda: decide(Table(FISC, place_play(), Clock()), game_pb2.SignSheetRequest(player_id="anna"), after(99)),
    )
    expect_refusal(
        "CLOCK_NOT_STOPPED",
        "FISC I.8",
        lambda: decide(Table(FISC, end_game(), Clock()), game_pb2.SignSheetRequest(player_id="anna"), after(99)),
    )
    expect_refusal(
        "NOT_AT_TABLE",
        "FISC I.6",
        lambda: decide(Table(FISC, end_game(), Clock()), game_pb2.SignSheetRequest(player_id="carla"), after(99)),
    )


def test_time_never_runs_back_within_a_game() -> None:
    draw = game_pb2.DrawTilesRequest(player_id="anna")
    assert decide(Table(FISC, place_play(), Clock(last_at=after(20))), draw, after(30))
    with pytest.raises(Invalid, match=r"22:13:49\.000Z, before the latest event at this table, at .*T22:13:50\.000Z"):
        decide(Table(FISC, place_play(), Clock()), draw, after(29))
    with pytest.raises(Invalid, match="occurred_at"):
        decide(Table(FISC, place_play(), Clock(last_at=after(40))), draw, after(39))
