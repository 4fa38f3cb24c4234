"""The call names of a club for tiles and columns: each has a different one."""

from __future__ import annotations

import pytest

from faristol.kernel.refusal import Refusal
from faristol.rules import load_tile_set
from faristol.rules.duplicate_game.call_names import MAX_CALL_NAME_CHARACTERS, load_call_names, with_names

CATALAN, TILES = load_call_names("ca"), load_tile_set("ca-100")
COLUMNS = [f"columna {number}" for number in range(1, 16)]


def reason(own: dict[str, str], numbers: list[str]) -> str:
    with pytest.raises(Refusal) as refused:
        with_names(CATALAN, own, TILES, numbers)
    return refused.value.reason


def test_names_have_up_to_so_many_characters_and_lose_the_blanks_around_them() -> None:
    assert MAX_CALL_NAME_CHARACTERS == 40
    longest = "x" * MAX_CALL_NAME_CHARACTERS
    named = with_names(CATALAN, {"A": longest, "B": "  Blanes ", "?": " blanca "}, TILES, [longest, *COLUMNS[1:]])
    assert (named.tile("A"), named.tile("B"), named.tile("?"), named.tile("@")) == (longest, "Blanes", "blanca", "@")
    assert named.numbers == (longest, *COLUMNS[1:])
    assert with_names(CATALAN, {}, TILES).numbers == CATALAN.numbers
    assert reason({"A": longest + "x"}, []) == "CALL_NAME_WRONG"
    assert reason({"B": "   "}, []) == "CALL_NAME_WRONG"


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (COLUMNS[:14], "CALL_NUMBERS_WRONG"),
        ([*COLUMNS, "setze"], "CALL_NUMBERS_WRONG"),
        ([*COLUMNS[:14], " "], "CALL_NUMBERS_WRONG"),
        ([*COLUMNS[:14], "x" * (MAX_CALL_NAME_CHARACTERS + 1)], "CALL_NUMBERS_WRONG"),
        ([*COLUMNS[:14], "COLUMNA 1"], "CALL_NUMBER_TWICE"),
    ],
)
def test_every_column_has_a_name_of_its_own(numbers: list[str], expected: str) -> None:
    assert reason({}, numbers) == expected


def test_a_language_without_a_table_is_said() -> None:
    with pytest.raises(LookupError, match="'tlh'"):
        load_call_names("tlh")
