"""Detection of similar names: two players, or one player entered twice? Pure.

An official decides before the second is registered.
"""

from __future__ import annotations

from collections.abc import Iterable

from faristol.kernel.names import name_key
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.names import search_words


class Resemblances:
    """Index of registered names by their shape."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._by_shape: dict[object, dict[str, str]] = {}
        """For each shape the first name of each ``name_key``: many namesakes need no more time than one."""
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Add a name to the index."""
        key = name_key(name)
        for shape in _keys(name):
            self._by_shape.setdefault(shape, {}).setdefault(key, name)

    def of(self, name: str) -> str:
        """Return the first name that is similar to this one but not equal, or an empty string."""
        key = name_key(name)
        for shape in _keys(name):
            for other_key, other in self._by_shape.get(shape, {}).items():
                if other_key != key:
                    return other
        return ""


def similar_player(players: Iterable[pairing.Player], name: str, own_id: str = "") -> str:
    """Return the name of a player other than ``own_id`` that is similar but not equal to a name; else empty."""
    return Resemblances(player.name for player in players if not own_id or player.player_id != own_id).of(name)


def _keys(name: str) -> tuple[object, ...]:
    """Return two keys: the words in any order, and the letters without spaces."""
    words = [word.replace("I", "L") for word in search_words(name)]  # a small L looks like a capital I
    return (tuple(sorted(words)), "".join(words)) if words else ()
