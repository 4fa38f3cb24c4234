from __future__ import annotations

import pytest
from tests.unit.rules import look_alike_table

from faristol.rules.look_alikes import look_alikes_of, twins_of


def test_the_table_is_what_the_data_of_unicode_gives() -> None:
    pytest.importorskip("confusable_homoglyphs")
    assert look_alike_table.TABLE.read_text(encoding="utf-8") == look_alike_table.text()


def test_pages_compare_names_by_the_same_letters() -> None:
    assert look_alike_table.SCRIPT.read_text(encoding="utf-8") == look_alike_table.script()


def test_a_character_stands_for_the_one_letter_that_it_looks_like() -> None:
    greek = twins_of("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ")
    assert [greek[latin] for latin in "ABEHIKMNOPTXYZv"] == list("ΑΒΕΗΙΚΜΝΟΡΤΧΥΖΝ")
    assert not {"L", "S", "1", "0", "|", "Α"} & greek.keys()
    assert set("·\u2022\u2027\u2219\u22c5") <= set(look_alikes_of("·"))
