"""Snapshot of a table when its page was rendered, to show later changes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2

LABELS: Mapping[str, str] = {
    "turn": N_("turn"),
    "phase": N_("the next step at the table"),
    "called": N_("the call for an arbiter"),
    "arbiter": N_("the arbiter at the table"),
    "question": N_("the play in question"),
    "incident": N_("the incident to settle"),
    "stopped": N_("why no player’s time runs"),
    "absent": N_("the absent players"),
    "scores": N_("scores"),
}
"""Labels of the parts of a situation."""

Situation = Mapping[str, str]
"""Numbers and ids by the keys of ``LABELS``; empty if unset."""

_IN_QUESTION = frozenset(
    (game_pb2.PHASE_PLACED, game_pb2.PHASE_CHALLENGED, game_pb2.PHASE_OFF_CENTRE, game_pb2.PHASE_REFUSED)
)


@dataclass(frozen=True, slots=True)
class Change:
    """Part of a situation that has changed."""

    label: str
    """Label, to be translated."""
    part: str
    before: str
    now: str


def of(game: game_pb2.GetGameResponse, clock: clock_pb2.GetClockResponse | None) -> Situation:
    """Return the situation of a table."""
    incident = game.interruption.WhichOneof("found") or ""
    turn = getattr(game.interruption, incident).turn if incident else 0
    question = f"{game.turn}{'+' if game.appealed else ''}" if game.phase in _IN_QUESTION else ""
    return {
        "turn": str(game.turn),
        "phase": str(game.phase),
        "called": game.arbiter_called_by,
        "arbiter": game.arbiter_id,
        "question": question,
        "incident": f"{incident} {turn}" if incident else "",
        "stopped": str(clock.reason) if clock and clock.neutralised else "",
        "absent": " ".join((*clock.absent_player_ids, *clock.away_player_ids)) if clock else "",
        "scores": " ".join(str(side.score) for side in game.sides),
    }


def encode_situation(situation: Situation) -> str:
    """Encode a situation for a form."""
    return urlencode(situation)


def read(text: str) -> Situation:
    """Decode the situation of a form; unknown parts are ignored."""
    return {name: value for name, value in parse_qsl(text, keep_blank_values=True) if name in LABELS}


def changes(before: Situation, now: Situation) -> list[Change]:
    """Return the changed parts; an empty list if the earlier situation is unknown."""
    return [
        Change(label, part, before[part], now[part])
        for part, label in LABELS.items()
        if part in before and before[part] != now[part]
    ]


def is_another(part: str, before: Situation, now: Situation) -> bool:
    """Check whether a part was replaced by a different one since the form was rendered.

    If it was removed without replacement, the service refuses, so that a repeated form receives its first answer.
    """
    return part in before and bool(now[part]) and before[part] != now[part]
