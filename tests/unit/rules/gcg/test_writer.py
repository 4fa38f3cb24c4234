"""A game is written in one form, and never with a different meaning."""

from __future__ import annotations

import pytest
from tests.unit.rules.gcg.games import text

from faristol.rules.gcg import GcgGame, GcgPlayer, Note, Pass, Pragma, RackPenalty, read_gcg, write_gcg

FIRST, SECOND = GcgPlayer(number=1, nick="a", name="Ada"), GcgPlayer(number=2, nick="b")


def test_every_line_is_written_in_its_one_form() -> None:
    lines = [
        "#title The final",
        "#player1 a Ada",
        "#player2 b",
        ">a: ?EI 8H e.(X)[ny] +12 12 AD, LI",
        "#note one",
        "",
        "  two",
        ">a: ?EI -- -12 0",
        ">b: -EI +0 0",
        ">a: AE -7 +0 0",
        ">b: AE (challenge) +5 5",
        ">a: - +0 0",
        ">b: (AE) +4 9",
        ">a: AE (AE) -2 -2",
        ">a: ? (?) -0 -2",
        ">b: (time) -10 -1",
        "#rack1 AE",
        "#incomplete",
    ]
    written = "\n".join(["#character-encoding UTF-8", *lines]) + "\n"
    assert write_gcg(read_gcg(written)) == written


def test_loose_spelling_is_written_in_the_one_form() -> None:
    loose = "\ufeff" + text("\t> a :  AE   h8 AE  3 3  ", ">b:(AE) +2 2".replace(":", ": ")).replace("\n", "\r\n")
    assert write_gcg(read_gcg(loose)).splitlines()[3:] == [">a: AE H8 AE +3 3", ">b: (AE) +2 2"]


def test_a_wrong_sign_is_kept() -> None:
    game = read_gcg(text(">a: AE (AE) +2 2"))
    assert game.events == (RackPenalty(nick="a", rack="AE", tiles="AE", score=2, total=2),)
    assert write_gcg(game).endswith(">a: AE (AE) +2 2\n")


@pytest.mark.parametrize(
    "game",
    [
        GcgGame((GcgPlayer(number=1, nick="Ada L", name=""), SECOND)),
        GcgGame((FIRST,)),
        GcgGame((FIRST, SECOND, Note(text="x\n>a: AE - +0 0"))),
        GcgGame((FIRST, SECOND, Note(text="x\n#incomplete"))),
        GcgGame((FIRST, SECOND, Note(text="x\n\n"))),
        GcgGame((FIRST, SECOND, Pragma(keyword="title", text="x\ny"))),
        GcgGame((FIRST, SECOND, Pragma(keyword="note", text="x"))),
        GcgGame((FIRST, SECOND, Pass(nick="a", rack="A E", score=0, total=0))),
        GcgGame((FIRST, SECOND, Pass(nick="c", rack="AE", score=0, total=0))),
    ],
)
def test_what_a_file_cannot_tell_is_refused(game: GcgGame) -> None:
    with pytest.raises(ValueError, match="GCG file"):
        write_gcg(game)
