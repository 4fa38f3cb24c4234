"""The headers of TRF26 that a program reads."""

from __future__ import annotations

import pytest

from faristol.read_models.computed.trf26 import list_codes
from faristol.read_models.storage.rows import Tournament
from faristol.rules import load_ruleset, with_options


@pytest.mark.parametrize(
    ("book", "options", "rounds", "expected"),
    [
        ("fisc-2023", {}, 6, {"192": "CUSTOM_SWISS", "202": "BH/C1,SB"}),
        ("fisc-2023", {}, 11, {"192": "CUSTOM_SWISS", "202": "BH/C2,SB"}),
        ("pes-2024", {}, 7, {"192": "CUSTOM_SWISS", "202": "BH"}),
        ("fise", {"pairing": "dutch", "tie_breaks": "berger"}, 7, {"192": "FIDE_DUTCH", "202": "BH,SB"}),
        ("fise", {"pairing": "dutch", "acceleration": "baku"}, 9, {"192": "FIDE_DUTCH_BAKU"}),
        ("fise", {"tie_breaks": "head-to-head"}, 7, {"192": "CUSTOM_SWISS", "202": "DE"}),
        ("fise", {"pairing": "round-robin"}, 7, {"192": "BERGER_ROUNDROBIN_G1"}),
    ],
)
def test_the_codes_of_fide_are_those_of_the_rules_up_to_the_first_without_one(
    book: str, options: dict[str, str], rounds: int, expected: dict[str, str]
) -> None:
    rules = with_options(load_ruleset(book), options)
    found = dict(list_codes(Tournament(tournament_id="copa", rounds=rounds), rules))
    assert found == {"182": "Faristol", **expected}
