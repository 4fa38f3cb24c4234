"""GCG files of other programs are read, or refused with the name of the construct."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import SHARED_DATA

from faristol.rules import load_ruleset
from faristol.rules.gcg import (
    GcgError,
    Replay,
    adapt_ruleset,
    decode_gcg,
    parse_digraphs,
    read_gcg,
    replace_digraphs,
    replay,
)
from faristol.rules.tiles import load_tile_set

PLAYERS = "#player1 anna Anna\n#player2 blai Blai\n"
FIELD = sorted((SHARED_DATA / "field" / "gcg").glob("*.gcg"))
needs_field = pytest.mark.skipif(not FIELD, reason="the files from the field are not beside this checkout")


def play(*lines: str, tiles: str = "english", digraphs: str = "") -> Replay:
    game = read_gcg(f"#tile-distribution {tiles}\n{PLAYERS}" + "\n".join(lines), digits=bool(digraphs))
    ruleset = adapt_ruleset(load_ruleset("box"), game)
    if digraphs:
        game = replace_digraphs(game, parse_digraphs(digraphs, ruleset.tile_set))
    return replay(game, ruleset)


def reasons(done: Replay) -> list[str]:
    return [problem.reason for problem in done.problems]


@given(st.integers(1, 99), st.booleans())
def test_a_plus_sign_before_a_negative_score_is_no_part_of_it(minutes: int, plus: bool) -> None:
    sign = "+-" if plus else "-"
    game = read_gcg(f"{PLAYERS}>anna: (time) {sign}{10 * minutes} {sign}{10 * minutes}")
    assert (game.events[0].score, game.events[0].total) == (-10 * minutes, -10 * minutes)


@pytest.mark.parametrize("dash", "-−–—‑")
def test_a_pass_an_exchange_and_a_negative_score_have_any_dash(dash: str) -> None:
    turns = (f">anna:ABCDEFG {dash} +0 0", f">blai: AB {dash}AB +0 0", f">anna: A (time) {dash}10 {dash}10")
    events = read_gcg(PLAYERS + "\n".join(turns)).events
    assert [type(event).__name__ for event in events] == ["Pass", "Exchange", "TimePenalty"]
    assert events[2].total == -10


@pytest.mark.parametrize("score", ["--10", "-+10", "++10", "+", "-"])
def test_two_signs_in_another_order_are_no_score(score: str) -> None:
    with pytest.raises(GcgError, match="is no score"):
        read_gcg(f"{PLAYERS}>anna: (time) {score} 0")


@pytest.mark.parametrize(
    ("rack", "expected"),
    [
        ("RETINA.", []),
        ("RET....", []),
        ("RETIN", ["NOT_IN_RACK"]),
        ("RETI..", ["NOT_IN_RACK"]),
        ("ZETIN.", ["NOT_IN_RACK"]),
        ("RETINA..", ["RACK_TOO_LONG"]),
        ("QQ.....", ["NOT_IN_BAG"]),
    ],
)
def test_a_dot_in_a_rack_is_a_tile_that_is_not_known(rack: str, expected: list[str]) -> None:
    assert reasons(play(f">anna: {rack} 8D RETINAS +66 66")) == expected


def test_tiles_of_a_rack_that_is_known_in_part_are_exchanged_and_left() -> None:
    assert reasons(play(">anna: Q.. -QV +0 0")) == []
    assert reasons(play(">anna: Q. -QVW +0 0")) == ["NOT_IN_RACK"]


@pytest.mark.parametrize(
    ("tiles", "rack", "word", "digraphs"),
    [
        ("spanish", "CA1OSEN", "CA1O", "digits"),
        ("spanish", "CA1OSEN", "CA1O", "1=CH,2=LL,3=RR"),
        ("spanish", "CA1OSEN", "CA1O", "1 = ch"),
        ("spanish", "PE3O[LL]A?", "PE3o", "digits"),
        ("catalan", "CAWAEIN", "CAWA", "letters"),
        ("catalan", "CA?AEIN", "CAwA", "letters"),
        ("catalan", "AQESTAR", "AQESTA", "letters"),
    ],
)
def test_a_named_convention_spells_out_the_signs_of_other_programs(
    tiles: str, rack: str, word: str, digraphs: str
) -> None:
    done = play(f">anna: {rack} 8F {word} +0 0", tiles=tiles, digraphs=digraphs)
    assert set(reasons(done)) <= {"SCORE", "TOTAL"}
    assert len(done.steps) == 1


def test_without_the_convention_a_letter_is_refused_by_the_name_of_its_tile() -> None:
    (problem,) = play(">anna: CAWAEIN 8F CAWA +0 0", tiles="catalan").problems
    assert (problem.reason, problem.line) == ("FACE_UNKNOWN", 4)
    assert "some programs write W for [L·L]: --digraphs letters" in str(problem)


@pytest.mark.parametrize(("line", "reason"), [("CA1OSEN 8F CA1O", "RACK"), ("CAOSEN 8F CA1O", "PLAY")])
def test_without_the_convention_a_digit_is_refused_by_what_programs_write_it_for(line: str, reason: str) -> None:
    with pytest.raises(
        GcgError, match="some programs write 1 for a tile of several letters: --digraphs digits"
    ) as error:
        play(f">anna: {line} +0 0", tiles="spanish")
    assert (error.value.problem.reason, error.value.problem.line) == (f"MALFORMED_{reason}", 4)


@pytest.mark.parametrize("digraphs", ["digit", "1", "1=", "12=CH", "1=QU", "=CH"])
def test_digraphs_that_are_not_known_are_refused_with_those_that_are(digraphs: str) -> None:
    with pytest.raises(ValueError, match="expected digits or pairs of a sign and a tile, as 1=CH"):
        parse_digraphs(digraphs, load_tile_set("es-100"))


@needs_field
def test_files_from_the_field_are_read() -> None:
    read = {}
    for file in FIELD:
        game = read_gcg(decode_gcg(file.read_bytes()), digits=file.stem.endswith("digits"))
        ruleset = adapt_ruleset(load_ruleset("box"), game)
        if file.stem.endswith("digits"):
            game = replace_digraphs(game, parse_digraphs("digits", ruleset.tile_set))
        read[file.stem] = replay(game, ruleset)
    assert [event.score for event in read["plus_minus_time"].game.events][-1] == -10
    assert [len(read[name].steps) for name in ("continuation", "partial_rack", "spanish_digits")] == [2, 3, 1]
