"""What a director can do only where players meet at tables. Pure."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset

OF_TABLES: frozenset[type[Message]] = frozenset(
    {
        pb.SanctionPlayerRequest,
        pb.LiftSanctionRequest,
        pb.FixTableRequest,
        pb.ReleaseTableRequest,
        pb.GrantByeRequest,
        pb.RevokeByeRequest,
        pb.ForbidPairRequest,
        pb.AllowPairRequest,
        pb.KeepPairRequest,
        pb.ReleasePairRequest,
        pb.GiveForfeitRequest,
        pb.EnterResultRequest,
        pb.EnterResultsRequest,
        pb.CorrectResultRequest,
        pb.CorrectRulingRequest,
        pb.PostponeGameRequest,
        pb.CancelPostponementRequest,
        pb.StartPostponedGameRequest,
    }
)
"""Commands about pairs, tables and results of games of two: rules of duplicate games say nothing of them."""


def check_mode(ruleset: Ruleset, request: Message) -> None:
    """Refuse in a tournament of duplicate games what is about tables."""
    if ruleset.game.mode == "duplicate" and type(request) in OF_TABLES:
        raise Refusal(
            "NO_TABLES",
            "",
            N_("This is a tournament of duplicate games: nobody meets anybody at a table, and slips are scored."),
        )
