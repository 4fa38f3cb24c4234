from __future__ import annotations

import pytest
from tests.support.halls import Hall

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.state import TournamentState, evolve, game_id, stream
from faristol.tournament.state.evolution import FOLDS

THREE = {"anna": 1500, "biel": 1400, "cinta": None}


def test_ids_are_readable() -> None:
    assert stream("open-2024") == "tournament-open-2024"
    first = "open-2024-r3-t12"
    assert game_id("open-2024", 3, 12, ["anna", "biel"], {}) == first
    assert game_id("open-2024", 3, 12, ["anna", "biel"], {first: ["anna", "biel"]}) == first
    assert game_id("open-2024", 3, 12, ["anna", "cesc"], {first: ["anna", "biel"]}) == f"{first}-2"


def test_every_event_of_the_contract_is_understood() -> None:
    # Every message in events.proto can be on the stream, except parts of other events and files beside it.
    understood = {event.DESCRIPTOR.name for event in FOLDS}

    parts = {"Pairing", "RequestedBye", "Hall", "Division", "TribunalMember", "TeamMatch", "TeamBye", "RoundTime"}
    parts |= {"ScreenPart", "Stage", "QualifiedPlayer", "ShadowDifference", "ProposedEvent"}
    on_other_streams = {"RulesetKept", "PictureStored", "HeldEventTold"}
    assert understood == set(events.DESCRIPTOR.message_types_by_name) - parts - on_other_streams


def test_a_foreign_event_is_never_skipped() -> None:
    with pytest.raises(TypeError, match=r"faristol\.game\.v1\.Passed is not an event of a tournament"):
        evolve(TournamentState(), game_events.Passed())


def test_a_round_knows_which_tables_are_missing() -> None:
    hall = Hall({f"p{place}": 2000 - place for place in range(6)})
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t2", 300, 310)

    (played,) = hall.state.played

    assert [pairing.table for pairing in played.missing] == [1, 3]
    assert played.results["open-r1-t2"] == (300, 310)


def test_players_and_games_are_found_by_id() -> None:
    hall = Hall(THREE)
    state = hall.state

    found = state.player("cinta")
    assert found is not None
    assert (found.rating, found.unrated) == (1000, True)
    assert state.player("nobody") is None
    assert state.find_game("open-r1-t1") is None
