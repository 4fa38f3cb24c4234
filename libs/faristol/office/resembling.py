"""Names that resemble each other and are not one: of two entries, or twice the same person? Pure.

Which of the two a person says, before the second is registered.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from faristol.kernel.names import name_key, words_of
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules.look_alikes import load_classes


@cache
def _shapes() -> Mapping[str, str]:
    """One character for all that look alike, by each of them; small letters by their capitals."""
    shapes: dict[str, str] = {}
    for members in load_classes():
        for char in members:
            if not char.islower():
                shapes[char] = members[0].upper()
    return shapes


def shape_of(name: str) -> tuple[str, ...]:
    """What two names share that resemble each other: accents, order, spaces and look-alike letters do not part them."""
    letters = unicodedata.normalize("NFKC", " ".join(words_of(name))).upper()
    return tuple(sorted("".join(_shapes().get(sign, sign) for sign in letters).split()))


class Resemblances:
    """Names that are registered, by what they look like."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._by_shape: dict[object, list[str]] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Have a name among those that others are compared with."""
        for shape in _keys(name):
            self._by_shape.setdefault(shape, []).append(name)

    def of(self, name: str) -> str:
        """The first name that this one resembles and is not equal to; empty for none."""
        for shape in _keys(name):
            for other in self._by_shape.get(shape, ()):
                if name_key(other) != name_key(name):
                    return other
        return ""


def similar_player(players: Iterable[pairing.Player], name: str, own_id: str = "") -> str:
    """Return the name of another player than ``own_id`` that a name resembles and is not equal to; empty for none."""
    return Resemblances(player.name for player in players if not own_id or player.player_id != own_id).of(name)


def _keys(name: str) -> tuple[object, ...]:
    """By its words in any order, and by its letters with no space between."""
    words = shape_of(name)
    ordered = "".join(_shapes().get(sign, sign) for sign in "".join(words_of(name)).upper())
    return (words, ordered) if words else ()
