"""The state of a tournament at its tables follows from its events, one after another."""

from __future__ import annotations

from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.pairings import seats_of
from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.table.views import TableTournament, watch_tournament

NOON_NS = 1_700_000_000_000_000_000


def watch_events(*past_events: Message) -> TableTournament:
    return reduce(watch_tournament, past_events, TableTournament())


def pair_round(number: int, *games: str) -> events.RoundPaired:
    pairings = [
        events.Pairing(table=table, game_id=game, player_ids=[f"{game}a", f"{game}b"])
        for table, game in enumerate(games, 1)
    ]
    return events.RoundPaired(round=number, pairings=pairings, occurred_at=timestamp(NOON_NS + number))


def test_players_are_those_who_registered_at_any_time() -> None:
    found = watch_events(
        events.TournamentCreated(tournament_id="cup", seed=b"s"),
        events.PlayerRegistered(player_id="anna"),
        events.PlayerRegistered(player_id="biel"),
        events.LateEntryAdmitted(player_id="carla"),
    )
    assert found.players == {"anna", "biel", "carla"}
    assert (found.tournament_id, found.seed, found.keeping) == ("cup", b"s", game_events.KEEPING_HOSTED)
    recorded = events.TournamentCreated(tournament_id="cup", keeping=game_events.KEEPING_RECORDED)
    assert watch_events(recorded).keeping == game_events.KEEPING_RECORDED


def test_a_round_that_is_paired_again_begins_anew_and_leaves_other_rounds_alone() -> None:
    played = watch_events(
        pair_round(1, "g1", "g2"),
        events.GamePostponed(game_id="g2"),
        events.PostponedGameStarted(game_id="g2"),
        events.ResultRecorded(game_id="g1"),
        pair_round(2, "h1", "h2"),
        events.GamePostponed(game_id="h1"),
        events.PostponedGameStarted(game_id="h1"),
        events.ResultRecorded(game_id="h1"),
    )
    assert [set(played.postponed), set(played.begun), set(played.over)] == [{"g2", "h1"}, {"g2", "h1"}, {"g1", "h1"}]
    again = watch_tournament(played, pair_round(2, "h1"))
    assert [set(again.postponed), set(again.begun), set(again.over)] == [{"g2"}, {"g2"}, {"g1"}]
    assert [len(again.pairings[number]) for number in (1, 2)] == [2, 1]
    assert (again.drawn[1], again.drawn[2]) == (NOON_NS + 1, NOON_NS + 2)
    assert watch_events(events.RoundPaired(round=1)).drawn == {}


def test_other_games_of_the_round_are_left_that_are_played_now_or_were_begun_again() -> None:
    found = watch_events(pair_round(1, "g1", "g2", "g3", "g4"), events.GamePostponed(game_id="g2"), pair_round(2, "h1"))
    assert found.left_beside("g1") == ("g3", "g4")
    assert found.left_beside("h1") == ()
    assert found.left_beside("nothing") == ()
    begun = watch_tournament(found, events.PostponedGameStarted(game_id="g2"))
    assert begun.left_beside("g1") == ("g2", "g3", "g4")
    assert watch_tournament(begun, events.ResultRecorded(game_id="g3")).left_beside("g1") == ("g2", "g4")
    put_off_again = watch_tournament(begun, events.GamePostponed(game_id="g2"))
    assert put_off_again.left_beside("g1") == ("g3", "g4")
    assert watch_tournament(found, events.PostponementCancelled(game_id="g2")).postponed == frozenset()


def test_who_has_left_is_known_with_the_game_given_up_until_the_return() -> None:
    left = watch_events(
        events.PlayerWithdrawn(player_id="anna", game_id="g1"),
        events.PlayerWithdrawn(player_id="biel"),
    )
    assert left.left == {"anna": "g1", "biel": ""}
    assert watch_tournament(left, events.PlayerReinstated(player_id="anna")).left == {"biel": ""}


def test_two_or_more_sit_at_a_table_in_the_order_of_turns() -> None:
    assert seats_of(events.Pairing(first_player_id="anna", second_player_id="biel")) == ("anna", "biel")
    assert seats_of(events.Pairing(player_ids=["c", "b", "a"])) == ("c", "b", "a")
