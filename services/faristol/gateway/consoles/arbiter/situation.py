"""How a table stood when a page was made, so that what has changed since can be told. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2

LABELS: Mapping[str, str] = {
    "turn": N_("turn"),
    "phase": N_("what the table waits for"),
    "called": N_("who called an arbiter"),
    "arbiter": N_("who has the table"),
    "question": N_("the play in question"),
    "incident": N_("what is to be settled"),
    "stopped": N_("why nobody’s time runs"),
    "absent": N_("who is not at the table"),
    "scores": N_("scores"),
}
"""What each part of a situation is."""

Situation = Mapping[str, str]
"""The parts of it, under the names of ``LABELS``: numbers and ids, empty where there is nothing."""

_IN_QUESTION = frozenset(
    (game_pb2.PHASE_PLACED, game_pb2.PHASE_CHALLENGED, game_pb2.PHASE_OFF_CENTRE, game_pb2.PHASE_REFUSED)
)


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a situation that is not what it was."""

    label: str
    """What it is, to be translated."""
    part: str
    before: str
    now: str


def of(game: game_pb2.GetGameResponse, clock: clock_pb2.GetClockResponse | None) -> Situation:
    """How a table stands."""
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


def written(situation: Situation) -> str:
    """A situation as a form carries it."""
    return urlencode(situation)


def read(text: str) -> Situation:
    """What a form carries; nothing of what is no part of a situation."""
    return {name: value for name, value in parse_qsl(text, keep_blank_values=True) if name in LABELS}


def changes(before: Situation, now: Situation) -> list[Change]:
    """What is not what it was; nothing where it is not known how it was."""
    return [
        Change(label, part, before[part], now[part])
        for part, label in LABELS.items()
        if part in before and before[part] != now[part]
    ]


def is_another(part: str, before: Situation, now: Situation) -> bool:
    """Whether something else of this kind is at the table than what a form was made for.

    Where nothing is, the service says so: a form that was sent before gets its first answer.
    """
    return part in before and bool(now[part]) and before[part] != now[part]
