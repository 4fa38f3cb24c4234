"""A replayed file is drawn with columns lettered and rows numbered."""

from __future__ import annotations

from tests.unit.rules.gcg.games import CATALAN, replay_events

from faristol.rules.gcg import draw_board, draw_sheet


def test_the_sheet_of_a_game_without_events_has_its_players_and_totals() -> None:
    assert draw_sheet(replay_events(ruleset=CATALAN)).splitlines() == [
        "a: Ada Lovelace",
        "b: Blaise Pascal",
        "a 0, b 0",
    ]


def test_the_board_and_the_sheet_are_drawn() -> None:
    found = replay_events(
        ">a: [QU][NY][L·L]AEI? 8F [QU]E[NY]A[ny] +40 40",
        ">a: [QU][NY][L·L]AEI? -- -40 0",
        ">b: -3 +0 0",
        ">a: [QU][NY][L·L]AEI? H8 [NY]A[l·l] +22 22",
        ">a: (challenge) +5 27",
        ruleset=CATALAN,
    )
    board = draw_board(found.board).splitlines()
    assert board[0].split() == list("ABCDEFGHIJKLMNO")
    assert board[8] == " 8 =   .   .   '   .   .   .   NY  .   .   .   '   .   .   ="
    assert board[10].split()[8] == "l·l"
    assert draw_sheet(found).splitlines() == [
        "a: Ada Lovelace",
        "b: Blaise Pascal",
        "3  a  [QU][NY][L·L]AEI?  8F [QU]E[NY]A[ny]  +40  40",
        "4  a  [QU][NY][L·L]AEI?  play withdrawn     -40   0",
        "5  b                     exchange 3          +0   0",
        "6  a  [QU][NY][L·L]AEI?  H8 [NY]A[l·l]      +22  22",
        "7  a                     challenge failed    +5  27",
        "a 27, b 0",
    ]
