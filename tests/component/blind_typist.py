"""A pile of result slips, one in ten of them doubtful, for a typist who never looks at the screen."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PaperSlip:
    """A slip as it is typed: the number of the table, and the scores."""

    words: Sequence[str]
    is_doubtful: bool = False

    @property
    def table(self) -> int:
        return int(self.words[0])


KINDS = ("tie", "forfeit with points", "no table", "high", "another result", "letter", "low", "as before", "far", "0")
OWN_TABLE = ("tie", "forfeit with points", "high", "letter", "low", "as before", "far")
"""Kinds of doubtful slips, and the kinds that concern their own table."""


def slips_for(count: int, seed: int = 1, kinds: Sequence[str] = KINDS, *, is_in_order: bool = False) -> list[PaperSlip]:
    """Return a slip for each table from 1 to ``count``, mixed or in order. The kinds of doubtful slips alternate.

    Two plausible slips never have the same scores, because that would cause a question.
    """
    mixed = random.Random(seed)
    tables = list(range(1, count + 1))
    if not is_in_order:
        mixed.shuffle(tables)
    slips = [PaperSlip((str(table), str(350 + table), str(345 - table // 2))) for table in tables]
    doubtful = sorted(mixed.sample(range(1, count), max(count // 10, 1)))
    for number, place in enumerate(doubtful):
        kind = kinds[number % len(kinds)]
        slips[place] = PaperSlip(_doubtful(kind, slips, place, count), is_doubtful=True)
    return slips


def _doubtful(kind: str, slips: Sequence[PaperSlip], place: int, count: int) -> Sequence[str]:
    """Return a doubtful slip in place of the one at ``place``; only the table of that one remains, if it has one."""
    table = slips[place].words[0]
    before = next(slip for slip in reversed(slips[:place]) if not slip.is_doubtful)
    made: Mapping[str, Sequence[str]] = {
        "tie": (table, "401", "401"),
        "forfeit with points": (table, "390", "ff"),
        "no table": (str(count + 77), "400", "381"),
        "high": (table, "4120", "378"),
        "another result": (before.words[0], "403", "382"),
        "letter": (table, "37O", "301"),
        "low": (table, "41", "378"),
        "as before": (table, *before.words[1:]),
        "far": (table, "700", "201"),
        "0": ("0", "404", "383"),
    }
    return made[kind]
