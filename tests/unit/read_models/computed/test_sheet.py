from __future__ import annotations

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.sheet import write_pinned, write_sheet
from faristol.rules import load_ruleset

FISC = load_ruleset("fisc-2023")


def of_one_play(face_later: str = "") -> results.GetGameResponse:
    """Return a play CASA that was withdrawn; later a blank was laid on its first square."""
    answer = results.GetGameResponse(seats=[results.Seat(player_id="anna"), results.Seat(player_id="biel")])
    placements = [game.Placement(row=7, column=7 + place, face=face) for place, face in enumerate("CASA")]
    word = game.ScoredWord(word=game.Word(faces="CASA"), row=7, column=7, across=True, score=10)
    answer.entries.add(
        kind=results.ENTRY_KIND_PHONY, turn=1, player_id="anna", placements=placements, words=[word], complete=True
    )
    if face_later:
        answer.board.add(row=7, column=7, face=face_later, blank=True)
    return answer


def test_a_phony_is_written_with_its_own_tiles_whatever_came_to_lie_there_later() -> None:
    answer = of_one_play("M")
    write_sheet(answer, FISC)
    assert (answer.entries[0].sheet_play, answer.entries[0].sheet_score) == ("H8 CASA", "0")


def test_a_game_of_rules_that_are_not_installed_any_more_is_shown_without_the_form_of_its_sheet() -> None:
    answer = of_one_play()
    answer.ruleset.name, answer.ruleset.digest = FISC.name, "a" * 64
    write_pinned(answer)
    assert not answer.HasField("sheet")
    assert not answer.entries[0].sheet_play
    answer.ruleset.digest = FISC.digest
    write_pinned(answer)
    assert answer.HasField("sheet")
