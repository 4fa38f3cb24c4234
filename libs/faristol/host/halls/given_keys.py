"""Keys of sealed games that a championship gave to the cell of a hall, in a file of its folder outside the record.

The record of a hall is a copy that can be exported, and no event of a game has its key before the end of the game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from faristol.files import OWNER_ONLY_BITS, replace_file

GIVEN_KEYS = "sealed-games.json"
"""File with the keys by game, readable by its owner only."""


def load_keys(folder: Path) -> Mapping[str, bytes]:
    """Return the keys by game; none for a missing or damaged file: they are given again."""
    try:
        stored = json.loads((folder / GIVEN_KEYS).read_text(encoding="utf-8"))
        return {game_id: bytes.fromhex(key) for game_id, key in stored.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def store_keys(folder: Path, keys: Mapping[str, bytes]) -> None:
    """Add keys to the file. Raises ``OSError``."""
    known = dict(load_keys(folder))
    if keys.items() <= known.items():
        return
    stored = {game_id: key.hex() for game_id, key in sorted({**known, **keys}.items())}
    replace_file(folder / GIVEN_KEYS, json.dumps(stored).encode(), OWNER_ONLY_BITS)
