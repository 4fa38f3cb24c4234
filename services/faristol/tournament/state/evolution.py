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
from faristol.tournament.state import entries, rounds
from faristol.tournament.state.rounds import with_round
from faristol.tournament.state.tournament import (
    Following,
    GameSanction,
    HallRange,
    ResultCheck,
    TournamentState,
    Unsanctioned,
)


def evolve(state: TournamentState, fact: Message) -> TournamentState:
    """Apply an event to the tournament. Raises ``TypeError`` if the message is not an event of a tournament."""
    fold = FOLDS.get(type(fact))
    if fold is None:
        raise TypeError(f"{fact.DESCRIPTOR.full_name} is not an event of a tournament")
    folded = _later(fold(state, fact), fact)
    if isinstance(fact, events.SanctionLifted) and fact.game_id:
        folded = rounds.give_back_at_table(folded, fact)
    after = _on_game(state, folded, fact)
    return replace(after, version=state.version + 1, following=_following(state, fact))


def _apply_tournament_created(state: TournamentState, fact: events.TournamentCreated) -> TournamentState:
    own = events.Division(tournament_id=fact.tournament_id, name=fact.division)
    return replace(
        replace(state, **read_shared_fields(fact, TournamentState)),
        time_zone=fact.time_zone or "UTC",
        created_at=_moment(fact.occurred_at),
        divisions=(own,) if fact.division and not fact.division_of else (),
    )


def _apply_division_added(state: TournamentState, fact: events.DivisionAdded) -> TournamentState:
    added = fact.division
    own = added.name if added.tournament_id == state.tournament_id else state.division
    return replace(state, division=own, divisions=(*state.divisions, added))


def _apply_tournament_described(state: TournamentState, fact: events.TournamentDescribed) -> TournamentState:
    return replace(state, **read_shared_fields(fact, TournamentState))


def _apply_halls_set(state: TournamentState, fact: events.HallsSet) -> TournamentState:
    return replace(state, halls=tuple(HallRange.of(hall) for hall in fact.halls), top_tables=fact.top_tables)


FOLDS: Mapping[type[Message], Callable[[TournamentState, Any], TournamentState]] = {
    events.TournamentCreated: _apply_tournament_created,
    events.DivisionAdded: _apply_division_added,
    events.TournamentDescribed: _apply_tournament_described,
    events.ContactSet: lambda state, fact: state,
    events.ArbitersNamed: lambda state, fact: state,
    events.TournamentArchived: lambda state, fact: replace(state, archived=True),
    events.TournamentRemoved: lambda state, fact: replace(state, removed=True),
    events.TournamentRestored: lambda state, fact: replace(state, archived=False, removed=False),
    events.RoundsChanged: lambda state, fact: replace(state, rounds=fact.rounds),
    events.RulesetPinned: lambda state, fact: replace(state, ruleset=Pin.of(fact.ruleset)),
    events.LexiconPinned: lambda state, fact: replace(state, lexicon=Pin.of(fact.lexicon)),
    events.HallsSet: _apply_halls_set,
    events.RoundsAnnounced: lambda state, fact: replace(state, announced=tuple(fact.times)),
    events.PrizesOffered: lambda state, fact: state,
    events.ResultCheckSet: lambda state, fact: replace(
        state, result_check=ResultCheck(fact.second_person, fact.players, fact.blind)
    ),
    events.StandingsPublished: lambda state, fact: replace(state, over=True),
    events.StandingsReopened: lambda state, fact: replace(state, over=False),
    **entries.FOLDS,
    **rounds.FOLDS,
}
"""The fold of each type of event in the stream of a tournament."""

UNTIMED = (events.RulesetPinned, events.LexiconPinned, events.ByeAwarded)
"""Events without a time: they happen at the time of the event before them."""


def _following(state: TournamentState, fact: Message) -> Following:
    """Return the game and time of the event, if a result after sanctions can follow it; else an empty ``Following``."""
    match fact:
        case events.PlayerSanctioned() | events.SanctionLifted() if fact.game_id:
            return Following(fact.game_id, _moment(fact.occurred_at))
        case events.ResultRecorded() | events.ResultCorrected() if not _follows(state, fact):
            sanctioned = fact.game_id in state.played[fact.round - 1].game_sanctions
            return Following(fact.game_id, _moment(fact.occurred_at)) if sanctioned else Following()
        case _:
            return Following()


def _follows(state: TournamentState, fact: Message) -> bool:
    """Check whether the event is the result of a game after sanctions, and not a correction of it.

    Such an event has the time of the event that it follows. It has no note, and no players asked for it. Older streams
    may contain two real corrections in sequence, because no result after sanctions followed then.
    """
    return (
        isinstance(fact, events.ResultCorrected)
        and state.following == Following(fact.game_id, _moment(fact.occurred_at))
        and not fact.player_ids
        and not fact.note
    )


def _on_game(state: TournamentState, after: TournamentState, fact: Message) -> TournamentState:
    """Update the sanctions on the event's game, and its result without them, as it was in ``state``."""
    match fact:
        case events.PlayerSanctioned() if fact.game_id:
            played = state.played[fact.round - 1]
            imposed = GameSanction(state.version + 1, fact.player_id, fact.kind, fact.points, fact.arbiter_id)
            sanctions = (*played.game_sanctions.get(fact.game_id, ()), imposed)
            return _with_sanctions(after, fact.round, fact.game_id, sanctions, played.without_sanctions(fact.game_id))
        case events.SanctionLifted() if fact.game_id and fact.game_id in state.played[fact.round - 1].game_sanctions:
            played = state.played[fact.round - 1]
            sanctions = tuple(left for left in played.game_sanctions[fact.game_id] if left.version != fact.version)
            return _with_sanctions(after, fact.round, fact.game_id, sanctions, played.without_sanctions(fact.game_id))
        case events.PointsAdjusted() if fact.points < 0 and state.following.game_id == fact.game_id:
            # The sanction takes its points beside the result, which does not change.
            played = state.played[fact.round - 1]
            sanctions = played.game_sanctions[fact.game_id][:-1]
            return _with_sanctions(after, fact.round, fact.game_id, sanctions, played.without_sanctions(fact.game_id))
        case events.ResultRecorded() | events.ResultCorrected() if not _follows(state, fact):
            played = after.played[fact.round - 1]
            if fact.game_id not in played.game_sanctions:
                return after
            decided = played.decided[fact.game_id]
            if isinstance(fact, events.ResultCorrected):
                before = state.played[fact.round - 1].without_sanctions(fact.game_id)
                decided = before.decided.apply_correction(fact)
            result = Unsanctioned(played.results[fact.game_id], decided)
            return _with_sanctions(after, fact.round, fact.game_id, played.game_sanctions[fact.game_id], result)
        case _:
            return after


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


def _later(state: TournamentState, fact: Message) -> TournamentState:
    """Advance ``latest`` to the time of the event, if it has a later one."""
    if isinstance(fact, UNTIMED):
        return state
    timed: Any = fact
    return replace(state, latest=max(state.latest, _moment(timed.occurred_at)))


def _moment(occurred_at: Timestamp) -> datetime:
    return occurred_at.ToDatetime(tzinfo=UTC)
