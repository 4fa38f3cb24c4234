"""The texts about a ruling and about the end of a table."""

from __future__ import annotations

import pytest

from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.rules import load_ruleset
from faristol.table_terminal.table.offers import ShownTable
from faristol.table_terminal.table.view import format_ruling, format_skipped_turns, outcome, standing

FISE, PES = load_ruleset("fise"), load_ruleset("pes-2024")


def word(faces: str) -> events.Word:
    return events.Word(faces=faces)


def test_a_ruling_is_told_of_the_play_with_its_article() -> None:
    ruling = game_pb2.Ruling(turn=3, word=word("EEN"))
    assert list(format_ruling(ruling, FISE, "en")) == ["Ruling: the play EEN of turn 3 is invalid. (FISE 40)"]
    ruling = game_pb2.Ruling(turn=3, word=word("EEN"), valid=True, appeal=True)
    assert list(format_ruling(ruling, FISE, "en")) == [
        "Ruling on the appeal: the play EEN of turn 3 is valid. (FISE 42.4)"
    ]


def test_a_ruling_is_told_word_by_word_where_the_book_lets_players_know_so_much() -> None:
    words = [events.RuledWord(word=word("ΟΙ"), valid=True), events.RuledWord(word=word("ΑΧ"))]
    ruling = game_pb2.Ruling(turn=2, word=word("ΑΧ"), words=words)
    assert list(format_ruling(ruling, PES, "en")) == [
        "Ruling: the play ΑΧ of turn 2 is invalid. (PES Δ.ε)",
        "  ΟΙ: valid",
        "  ΑΧ: invalid",
    ]


@pytest.mark.parametrize(
    ("scores", "winner", "by_all", "said"),
    [
        ((322, 378), "blai", False, "Blai Soler wins 378–322. The result is final."),
        ((400, 378), "blai", False, "Blai Soler wins 378–400. The result is final."),
        ((350, 350), "", False, "A draw, 350–350. The result is final."),
        ((-63, -18), "blai", False, "Blai Soler wins −18 – −63. The result is final."),
        ((12, 20), "", True, "All players lose, 20–12. The result is final."),
    ],
)
def test_at_the_end_it_is_told_who_won_and_that_it_is_final(
    scores: tuple[int, int], winner: str, by_all: bool, said: str
) -> None:
    people = zip(("anna", "blai"), ("Anna Puig", "Blai Soler"), scores, strict=True)
    seats = [results_pb2.Seat(player_id=player, name=name, score=score) for player, name, score in people]
    game = results_pb2.GetGameResponse(seats=seats, winner_id=winner, lost_by_all=by_all)
    assert outcome(game, "en") == ""
    game.final = True
    assert outcome(game, "en") == said


def test_who_is_away_or_has_not_come_is_marked_and_an_end_has_its_article() -> None:
    sides = [game_pb2.Side(player_id="anna"), game_pb2.Side(player_id="blai")]
    table = game_pb2.GetGameResponse(turn=5, sides=sides, end_condition=events.END_CONDITION_LOST_TURNS)
    clock = clock_pb2.GetClockResponse(away_player_ids=["anna"], absent_player_ids=["blai"])
    shown = ShownTable(table, clock, load_ruleset("fise"))
    lines = list(standing(shown, {"anna": "Anna Puig", "blai": "Blai Soler"}, 0, "en"))
    assert lines[1].endswith("  [away from the table]")
    assert lines[2].endswith("  [absent]")
    assert lines[3] == "Ended: too many lost turns in a row (FISE 45.2)."


def test_a_turn_that_nobody_could_take_is_told_with_the_reason() -> None:
    game = results_pb2.GetGameResponse()
    for turn in (2, 4):
        game.entries.add(
            kind=results_pb2.ENTRY_KIND_LOST_TURN,
            turn=turn,
            player_id="anna",
            lost_for=events.TURN_LOST_REASON_OVERDRAW,
            article="FISE 24",
        )
    assert list(format_skipped_turns(game, 3, {"anna": "Anna Puig"}, "en")) == [
        "Turn 4 of Anna Puig is lost: too many tiles on the rack (FISE 24)."
    ]
