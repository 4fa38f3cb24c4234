"""The categories that mark a player as a minor."""

from __future__ import annotations

import pytest

from faristol.personal_data.minors import is_of_minors

MINORS = (
    *("U18", "u-16", "U 12", "Sub18", "sub-16", "Sub 14", "S14", "K18", "Κ16", "under 18", "-18", "<16", "U18 F", "12"),
    *("U18F", "sub16f", "under 18s", "U-14M"),
    *("Menores de 16", "Juvenil", "Júnior", "Infantil", "Cadet", "cadete", "Aleví", "School"),
    *("Joves", "Jóvenes", "Nens", "Niñas", "Kids", "Mini"),
    *("Εφήβων", "ΠΑΙΔΕΣ", "Μαθητές"),
)


@pytest.mark.parametrize("category", MINORS)
def test_a_category_of_minors_is_known_as_one(category: str) -> None:
    assert is_of_minors(category)


@pytest.mark.parametrize(
    "category", ["", "veteran", "Sènior", "U21", "sub-25", "+60", "65+", "A", "Α΄", "1a", "2", "Open"]
)
def test_other_categories_are_none_of_minors(category: str) -> None:
    assert not is_of_minors(category)
