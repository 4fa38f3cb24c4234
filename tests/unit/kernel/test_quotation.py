"""The quotation of input in messages, and the name that was probably meant."""

from __future__ import annotations

from faristol.kernel.quotation import MAX_FILE_QUOTE_CHARACTERS, likely, nearest, quote_text, shorten_text


def test_what_is_too_long_is_shortened_and_nothing_reaches_a_terminal_as_it_is() -> None:
    assert (quote_text("ACE"), shorten_text("13")) == ("'ACE'", "13")
    assert "\x1b" not in quote_text("\x1b[2J")
    assert len(shorten_text("x" * 10_000)) == MAX_FILE_QUOTE_CHARACTERS
    assert shorten_text("x" * 10_000).endswith("…")


def test_the_names_that_were_probably_meant_come_nearest_first_and_no_others() -> None:
    known = ["withdraw", "warn", "list", "add"]
    assert likely("Withdarw", known, 3) == ["withdraw"]
    assert (nearest("wran", known), nearest("xyz", known)) == ("warn", "")
    assert likely("warn", ["warp", "warn", "wart"], 2)[0] == "warn"
    assert len(likely("warn", ["warp", "warn", "wart"], 2)) == 2
