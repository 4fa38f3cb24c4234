from __future__ import annotations

import pytest

from faristol.kernel.details import DETAILS
from faristol.text import LANGUAGES
from faristol.text.countries import SPORT_CODES, find_country, list_countries


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_proposed_country_has_one_valid_code_and_one_name(language: str) -> None:
    listed = list_countries(language)
    codes, names = zip(*listed, strict=True)
    assert len(set(codes)) == len(set(names)) == len(listed) > 230
    assert all(DETAILS["country"].parse(code) == code for code in codes)
    assert set(SPORT_CODES.values()) <= set(codes), "each code of the sport is that of a country"


def test_countries_are_named_in_the_language_of_the_reader_in_its_order() -> None:
    assert dict(list_countries("ca"))["ESP"] == "Espanya"
    assert dict(list_countries("el"))["GRE"] == "Ελλάδα"
    spanish = [name for _, name in list_countries("es")]
    assert spanish.index("Andorra") < spanish.index("España") < spanish.index("Portugal")


@pytest.mark.parametrize("text", ["ESP", "esp", "Spain", "España", " espanya ", "Ισπανία"])
def test_a_country_is_found_by_its_code_and_by_its_name_in_any_language(text: str) -> None:
    assert find_country(text) == "ESP"
    assert find_country("SPA") == find_country("Narnia") == find_country("") == ""
