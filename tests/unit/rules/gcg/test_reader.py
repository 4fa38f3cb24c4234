"""Every form of a line is parsed, and an invalid line is refused with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.gcg.games import FIRST, PLAYERS, text

from faristol.rules import Direction, Square, Start
from faristol.rules.gcg import (
    Challenge,
    Event,
    Exchange,
    GcgError,
    GcgPlayer,
    Note,
    Pass,
    Play,
    Pragma,
    RackPenalty,
    RackPoints,
    TimePenalty,
    Withdrawal,
    read_gcg,
)

CENTRE_ACROSS = Start(Square(7, 7), Direction.ACROSS)
CENTRE_DOWN = Start(Square(7, 7), Direction.DOWN)


def event(line: str) -> Event:
    (found,) = read_gcg(text(line)).events
    return found


def read_problem(written: str) -> tuple[int, str, str]:
    with pytest.raises(GcgError) as caught:
        read_gcg(written)
    problem = caught.value.problem
    assert problem.expected
    return problem.line, problem.reason, problem.expected


def line_refused(written: str) -> int:
    """Return the line at which the file is refused, 0 when it is not."""
    try:
        read_gcg(written)
    except GcgError as error:
        return error.problem.line
    return 0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            ">a: AEINRST 8H TRAIN +12 12",
            Play(nick="a", rack="AEINRST", start=CENTRE_ACROSS, word="TRAIN", score=12, total=12),
        ),
        (">a: ?N h8 tRAI. +0 7", Play(nick="a", rack="?N", start=CENTRE_DOWN, word="tRAI.", score=0, total=7)),
        (">a: 8H (T)[NY] 6 6", Play(nick="a", rack=None, start=CENTRE_ACROSS, word="(T)[NY]", score=6, total=6)),
        (
            ">a: [L·L]A 8H [l·l]A +12 12 AD, LI",
            Play(nick="a", rack="[L·L]A", start=CENTRE_ACROSS, word="[l·l]A", score=12, total=12, remark="AD, LI"),
        ),
        (">a: AEI -AE +0 3", Exchange(nick="a", rack="AEI", tiles="AE", count=0, score=0, total=3)),
        (">a: AEI? -? +0 3", Exchange(nick="a", rack="AEI?", tiles="?", count=0, score=0, total=3)),
        (">a: AEI -7 +0 3", Exchange(nick="a", rack="AEI", tiles="", count=7, score=0, total=3)),
        (">a: -7 +0 3", Exchange(nick="a", rack=None, tiles="", count=7, score=0, total=3)),
        (">a: AEI - +0 3", Pass(nick="a", rack="AEI", score=0, total=3)),
        (">a: - +0 3", Pass(nick="a", rack=None, score=0, total=3)),
        (">a: AEI -- -12 3", Withdrawal(nick="a", rack="AEI", score=-12, total=3)),
        (">a: AEI (challenge) +5 8", Challenge(nick="a", rack="AEI", score=5, total=8)),
        (">a:  (challenge) -10 -2", Challenge(nick="a", rack=None, score=-10, total=-2)),
        (">a:  (time) -20 3", TimePenalty(nick="a", rack=None, score=-20, total=3)),
        (">a: (TIME) +12 15", RackPoints(nick="a", tiles="TIME", score=12, total=15)),
        (">a: (A[QU]?) +18 15", RackPoints(nick="a", tiles="A[QU]?", score=18, total=15)),
        (">a: AE (AE) -2 1", RackPenalty(nick="a", rack="AE", tiles="AE", score=-2, total=1)),
        (">a: (AE) -2 1", RackPenalty(nick="a", rack=None, tiles="AE", score=-2, total=1)),
        (">a: (?) -0 1", RackPenalty(nick="a", rack=None, tiles="?", score=0, total=1)),
        ("\t>  a :\tAE  -   +0\t3  ", Pass(nick="a", rack="AE", score=0, total=3)),
    ],
)
def test_an_event_is_read(line: str, expected: Event) -> None:
    found = event(line)
    assert found == expected
    assert found.line == FIRST


def test_players_pragmas_and_notes_are_read() -> None:
    game = read_gcg(
        "#character-encoding UTF-8\n#Title The final\n#player2 b:2 Blaise  Pascal\n#player1 a\n#strange of itself\n# \n"
        ">a: AE - +0 0\n#note one\n\n  two\n\n\n#note\n>b:2: AE - +0 0\n#rack1 AE[CH]\n#incomplete\n"
    )
    assert game.players == (GcgPlayer(number=1, nick="a"), GcgPlayer(number=2, nick="b:2", name="Blaise  Pascal"))
    assert tuple(line for line in game.lines if isinstance(line, Note)) == (Note(text="one\n\n  two"), Note(text=""))
    assert [event.nick for event in game.events] == ["a", "b:2"]
    assert game.pragma("title") == Pragma(keyword="Title", text="The final")
    assert game.pragma("strange") == Pragma(keyword="strange", text="of itself")
    assert game.pragma("rack1") == Pragma(keyword="rack1", text="AE[CH]")
    assert game.pragma("rack2") is None
    assert game.incomplete


def test_every_way_to_end_a_line_is_read() -> None:
    lines = [*PLAYERS, ">a: AE - +0 0", "#note x", ">b: AE - +0 0", ""]
    games = {end: read_gcg(end.join(lines)) for end in ("\n", "\r\n", "\r")}
    assert games["\n"] == games["\r\n"] == games["\r"]
    assert [event.line for event in games["\r\n"].events] == [3, 5]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert read_gcg("\ufeff" + text()).players[0].nick == "a"


@pytest.mark.parametrize(
    ("line", "reason", "expected"),
    [
        ("what is this", "MALFORMED", "begins with # or >"),
        (">a AEI - +0 3", "MALFORMED", ">nick: RACK 8H WORD"),
        (">a:", "MALFORMED", ">nick: RACK 8H WORD"),
        (">a: AEI", "MALFORMED", ">nick: RACK 8H WORD"),
        (">c: AEI - +0 3", "PLAYER_UNKNOWN", "a or b"),
        (">a: AE!I - +0 3", "MALFORMED_RACK", "? for a blank"),
        (">a: AE[CH - +0 3", "MALFORMED_RACK", "? for a blank"),
        (">a: AEI 8P AE +3 3", "MALFORMED_PLACE", "A to O"),
        (">a: AEI 16A AE +3 3", "MALFORMED_PLACE", "1 to 15"),
        (">a: AEI A0 AE +3 3", "MALFORMED_PLACE", "1 to 15"),
        (">a: AEI AE 8H +3 3", "MALFORMED_PLACE", "1 to 15"),
        (">a: AEI 8H A2E +3 3", "MALFORMED_PLAY", "small letters for a blank"),
        (">a: AEI 8H A(E +3 3", "MALFORMED_PLAY", "small letters for a blank"),
        (">a: AEI 8H A[E +3 3", "MALFORMED_PLAY", "small letters for a blank"),
        (">a: AEI 8H", "MALFORMED_PLAY", "small letters for a blank"),
        (">a: AEI 8H AE", "MALFORMED_POINTS", "+24 103"),
        (">a: AEI 8H AE +3", "MALFORMED_POINTS", "+24 103"),
        (">a: AEI 8H AE three 3", "MALFORMED_POINTS", "+24 103"),
        (">a: AEI 8H AE +3 " + "9" * 5000, "MALFORMED_POINTS", "+24 103"),
        (">a: AEI 8H AE +\u0663 3", "MALFORMED_POINTS", "+24 103"),
        (">a: AEI -A.E +0 3", "MALFORMED_EXCHANGE", "- and the tiles"),
        (">a: AEI -0 +0 3", "MALFORMED_EXCHANGE", "- and the tiles"),
        (">a: AEI --- +0 3", "MALFORMED_EXCHANGE", "- and the tiles"),
        (">a: AEI (A,E) -5 3", "MALFORMED", "(challenge), (time) or tiles"),
        (">a: AEI (AE -5 3", "MALFORMED", "(challenge), (time) or tiles"),
        ("#player3 c Carl", "PLAYER_NUMBER", "#player1 or #player2"),
        ("#player1 c Carl", "PLAYER_TWICE", "one #player1"),
        ("#character-encoding UTF-8", "ENCODING_LATE", "first line"),
        (">a: AEI 8H AE\x1b[2J +3 3", "CONTROL", "printable"),
        ("#title \x00", "CONTROL", "printable"),
    ],
)
def test_what_is_no_line_is_refused_where_it_stands(line: str, reason: str, expected: str) -> None:
    found = read_problem(text(line))
    assert found[:2] == (FIRST, reason)
    assert expected in found[2]


@pytest.mark.parametrize(
    ("written", "line", "reason"),
    [
        ("", 1, "EMPTY"),
        ("\ufeff \r\n\n", 1, "EMPTY"),
        ("#title x\n\n", 1, "PLAYER_MISSING"),
        ("#player1 a Ada\n#title\n", 2, "PLAYER_MISSING"),
        ("#player1 a Ada\n>a: AE - +0 0\n#player2 b\n", 2, "PLAYER_MISSING"),
        ("#player1 a Ada\n#player2 a Blaise\n", 2, "NICK_TWICE"),
        ("#player1\n#player2 a\n", 1, "MALFORMED"),
    ],
)
def test_a_file_without_two_players_is_refused(written: str, line: int, reason: str) -> None:
    assert read_problem(written)[:2] == (line, reason)


def test_a_message_shows_nothing_that_a_terminal_would_obey() -> None:
    with pytest.raises(GcgError) as caught:
        read_gcg(text("\x1b[2Jno line, and a very long one: " + "x" * 1000))
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 250


@given(st.text(alphabet=st.sampled_from("ab>#: AE?.[]()-+8H0\n\t·ç\x00\u2028")))
def test_any_text_is_read_or_refused(written: str) -> None:
    for whole in (written, text(written)):
        assert 0 <= line_refused(whole) <= whole.count("\n") + 1
