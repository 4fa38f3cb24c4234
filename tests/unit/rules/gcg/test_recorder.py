"""A game is written as lines, with computed scores and totals."""

from __future__ import annotations

import pytest
from tests.unit.rules.gcg.games import CATALAN, ENGLISH
from tests.unit.rules.gcg.recorder import Recorder

from faristol.kernel.refusal import Refusal
from faristol.rules import Board, Notation, Tile, lay
from faristol.rules.gcg import GcgError, GcgPlayer, Pragma, write_gcg

FIRST, SECOND = GcgPlayer(number=1, nick="a", name="Ada"), GcgPlayer(number=2, nick="b", name="Blaise")


def test_every_method_writes_its_line() -> None:
    recorder = Recorder(FIRST, SECOND, CATALAN, [Pragma(keyword="title", text="Final")])
    word = lay(Board(), Notation.GCG.read("8G"), [Tile("NY"), Tile("A"), Tile("L·L", blank=True)])
    recorder.play("a", ["NY", "A", "?", "E", "E", "R", "S"], word)
    recorder.note("bad word")
    recorder.withdraw("a")
    recorder.exchange("b", None, ["QU", "?"])
    recorder.exchange("a", ["NY"], 3)
    recorder.pass_turn("b", ["QU", "A"])
    recorder.play("a", None, word)
    recorder.challenge("b", None, -5)
    recorder.pragma("incomplete")
    assert recorder.board == Board().place(word)
    assert recorder.totals == {"a": 22, "b": -5}
    assert write_gcg(recorder.game()).splitlines() == [
        "#character-encoding UTF-8",
        "#tile-set ca-100",
        "#title Final",
        "#player1 a Ada",
        "#player2 b Blaise",
        ">a: [NY]A?EERS 8G [NY]A[l·l] +22 22",
        "#note bad word",
        ">a: [NY]A?EERS -- -22 0",
        ">b: -[QU]? +0 0",
        ">a: [NY] -3 +0 0",
        ">b: [QU]A - +0 0",
        ">a: 8G [NY]A[l·l] +22 22",
        ">b: (challenge) -5 -5",
        "#incomplete",
    ]


def test_what_the_rules_do_not_allow_is_not_recorded() -> None:
    recorder = Recorder(FIRST, SECOND, ENGLISH)
    before = recorder.game()
    with pytest.raises(Refusal, match="covers H8"):
        recorder.play("a", None, lay(Board(), Notation.GCG.read("8A"), [Tile("A"), Tile("T")]))
    with pytest.raises(GcgError, match="takes back a play"):
        recorder.withdraw("a")
    assert recorder.game() == before
