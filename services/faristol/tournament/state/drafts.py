"""The draft of a round: its state, and the folds of its events. Pure.

The pairing of a draft is in events for officials only. Its publication writes ``RoundPaired``, the public event of a
pairing; until then no public read model, notification or file contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.likeness import like
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.state.tournament import Draft, TournamentState

OUTDATING_TYPES = (
    events.ResultRecorded,
    events.ResultCorrected,
    events.SpreadAdjusted,
    events.PointsAdjusted,
    events.RulesetPinned,
)
"""Events that change the standings or the rules by which a draft was paired."""


def draft_pairing(event: events.RoundPaired, bye: str, *, changed: bool = False) -> events.RoundDrafted:
    """Return the draft with a pairing; ``bye`` is its player without an opponent, and may be empty."""
    return like(events.RoundDrafted, event, bye_player_id=bye, changed_by_hand=changed)


def publish_draft(draft: Draft) -> events.RoundPaired:
    """Return the pairing of a draft as its public event, with the time of the draft."""
    return like(events.RoundPaired, draft.content)


def _apply_round_drafted(state: TournamentState, event: events.RoundDrafted) -> TournamentState:
    at, before = event.occurred_at.ToDatetime(tzinfo=UTC), state.draft
    publish_at = before.publish_at if before and before.number == event.round else None
    # A round that is paired again after the announced time waits for a new decision.
    return replace(state, draft=Draft(event, publish_at if publish_at and publish_at > at else None))


def _apply_players_swapped(state: TournamentState, event: events.DraftPlayersSwapped) -> TournamentState:
    return _with_tables(state, {each.table for each in event.pairings}, event.pairings, event.bye_player_id)


def _apply_pairing_moved(state: TournamentState, event: events.DraftPairingMoved) -> TournamentState:
    assert state.draft is not None
    return _with_tables(state, {event.table, event.to_table}, event.pairings, state.draft.content.bye_player_id)


def _with_tables(
    state: TournamentState, tables: Collection[int], pairings: Iterable[events.Pairing], bye: str
) -> TournamentState:
    """Replace the pairings at ``tables`` of the draft."""
    draft = state.draft
    assert draft is not None
    left = [each for each in draft.content.pairings if each.table not in tables]
    content = deepcopy(draft.content)
    del content.pairings[:]
    content.pairings.extend(sorted([*left, *pairings], key=lambda each: each.table))
    content.bye_player_id, content.changed_by_hand = bye, True
    return replace(state, draft=replace(draft, content=content))


def _with_publication(state: TournamentState, publish_at: datetime | None) -> TournamentState:
    return replace(state, draft=replace(state.draft, publish_at=publish_at) if state.draft else None)


def without_draft(state: TournamentState) -> TournamentState:
    """Return the tournament without a draft."""
    return state if state.draft is None else replace(state, draft=None)


def mark_outdated(state: TournamentState, event: Message) -> TournamentState:
    """Mark the draft if the event changes the results or the rules by which it was paired."""
    if state.draft is None or not isinstance(event, OUTDATING_TYPES):
        return state
    return replace(state, draft=replace(state.draft, outdated=True))


FOLDS: Mapping[type[Message], Callable[[TournamentState, Any], TournamentState]] = {
    events.PairingPublicationSet: lambda state, event: replace(state, publication=event.publication),
    events.RoundDrafted: _apply_round_drafted,
    events.DraftPlayersSwapped: _apply_players_swapped,
    events.DraftPairingMoved: _apply_pairing_moved,
    events.DraftDiscarded: lambda state, event: without_draft(state),
    events.PublicationScheduled: lambda state, event: _with_publication(state, event.publish_at.ToDatetime(tzinfo=UTC)),
    events.PublicationCancelled: lambda state, event: _with_publication(state, None),
    events.RoundPublished: lambda state, event: state,
}
"""The fold of each type of event in this module. ``RoundPaired`` ends a draft: see ``rounds``."""
