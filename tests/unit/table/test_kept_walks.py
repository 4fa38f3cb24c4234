"""A table comes to the same facts, refusals, offers and deadlines whenever it is decided again."""

from __future__ import annotations

import json

import pytest
from tests.unit.table.kept_walks import FILE, SEEDS, sums
from tests.unit.table.test_any_command import TABLES

KEPT: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "players"), TABLES, ids=str)
def test_what_was_decided_is_decided_alike(name: str, players: int, seed: int) -> None:
    kept, found = (text.split() for text in (KEPT[f"{name} {players} {seed}"], sums(name, players, seed)))
    same = next((step for step, pair in enumerate(zip(kept, found, strict=True)) if len(set(pair)) > 1), len(kept))
    assert same == len(kept), f"step {same} of {name}, {players} players, seed {seed} differs; on purpose? make golden"
