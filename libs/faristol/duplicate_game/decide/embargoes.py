"""The end of an embargo: by a director, or after the last group is done (FISC II.9)."""

from __future__ import annotations

from faristol.duplicate_game.preparation import embargo_is_elsewhere
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Commands, Situation, StreamEvent, reason_given
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb


def lift_embargo(situation: Situation, request: pb.LiftEmbargoRequest) -> list[StreamEvent]:
    """Lift the embargo at the first of its games; its reruns follow."""
    game = situation.game
    if game.embargo is None or game.embargo.lifted:
        raise Refusal("NO_EMBARGO", "", N_("The game is under no embargo."))
    if game.embargo.game_ids[0] != game.game_id:
        raise embargo_is_elsewhere(game.game_id)
    return [(GAME_STREAM_NUMBER, build_embargo_lifted(situation, reason_given(request.reason)))]


def build_embargo_lifted(situation: Situation, reason: str = "") -> events.EmbargoLifted:
    """Return the event that an embargo is over."""
    return events.EmbargoLifted(reason=reason, occurred_at=timestamp(situation.at))


COMMANDS: Commands = {pb.LiftEmbargoRequest: lift_embargo}
