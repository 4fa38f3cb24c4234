"""A cache of the installed lexicons, and the rules and the lexicon that a game has pinned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from faristol.adjudication.cases.challenges import Law
from faristol.adjudication.policy import Adjudication
from faristol.adjudication.views import AdjudicatedGame
from faristol.event_store import Record
from faristol.host.ruleset_store import rules_of
from faristol.kernel.pins import lexicon_missing
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Ruleset
from faristol.words import InstalledLexicon, LexiconError, Library, MissingLexiconError, WordGraph


class Lexicons:
    """The lexicons of a library. Lexicons that are installed later are found too."""

    def __init__(self, library: Library) -> None:
        """Open every named lexicon. There may be none: tournaments of typed results need no lexicon.

        Raises ``LexiconError`` for a damaged lexicon, at the start of the service rather than at the first challenge.
        """
        self._library = library
        self._open: dict[str, WordGraph] = {}
        self._switched: dict[tuple[str, frozenset[str]], WordGraph] = {}
        for lexicon in library.list():
            self.by_digest(lexicon.digest)

    def list_installed(self) -> Sequence[InstalledLexicon]:
        """Return the named lexicons, sorted by name. Raises ``Refusal`` if a file cannot be read."""
        try:
            return self._library.list()
        except LexiconError as error:
            raise _unusable(error) from error

    def by_digest(self, digest: str) -> WordGraph:
        """Return the lexicon with this digest. Raises ``LexiconError`` if it is not installed or damaged."""
        if digest not in self._open:
            self._open[digest] = self._library.open(digest)
        return self._open[digest]

    def with_layers(self, digest: str, layers: Iterable[str]) -> WordGraph:
        """Return the lexicon with this digest and these layers active; unknown layers are ignored.

        Raises ``LexiconError`` if the lexicon is not installed or damaged.
        """
        lexicon = self.by_digest(digest)
        chosen = frozenset(layers) & set(lexicon.known_layers)
        if (digest, chosen) not in self._switched:
            self._switched[digest, chosen] = lexicon.with_layers(chosen)
        return self._switched[digest, chosen]

    def edition(self, digest: str) -> str:
        """Return the edition of a lexicon's source; empty if the lexicon is not installed."""
        try:
            return self.by_digest(digest).about.edition
        except LexiconError:
            return ""

    def find(self, name_or_digest: str) -> WordGraph:
        """Return the lexicon with this digest or, at present, this name.

        Raises ``Refusal`` with reason ``LEXICON_MISSING`` or ``LEXICON_UNUSABLE``.
        """
        if name_or_digest in self._open:
            return self._open[name_or_digest]
        names = {lexicon.name: lexicon.digest for lexicon in self.list_installed()}
        try:
            return self.by_digest(names.get(name_or_digest, name_or_digest))
        except MissingLexiconError:
            raise lexicon_missing(name_or_digest, names) from None
        except LexiconError as error:
            raise _unusable(error) from error


def _unusable(error: LexiconError) -> Refusal:
    return Refusal("LEXICON_UNUSABLE", N_("A lexicon cannot be used: {problem}."), {"problem": str(error)})


def layers_of(adjudication: Adjudication, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the active layers: those chosen for the tournament, or those of its ruleset (UF 26, PES Α)."""
    return ruleset.lexicon.layers if adjudication.layers is None else adjudication.layers


async def law_of(record: Record, game: AdjudicatedGame, adjudication: Adjudication, lexicons: Lexicons) -> Law:
    """Return the rules and the lexicon for a ruling in ``game``.

    Raises ``Refusal`` if the content of its ruleset is missing, ``LexiconError`` if its lexicon is.
    """
    ruleset = await rules_of(record, game.ruleset)
    layers = layers_of(adjudication, ruleset)
    lexicon = lexicons.with_layers(game.lexicon.digest, layers)
    return Law(
        is_word=lexicon.contains,
        language=lexicon.tile_set.language,
        layers=tuple(layers),
        article=ruleset.article("challenge.ruling"),
        appeal_article=ruleset.article("challenge.appeal_by"),
        by_word=ruleset.challenge.ruling == "word",
    )
