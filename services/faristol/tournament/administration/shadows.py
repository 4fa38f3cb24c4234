"""The comparison of a tournament with the same one in another program, its shadow. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import build_not_registered_refusal, check_not_removed
from faristol.tournament.situation import PairingCommand, Situation

MAX_EXAMPLES_COUNT = 20
"""Most differences that a report describes."""

MAX_DIFFERENCES_COUNT = 1_000_000
"""Most differences of a report."""

_WORD_PATTERN = re.compile(r"[a-z0-9-]{1,20}")
_DIGEST_PATTERN = re.compile(r"[0-9a-f]{64}")


def report_shadow(situation: Situation, request: pb.ReportShadowRequest) -> list[Message]:
    """Report a comparison; it replaces the one before.

    It is possible after the end of the tournament: results are compared before it is finalised. Raises ``Invalid`` for
    a malformed report, ``Refusal`` for a player who is not registered here, and for a removed tournament.
    """
    check_not_removed(situation.state)
    if not _WORD_PATTERN.fullmatch(request.program):
        raise Invalid("program", N_("expected 1 to 20 of a-z, 0-9 and -"))
    if not _DIGEST_PATTERN.fullmatch(request.digest):
        raise Invalid("digest", N_("expected 64 hexadecimal digits"))
    check_range("differences", request.differences, 0, MAX_DIFFERENCES_COUNT)
    most = min(MAX_EXAMPLES_COUNT, request.differences)
    if len(request.examples) > most:
        raise Invalid("examples", N_("expected at most {most}"), {"most": most})
    for each in request.examples:
        if not _WORD_PATTERN.fullmatch(each.kind):
            raise Invalid("examples", N_("expected 1 to 20 of a-z, 0-9 and -"))
        if each.player_id and situation.state.player(each.player_id) is None:
            raise build_not_registered_refusal(situation.state, each.player_id)
    return [situation.event(events.ShadowCompared, request)]


COMMANDS: Mapping[type[Message], PairingCommand] = {pb.ReportShadowRequest: PairingCommand(report_shadow)}
