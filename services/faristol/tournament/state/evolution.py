"""The fold of a tournament's events. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.likeness import read_shared_fields
from faristol.kernel.pins import Pin
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.state import drafts, entries, rounds
from faristol.tournament.state.player import with_item, with_key, without_key
from faristol.tournament.state.rounds import with_round
from faristol.tournament.state.tournament import (
    ChangeProposal,
    Following,
    GameSanction,
    HallRange,
    MessageState,
    ResultCheck,
    Sanction,
    Stage,
    TournamentState,
    Unsanctioned,
)


def evolve(state: TournamentState, event: Message) -> TournamentState:
    """Apply an event to the tournament. Raises ``TypeError`` if the message is not an event of a tournament."""
    fold = FOLDS.get(type(event))
    if fold is None:
        raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of a tournament")
    folded = _later(fold(state, event), event)
    if isinstance(event, Sanction):
        folded = replace(folded, sanctioned=folded.sanctioned | {event.player_id})
    if isinstance(event, events.SanctionLifted) and event.game_id:
        folded = rounds.give_back_at_table(folded, event)
    after = drafts.mark_outdated(_on_game(state, folded, event), event)
    return replace(after, version=state.version + 1, following=_following(state, event))


def _apply_tournament_created(state: TournamentState, event: events.TournamentCreated) -> TournamentState:
    own = events.Division(tournament_id=event.tournament_id, name=event.division)
    return replace(
        replace(state, **read_shared_fields(event, TournamentState)),
        time_zone=event.time_zone or "UTC",
        created_at=_moment(event.occurred_at),
        divisions=(own,) if event.division and not event.division_of else (),
        stage=Stage.of(event.stage) if event.HasField("stage") else None,
    )


def _apply_division_added(state: TournamentState, event: events.DivisionAdded) -> TournamentState:
    added = event.division
    own = added.name if added.tournament_id == state.tournament_id else state.division
    return replace(state, division=own, divisions=(*state.divisions, added))


def _apply_division_renamed(state: TournamentState, event: events.DivisionRenamed) -> TournamentState:
    renamed = event.division
    divisions = tuple(
        renamed if each.tournament_id == renamed.tournament_id else each
        for each in state.divisions
        if renamed.name or each.tournament_id != renamed.tournament_id
    )
    own = renamed.name if renamed.tournament_id == state.tournament_id else state.division
    return replace(state, division=own, divisions=divisions)


def _apply_message_sent(
    state: TournamentState, event: events.MessageSent | events.PlayerMessageSent
) -> TournamentState:
    private = isinstance(event, events.PlayerMessageSent)
    return replace(state, messages=(*state.messages, MessageState(event.hall, _moment(event.expires_at), private)))


def _apply_message_withdrawn(
    state: TournamentState, event: events.MessageWithdrawn | events.PlayerMessageWithdrawn
) -> TournamentState:
    return replace(state, messages=with_item(state.messages, event.number, withdrawn=True))


def _apply_screen_set(state: TournamentState, event: events.ScreenSet) -> TournamentState:
    shown = frozenset(part.digest for part in event.programme if part.digest)
    return replace(
        state,
        screens=with_key(state.screens, event.code, event.name),
        pictures_of_screens=with_key(state.pictures_of_screens, event.code, shown),
    )


def _apply_screen_removed(state: TournamentState, event: events.ScreenRemoved) -> TournamentState:
    shown = without_key(state.pictures_of_screens, event.code)
    return replace(state, screens=without_key(state.screens, event.code), pictures_of_screens=shown)


def _apply_table_claimed(state: TournamentState, event: events.TableClaimed) -> TournamentState:
    others = {table: annotator for table, annotator in state.claims.items() if annotator != event.annotator_id}
    return replace(state, claims=with_key(others, event.table, event.annotator_id))


def _apply_prize_list_set(state: TournamentState, event: events.PrizeListSet) -> TournamentState:
    others = [number for number in state.prize_lists if number != event.list]
    others.insert(event.place - 1, event.list)
    return replace(state, prize_lists=tuple(others), most_prize_lists=max(state.most_prize_lists, event.list))


FOLDS: Mapping[type[Message], Callable[[TournamentState, Any], TournamentState]] = {
    events.TournamentCreated: _apply_tournament_created,
    events.DivisionAdded: _apply_division_added,
    events.DivisionRenamed: _apply_division_renamed,
    events.TournamentDescribed: lambda state, event: replace(state, **read_shared_fields(event, TournamentState)),
    events.ContactSet: lambda state, event: state,
    events.ArbitersNamed: lambda state, event: state,
    events.UndoNoted: lambda state, event: state,
    events.TournamentArchived: lambda state, event: replace(state, archived=True),
    events.TournamentRemoved: lambda state, event: replace(state, removed=True),
    events.TournamentRestored: lambda state, event: replace(state, archived=False, removed=False),
    events.RoundsChanged: lambda state, event: replace(state, rounds=event.rounds),
    events.RulesetPinned: lambda state, event: replace(state, ruleset=Pin.of(event.ruleset)),
    events.LexiconPinned: lambda state, event: replace(state, lexicon=Pin.of(event.lexicon)),
    events.HallsSet: lambda state, event: replace(
        state, halls=tuple(map(HallRange.of, event.halls)), top_tables=event.top_tables
    ),
    events.RoundsAnnounced: lambda state, event: replace(state, announced=tuple(event.times)),
    **dict.fromkeys((events.MessageSent, events.PlayerMessageSent), _apply_message_sent),
    **dict.fromkeys((events.MessageWithdrawn, events.PlayerMessageWithdrawn), _apply_message_withdrawn),
    events.ScreenSet: _apply_screen_set,
    events.ScreenRemoved: _apply_screen_removed,
    events.PictureAdded: lambda state, event: replace(
        state, pictures=with_key(state.pictures, event.digest, event.name)
    ),
    events.PictureRemoved: lambda state, event: replace(state, pictures=without_key(state.pictures, event.digest)),
    events.BroadcastDelaySet: lambda state, event: replace(state, delay_minutes=event.minutes),
    events.SlotPointed: lambda state, event: replace(state, slots=state.slots | {event.slot}),
    events.SlotRemoved: lambda state, event: replace(state, slots=state.slots - {event.slot}),
    events.TableClaimed: _apply_table_claimed,
    events.ClaimReleased: lambda state, event: replace(state, claims=without_key(state.claims, event.table)),
    events.PrizesOffered: lambda state, event: state,
    events.PrizeRulesSet: lambda state, event: state,
    events.PrizeListSet: _apply_prize_list_set,
    events.PrizeListRemoved: lambda state, event: replace(
        state, prize_lists=tuple(number for number in state.prize_lists if number != event.list)
    ),
    events.ResultCheckSet: lambda state, event: replace(
        state, result_check=ResultCheck(**read_shared_fields(event, ResultCheck))
    ),
    events.SecondOfficialSet: lambda state, event: replace(state, second_official=event.required),
    events.ChangeProposed: lambda state, event: replace(
        state, proposals=(*state.proposals, ChangeProposal(event, state.version + 1))
    ),
    events.ProposalAnswered: lambda state, event: replace(
        state,
        proposals=tuple(
            replace(each, waits=each.waits and number != event.proposal)
            for number, each in enumerate(state.proposals, start=1)
        ),
    ),
    events.LicenceRequirementSet: lambda state, event: replace(
        state, licence=replace(state.licence, required=event.required, kind=event.kind)
    ),
    events.LicenceExceptionGranted: lambda state, event: replace(
        state, licence=replace(state.licence, exceptions=state.licence.exceptions | {event.player_id})
    ),
    events.LicenceExceptionRevoked: lambda state, event: replace(
        state, licence=replace(state.licence, exceptions=state.licence.exceptions - {event.player_id})
    ),
    events.StandingsPublished: lambda state, event: replace(state, over=True),
    events.StandingsReopened: lambda state, event: replace(state, over=False, finalised=False),
    events.FinalCheckExcused: lambda state, event: state,
    events.ShadowCompared: lambda state, event: replace(state, shadow=event),
    events.TournamentFinalised: lambda state, event: replace(state, finalised=True),
    **entries.FOLDS,
    **rounds.FOLDS,
    **drafts.FOLDS,
}
"""The fold of each type of event in the stream of a tournament."""

UNTIMED = (events.RulesetPinned, events.LexiconPinned, events.ByeAwarded)
"""Events without a time: they happen at the time of the event before them."""


def _following(state: TournamentState, event: Message) -> Following:
    """Return the game and time of the event, if a result after sanctions can follow it; else an empty ``Following``."""
    match event:
        case events.PlayerSanctioned() | events.SanctionLifted() if event.game_id:
            return Following(event.game_id, _moment(event.occurred_at))
        case events.ResultRecorded() | events.ResultCorrected() if not _follows(state, event):
            sanctioned = event.game_id in state.played[event.round - 1].game_sanctions
            return Following(event.game_id, _moment(event.occurred_at)) if sanctioned else Following()
        case _:
            return Following()


def _follows(state: TournamentState, event: Message) -> bool:
    """Check whether the event is the result of a game after sanctions, and not a correction of it.

    Such an event has the time of the event that it follows. It has no note, and no players asked for it. Older streams
    may contain two real corrections in sequence, because no result after sanctions followed then.
    """
    return (
        isinstance(event, events.ResultCorrected)
        and state.following == Following(event.game_id, _moment(event.occurred_at))
        and not event.player_ids
        and not event.note
    )


def _on_game(state: TournamentState, after: TournamentState, event: Message) -> TournamentState:
    """Update the sanctions on the event's game, and its result without them, as it was in ``state``."""
    match event:
        case events.PlayerSanctioned() if event.game_id:
            before = state.played[event.round - 1]
            imposed = GameSanction(state.version + 1, event.player_id, event.kind, event.points, event.arbiter_id)
            sanctions = (*before.game_sanctions.get(event.game_id, ()), imposed)
        case events.SanctionLifted() if event.game_id and event.game_id in state.played[event.round - 1].game_sanctions:
            before = state.played[event.round - 1]
            sanctions = tuple(left for left in before.game_sanctions[event.game_id] if left.version != event.version)
        case events.PointsAdjusted() if event.points < 0 and state.following.game_id == event.game_id:
            # The sanction takes its points beside the result, which does not change.
            before = state.played[event.round - 1]
            sanctions = before.game_sanctions[event.game_id][:-1]
        case events.ResultRecorded() | events.ResultCorrected() if not _follows(state, event):
            played = after.played[event.round - 1]
            if event.game_id not in played.game_sanctions:
                return after
            decided = played.decided[event.game_id]
            if isinstance(event, events.ResultCorrected):
                known = state.played[event.round - 1].without_sanctions(event.game_id)
                decided = known.decided.apply_correction(event)
            result = Unsanctioned(played.results[event.game_id], decided)
            return _with_sanctions(after, event.round, event.game_id, played.game_sanctions[event.game_id], result)
        case _:
            return after
    return _with_sanctions(after, event.round, event.game_id, sanctions, before.without_sanctions(event.game_id))


def _with_sanctions(
    state: TournamentState, number: int, game: str, sanctions: tuple[GameSanction, ...], result: Unsanctioned
) -> TournamentState:
    played = state.played[number - 1]
    game_sanctions = {**played.game_sanctions, game: sanctions}
    unsanctioned = {**played.unsanctioned, game: result}
    if not sanctions:
        del game_sanctions[game], unsanctioned[game]
    kept = {"game_sanctions": MappingProxyType(game_sanctions), "unsanctioned": MappingProxyType(unsanctioned)}
    return with_round(state, number, **kept)


def _later(state: TournamentState, event: Message) -> TournamentState:
    """Advance ``latest`` to the time of the event, if it has a later one."""
    if isinstance(event, UNTIMED):
        return state
    timed: Any = event
    return replace(state, latest=max(state.latest, _moment(timed.occurred_at)))


def _moment(occurred_at: Timestamp) -> datetime:
    return occurred_at.ToDatetime(tzinfo=UTC)
