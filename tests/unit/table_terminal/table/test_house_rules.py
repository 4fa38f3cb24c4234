"""The rules of a book for people at a table, beside the typed commands."""

from __future__ import annotations

from faristol.rules import load_ruleset, ruleset_names
from faristol.rules.ruleset.with_options import with_options
from faristol.table_terminal.table.guide import BLANKS, DEFINITIVE, list_house_rules
from faristol.text import LANGUAGES


def test_each_book_says_what_people_do_that_no_command_does() -> None:
    assert list(list_house_rules(load_ruleset("pes-2024"), "en")) == [
        "The player who begins chooses the seat (PES Γ.α).",
        "Both players note what a blank stands for (PES Δ.β).",
        "A player tells the opponent before leaving the table for a while (PES Δ.η).",
        "The result is final when both players have signed the sheet (PES Ε.α).",
    ]
    fm = list(list_house_rules(load_ruleset("festa-major"), "en"))
    assert "The draw for the start also decides the seats (FM pr.)." in fm
    assert any(line.startswith("The turn passes to the player on the right (") for line in fm)


def test_what_an_organiser_chose_is_told() -> None:
    chosen = with_options(load_ruleset("fisc-2023"), {"players_check": True, "seats": "free", "final": "both-signed"})
    told = list(list_house_rules(chosen, "en"))
    assert any(line.startswith("By agreement the players may check plays") for line in told)
    assert not any("seat" in line for line in told)
    assert DEFINITIVE["both-signed"].removesuffix(".") in " ".join(told)


def test_it_is_told_in_every_language() -> None:
    for name in ruleset_names("classic", "multi"):
        assert len({tuple(list_house_rules(load_ruleset(name), language)) for language in LANGUAGES}) == len(LANGUAGES)
    assert set(BLANKS) == {"both", "mover", "keeper"}
