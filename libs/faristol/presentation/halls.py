"""Texts about the cells of halls. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.names import is_official
from faristol.kernel.refusal import N_
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.presentation.history import UNNAMED_OFFICIAL, game_params
from faristol.presentation.names import Roster
from faristol.text import say

KEPT_COMMANDS: Mapping[str, str] = {
    "ReportResult": N_("report of a player"),
    "ConfirmResult": N_("confirmation or dispute of the result"),
    "EnterResult": N_("entry of the result"),
    "EnterSignedSheet": N_("entry of the result from the signed sheet"),
    "GiveForfeit": N_("forfeit"),
    "CorrectResult": N_("correction of the result"),
    "CorrectOwnResult": N_("correction of the result"),
    "DecideDispute": N_("decision of the dispute"),
    "SanctionPlayer": N_("sanction after the game"),
    "WithdrawKeptCommand": N_("withdrawal of a command"),
}
"""What a kept command is, by its method."""


def describe_kept(kept: pb.KeptCommand, known: Roster, language: str) -> str:
    """Return the game of a kept command, what the command is, the result after it, and its author."""
    game = game_params(kept.game_id, known, language)["game"]
    what = say(KEPT_COMMANDS.get(kept.method, kept.method), {}, language)
    scores = "–".join(str(score.score) for score in kept.scores)
    author = kept.actor_name or known.name(kept.actor)
    if author == kept.actor and is_official(author):
        author = say(UNNAMED_OFFICIAL, {}, language)
    return ", ".join(filter(None, (game, f"{what} {scores}".rstrip(), author)))


def describe_refusal(kept: pb.KeptCommand, language: str) -> str:
    """Return why the championship refused a command that a hall had kept; empty if it did not."""
    return say(kept.text, {each.name: each.value for each in kept.parameters}, language) if kept.text else ""
