"""Events of a table in sentences, for a reader who compares those of a hall and of the championship. Pure.

Events that only follow from others, such as draws of tiles, have no sentence: they are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from google.protobuf.message import Message

from faristol.event_store.upcasters import UnreadableEvent, upcasters
from faristol.kernel.event_types import occurred_at
from faristol.kernel.refusal import N_, Param
from faristol.kernel.spellings import labels_of
from faristol.kernel.times import to_datetime
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.hall.v1 import events_pb2 as hall
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.presentation.halls import KEPT_COMMANDS
from faristol.presentation.names import Roster
from faristol.presentation.sentences import POINTS_DEDUCTED
from faristol.text import say, translations

SENTENCES: Mapping[str, str] = {
    "StartDecided": N_("{who} begins."),
    "PlayPlaced": N_("{who} plays {word}: {points} {points:point|points}."),
    "Exchanged": N_("{who} exchanges {count} {count:tile|tiles}."),
    "Passed": N_("{who} passes."),
    "CannotPlay": N_("{who} cannot play."),
    "TurnLost": N_("{who} loses the turn."),
    "ChallengeRaised": N_("The play is challenged: {words}."),
    "ChallengeRuled": N_("The play is ruled valid."),
    "ChallengePenalty": N_("The challenge costs {who} {points} {points:point|points}."),
    "PlayWithdrawn": N_("The play of {who} is withdrawn."),
    "AppealRaised": N_("{who} appeals against the ruling."),
    "AppealRuled": N_("On appeal, the play is ruled valid."),
    "ArbiterCalled": N_("{who} calls an arbiter."),
    "SanctionImposed": N_("{who} is sanctioned: {sanction}."),
    "PlayCorrected": N_("The score of a play of {who} is corrected."),
    "TotalCorrected": N_("The total of {who} is corrected."),
    "EntriesTakenBack": N_("The entries from turn {turn} on are taken back."),
    "Abandoned": N_("{who} abandons the game."),
    "EndAgreed": N_("{who} agrees to end the game."),
    "GameEnded": N_("The game is over."),
    "SheetSigned": N_("{who} signs the scoresheet."),
    "ResultFinal": N_("The result is final: {scores}."),
    "TableClosed": N_("The table is closed with the result {scores}."),
    "GameReopened": N_("The result is open again."),
    "TableHandedOver": N_("The table is handed over to {hall}."),
    "TableReturned": N_("The hall returns the table."),
    "TableTakenBack": N_("The championship takes the table back."),
    "ClockNeutralised": N_("The clocks are stopped."),
    "ClockResumed": N_("The time runs again."),
    "ClockCorrected": N_("The clock of {who} is corrected."),
    "TurnTimedOut": N_("The turn of {who} ends by its time."),
    "OvertimeCapExceeded": N_("{who} exceeds the allowed overtime."),
    "PlayerAbsent": N_("{who} is absent."),
    "PlayerArrived": N_("{who} has arrived."),
    "TimeForfeited": N_("{who} loses the game by absence."),
    "ResultEntered": N_("A result is entered."),
    "ResultRecorded": N_("The result is recorded: {scores}."),
    "ResultCorrected": N_("The result is corrected: {scores}."),
    "ResultConfirmed": N_("The result is confirmed: {scores}."),
    "ResultDisputed": N_("The result is disputed: {scores}."),
    "HallCommandKept": N_("Kept without a line: {command} {scores}."),
}
"""Sentences by event type."""

_NEGATIVE: Mapping[str, str] = {
    "ChallengeRuled": N_("The play is ruled not valid."),
    "AppealRuled": N_("On appeal, the play is ruled not valid."),
}
"""Sentences by the type of an event whose ``valid`` is false."""

OTHERS = N_("Further events of tiles, scores and clocks: {count}.")
UNKNOWN = N_("An event of a later version: {event}.")


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in a sentence, or several that are counted."""

    at: datetime | None
    """Time of the event; None for those that are counted."""
    said: str


def describe_events(sent: Iterable[pb.HallEvent], known: Roster, language: str) -> list[EventLine]:
    """Return events in sentences, in their order, and at the end the number of the others."""
    lines: list[EventLine] = []
    others = 0
    for event in sent:
        try:
            message = upcasters.message(event.type, event.schema_version, event.payload)
        except UnreadableEvent:
            name = event.type.rpartition(".")[2]
            lines.append(EventLine(_to_moment(event.recorded_at), say(UNKNOWN, {"event": name}, language)))
            continue
        if said := describe_event(message, known, language):
            happened = occurred_at(message)
            at = to_datetime(happened) if happened is not None else _to_moment(event.recorded_at)
            lines.append(EventLine(at, said))
        else:
            others += 1
    if others:
        lines.append(EventLine(None, say(OTHERS, {"count": others}, language)))
    return lines


def describe_event(message: Message, known: Roster, language: str) -> str:
    """Return an event in a sentence; empty for one that only follows from others."""
    name = message.DESCRIPTOR.name
    text = SENTENCES.get(name, "")
    if name in _NEGATIVE and not getattr(message, "valid", True):
        text = _NEGATIVE[name]
    return say(text, _params(message, known, language), language) if text else ""


def _params(message: Any, known: Roster, language: str) -> dict[str, Param]:
    read = translations(language).gettext
    fields = message.DESCRIPTOR.fields_by_name
    players = list(message.player_ids) if "player_ids" in fields else [getattr(message, "player_id", "")]
    scores = message.scores if "scores" in fields else ()
    params: dict[str, Param] = {
        "who": " – ".join(map(known.name, filter(None, players))) or "–",
        "turn": getattr(message, "turn", 0),
        "hall": getattr(message, "hall", ""),
        "points": getattr(message, "points", 0),
        "scores": " – ".join(f"{known.name(each.player_id)} {each.score}" for each in scores),
    }
    match message:
        case game.PlayPlaced():
            params |= {"word": _spell([word.word for word in message.words][:1]), "points": message.score}
        case game.Exchanged():
            params["count"] = len(message.faces)
        case game.ChallengeRaised():
            params["words"] = _spell(message.words)
        case game.ChallengePenalty():
            params["points"] = abs(message.points)
        case game.SanctionImposed() if message.points:
            params["sanction"] = say(POINTS_DEDUCTED, {"points": message.points}, language)
        case game.SanctionImposed():
            params["sanction"] = read(labels_of(game.SanctionKind.DESCRIPTOR).get(message.kind, ""))
        case hall.HallCommandKept():
            method = message.type.rpartition(".")[2].removesuffix("Request")
            params["command"] = read(KEPT_COMMANDS.get(method, method))
        case _:
            pass
    return params


def _spell(words: Sequence[game.Word]) -> str:
    return ", ".join("".join(word.faces) for word in words)


def _to_moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)
