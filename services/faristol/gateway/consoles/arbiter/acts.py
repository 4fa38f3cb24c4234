"""Commands of an arbiter at a table: their forms and requests. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2

_CLOCK_PATTERN = re.compile(r"(\d{1,4}):([0-5]\d)", re.ASCII)
_NUMBER = re.compile(r"[-−]?\d{1,6}", re.ASCII)


class FormField(NamedTuple):
    """Field of a form."""

    name: str
    """Name in the contract."""
    label: str
    """Label, to be translated."""
    kind: str
    """``player``, ``anybody``, ``number``, ``time``, ``tiles``, ``text``, ``tick``, ``letter`` or ``choice``."""
    optional: bool = False
    hint: str = ""
    """Hint, to be translated."""


@dataclass(frozen=True, slots=True)
class Act:
    """Command of an arbiter."""

    request: type[Message]
    name: str
    """Label of its button, to be translated."""
    fields: Sequence[FormField] = ()
    group: str = "table"
    depends: str = ""
    """Part of the situation that it concerns: if that has changed, no command is sent."""

    @property
    def method(self) -> str:
        """Name of the method: ``ResolveOverdraw``."""
        return self.request.DESCRIPTOR.name.removesuffix("Request")


GROUPS: Mapping[str, str] = {
    "call": N_("At the table"),
    "incident": N_("To be settled"),
    "presence": N_("Presence"),
    "clock": N_("Clocks"),
    "sanction": N_("Conduct and sanctions"),
    "sheet": N_("Scoresheet"),
}
"""Headings of the commands, in this order."""

PLAYER = FormField("player_id", N_("Player"), "player")
NOTE = FormField(
    "note", N_("Reason, in your own words"), "text", optional=True, hint=N_("The player sees it; the public does not.")
)

ARBITER_COMMANDS: Sequence[Act] = (
    Act(game_pb2.AssignArbiterRequest, N_("Take the table"), group="call"),
    Act(game_pb2.DismissArbiterRequest, N_("Leave the table; the game goes on"), group="call"),
    Act(
        game_pb2.RuleAppealRequest,
        N_("Rule on the appeal"),
        (FormField("valid", N_("The play"), "choice"),),
        "incident",
        "question",
    ),
    Act(
        game_pb2.SettleCountRequest,
        N_("Settle the count"),
        (
            FormField(
                "score", N_("Points of the play"), "number", optional=True, hint=N_("If empty: the score by the rules")
            ),
        ),
        "incident",
        "incident",
    ),
    Act(
        game_pb2.ResolveOverdrawRequest,
        N_("Decide which tiles go back"),
        (FormField("faces", N_("Tiles"), "tiles", hint=N_("Separate tiles by spaces; ? is a blank")),),
        "incident",
        "incident",
    ),
    Act(
        game_pb2.ResolveUnderdrawRequest,
        N_("Have the missing tiles drawn"),
        (FormField("show", N_("Show them to the opponent"), "tick"),),
        "incident",
        "incident",
    ),
    Act(
        game_pb2.DecideOffCentreRequest,
        N_("Enter the opponent’s decision"),
        (PLAYER, FormField("accept", N_("The play"), "choice")),
        "incident",
        "question",
    ),
    Act(
        game_pb2.CancelPlayRequest,
        N_("Cancel the play: it used information that should not have been given"),
        (FormField("player_id", N_("Demanded by"), "player"),),
        "incident",
        "question",
    ),
    Act(
        game_pb2.SettleBlankRequest,
        N_("Settle a blank"),
        (
            FormField("square", N_("Square"), "choice"),
            FormField("face", N_("Letter"), "letter"),
        ),
        "incident",
    ),
    Act(clock_pb2.ReportAbsenceRequest, N_("Absent at the starting signal"), (PLAYER,), "presence"),
    Act(clock_pb2.RecordArrivalRequest, N_("Has arrived"), (PLAYER,), "presence"),
    Act(clock_pb2.ReturnToTableRequest, N_("Has returned to the table"), (PLAYER,), "presence"),
    Act(clock_pb2.NeutraliseRequest, N_("Stop the clocks"), (FormField("reason", N_("Reason"), "choice"),), "clock"),
    Act(clock_pb2.ResumeRequest, N_("Resume the time"), group="clock"),
    Act(
        clock_pb2.CorrectClockRequest,
        N_("Correct a clock"),
        (
            PLAYER,
            FormField("used_ms", N_("Time used"), "time", hint=N_("Minutes and seconds, such as 12:30")),
            FormField("reason", N_("Reason"), "choice"),
        ),
        "clock",
    ),
    Act(clock_pb2.ExpireRoundTimeRequest, N_("End the time of the round"), group="clock"),
    Act(
        game_pb2.ImposeSanctionRequest,
        N_("Impose a sanction"),
        (
            PLAYER,
            FormField("kind", N_("Sanction"), "choice"),
            FormField(
                "points", N_("Points deducted"), "number", optional=True, hint=N_("Only for a sanction in points")
            ),
            NOTE,
        ),
        "sanction",
    ),
    Act(pairing_pb2.WarnPlayerRequest, N_("Warn a player for conduct"), (PLAYER, NOTE), "sanction"),
    Act(game_pb2.RecordOverholdingRequest, N_("Held extra tiles on purpose"), (PLAYER,), "sanction"),
    Act(
        game_pb2.RecordWordAskedRequest,
        N_("Asked about a word"),
        (
            FormField("player_id", N_("Asked by"), "player"),
            FormField("word", N_("Word"), "tiles", hint=N_("Separate tiles by spaces")),
            FormField("answerer_id", N_("Answered by"), "anybody", optional=True),
        ),
        "sanction",
    ),
    Act(
        game_pb2.CorrectPlayRequest,
        N_("Correct the count of a play"),
        (FormField("turn", N_("Turn"), "choice"), FormField("score", N_("Points"), "number")),
        "sheet",
    ),
    Act(
        game_pb2.CorrectTotalRequest,
        N_("Correct a total"),
        (PLAYER, FormField("total", N_("Total"), "number")),
        "sheet",
    ),
    Act(game_pb2.ReopenGameRequest, N_("Reopen the result at the request of all players"), group="sheet"),
)
"""Commands of an arbiter at a table, without those of the scorer."""

BY_METHOD: Mapping[str, Act] = {act.method: act for act in ARBITER_COMMANDS}

CHOICES: Mapping[tuple[str, str], Mapping[int, str]] = {
    ("RuleAppeal", "valid"): {1: N_("stands"), 0: N_("does not stand")},
    ("DecideOffCentre", "accept"): {1: N_("stands"), 0: N_("is withdrawn")},
    ("Neutralise", "reason"): {
        clock.NEUTRALISATION_REASON_CHALLENGE: N_("a challenge"),
        clock.NEUTRALISATION_REASON_COUNT_DISPUTE: N_("a dispute about a count"),
        clock.NEUTRALISATION_REASON_ARBITER_CALL: N_("a call for an arbiter"),
        clock.NEUTRALISATION_REASON_FORCE_MAJEURE: N_("force majeure"),
        clock.NEUTRALISATION_REASON_OVERDRAW: N_("too many tiles drawn"),
        clock.NEUTRALISATION_REASON_CORRECTION: N_("a correction"),
    },
    ("CorrectClock", "reason"): {
        clock.CORRECTION_REASON_DEVICE: N_("it was set wrongly, or it did not work"),
        clock.CORRECTION_REASON_ENTRY: N_("the entry was wrong"),
        clock.CORRECTION_REASON_FORGOTTEN: N_("a press, a stop or a start was forgotten"),
        clock.CORRECTION_REASON_RULING: N_("the arbiter’s decision"),
    },
    ("ImposeSanction", "kind"): {
        game.SANCTION_KIND_WARNING: N_("a warning"),
        game.SANCTION_KIND_POINTS: N_("points deducted"),
        game.SANCTION_KIND_TURN: N_("loss of a turn"),
        game.SANCTION_KIND_GAME: N_("loss of the game"),
        game.SANCTION_KIND_EXPULSION: N_("expulsion, proposed"),
    },
}
"""Labels of the values of a choice, to be translated. Turns and squares have no label."""


@dataclass(frozen=True, slots=True)
class Offered:
    """Command that the table accepts now."""

    act: Act
    article: str
    players: Sequence[str]
    """Players that it may concern, if it concerns a player."""
    choices: Sequence[int]
    """Accepted values of its choice field."""


def list_offered(offers: Iterable[game_pb2.Offer], warned: Sequence[str] = (), warning: str = "") -> list[Offered]:
    """Return the arbiter's commands among the offers of a table, in the order of ``ARBITER_COMMANDS``.

    ``warned`` are the players whom the tournament can warn, by the article ``warning``.
    """
    found: dict[str, list[game_pb2.Offer]] = {}
    for offer in offers:
        act = BY_METHOD.get(offer.method)
        if act and (offer.by_arbiter or "arbiter_id" not in act.request.DESCRIPTOR.fields_by_name):
            found.setdefault(offer.method, []).append(offer)
    if warned:
        found["WarnPlayer"] = [game_pb2.Offer(player_id=player, article=warning) for player in warned]
    return [
        Offered(
            act,
            found[act.method][0].article,
            list(dict.fromkeys(each.player_id for each in found[act.method] if each.player_id)),
            sorted({choice for each in found[act.method] for choice in each.choices}),
        )
        for act in ARBITER_COMMANDS
        if act.method in found
    ]


def request(act: Act, given: Mapping[str, str], players: Sequence[str], **named: str) -> Message:
    """Build the request of a form. ``players`` are those at the table; ``named`` are the ids of every request.

    Raises ``Invalid`` for a missing or invalid field.
    """
    known = act.request.DESCRIPTOR.fields_by_name
    values: dict[str, Any] = {name: value for name, value in named.items() if name in known}
    if act.request is game_pb2.ReopenGameRequest:
        values["player_ids"] = list(players)
    for field in act.fields:
        values.update(_read(field, given.get(field.name, "").strip()))
    return act.request(**values)


def _read(field: FormField, text: str) -> Iterator[tuple[str, Any]]:
    if field.kind == "tick":
        yield field.name, bool(text)
    elif not text:
        if not field.optional:
            raise Invalid(field.name, N_("is missing"))
    elif field.name == "square":
        square = _number(field, text)
        yield from (("row", square // 15), ("column", square % 15))
    elif field.kind in {"number", "choice"}:
        number = _number(field, text)
        yield field.name, bool(number) if field.name in {"valid", "accept"} else number
    elif field.kind == "time":
        match = _CLOCK_PATTERN.fullmatch(text)
        if match is None:
            raise Invalid(
                field.name, N_("expected minutes and seconds, such as 12:30, got {given}"), {"given": repr(text)}
            )
        yield field.name, 1000 * (60 * int(match[1]) + int(match[2]))
    elif field.kind == "tiles":
        faces = text.upper().split()
        yield field.name, game.Word(faces=faces) if field.name == "word" else faces
    else:
        yield field.name, text.upper() if field.kind == "letter" else text


def _number(field: FormField, text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Invalid(field.name, N_("expected a whole number, got {given}"), {"given": repr(text)})
    return int(text.replace("−", "-"))
