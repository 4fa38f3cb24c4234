"""The sending and the withdrawal of messages. Pure.

A message to tables or halls is public. A message to players is private: only they and officials can read it. Readers
that wait for something are chosen when the message is sent, so the event names tables or players and never changes its
meaning. A message expires by itself; until then it can be withdrawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, NotFound, check_range
from faristol.kernel.names import check_length, check_text, mentions, tidy
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import moment_of, to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import (
    build_not_registered_refusal,
    check_hall,
    check_meets_at_tables,
    check_not_removed,
)
from faristol.tournament.results.confirmations import list_unconfirmed_tables
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import Pairing, Phase, RoundState, TournamentState

Audience: TypeAlias = events.MessageAudience.ValueType

MAX_TEXT_CHARACTERS = 300
"""Limit of a message, in characters: it fits a phone that is locked."""

MAX_SHOWN_COUNT = 30
"""Limit of the messages of a tournament that are shown at a time."""

MAX_SHOWN_MINUTES = 1_440
"""Longest time for which a message is shown, in minutes."""

DEFAULT_SHOWN_MINUTES = 30
"""Time for which a message is shown by default, in minutes."""

OF_PLAYERS = frozenset({events.MESSAGE_AUDIENCE_PLAYERS, events.MESSAGE_AUDIENCE_NOT_CHECKED_IN})
"""Audiences of players. Other messages are public."""

_NEEDED: Mapping[Audience, str] = {
    events.MESSAGE_AUDIENCE_HALL: "hall",
    events.MESSAGE_AUDIENCE_TABLES: "tables",
    events.MESSAGE_AUDIENCE_PLAYERS: "player_ids",
}
"""Fields that an audience requires."""

_EXCLUDED: Mapping[str, frozenset[Audience]] = {
    "tables": frozenset({events.MESSAGE_AUDIENCE_TABLES}),
    "player_ids": frozenset({events.MESSAGE_AUDIENCE_PLAYERS}),
}
"""Audiences that a field belongs to, if it does not belong to all."""


def send(situation: Situation, request: pb.SendMessageRequest) -> list[Message]:
    """Send a message, to the audience of the request.

    Raises ``Invalid`` for a missing, invalid or superfluous field, and for a public text with the name of a player.
    Raises ``Refusal`` if no reader waits, if a hall, table or player is unknown, or if too many messages are shown.
    """
    state = situation.state
    check_not_removed(state)
    at = situation.moment
    shown = [message for message in state.messages if message.expires_at > at and not message.withdrawn]
    if len(shown) >= MAX_SHOWN_COUNT:
        raise Refusal(
            "TOO_MANY_MESSAGES",
            N_("{count} messages are already shown: withdraw one of them first."),
            {"count": len(shown)},
        )
    kind = request.kind or events.MESSAGE_KIND_TEXT
    audience = _audience_of(request)
    check_hall(state, request.hall)
    said: dict[str, Any] = {
        "number": len(state.messages) + 1,
        "kind": kind,
        "audience": audience,
        "hall": tidy(request.hall),
        "text": _text(request.text, kind),
        "expires_at": to_timestamp(_expiry(request, kind, at)),
        "occurred_at": situation.occurred_at,
    }
    if (until := _until(request, kind, at)) is not None:
        said["until"] = to_timestamp(until)
    if kind == events.MESSAGE_KIND_ROUND_STARTS:
        said["round"] = _round(state, request.round)
    elif request.round:
        raise Invalid("round", N_("expected no round: only the start of a round has one"))
    if audience in OF_PLAYERS:
        if request.interrupts:
            raise Invalid("interrupts", N_("expected a public message: screens do not show messages to players"))
        players = _players(situation, request, audience)
        return [events.PlayerMessageSent(**said, player_ids=players)]
    _check_names_no_player(situation, said["text"])
    if audience in (events.MESSAGE_AUDIENCE_ALL, events.MESSAGE_AUDIENCE_HALL):
        return [events.MessageSent(**said, interrupts=request.interrupts)]
    check_meets_at_tables(situation.ruleset)
    played = _current(state)
    seats = _tables(state, played, request, audience)
    said.setdefault("round", played.number)
    tables = sorted(seat.table for seat in seats)
    return [events.MessageSent(**said, tables=tables, interrupts=request.interrupts)]


def withdraw(situation: Situation, request: pb.WithdrawMessageRequest) -> list[Message]:
    """Withdraw a message that is still shown.

    Raises ``NotFound`` for an unknown message, or one that is not of the hall of the request. Raises ``Refusal`` if it
    was withdrawn or has expired.
    """
    state, number = situation.state, request.number
    if not 1 <= number <= len(state.messages):
        raise NotFound("message", f"{state.tournament_id}/{number}")
    message = state.messages[number - 1]
    if request.hall and message.hall != tidy(request.hall):
        raise NotFound("message", f"{state.tournament_id}/{number}")
    if message.withdrawn or message.expires_at <= situation.moment:
        raise Refusal("MESSAGE_OVER", N_("Message {number} is no longer shown."), {"number": number})
    kind = events.PlayerMessageWithdrawn if message.is_private else events.MessageWithdrawn
    return [kind(number=number, occurred_at=situation.occurred_at)]


def _audience_of(request: pb.SendMessageRequest) -> Audience:
    """Return the audience of a request. Raises ``Invalid`` if its fields do not belong to it."""
    audience = request.audience
    if not audience:
        audience = events.MESSAGE_AUDIENCE_HALL if request.hall else events.MESSAGE_AUDIENCE_ALL
        if request.tables:
            audience = events.MESSAGE_AUDIENCE_TABLES
        elif request.player_ids:
            audience = events.MESSAGE_AUDIENCE_PLAYERS
    needed = _NEEDED.get(audience, "")
    if needed and not getattr(request, needed):
        raise Invalid(needed, N_("is missing for this audience"))
    for field, audiences in _EXCLUDED.items():
        if getattr(request, field) and audience not in audiences:
            raise Invalid(field, N_("does not belong to this audience"))
    if request.hall and audience == events.MESSAGE_AUDIENCE_ALL:
        raise Invalid("hall", N_("does not belong to this audience"))
    return audience


def _text(given: str, kind: events.MessageKind.ValueType) -> str:
    text = tidy(given)
    least = 1 if kind == events.MESSAGE_KIND_TEXT else 0
    check_length("text", text, least, MAX_TEXT_CHARACTERS)
    check_text("text", text)
    return text


def _check_names_no_player(situation: Situation, text: str) -> None:
    """Raise ``Invalid`` if a public text has the full name of a player of the tournament."""
    for name in situation.names.values() if text else ():
        if mentions(text, name):
            raise Invalid(
                "text",
                N_("names {player}, and is public: address the message to the player"),
                {"player": name},
            )


def _until(request: pb.SendMessageRequest, kind: events.MessageKind.ValueType, at: datetime) -> datetime | None:
    """Return the time that a message names, or None. Raises ``Invalid``."""
    if not request.HasField("until"):
        if kind == events.MESSAGE_KIND_BREAK:
            raise Invalid("until", N_("is missing; expected the end of the break"))
        return None
    if kind not in (events.MESSAGE_KIND_BREAK, events.MESSAGE_KIND_ROUND_STARTS):
        raise Invalid("until", N_("expected no time: only a break and the start of a round have one"))
    until = moment_of("until", request.until)
    if not at < until <= at + timedelta(minutes=MAX_SHOWN_MINUTES):
        raise Invalid("until", N_("expected a time within the next {hours} hours"), {"hours": MAX_SHOWN_MINUTES // 60})
    return until


def _expiry(request: pb.SendMessageRequest, kind: events.MessageKind.ValueType, at: datetime) -> datetime:
    check_range("minutes", request.minutes, 0, MAX_SHOWN_MINUTES)
    until = _until(request, kind, at)
    if not request.minutes and until is not None:
        return until
    return at + timedelta(minutes=request.minutes or DEFAULT_SHOWN_MINUTES)


def _round(state: TournamentState, number: int) -> int:
    """Return the round that starts. Raises ``Invalid`` for a round that is not one of the tournament."""
    wanted = number or min(state.next_to_start, state.rounds)
    if not 1 <= wanted <= state.rounds:
        params = {"round": wanted, "most": state.rounds}
        raise Invalid("round", N_("there is no round {round}; expected 1 to {most}"), params)
    return wanted


def _current(state: TournamentState) -> RoundState:
    """Return the round that is paired or played. Raises ``Refusal`` between rounds."""
    if state.open_round is None:
        raise Refusal("NO_ROUND_OPEN", N_("No round is paired or played now, so no table is in use."))
    return state.open_round


def _tables(
    state: TournamentState, played: RoundState, request: pb.SendMessageRequest, audience: Audience
) -> Sequence[Pairing]:
    """Return the tables of an audience. Raises ``Refusal`` for an unknown table, or if no table waits."""
    here = [seat for seat in played.pairings if not request.hall or seat.hall == tidy(request.hall)]
    if audience == events.MESSAGE_AUDIENCE_TABLES:
        by_number = {seat.table: seat for seat in here}
        for table in request.tables:
            if table not in by_number:
                raise Refusal(
                    "NO_SUCH_TABLE",
                    N_("Table {table} is not in use in round {round}."),
                    {"table": table, "round": played.number},
                )
        return [by_number[table] for table in dict.fromkeys(request.tables)]
    if audience == events.MESSAGE_AUDIENCE_UNCONFIRMED:
        unconfirmed = {seat.game_id for seat in list_unconfirmed_tables(state, played)}
        waiting = [seat for seat in here if seat.game_id in unconfirmed]
    else:
        started = played.phase is not Phase.PAIRED
        waiting = [seat for seat in here if started and seat.game_id not in played.results]
    if not waiting:
        raise _build_no_readers_refusal()
    return waiting


def _build_no_readers_refusal() -> Refusal:
    return Refusal("NO_READERS", N_("No table and no player waits for this: the message has no readers."))


def _players(situation: Situation, request: pb.SendMessageRequest, audience: Audience) -> list[str]:
    """Return the players of an audience. Raises ``Refusal`` for an unknown player, or if no player waits.

    A hall limits them to the players at its tables in the current round.
    """
    state = situation.state
    if audience == events.MESSAGE_AUDIENCE_NOT_CHECKED_IN:
        players = [player.player_id for player in state.players if not player.checked_in and player.withdrawn is None]
    else:
        players = [*dict.fromkeys(request.player_ids)]
        for player_id in players:
            if state.player(player_id) is None:
                raise build_not_registered_refusal(state, player_id[:100])
    if request.hall:
        seated = {
            who for seat in _current(state).pairings if seat.hall == tidy(request.hall) for who in seat.player_ids
        }
        for player_id in players if audience == events.MESSAGE_AUDIENCE_PLAYERS else ():
            if player_id not in seated:
                raise Refusal(
                    "NOT_IN_HALL",
                    N_("{player} does not sit in {hall} in this round."),
                    {"player": player_id, "hall": tidy(request.hall)},
                )
        players = [player_id for player_id in players if player_id in seated]
    if not players:
        raise _build_no_readers_refusal()
    return players


def _build_answer_fields(situation: Situation, request: Message, new_events: Sequence[Message]) -> Mapping[str, Any]:
    """Return the fields of the answer: the number, and the chosen tables or players."""
    sent: Any = new_events[0]
    if isinstance(sent, events.PlayerMessageSent):
        return {"number": sent.number, "player_ids": sent.player_ids}
    return {"number": sent.number, "tables": sent.tables}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SendMessageRequest: PairingCommand(send, more=_build_answer_fields, names=True),
    pb.WithdrawMessageRequest: PairingCommand(withdraw),
}

_WITHDRAW = Undo(lambda act, before: pb.WithdrawMessageRequest(number=act.number), thing=("message", "number"))
_FINAL = Undo(thing=("message", "number"))

UNDO: Mapping[type[Message], Undo] = {
    events.MessageSent: _WITHDRAW,
    events.PlayerMessageSent: _WITHDRAW,
    events.MessageWithdrawn: _FINAL,
    events.PlayerMessageWithdrawn: _FINAL,
}
