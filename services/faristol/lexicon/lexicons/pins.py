"""Documents that a game or a tournament has pinned, loaded by their content."""

from __future__ import annotations

from faristol.adjudication.cases.challenges import Law
from faristol.adjudication.policy import Adjudication
from faristol.adjudication.views import AdjudicatedGame
from faristol.event_store import Record
from faristol.host.ruleset_store import rules_of
from faristol.lexicon.lexicons.library import Lexicons
from faristol.rules import Ruleset


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
