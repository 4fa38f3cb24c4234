"""Numbered rating lists: each begins from the one before, is frozen, and says in a revision which ratings moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.pb.rating.v1 import federation_events_pb2 as events
from faristol.pb.rating.v1 import federation_pb2 as pb
from faristol.rating.federation.decide import list_moved, publish, refuse_without_change, revise
from faristol.rating.federation.model import FederationLists, evolve, fold_lists
from faristol.rating.games import Rated, RatedGame
from faristol.rating.model import TournamentView

AT = Timestamp(seconds=1_780_000_000)

Results = Sequence[tuple[str, str, int]]
"""The first player, the second, and the half points of the first in each game."""


def tournament(results: Results, ratings: dict[str, int] | None = None, **fields: Any) -> TournamentView:
    names = sorted({player for first, second, _ in results for player in (first, second)})
    players = tuple(Rated(name, (ratings or {}).get(name, 1500)) for name in names)
    games = {f"g{at}": (RatedGame(*result),) for at, result in enumerate(results)}
    return TournamentView(**{"rounds": 3, "closed": 3, "players": players, "results": games, **fields})


class Federation:
    """The lists of a federation and its tournaments."""

    def __init__(self, **tournaments: TournamentView) -> None:
        self.state = FederationLists()
        self.tournaments = tournaments

    def publish(self, *tournament_ids: str, **fields: Any) -> list[Message]:
        request = pb.PublishFederationListRequest(**{"name": "List", "tournament_ids": tournament_ids, **fields})
        new_events = publish(self.state, request, self.tournaments, AT)
        self.state = fold_lists(self.state, new_events)
        return new_events

    def revise(self, number: int) -> list[tuple[int, str, int, int]]:
        revised = revise(self.state, number, self.tournaments, AT)
        refuse_without_change(revised, number)
        self.state = fold_lists(self.state, revised.events)
        return [(each.number, each.player_id, each.before, each.after) for each in revised.moved]

    def ratings(self, number: int, revision: int | None = None) -> dict[str, int]:
        last = len(self.state.lists[number - 1].revisions) - 1
        found = self.state.ratings_at(number, last if revision is None else revision)
        return {player: listed.rating for player, listed in found.items()}


@pytest.fixture
def federation() -> Federation:
    return Federation(
        a=tournament([("anna", "biel", 2), ("anna", "carla", 2), ("biel", "carla", 1)]),
        b=tournament([("anna", "biel", 0), ("dora", "biel", 2)], {"anna": 9_000, "dora": 1700}),
        c=tournament([("carla", "eva", 2)]),
    )


def test_a_list_begins_from_the_ratings_of_the_list_before(federation: Federation) -> None:
    federation.publish("a")
    first = federation.ratings(1)
    assert first == {"anna": 1520, "biel": 1490, "carla": 1490}
    federation.publish("b")
    anna = next(change for change in federation.state.lists[1].changes if change.player_id == "anna")
    assert anna.before == first["anna"], "not the rating of the registration"
    assert federation.ratings(2)["carla"] == first["carla"], "a player without a game stays in the list"
    assert federation.ratings(2).keys() == {"anna", "biel", "carla", "dora"}


def test_tournaments_of_a_list_are_rated_one_after_the_other(federation: Federation) -> None:
    federation.publish("a", "b")
    together = federation.ratings(1)
    apart = Federation(**federation.tournaments)
    apart.publish("a")
    apart.publish("b")
    assert apart.ratings(2) == together


def test_a_published_list_does_not_change_with_the_results(federation: Federation) -> None:
    federation.publish("a")
    before = federation.ratings(1)
    federation.tournaments["a"] = tournament([("anna", "biel", 0), ("anna", "carla", 2), ("biel", "carla", 1)])
    assert federation.ratings(1) == before
    federation.publish("c")
    assert federation.ratings(1) == before


def test_a_revision_says_which_ratings_moved_and_the_former_ones_stay_readable(federation: Federation) -> None:
    federation.publish("a")
    before = federation.ratings(1)
    federation.tournaments["a"] = tournament([("anna", "biel", 0), ("anna", "carla", 2), ("biel", "carla", 1)])
    assert federation.revise(1) == [(1, "anna", 1520, 1500), (1, "biel", 1490, 1510)]
    assert federation.ratings(1, 0) == before
    assert federation.ratings(1) == {"anna": 1500, "biel": 1510, "carla": 1490}


def test_a_revision_carries_on_to_the_later_lists_and_to_players_without_a_game_there(federation: Federation) -> None:
    federation.publish("a")
    federation.publish("c")
    federation.publish("b")
    former = federation.ratings(3)
    federation.tournaments["a"] = tournament([("anna", "biel", 0), ("anna", "carla", 2), ("biel", "carla", 1)])
    moved = federation.revise(1)
    assert [len(each.revisions) for each in federation.state.lists] == [2, 2, 2]
    assert (2, "anna", 1520, 1500) in moved, "she did not play in list 2"
    assert federation.ratings(3, 0) == former, "as it was published, from the former list before"
    fresh = Federation(**federation.tournaments)
    for tournament_id in ("a", "c", "b"):
        fresh.publish(tournament_id)
    assert federation.ratings(3) == fresh.ratings(3), "as if the results had been right from the start"


def test_a_revision_of_a_later_list_leaves_the_earlier_ones(federation: Federation) -> None:
    federation.publish("a")
    federation.publish("b")
    federation.tournaments["b"] = tournament([("anna", "biel", 2), ("dora", "biel", 2)], {"dora": 1700})
    federation.revise(2)
    assert [len(each.revisions) for each in federation.state.lists] == [1, 2]


def test_a_revision_without_a_change_is_refused(federation: Federation) -> None:
    federation.publish("a")
    with pytest.raises(Refusal) as refused:
        federation.revise(1)
    assert refused.value.reason == "SAME_RATINGS"
    with pytest.raises(NotFound):
        federation.revise(2)


def test_a_tournament_is_in_one_list_and_finished(federation: Federation) -> None:
    federation.publish("a")
    federation.tournaments["open"] = tournament([("anna", "biel", 2)], closed=2)
    for tournament_id, reason in (("a", "ALREADY_LISTED"), ("open", "NOT_FINISHED")):
        with pytest.raises(Refusal) as refused:
            federation.publish(tournament_id)
        assert refused.value.reason == reason
    for wanted in ((), ("b", "b")):
        with pytest.raises(Invalid, match="tournament_ids"):
            federation.publish(*wanted)


def test_all_lists_have_the_system_of_the_first(federation: Federation) -> None:
    federation.publish("a", system="glicko2-1")
    deviation = {change.player_id: change.deviation for change in federation.state.lists[0].changes}
    with pytest.raises(Refusal) as refused:
        federation.publish("b", system="elo-1")
    assert refused.value.reason == "SYSTEM_FIXED"
    federation.publish("b")
    assert federation.state.lists[1].system == "glicko2-1"
    later = {change.player_id: change.deviation for change in federation.state.lists[1].changes}
    assert 0 < later["biel"] < deviation["biel"], "the deviation is carried on and falls with more games"


def test_events_one_by_one_and_together_make_the_same_lists(federation: Federation) -> None:
    new_events = [*federation.publish("a", "b"), *federation.publish("c")]
    state = FederationLists()
    for event in new_events:
        state = evolve(state, event)
    assert state == federation.state
    assert fold_lists(fold_lists(FederationLists(), new_events[:3]), new_events[3:]) == state


def test_a_player_who_is_not_in_a_list_has_moved_from_or_to_nothing() -> None:
    federation = Federation(a=tournament([("anna", "biel", 2)]))
    federation.publish("a")
    listed = federation.state.ratings_after(1)
    moved = list_moved(1, 1, {}, listed)
    assert [(each.player_id, each.before, each.after) for each in moved] == [("anna", 0, 1510), ("biel", 0, 1490)]
    assert isinstance(federation.state.lists[0].changes[0], events.FederationRatingChanged)


def count_eva_as_anna(player_id: str) -> str:
    return "anna" if player_id == "eva" else player_id


def test_merged_entries_are_one_player_of_a_list_and_each_change_names_the_entry(federation: Federation) -> None:
    federation.publish("a")
    request = pb.PublishFederationListRequest(name="Next", tournament_ids=["c"])
    new_events = publish(federation.state, request, federation.tournaments, AT, count_eva_as_anna)
    changes = {each.player_id: each for each in new_events if isinstance(each, events.FederationRatingChanged)}
    assert changes.keys() == {"anna", "carla"}
    assert changes["anna"].before == federation.ratings(1)["anna"], "of the list, not of the second entry"
    assert (changes["anna"].entry_id, changes["carla"].entry_id) == ("eva", "")


def test_a_merge_moves_ratings_of_a_published_list_only_by_a_revision(federation: Federation) -> None:
    federation.publish("a")
    federation.publish("c")
    before = federation.ratings(2)
    revised = revise(federation.state, 1, federation.tournaments, AT, count_eva_as_anna)
    assert federation.ratings(2) == before
    moved = {each.player_id: (each.number, each.after) for each in revised.moved}
    assert moved["eva"] == (2, 0), "no longer in the list"
    assert moved["anna"][0] == 2
