"""A list of slips is entered completely, or every invalid line is reported and no slip is entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from faristol.cli.duplicate_game.slip_list import read_slips
from faristol.host import StartError
from faristol.pb.game.v1 import duplicate_events_pb2 as events


def write_list(folder: Path, text: str) -> Path:
    file = folder / "slips.csv"
    file.write_text(text, encoding="utf-8")
    return file


SEATS = {name: name for name in ("anna", "blai", "cesca")} | {"1": "anna", "2": "blai", "3": "cesca"}


def test_slips_are_read_as_they_were_typed(tmp_path: Path) -> None:
    text = "Player,Coordinates,Word,Handed\nanna,H4,C A S (A),\n2,#,CASA,late\n\ncesca,15G,#,in-time\n"
    anna, blai, cesca = read_slips(write_list(tmp_path, text), SEATS)
    assert anna == events.Slip(player_id="anna", coordinates="H4", word="C A S (A)", handed=events.HANDED_IN_TIME)
    assert blai.player_id == "blai", "by the number"
    assert (blai.coordinates, blai.coordinates_illegible, blai.handed) == ("", True, events.HANDED_LATE)
    assert (cesca.word, cesca.word_illegible, cesca.coordinates) == ("", True, "15G")


def test_every_wrong_line_is_told_at_once(tmp_path: Path) -> None:
    text = (
        "player,word,handed\nanna,CASA,\n,CASA,\nblai,CASA,perhaps\n1,CASES,\ncesca,CASA,late,4\nnobody,CASA\n9,CASA\n"
    )
    with pytest.raises(StartError) as wrong:
        read_slips(write_list(tmp_path, text), SEATS)
    lines = str(wrong.value).splitlines()[1:]
    assert [line.split(":")[0] for line in lines] == ["3", "4", "5", "6", "7", "8"]
    assert "anna is already in line 2" in lines[2]
    assert "no player with the id or the number 9 plays in this hall" in lines[5]
    assert "expected in-time, late, not-at-all, hand-not-raised, twice" in lines[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("player,place\nanna,H8\n", "there is no column 'place'; expected player, coordinates"),
        ("word\nCASA\n", "the player is missing"),
        ('player\n"anna\n', "the line has an unclosed quotation mark"),
    ],
)
def test_a_list_that_is_none_says_why(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(StartError, match=said):
        read_slips(write_list(tmp_path, text), SEATS)
