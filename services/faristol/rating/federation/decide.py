"""Decisions about numbered rating lists. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.names import check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.rating.v1 import federation_events_pb2 as events
from faristol.pb.rating.v1 import federation_pb2 as pb
from faristol.rating import decide
from faristol.rating.federation.model import FederationLists, ListedRating, apply_changes
from faristol.rating.games import Rated
from faristol.rating.model import RatingList, TournamentView
from faristol.rating.systems import system_named

MAX_LIST_TOURNAMENTS_COUNT = 500
"""Tournaments of a list."""

PersonOf = Callable[[str], str]
"""Returns the id under which a player is counted."""

Views = Mapping[str, TournamentView]
"""Tournaments by id, with the results so far."""


class Revised(NamedTuple):
    """The events of a revision, and the ratings that it changes."""

    events: list[Message]
    moved: list[pb.MovedRating]


def publish(
    state: FederationLists,
    request: pb.PublishFederationListRequest,
    tournaments: Views,
    occurred_at: Timestamp,
    person_of: PersonOf = str,
) -> list[Message]:
    """Return the events of the next list. ``person_of`` returns the id under which a player is counted.

    Raises ``Invalid`` for an invalid value. Raises ``Refusal`` if a tournament is not finished or in an earlier list,
    or if the system differs from that of the earlier lists.
    """
    name = check_name("name", request.name)
    wanted = list(request.tournament_ids)
    check_tournaments(wanted)
    system = system_named(request.system or state.system).name
    if state.system and system != state.system:
        raise Refusal(
            "SYSTEM_FIXED",
            N_("The lists are rated by {system}: a later list cannot have another system."),
            {"system": state.system},
        )
    for tournament_id in wanted:
        if number := state.listed_in.get(tournament_id):
            raise Refusal(
                "ALREADY_LISTED",
                N_("{tournament} is in list {number} already: revise that list if results have changed."),
                {"tournament": tournament_id, "number": number},
            )
        view = tournaments[tournament_id]
        if not view.rounds or view.closed < view.rounds:
            raise Refusal(
                "NOT_FINISHED",
                N_("{tournament} is not finished: {closed} of {rounds} rounds are closed."),
                {"tournament": tournament_id, "closed": view.closed, "rounds": view.rounds},
            )
    number = len(state.lists) + 1
    changes = compute_changes(number, system, wanted, tournaments, state.ratings_after(number - 1), person_of)
    published = events.FederationListPublished(
        number=number, name=name, system=system, tournament_ids=wanted, occurred_at=occurred_at
    )
    return [published, *changes]


def check_tournaments(wanted: Sequence[str]) -> None:
    """Raise ``Invalid`` for no tournament, for too many, and for one that is given twice."""
    if not 0 < len(wanted) <= MAX_LIST_TOURNAMENTS_COUNT or len(set(wanted)) != len(wanted):
        raise Invalid(
            "tournament_ids",
            N_("expected {least} to {most} tournaments, each once"),
            {"least": 1, "most": MAX_LIST_TOURNAMENTS_COUNT},
        )


def revise(
    state: FederationLists, number: int, tournaments: Views, occurred_at: Timestamp, person_of: PersonOf = str
) -> Revised:
    """Return the revisions of a list, and of all later ones in which a rating changes, by the present results.

    Raises ``NotFound`` for an unknown list. No events if no rating changes.
    """
    find_list(state, number)
    new_events: list[Message] = []
    moved: list[pb.MovedRating] = []
    former = present = state.ratings_after(number - 1)
    for each in state.lists[number - 1 :]:
        changes = compute_changes(each.number, each.system, each.tournament_ids, tournaments, present, person_of)
        former, present = apply_changes(former, each.changes), apply_changes(present, changes)
        if former == present and tuple(changes) == each.changes:
            continue
        revision = len(each.revisions)
        new_events.append(events.FederationListRevised(number=each.number, revision=revision, occurred_at=occurred_at))
        new_events += changes
        moved += list_moved(each.number, revision, former, present)
    return Revised(new_events, moved)


def refuse_without_change(revised: Revised, number: int) -> None:
    """Raise ``Refusal`` for a revision without events."""
    if not revised.events:
        raise Refusal(
            "SAME_RATINGS",
            N_("No rating of list {number} or of a later one changes: the list stays as it is."),
            {"number": number},
        )


def count_as_persons(view: TournamentView, person_of: PersonOf) -> TournamentView:
    """Return a tournament with the ids under which players are counted, and merged entries as one person."""
    if all(person_of(player.player_id) == player.player_id for player in view.players):
        return view
    return replace(
        view,
        players=[replace(player, player_id=person_of(player.player_id)) for player in view.players],
        results={
            game_id: tuple(replace(game, first=person_of(game.first), second=person_of(game.second)) for game in games)
            for game_id, games in view.results.items()
        },
        never_paired=set(map(person_of, view.never_paired)),
    )


def find_list(state: FederationLists, number: int) -> None:
    """Raise ``NotFound`` for a number that no list has."""
    if not 1 <= number <= len(state.lists):
        raise NotFound("rating list", str(number))


def compute_changes(
    number: int,
    system: str,
    tournament_ids: Sequence[str],
    tournaments: Views,
    start: Mapping[str, ListedRating],
    person_of: PersonOf = str,
) -> list[events.FederationRatingChanged]:
    """Return the changes of ratings by tournaments, one after the other, from the ratings at the start.

    A player without a listed rating begins with that of the registration in the tournament.
    """
    ratings = dict(start)
    changes: list[events.FederationRatingChanged] = []
    for tournament_id in tournament_ids:
        view = count_as_persons(tournaments[tournament_id], person_of)
        entries = {person_of(each.player_id): each.player_id for each in tournaments[tournament_id].players}
        players = [_carry(player, ratings.get(player.player_id)) for player in view.players]
        found = [
            events.FederationRatingChanged(
                number=number,
                tournament_id=tournament_id,
                entry_id="" if (entry := entries[change.player_id]) == change.player_id else entry,
                **asdict(change),
            )
            for change in decide.changes(RatingList(system=system), replace(view, players=players))
        ]
        ratings = apply_changes(ratings, found)
        changes += found
    return changes


def _carry(player: Rated, listed: ListedRating | None) -> Rated:
    """Return a player with the listed rating."""
    if listed is None:
        return player
    return Rated(
        player.player_id, listed.rating, unrated=False, deviation=listed.deviation, volatility=listed.volatility
    )


def list_moved(
    number: int, revision: int, former: Mapping[str, ListedRating], present: Mapping[str, ListedRating]
) -> list[pb.MovedRating]:
    """Return the ratings that differ between two revisions of a list, in the order of player ids."""
    moved = []
    for player_id in sorted(former.keys() | present.keys()):
        before, after = former.get(player_id), present.get(player_id)
        if before != after:
            moved.append(
                pb.MovedRating(
                    number=number,
                    player_id=player_id,
                    before=before.rating if before else 0,
                    after=after.rating if after else 0,
                    revision=revision,
                )
            )
    return moved
