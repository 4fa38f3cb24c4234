"""The state of a rating list, and of the tournament that it is made from. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.event_types import Kind, folds_in
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.games import Rated, RatedGame, of_table


def stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament's rating list."""
    return f"ratings-{tournament_id}"


def tournament_stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament."""
    return f"tournament-{tournament_id}"


@dataclass(frozen=True, slots=True)
class RatingList:
    """The rating list of a tournament; ``tournament_id`` is empty until it is published."""

    tournament_id: str = ""
    system: str = ""
    """The system of the list, or the one chosen for it; empty for the default."""
    occurred_at: Timestamp | None = None
    """Time of the first publication."""
    revision: int = 0
    """Number of revisions."""
    revised_at: Timestamp | None = None
    """Time of the last revision."""
    lines: tuple[events.RatingUpdated, ...] = ()
    """In the order of publication."""


def evolve(state: RatingList, event: Message) -> RatingList:
    """Apply an event to the list. Raises ``TypeError`` if the message is not an event of a rating list."""
    match event:
        case events.RatingSystemChosen():
            return replace(state, system=event.system)
        case events.RatingListPublished() if event.revision:
            return replace(state, system=event.system, revision=event.revision, revised_at=event.occurred_at, lines=())
        case events.RatingListPublished():
            return RatingList(event.tournament_id, event.system, event.occurred_at)
        case events.RatingUpdated():
            return replace(state, lines=(*state.lines, event))
        case _:
            raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of a rating list")


@dataclass(slots=True)
class TournamentView:
    """The part of a tournament that ratings depend on. Only ``view`` changes it, in a copy."""

    rounds: int = 0
    players: list[Rated] = field(default_factory=list)
    results: dict[str, tuple[RatedGame, ...]] = field(default_factory=dict)
    """The rated pairs of each game's last result, by game id; empty if unplayed or lost by all."""
    unplayed: set[str] = field(default_factory=set)
    """Ids of games with a result that were not played."""
    closed: int = 0
    """The last closed round."""
    entered: dict[str, int] = field(default_factory=dict)
    """The first round that a late entry can be paired in, by player id."""
    never_paired: set[str] = field(default_factory=set)
    """Ids of players who withdrew before their first round and were not reinstated."""

    @property
    def games(self) -> tuple[RatedGame, ...]:
        """The rated games."""
        return tuple(game for games in self.results.values() for game in games)

    @property
    def rated(self) -> tuple[Rated, ...]:
        """The players who were present. The others may have moved to another division, which rates them."""
        met = {player_id for game in self.games for player_id in (game.first, game.second)}
        return tuple(
            player for player in self.players if player.player_id in met or player.player_id not in self.never_paired
        )


def _apply_rounds(
    found: TournamentView, event: pairing_events.TournamentCreated | pairing_events.RoundsChanged
) -> None:
    found.rounds = event.rounds


def _apply_entry(
    found: TournamentView, event: pairing_events.PlayerRegistered | pairing_events.LateEntryAdmitted
) -> None:
    found.players.append(Rated(event.player_id, event.rating, event.unrated))
    if isinstance(event, pairing_events.LateEntryAdmitted):
        found.entered[event.player_id] = event.round


def _apply_amendment(found: TournamentView, event: pairing_events.PlayerAmended) -> None:
    if pairing_events.ENTRY_PART_RATING in event.parts:
        place = next(at for at, player in enumerate(found.players) if player.player_id == event.player_id)
        found.players[place] = Rated(event.player_id, event.rating, event.unrated)


def _apply_withdrawal(found: TournamentView, event: pairing_events.PlayerWithdrawn) -> None:
    if event.round <= found.entered.get(event.player_id, 1):
        found.never_paired.add(event.player_id)


def _apply_reinstatement(found: TournamentView, event: pairing_events.PlayerReinstated) -> None:
    found.never_paired.discard(event.player_id)


def _apply_result(found: TournamentView, event: pairing_events.ResultRecorded | pairing_events.ResultCorrected) -> None:
    if _is_unplayed(event, was=event.game_id in found.unplayed):
        found.results[event.game_id] = ()
        found.unplayed.add(event.game_id)
    else:
        found.results[event.game_id] = _games(event)
        found.unplayed.discard(event.game_id)


def _apply_closed_round(found: TournamentView, event: pairing_events.RoundClosed) -> None:
    found.closed = event.round


def view(state: TournamentView, past_events: Iterable[Message]) -> TournamentView:
    """Apply events to the tournament. Events that ratings do not depend on are ignored."""
    after = replace(state, **{each.name: copy(getattr(state, each.name)) for each in fields(state)})
    for event in past_events:
        if fold := VIEW_METHODS.get(type(event)):
            fold(after, event)
    return after


VIEW_METHODS: Mapping[Kind, Callable[[TournamentView, Any], None]] = folds_in(__name__)
"""The function that applies each type of event. A test compares the types with the contract."""


def _is_unplayed(event: pairing_events.ResultRecorded | pairing_events.ResultCorrected, *, was: bool) -> bool:
    """Check whether the game was not played. A correction without the field, from older versions, leaves ``was``."""
    if isinstance(event, pairing_events.ResultCorrected) and not event.HasField("unplayed"):
        return was
    return event.unplayed


def _games(event: pairing_events.ResultRecorded | pairing_events.ResultCorrected) -> tuple[RatedGame, ...]:
    """Return the rated pairs of a result. A winner named by it wins, even with the lower score (FISC I.8.E)."""
    if event.lost_by_all:
        return ()
    if len(event.scores) > 2:
        return of_table((score.player_id, score.score) for score in event.scores)
    first, second = event.scores
    if event.winner_id:
        half_points = 2 if event.winner_id == first.player_id else 0
    else:
        half_points = 1 + (first.score > second.score) - (first.score < second.score)
    return (RatedGame(first.player_id, second.player_id, half_points),)
