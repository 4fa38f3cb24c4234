"""Sentences about the result of a game: how it ended, and the arbiter who entered or corrected it."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.personal_data.people import is_official
from faristol.presentation import labels
from faristol.text import say, translations

ENTERED = N_("The result was entered by the arbiter {arbiter}.")
ENTERED_BY_HAND = N_("The result was entered by an arbiter.")
CORRECTED = N_("The result was corrected.")
CORRECTED_BY = N_("The result was corrected by the arbiter {arbiter}.")
UNPLAYED = N_("The game was not played: it has no board and no scoresheet.")
NOT_KEPT = N_("The game was not scored here: it has no board and no scoresheet.")


def is_kept(game: pb.GetGameResponse) -> bool:
    """Check whether a game has a board and a scoresheet; False if it was decided elsewhere."""
    return bool(game.entries or game.board or game.laid) or not game.final


def find_public_id(arbiter: str) -> str:
    """Return the public id of the arbiter; empty for a generated id of an erased person."""
    return "" if is_official(arbiter) else arbiter


def outcome(game: pb.GetGameResponse, language: str) -> Iterator[str]:
    """Yield sentences about the end of a game and its arbiters; empty during play."""
    if game.end_condition:
        yield translations(language).gettext(labels.ENDS[game.end_condition])
    if game.entered_by:
        wording = ENTERED if find_public_id(game.entered_by) else ENTERED_BY_HAND
        yield say(wording, {"arbiter": game.entered_by}, language)
    if game.corrected:
        wording = CORRECTED_BY if find_public_id(game.corrected_by) else CORRECTED
        yield say(wording, {"arbiter": game.corrected_by}, language)
    if not is_kept(game):
        yield say(UNPLAYED if game.unplayed else NOT_KEPT, {}, language)


def how_lost(game: pb.GetGameResponse, player_id: str) -> str:
    """Return how a player lost other than by score, to be translated; empty for other players."""
    if not game.final or player_id not in game.loser_ids:
        return ""
    return labels.ABSENT_LABEL if game.unplayed else labels.LOSERS.get(game.end_condition, "")
