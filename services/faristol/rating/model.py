"""A rating list, and what it is made of. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.elo import Change, Game, Rated


def stream(tournament_id: str) -> str:
    """The stream of the list after a tournament."""
    return f"ratings-{tournament_id}"


def tournament_stream(tournament_id: str) -> str:
    """The stream that the tournament itself is on."""
    return f"tournament-{tournament_id}"


@dataclass(frozen=True, slots=True)
class RatingList:
    """The list after a tournament; the empty one is not published yet."""

    tournament_id: str = ""
    system: str = ""
    occurred_at: Timestamp | None = None
    changes: tuple[Change, ...] = ()


def evolve(state: RatingList, fact: Message) -> RatingList:
    """The list after one more fact. Raises ``TypeError`` for a message that is no fact of a rating list."""
    match fact:
        case events.RatingListPublished():
            return RatingList(fact.tournament_id, fact.system, fact.occurred_at)
        case events.RatingUpdated():
            change = Change(fact.player_id, fact.before, fact.after, fact.games, fact.half_points, fact.expected_milli)
            return replace(state, changes=(*state.changes, change))
        case _:
            raise TypeError(f"{fact.DESCRIPTOR.full_name} is not a fact of a rating list")


@dataclass(frozen=True, slots=True)
class TournamentView:
    """As much of a tournament as ratings depend on."""

    rounds: int = 0
    players: tuple[Rated, ...] = ()
    results: Mapping[str, Game | None] = field(default_factory=dict)
    """The last result of each game, by its id; None for one that both lost or
    that was not played, which says nothing about either."""
    unplayed: frozenset[str] = frozenset()
    """Ids of games that nobody has played."""
    closed: int = 0
    """The last round closed."""

    @property
    def games(self) -> tuple[Game, ...]:
        """The games that count."""
        return tuple(game for game in self.results.values() if game is not None)


def view(state: TournamentView, fact: Message) -> TournamentView:
    """The tournament after one more of its facts; those that no rating depends on change nothing."""
    match fact:
        case pairing_events.TournamentCreated():
            return replace(state, rounds=fact.rounds)
        case pairing_events.RoundsChanged():
            return replace(state, rounds=fact.rounds)
        case pairing_events.PlayerRegistered():
            player = Rated(fact.player_id, fact.rating, fact.unrated)
            return replace(state, players=(*state.players, player))
        case pairing_events.LateEntryAdmitted():
            late = Rated(fact.player_id, fact.rating, fact.unrated)
            return replace(state, players=(*state.players, late))
        case pairing_events.ResultRecorded():
            return _with_result(state, fact, unplayed=fact.unplayed)
        case pairing_events.ResultCorrected():
            was = fact.game_id in state.unplayed
            return _with_result(state, fact, unplayed=fact.unplayed if fact.HasField("unplayed") else was)
        case pairing_events.RoundClosed():
            return replace(state, closed=fact.round)
        case _:
            return state


def _with_result(
    state: TournamentView, fact: pairing_events.ResultRecorded | pairing_events.ResultCorrected, *, unplayed: bool
) -> TournamentView:
    games = {fact.game_id}
    return replace(
        state,
        results=MappingProxyType({**state.results, fact.game_id: None if unplayed else _game(fact)}),
        unplayed=state.unplayed | games if unplayed else state.unplayed - games,
    )


def _game(fact: pairing_events.ResultRecorded | pairing_events.ResultCorrected) -> Game | None:
    """What a result is to the ratings: the winner's, though the other may have the higher score (FISC I.8.E)."""
    if len(fact.scores) != 2:
        return None  # no rating says what a table of several is worth
    first, second = fact.scores
    if fact.lost_by_all:
        return None
    if fact.winner_id:
        half_points = 2 if fact.winner_id == first.player_id else 0
    else:
        half_points = 1 + (first.score > second.score) - (first.score < second.score)
    return Game(first.player_id, second.player_id, half_points)
