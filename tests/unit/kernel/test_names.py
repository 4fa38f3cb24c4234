"""Names that readers take for one are equal, and sort as readers expect."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.names import begins, list_distinct_names, name_order, same_name, words_of
from faristol.presentation.names import search_words
from faristol.typed_input.resembling import Resemblances

APOSTROPHES = "'\u2019\u2018\u02bc\u00b4`\u2032\uff07"
HYPHENS = "-\u2010\u2011\u2013\u2212\uff0d"
DOTS = "\u00b7\u2022\u2027\u2219\u22c5."


@given(
    st.sampled_from(["Núria d'Or", "Puigdel·lívol", "Γιώργος Παπαδόπουλος", "Ana-Maria O'Neill", "Jordi Ñíguez"]),
    st.data(),
)
def test_one_name_in_two_writings_is_one(name: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from([name, name.upper(), name.lower()]))
    other = unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD"])), other)
    other = other.replace("'", data.draw(st.sampled_from(APOSTROPHES)))
    other = other.replace("-", data.draw(st.sampled_from(HYPHENS)))
    other = other.replace("·", data.draw(st.sampled_from(DOTS)))
    other = other.replace(" ", data.draw(st.sampled_from([" ", "  ", "\u00a0", " \u200b"])))
    assert same_name(name, other)
    assert not Resemblances([name]).of(other)
    assert words_of(other) == words_of(name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("ΓΙΩΡΓΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ", "Γιώργος Παπαδόπουλος"),
        ("ΜΑΪΟΥ", "Μαΐου"),
        ("ΜΑΫΟΥ", "Μαΰου"),
        ("Puigdeŀlívol", "Puigdel·lívol"),
        ("PUIGDEĿLÍVOL", "Puigdel•lívol"),
        ("Núria d’Or", "Núria d'Or"),
    ],
)
def test_capitals_and_kinds_of_signs_do_not_part_names(name: str, other: str) -> None:
    assert same_name(name, other)
    assert set(list_distinct_names([("a", name, ""), ("b", other, "")]).values()) == {f"{name} (a)", f"{other} (b)"}


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Nuria d'Or", "Núria d’Or"),
        ("Puig Ferrer, Anna", "Anna Puig Ferrer"),
        ("Γιώργος Παπάς", "Γιώργoς Παπάς"),
        ("Delatorre", "De la Torre"),
        ("Аnna Puig", "Anna Puig"),
        ("Jordi Niguez", "Jordi Ñíguez"),
    ],
)
def test_names_that_resemble_each_other_are_not_one(name: str, other: str) -> None:
    assert not same_name(name, other)
    assert Resemblances([other]).of(name) == other


def test_other_names_resemble_nothing() -> None:
    assert not Resemblances(["Anna Puig", "Blai Soler", ""]).of("Anna Soler")
    assert not Resemblances(["Anna Puig"]).of("")
    assert Resemblances(["Ivan Puig"]).of("lvan Puig") == "Ivan Puig"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("puigdellivol", "Núria Puigdeŀlívol"),
        ("puig nur", "Núria Puig"),
        ("Aννα", "Άννα Ράπτη"),  # a Latin A
        ("pαπτη", "Άννα Ράπτη"),  # a Latin p
        ("mac donald", "Jo MacDonald"),
        ("macdonald jo", "Mac Donald, Jo"),
        ("santfeliu", "Pau Sant-Feliu"),
        ("collell", "Pau Col-lell"),
        ("lukasz sorensen", "Łukasz Sørensen"),
        ("djorde", "Djorđe"),
        ("i", "Isa Mas"),
    ],
)
def test_a_name_is_found_however_its_words_are_divided_and_its_letters_typed(typed: str, name: str) -> None:
    assert begins(search_words(typed), search_words(name))


@pytest.mark.parametrize(("typed", "name"), [("i", "Laia Lopez"), ("jo mac", "Mac Puig"), ("na", "Anna")])
def test_other_names_are_not_found(typed: str, name: str) -> None:
    assert not begins(search_words(typed), search_words(name))


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("es", ["Nadal", "Núñez", "Nuñez B", "Nzé", "Ñandú", "Óscar", "Zoe", "Άλφα", "Ωμέγα"]),
        ("ca", ["alba", "Àlex", "Çelik", "Celis", "Col·lel", "Collell", "Colom", "Ñandú", "Núñez", "Òscar", "Άλφα"]),
        ("el", ["Άλφα", "Αλφάς", "Έλενα", "Ηλίας", "Ωμέγα", "Anna", "Zoe"]),
        ("en", ["Æsop", "af Ugglas", "Anna Puig", "Annabel", "Ñandú", "Nuri"]),
    ],
)
def test_names_stand_in_the_order_of_the_language(language: str, names: list[str]) -> None:
    mixed = names[1::2] + names[::2]
    ordered = sorted(mixed, key=lambda name: name_order(name, language))
    assert ordered == names


@pytest.mark.nightly  # the reference needs ten seconds to read its table
@given(
    st.lists(
        st.text("aàábcçdeéèëiíïlmnñoóòprsuúüzABCÑαάβγεέηθιίϊκλμνξοόπρσςτυύφχψωώΑΩ ", min_size=1, max_size=8), max_size=6
    )
)
def test_without_a_language_of_its_own_the_order_is_that_of_unicode(names: list[str]) -> None:
    pyuca = pytest.importorskip("pyuca")
    collator = _collators.setdefault("", pyuca.Collator())
    names = [" ".join(name.split()) for name in names]

    def primary(name: str) -> tuple[int, ...]:
        key = collator.sort_key(name)
        return tuple(key[: key.index(0)])

    keys = [(name, primary(name), name_order(name, "en")[0]) for name in names]
    for first, first_primary, first_order in keys:
        for other, other_primary, other_order in keys:
            if first_primary != other_primary:
                assert (first_order < other_order) == (first_primary < other_primary), (first, other)


_collators: dict[str, Any] = {}
