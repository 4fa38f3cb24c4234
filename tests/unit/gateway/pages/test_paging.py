"""Long lists are shown in parts, and each part leads to the ones beside it."""

from __future__ import annotations

import pytest

from faristol.gateway.pages.paging import PART_ROWS, part_of, read_offset


@pytest.mark.parametrize(
    ("total", "offset", "first", "last", "before", "after"),
    [
        (0, 0, 1, 0, None, None),
        (100, 0, 1, 100, None, None),
        (101, 0, 1, 100, None, 100),
        (101, 100, 101, 101, 0, None),
        (250, 50, 51, 150, 0, 150),
        (250, 900, 1, 100, None, 100),
    ],
)
def test_a_part_knows_the_parts_beside_it(
    total: int, offset: int, first: int, last: int, before: int | None, after: int | None
) -> None:
    part = part_of(range(total), offset)
    assert (part.first, part.last, part.before, part.after) == (first, last, before, after)
    assert len(part.rows) <= PART_ROWS
    assert list(part.rows) == list(range(first - 1, last))


def test_every_row_is_in_one_part() -> None:
    seen, offset = list[int](), 0
    while True:
        part = part_of(range(457), offset)
        seen += part.rows
        if part.after is None:
            break
        offset = part.after
    assert seen == list(range(457))


@pytest.mark.parametrize("text", ["", "x", "-1", "1" * 7, "²", "1.5"])
def test_any_other_text_is_no_offset(text: str) -> None:
    assert read_offset(text) == 0
    assert read_offset("120") == 120
