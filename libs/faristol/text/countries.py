"""Countries that forms propose: codes of three letters with their names, from the Unicode data (CLDR) of Babel.

The codes are those of ISO 3166-1, except for countries with another one at both FIDE and the Olympic Committee, such as
Greece: lists of players of federations use the latter. A code is not refused because it is not proposed. Federations of
this game have further codes, such as those of nations without a state.
"""

from __future__ import annotations

from functools import cache

from babel import Locale
from babel.core import get_global

from faristol.kernel.names import name_key, name_order
from faristol.text import LANGUAGES

SPORT_CODES = {
    "AE": "UAE",
    "AO": "ANG",
    "BD": "BAN",
    "BG": "BUL",
    "CH": "SUI",
    "CL": "CHI",
    "CR": "CRC",
    "DE": "GER",
    "DK": "DEN",
    "DZ": "ALG",
    "GR": "GRE",
    "GT": "GUA",
    "HN": "HON",
    "HR": "CRO",
    "HT": "HAI",
    "ID": "INA",
    "IR": "IRI",
    "KW": "KUW",
    "LK": "SRI",
    "LV": "LAT",
    "LY": "LBA",
    "MG": "MAD",
    "MN": "MGL",
    "MY": "MAS",
    "NG": "NGR",
    "NI": "NCA",
    "NL": "NED",
    "NP": "NEP",
    "PH": "PHI",
    "PR": "PUR",
    "PT": "POR",
    "PY": "PAR",
    "SA": "KSA",
    "SD": "SUD",
    "SI": "SLO",
    "SV": "ESA",
    "TZ": "TAN",
    "UY": "URU",
    "VN": "VIE",
    "ZA": "RSA",
    "XK": "KOS",
    "ZM": "ZAM",
    "ZW": "ZIM",
}
"""Codes of FIDE and the Olympic Committee that differ from ISO 3166-1, by the code of two letters."""

_NO_COUNTRIES = frozenset({"AC", "CP", "DG", "EU", "TA", "XA", "XB", "ZZ"})
"""Regions of the Unicode data that are no countries of ISO 3166-1: reserved codes, and codes for tests."""

_WITHDRAWN_CODES = frozenset({"BUR", "DDR", "FXX", "TMP", "YMD", "ZAR"})
"""Former codes of countries that have another one now."""


@cache
def list_countries(language: str) -> tuple[tuple[str, str], ...]:
    """Return the countries as codes of three letters with their names, sorted by name for a language."""
    names = Locale.parse(language).territories
    found = {}
    for code, targets in get_global("territory_aliases").items():
        if not (len(code) == 3 and code.isalpha() and len(targets) == 1) or code in _WITHDRAWN_CODES:
            continue  # a code of two letters or of a number, or a country that was divided
        short = targets[0]
        if len(short) == 2 and short in names and short not in _NO_COUNTRIES:
            found[SPORT_CODES.get(short, code)] = names[short]
    return tuple(sorted(found.items(), key=lambda each: (name_order(each[1], language), each[0])))


@cache
def _codes_by_name() -> dict[str, str]:
    """Return the codes by each name of a country, in every language, and by the codes themselves."""
    return {
        name_key(text): code
        for language in LANGUAGES
        for code, name in list_countries(language)
        for text in (name, code)
    }


def find_country(text: str) -> str:
    """Return the code of a country that is given by its code or by its name in any language; empty if unknown."""
    return _codes_by_name().get(name_key(text), "")
