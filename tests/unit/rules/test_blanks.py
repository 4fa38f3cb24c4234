from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import load_ruleset
from faristol.rules.blanks import check_blank_kept, fake_blank_loses_turn, resolve_blank

FISE, PES, FISC = (load_ruleset(name) for name in ("fise", "pes-2024", "fisc-2023"))
written = st.none() | st.sampled_from(["A", "CH", "Ñ", "LL"])


@given(written, written, st.sampled_from(["A", "CH", "Ñ", "LL"]))
def test_under_fise_the_placer_prevails_then_whoever_wrote_then_what_the_placer_says(
    placer: str | None, other: str | None, stated: str
) -> None:
    ruling = resolve_blank({"p": placer, "o": other}, "p", stated, FISE)
    if placer is not None:
        assert ruling.face == placer
    elif other is not None:
        assert ruling.face == other
    else:
        assert ruling.face == stated
    assert ruling.warning == tuple(who for who, face in (("p", placer), ("o", other)) if face is None)
    assert ruling.article == "FISE 10.4"


def test_where_the_book_is_silent_an_arbiter_decides_between_two_sheets() -> None:
    assert resolve_blank({"p": "Α", "o": "Ε"}, "p", "Α", PES).face is None
    assert resolve_blank({"p": "Α", "o": None}, "p", None, PES).face == "Α"
    assert resolve_blank({"p": "A", "o": "E"}, "p", "A", FISC) == resolve_blank({"p": "E", "o": "A"}, "p", "A", FISC)


def test_a_blank_is_never_resolved_to_a_face_that_there_is_not() -> None:
    with pytest.raises(Refusal, check=lambda refusal: refusal.article == "FISE 10.2"):
        resolve_blank({"p": "K", "o": None}, "p", None, FISE)
    with pytest.raises(ValueError, match="'x' is not among"):
        resolve_blank({"p": "A"}, "x", None, FISE)


def test_who_noted_no_blank_may_be_warned_only_where_it_was_for_them_to_note() -> None:
    note = {"p": None, "o": None}
    warned = {
        by: resolve_blank(note, "p", "A", replace(FISE, blank=replace(FISE.blank, written_by=by)), keeper="o").warning
        for by in ("both", "mover", "keeper")
    }
    assert warned == {"both": ("p", "o"), "mover": ("p",), "keeper": ("o",)}


@pytest.mark.parametrize(
    ("fixed_on", "said", "counted", "free"),
    [
        ("declared", ("A",), (), False),
        ("counting", ("A",), (), True),
        ("counting", ("A",), ("A",), False),
        ("clock-stopped", ("A",), ("A",), True),
    ],
)
def test_a_blank_keeps_what_it_was_said_to_be_from_when_the_book_fixes_it(
    fixed_on: str, said: tuple[str, ...], counted: tuple[str, ...], free: bool
) -> None:
    ruleset = replace(FISE, blank=replace(FISE.blank, fixed_on=fixed_on))  # type: ignore[arg-type]
    check_blank_kept(said, counted, ("A", "E"), ruleset)
    check_blank_kept(said, counted, (), ruleset)
    if free:
        check_blank_kept(said, counted, ("E",), ruleset)
        return
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "BLANK_FIXED"):
        check_blank_kept(said, counted, ("E",), ruleset)


def test_a_fake_blank_costs_the_turn_until_the_score_is_written() -> None:
    assert fake_blank_loses_turn(False, PES)
    with pytest.raises(Refusal, check=lambda refusal: refusal.article == "PES Δ.β"):
        fake_blank_loses_turn(True, PES)
    assert not fake_blank_loses_turn(False, FISE)
