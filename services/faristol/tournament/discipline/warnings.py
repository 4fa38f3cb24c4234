"""Warnings: the yellow card of FISE 47, which no other book has. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_arbiter
from faristol.tournament.discipline.checks import article_of, sanctionable
from faristol.tournament.situation import PairingCommand, Situation, of_player

EXPULSION_WARNING_COUNT = 2
"""Number of warnings from which expulsion is proposed (FISE 47: repeated offence)."""


def warn(situation: Situation, request: pb.WarnPlayerRequest) -> list[Message]:
    """Warn a player. From the second warning on, the event proposes expulsion, which the organisation decides on."""
    check_arbiter(request.arbiter_id, [request.player_id])
    player = sanctionable(situation.state, request.player_id)
    count = player.warnings + 1
    return [
        situation.event(
            events.PlayerWarned,
            request,
            round=max(len(situation.state.played), 1),
            count=count,
            expulsion_proposed=count >= EXPULSION_WARNING_COUNT,
            article=article_of(situation.ruleset.law.warning),
        )
    ]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.WarnPlayerRequest: PairingCommand(warn, tells=events.PlayerWarned, concerned=of_player)
}
