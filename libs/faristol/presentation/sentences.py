"""Sentences about commands and events of a tournament, and their parts. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.refusal import N_, Param

WITHOUT_LEXICON: Mapping[str, str] = {
    "{name} is created: {id}, under {ruleset}, with the words of {lexicon}.": N_(
        "{name} is created: {id}, under {ruleset}, without a lexicon."
    ),
    "{name} is created, with the words of {lexicon}.": N_("{name} is created, without a lexicon."),
    "Rules: {ruleset}. Words: {lexicon}. Time zone: {time_zone}.": N_(
        "Rules: {ruleset}. No lexicon. Time zone: {time_zone}."
    ),
}
"""Sentences about a tournament without a lexicon, by those that name it."""


def select_sentence(text: str, params: Mapping[str, Param]) -> str:
    """Return the sentence for a tournament without a lexicon if ``params`` have none, else ``text``."""
    return text if params.get("lexicon") else WITHOUT_LEXICON.get(text, text)


NO_HALLS = N_("tables are numbered from 1")
NO_TIMES = N_("no round")
NO_PRIZES = N_("none")
POINTS_OFF = N_("Points deducted: {points_off}.")
ROUNDS_OUT = N_("Not paired in rounds: {rounds_out}.")
GAME_LOST = N_("The game {game} is lost.")
POINTS_DEDUCTED = N_("{points} {points:point|points} deducted")
"""Sanction in points at a table."""
NOTE = N_("Note: {note}")
RATED_BY = N_("Rated by {system}.")

DESCRIBED_WITH_NAMES: Mapping[str, str] = {"contact": N_("contact"), "arbiters": N_("arbiters")}
"""Further parts by the field of the command. They have separate events, since they name persons."""

RATING_SYSTEMS: Mapping[str, str] = {
    "elo-1": "Elo",
    "naspa-1": "NASPA",
    "naspa-2": "NASPA 2",
    "glicko2-1": "Glicko-2",
}
"""Display names of rating systems, by name and version. Proper names are the same in every language."""
