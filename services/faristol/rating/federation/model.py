"""The numbered rating lists of a federation, folded from their events. Pure.

A list is a chain: it begins from the ratings of the list before and adds the changes of its own tournaments. A revision
replaces the changes of a list; those of the revisions before remain, so that each can be read as it was published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.event_types import Kind
from faristol.pb.rating.v1 import federation_events_pb2 as events

LISTS_STREAM = "ratinglists-cell"
"""The stream of all lists: a cell holds the events of one federation."""


@dataclass(frozen=True, slots=True)
class ListedRating:
    """The rating of a player in a list."""

    rating: int
    deviation: int = 0
    """In hundredths of a point."""
    volatility: int = 0
    """In millionths."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The changes of a list as published or revised."""

    occurred_at: Timestamp
    bases: tuple[int, ...]
    """The revisions of the lists before that it begins from."""
    changes: tuple[events.FederationRatingChanged, ...] = ()
    """In the order of the tournaments."""


@dataclass(frozen=True, slots=True)
class NumberedList:
    """A numbered list with all its revisions."""

    number: int
    name: str
    system: str
    tournament_ids: tuple[str, ...]
    revisions: tuple[Revision, ...]
    """The first is the publication."""

    @property
    def changes(self) -> tuple[events.FederationRatingChanged, ...]:
        """The changes of the latest revision."""
        return self.revisions[-1].changes


@dataclass(frozen=True, slots=True)
class FederationLists:
    """The numbered lists of a cell."""

    lists: tuple[NumberedList, ...] = ()
    """By number, from 1."""

    @property
    def system(self) -> str:
        """The rating system of all lists; empty before the first."""
        return self.lists[0].system if self.lists else ""

    @property
    def listed_in(self) -> Mapping[str, int]:
        """The number of the list of each tournament, by tournament id."""
        return {tournament: each.number for each in self.lists for tournament in each.tournament_ids}

    def ratings_after(self, number: int) -> Mapping[str, ListedRating]:
        """Return the rating of each player after the latest revision of a list; empty for 0."""
        found: dict[str, ListedRating] = {}
        for each in self.lists[:number]:
            found = apply_changes(found, each.changes)
        return found

    def ratings_before(self, number: int, revision: int) -> Mapping[str, ListedRating]:
        """Return the ratings from which a revision of a list begins."""
        found: dict[str, ListedRating] = {}
        bases = self.lists[number - 1].revisions[revision].bases
        for each, base in zip(self.lists, bases, strict=False):
            found = apply_changes(found, each.revisions[base].changes)
        return found

    def ratings_at(self, number: int, revision: int) -> Mapping[str, ListedRating]:
        """Return the rating of each player in a revision of a list."""
        return apply_changes(self.ratings_before(number, revision), self.lists[number - 1].revisions[revision].changes)


def apply_changes(
    ratings: Mapping[str, ListedRating], changes: Sequence[events.FederationRatingChanged]
) -> dict[str, ListedRating]:
    """Return the ratings after changes, in their order."""
    found = dict(ratings)
    for change in changes:
        found[change.player_id] = ListedRating(change.after, change.deviation, change.volatility)
    return found


def evolve(state: FederationLists, event: Message) -> FederationLists:
    """Apply an event. Raises ``TypeError`` if the message is not an event of numbered lists."""
    fold = LIST_FOLDS.get(type(event))
    if fold is None:
        raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of numbered rating lists")
    return fold(state, event)


def fold_lists(state: FederationLists, past_events: Iterable[Message]) -> FederationLists:
    """Apply events, those of a publication together: a list has thousands of changes."""
    changes: list[events.FederationRatingChanged] = []
    for event in past_events:
        if isinstance(event, events.FederationRatingChanged):
            changes.append(event)
            continue
        state = evolve(_add_changes(state, changes), event)
        changes = []
    return _add_changes(state, changes)


def _add_changes(state: FederationLists, changes: Sequence[events.FederationRatingChanged]) -> FederationLists:
    """Add changes to the latest revision of their list."""
    if not changes:
        return state
    known = state.lists[changes[0].number - 1]
    *before, last = known.revisions
    changed = replace(last, changes=(*last.changes, *changes))
    return _with_list(state, replace(known, revisions=(*before, changed)))


def _publish(state: FederationLists, event: events.FederationListPublished) -> FederationLists:
    added = NumberedList(
        event.number,
        event.name,
        event.system,
        tuple(event.tournament_ids),
        (Revision(event.occurred_at, _list_bases(state, event.number)),),
    )
    return FederationLists((*state.lists, added))


def _list_bases(state: FederationLists, number: int) -> tuple[int, ...]:
    """Return the latest revision of each list before a number."""
    return tuple(len(each.revisions) - 1 for each in state.lists[: number - 1])


def _revise(state: FederationLists, event: events.FederationListRevised) -> FederationLists:
    known = state.lists[event.number - 1]
    return _with_list(
        state,
        replace(known, revisions=(*known.revisions, Revision(event.occurred_at, _list_bases(state, event.number)))),
    )


def _change(state: FederationLists, event: events.FederationRatingChanged) -> FederationLists:
    return _add_changes(state, [event])


def _with_list(state: FederationLists, changed: NumberedList) -> FederationLists:
    at = changed.number - 1
    return FederationLists((*state.lists[:at], changed, *state.lists[at + 1 :]))


LIST_FOLDS: Mapping[Kind, Callable[[FederationLists, Any], FederationLists]] = {
    events.FederationListPublished: _publish,
    events.FederationListRevised: _revise,
    events.FederationRatingChanged: _change,
}
"""The function that applies each type of event."""
