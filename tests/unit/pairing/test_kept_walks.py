"""A tournament comes to the same facts, refusals and explanations whenever it is decided again."""

from __future__ import annotations

import json

import pytest
from tests.unit.pairing.kept_walks import BOOKS, FILE, SEEDS, sums

KEPT: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("book", BOOKS)
def test_what_was_decided_is_decided_alike(book: str, seed: int) -> None:
    kept, found = (text.split() for text in (KEPT[f"{book} {seed}"], sums(book, seed)))
    same = next((step for step, pair in enumerate(zip(kept, found, strict=True)) if len(set(pair)) > 1), len(kept))
    assert same == len(kept), f"step {same} of {book}, seed {seed} differs; on purpose? make golden"
