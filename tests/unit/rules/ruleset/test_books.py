"""The articles of the rule books are known as data."""

from __future__ import annotations

from faristol.rules import load_book


def test_the_articles_of_a_book_are_known_with_their_parts_in_its_order() -> None:
    book = load_book("uf-2007")
    assert book is not None
    assert list(book.articles)[:3] == ["UF 0", "UF 1", "UF 2"]
    assert book.parts("UF 5") == ("UF 5.1", "UF 5.2", "UF 5.3")
    assert book.parts("UF 5.1") == ()
    assert "UF 31" not in book.articles


def test_what_no_case_can_show_has_its_reason_in_a_sentence() -> None:
    for name in ("uf-2007", "fisc-2023", "fise", "festa-major", "pes-2024"):
        book = load_book(name)
        assert book is not None
        assert all(why.endswith(".") for why in book.unshown.values())
        assert all(title and not title.endswith(".") for title in book.articles.values())


def test_a_ruleset_without_a_book_of_its_own_is_known_by_its_citations_alone() -> None:
    assert load_book("box") is None
