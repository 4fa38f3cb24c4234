"""How the result of a game came about, in the reader's language: what ended it, who entered or corrected it."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.gateway import labels
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.record.people import is_official
from faristol.text import say, translations

ENTERED = N_("The result was entered by the arbiter {arbiter}.")
ENTERED_BY_HAND = N_("The result was entered by an arbiter.")
CORRECTED = N_("The result was corrected.")
CORRECTED_BY = N_("The result was corrected by the arbiter {arbiter}.")
UNPLAYED = N_("Nobody played: there are no board and no scoresheet.")
NOT_KEPT = N_("The game was not kept here: there are no board and no scoresheet of it.")


def is_kept(game: pb.GetGameResponse) -> bool:
    """Whether there is a board and a scoresheet to show: not of a game that was decided otherwise than at its table."""
    return bool(game.entries or game.board or game.laid) or not game.final


def known(arbiter: str) -> str:
    """The arbiter as the public is told them; empty for an id that was made for somebody whose name was erased."""
    return "" if is_official(arbiter) else arbiter


def outcome(game: pb.GetGameResponse, language: str) -> Iterator[str]:
    """The sentences: what ended the game, who entered the result and who corrected it. None while it runs."""
    if game.end_condition:
        yield translations(language).gettext(labels.ENDS[game.end_condition])
    if game.entered_by:
        wording = ENTERED if known(game.entered_by) else ENTERED_BY_HAND
        yield say(wording, {"arbiter": game.entered_by}, language)
    if game.corrected:
        wording = CORRECTED_BY if known(game.corrected_by) else CORRECTED
        yield say(wording, {"arbiter": game.corrected_by}, language)
    if not is_kept(game):
        yield say(UNPLAYED if game.unplayed else NOT_KEPT, {}, language)


def how_lost(game: pb.GetGameResponse, player_id: str) -> str:
    """What a player did who lost otherwise than by the score, to be translated; empty for everybody else."""
    if not game.final or player_id not in game.loser_ids:
        return ""
    return labels.ABSENT if game.unplayed else labels.LOSERS.get(game.end_condition, "")
