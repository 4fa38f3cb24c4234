"""Announced start times of rounds. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.times import moment_of, to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_open
from faristol.tournament.situation import PairingCommand, Situation, Undo, as_before


def announce(situation: Situation, request: pb.AnnounceRoundsRequest) -> list[Message]:
    """Announce the start times of rounds, replacing all earlier ones. No round is started by it.

    Raises ``Invalid`` if a round is unknown or listed twice, and unless each later round has a later time. Raises
    ``Refusal`` if the tournament is over.
    """
    state = situation.state
    check_open(state)
    times = []
    for given in request.times:
        if not 1 <= given.round <= state.rounds:
            params = {"round": given.round, "most": state.rounds}
            raise Invalid("times", N_("there is no round {round}; expected 1 to {most}"), params)
        if not given.HasField("starts_at"):
            raise Invalid("times", N_("round {round} has no starting time"), {"round": given.round})
        times.append((given.round, moment_of("times", given.starts_at)))
    times.sort()
    for (before, earlier), (number, later) in pairwise(times):
        if before == number:
            raise Invalid("times", N_("round {round} is listed twice"), {"round": number})
        if earlier >= later:
            params = {"round": number, "before": before}
            raise Invalid("times", N_("round {round} would not begin later than round {before}"), params)
    announced = [events.RoundTime(round=number, starts_at=to_timestamp(at)) for number, at in times]
    return [situation.event(events.RoundsAnnounced, times=announced)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.AnnounceRoundsRequest: PairingCommand(announce, rests_on=(events.RoundsAnnounced,))
}

UNDO: Mapping[type[Message], Undo] = {
    events.RoundsAnnounced: Undo(as_before(pb.AnnounceRoundsRequest), thing=("times",))
}
