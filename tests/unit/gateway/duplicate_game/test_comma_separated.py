"""Duplicate games as files: written texts stay unchanged, and a spreadsheet runs no part of them."""

from __future__ import annotations

import csv
from io import StringIO

from faristol.gateway.api.contract_json import to_json
from faristol.gateway.duplicate_game.answers import build_game, build_sheets
from faristol.gateway.duplicate_game.comma_separated import slips_csv, turns_csv, words_of_masters
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.game.v1 import events_pb2 as game
from faristol.presentation.duplicate_labels import ENDS, FAULTS, UNOFFICIAL
from faristol.rules.duplicate_game.finish import Unofficial
from faristol.rules.duplicate_game.slips import Fault


def sheet(hall: str, player_id: str, number: int, turns: list[int]) -> pb.GetHallSheetResponse:
    """Return a hall in which a player wrote something that begins as a formula."""
    found = pb.GetHallSheetResponse(hall=events.DuplicateHall(number=1, name=hall))
    line = found.players.add(player_id=player_id, number=number, turns=turns)
    for turn in turns:
        line.slips.add(player_id=player_id, coordinates=f"=H{turn}", word_illegible=True, handed=events.HANDED_LATE)
        line.scores.add(player_id=player_id, points=0, fault="late")
    return found


def test_slips_stand_by_turn_and_number_as_they_were_written() -> None:
    found = [sheet("Nord", "anna", 1, [1, 3]), sheet("Sud", "blai", 2, [1, 2])]
    text = slips_csv(to_json(build_sheets("cup-r1", found, {"anna": "Anna"}, 7)))
    lines = list(csv.DictReader(StringIO(text)))
    assert [(line["turn"], line["player_id"]) for line in lines] == [
        ("1", "anna"),
        ("1", "blai"),
        ("2", "blai"),
        ("3", "anna"),
    ]
    assert lines[3] == {
        "turn": "3",
        "hall": "Nord",
        "number": "1",
        "player_id": "anna",
        "name": "Anna",
        "coordinates": "'=H3",
        "word": "#",
        "score": "",
        "handed": "late",
        "points": "0",
        "fault": "late",
        "warned": "",
    }


def test_a_turn_has_its_master_play_with_its_blanks_once_it_is_scored() -> None:
    shown = pb.GetDuplicateResponse(game_id="cup-r1", tournament_id="cup", round=1)
    turn = shown.turns.add(turn=1, faces=["C", "A", "S", "?"], scored=True, top=9)
    turn.master.CopyFrom(events.DuplicatePlay(row=7, column=3, across=True, faces=["C", "A", "S", "A"], score=8))
    turn.master.placements.append(game.Placement(row=7, column=6, face="A", blank=True))
    shown.turns.add(turn=2, faces=["E"])
    first, second = csv.DictReader(StringIO(turns_csv(to_json(build_game(shown, 7)), words_of_masters(shown))))
    assert (first["coordinates"], first["word"], first["master"], first["top"]) == ("H4", "C A S (A)", "8", "9")
    assert (second["scored"], second["coordinates"], second["top"]) == ("false", "", "")


def test_pages_have_words_for_every_fault_end_and_reason() -> None:
    assert FAULTS.keys() == {str(fault) for fault in Fault}
    assert UNOFFICIAL.keys() == {str(why) for why in Unofficial}
    assert ENDS.keys() == {number for number in events.DuplicateEnd.values() if number}
