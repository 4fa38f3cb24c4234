"""The amendment of a player's entry. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.details import DETAILS, read_details
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import build_not_registered_refusal
from faristol.tournament.players.registration import UNRATED_START_POINTS, check_rating
from faristol.tournament.situation import Situation, Undo
from faristol.tournament.state import PlayerState, TournamentState, evolve

_PARTS = events.EntryPart.DESCRIPTOR.values_by_name

DETAIL_PARTS: Mapping[str, events.EntryPart.ValueType] = {
    name: events.EntryPart.ValueType(_PARTS.get(f"ENTRY_PART_{name.upper()}", _PARTS["ENTRY_PART_DETAILS"]).number)
    for name in DETAILS
}
"""The part of an entry that each personal detail is. Those without a separate part share one."""

EXTERNAL_PARTS = frozenset({*DETAIL_PARTS.values(), events.ENTRY_PART_NOTE})
"""The parts of an entry that are stored outside events."""


def amend(situation: Situation, request: pb.AmendPlayerRequest) -> list[Message]:
    """Amend the personal details, category, note or rating of a player. Missing fields do not change.

    All but the rating can be amended at any time, even after the final standings: no decision depends on them. Raises
    ``Invalid`` for an invalid rating. Raises ``Refusal`` if the player is not registered, if a pairing has used the
    rating, or if no field changes.
    """
    state, player_id = situation.state, request.player_id
    player = state.player(player_id)
    if player is None:
        raise build_not_registered_refusal(state, player_id)
    if request.HasField("rating") and request.unrated:
        raise Invalid("unrated", N_("conflicts with the given rating; expected only one of the two"))
    check_rating(request.rating)
    details = situation.words.person.details
    parts = {DETAIL_PARTS[name] for name, value in read_details(request).items() if value != getattr(details, name)}
    event = situation.event(events.PlayerAmended, player_id=player_id)
    if request.HasField("note") and request.note != situation.words.note:
        parts.add(events.ENTRY_PART_NOTE)
        event.note = request.note
    if request.HasField("category") and request.category != player.category:
        parts.add(events.ENTRY_PART_CATEGORY)
        event.category = request.category
    rating = UNRATED_START_POINTS if request.unrated else request.rating
    rated = request.unrated or request.HasField("rating")
    if rated and (rating, request.unrated) != (player.rating, player.unrated):
        _check_not_paired(state, player)
        parts.add(events.ENTRY_PART_RATING)
        event.rating, event.unrated = rating, request.unrated
    if not parts:
        raise Refusal(
            "SAME_ENTRY",
            N_("No change for {player}: specify a new personal detail, rating, category or note."),
            {"player": player_id},
        )
    event.parts.extend(sorted(parts))
    return [event]


def _has_been_paired(state: TournamentState, player: PlayerState) -> bool:
    """Check whether the first round that the player can be paired in is paired."""
    return len(state.played) >= player.entered


def _check_not_paired(state: TournamentState, player: PlayerState) -> None:
    """Raise ``Refusal`` if a pairing has used the rating."""
    if _has_been_paired(state, player):
        raise Refusal(
            "ROUND_PAIRED",
            N_("Round {round} has been paired with the rating of {player}: the rating can no longer change."),
            {"player": player.player_id, "round": player.entered},
            subject=f"rounds/{player.entered}",
        )


def _of_words(act: events.PlayerAmended) -> bool:
    return not EXTERNAL_PARTS.isdisjoint(act.parts)


def _check_undone(situation: Situation, act: events.PlayerAmended) -> None:
    """Raise ``Refusal`` if a text was amended: its old value is not stored, so that it can be erased."""
    if _of_words(act):
        raise Refusal(
            "NOT_UNDONE",
            N_("The earlier data of {player} is not stored: enter the correct data with `player amend`."),
            {"player": act.player_id},
        )


def _now(state: TournamentState, past_events: Sequence[Message], version: int, command: str) -> str:
    act = past_events[version - 1]
    assert isinstance(act, events.PlayerAmended)
    player = state.player(act.player_id)
    paired = player is None or _has_been_paired(state, player)
    return "" if _of_words(act) or (paired and events.ENTRY_PART_RATING in act.parts) else command


def _put_back(situation: Situation, version: int, note: str) -> list[Message]:
    act = situation.act(version)
    before = reduce(evolve, situation.past_events[: version - 1], TournamentState()).player(act.player_id)
    assert before is not None, "an amended player is registered"
    request = pb.AmendPlayerRequest(player_id=act.player_id)
    if events.ENTRY_PART_CATEGORY in act.parts:
        request.category = before.category
    if events.ENTRY_PART_RATING in act.parts and before.unrated:
        request.unrated = True
    elif events.ENTRY_PART_RATING in act.parts:
        request.rating = before.rating
    (event,) = amend(situation, request)
    assert isinstance(event, events.PlayerAmended)
    event.note = note
    return [event]


def _rests(act: events.PlayerAmended, later: Message) -> bool:
    if not isinstance(later, events.PlayerAmended) or later.player_id != act.player_id:
        return False
    return not set(act.parts).isdisjoint(later.parts)


UNDO: Mapping[type[Message], Undo] = {
    events.PlayerAmended: Undo(pb.AmendPlayerRequest, _put_back, rests=_rests, check=_check_undone, now=_now),
}
