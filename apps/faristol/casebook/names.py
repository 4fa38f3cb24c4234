"""The names of a case and their ids in commands and events."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

import yaml

from faristol.casebook.document import Value
from faristol.casebook.forms import is_id

BETWEEN = "–"
"""The separator between opponents: ``Anna – Blai``."""

_PUNCTUATION = (BETWEEN, "-", ",", ";")

Game = Callable[[Sequence[str]], str]
"""Returns the id of the game of the players with these ids; empty without a game."""


class Names:
    """Names, and their ids: ``Dídac Puig`` is ``didac-puig``; names without Latin letters are numbered."""

    def __init__(self, names: Iterable[str], *, are_ids: bool = False) -> None:
        """With ``are_ids``, the names are the ids."""
        self.ids: dict[str, str] = {}
        for number, name in enumerate(names, start=1):
            self.ids[name] = name if are_ids else _slug(name) or f"p{number}"
        self._names = {id_: name for name, id_ in self.ids.items()}
        # The longest first, so that `Anna Puig` is not read as `Anna`.
        longest_first = sorted(self.ids, key=len, reverse=True)
        self._token = re.compile(
            "|".join([*(rf"{re.escape(name)}(?=[\s,;]|$)" for name in longest_first), r"[^\s,;]+"])
        )

    @property
    def distinct(self) -> bool:
        """Whether all names have different ids."""
        return len(self._names) == len(self.ids)

    def name(self, player_id: str) -> str:
        """Return the name for an id; the id itself without a name."""
        return self._names.get(player_id, player_id)

    def tokens(self, text: str) -> list[str]:
        """Return the names and other words of a text, without separators."""
        return [token for token in self._token.findall(text) if token not in _PUNCTUATION]

    def ids_in(self, value: Value) -> tuple[str, ...]:
        """Return the ids of the players named. Raises ``CaseError`` for an unknown one."""
        tokens = self.tokens(value.text())
        for token in tokens:
            if token not in self.ids:
                raise value.wrong(f"{token!r} is not in this case; there are: {', '.join(self.ids)}")
        return tuple(self.ids[token] for token in tokens)

    def pair(self, value: Value) -> tuple[str, ...]:
        """Return the ids of opponents: ``Anna – Blai``. Raises ``CaseError``."""
        found = self.ids_in(value)
        if len(found) < 2 or len(set(found)) < len(found):
            raise value.wrong(f"expected players who meet, such as `Anna {BETWEEN} Blai`, got {value.text()!r}")
        return found

    def replace_names(self, value: Value, game: Game, key: str = "") -> Value:
        """Replace names by ids under keys that hold ids, at any depth.

        Under ``game-id`` players stand for the game that they play.
        """
        node = value.node
        if isinstance(node, yaml.ScalarNode):
            of_game = key.replace("_", "-") == "game-id"
            return value.saying(self._replace_in_text(value.text(), game if of_game else None)) if is_id(key) else value
        if isinstance(node, yaml.SequenceNode):
            items = [self.replace_names(Value(value.file, item), game, key).node for item in node.value]
            return Value(value.file, yaml.SequenceNode(node.tag, items, node.start_mark, node.end_mark))
        pairs = []
        for name, part in node.value:
            inner = self.replace_names(Value(value.file, part), game, Value(value.file, name).text())
            pairs.append((name, inner.node))
        return Value(value.file, yaml.MappingNode(node.tag, pairs, node.start_mark, node.end_mark))

    def _replace_in_text(self, text: str, game: Game | None) -> str:
        tokens = self.tokens(text)
        if not tokens or any(token not in self.ids for token in tokens):
            return text
        ids = [self.ids[token] for token in tokens]
        if game is not None and len(ids) > 1:
            return game(ids) or text
        return ",".join(ids)


def _slug(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.replace("·", "")).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:40]
