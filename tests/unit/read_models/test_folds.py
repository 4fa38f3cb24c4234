"""Every event is handled by each fold of the read models, or is irrelevant to it by the contract."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.unit.read_models.folded import Folded

from faristol.kernel import event_types
from faristol.pb.access.v1 import events_pb2 as access
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.hall.v1 import events_pb2 as hall
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.pairing.v1 import fee_events_pb2 as fees
from faristol.pb.pairing.v1 import registration_events_pb2 as registration
from faristol.pb.people.v1 import events_pb2 as people
from faristol.pb.rating.v1 import federation_events_pb2 as rating_lists
from faristol.pb.register.v1 import events_pb2 as register
from faristol.pb.season.v1 import events_pb2 as season
from faristol.read_models.projections import (
    clocks,
    incidents,
    lists,
    model,
    players,
    rounds,
    scoresheet,
    tournament,
    waits,
)
from faristol.read_models.projections.championship import Unknown
from faristol.read_models.projections.model import State

FOLDS: Mapping[options.Change.ValueType, set[event_types.Kind]] = {
    options.CHANGE_TOURNAMENT: {
        pairing.TournamentCreated,
        *tournament.TOURNAMENT_HANDLERS,
        *tournament.WITH_WORDS,
        *lists.MESSAGE_HANDLERS,
        *lists.HALL_HANDLERS,
    },
    options.CHANGE_PLAYERS: {*players.PLAYER_HANDLERS},
    options.CHANGE_ROUND: {*rounds.ROUND_HANDLERS, *rounds.RESULT_HANDLERS},
    options.CHANGE_SHEET: {game.GameOpened, *scoresheet.FOLDS},
    options.CHANGE_INCIDENTS: {*incidents.INCIDENT_HANDLERS},
    options.CHANGE_CLOCKS: {*clocks.CLOCK_HANDLERS},
    options.CHANGE_SCREENS: {*lists.SCREEN_HANDLERS},
    options.CHANGE_BROADCAST: {*lists.BROADCAST_HANDLERS},
    options.CHANGE_WAITS: {*waits.WAIT_HANDLERS},
}


@pytest.mark.parametrize("change", FOLDS, ids=options.Change.Name)
def test_a_fold_handles_the_events_that_change_what_it_folds_and_no_others(change: options.Change.ValueType) -> None:
    told = event_types.types_that_change(change)
    if change == options.CHANGE_SHEET:
        told |= event_types.types_that_change(options.CHANGE_INCIDENTS)  # they are noted on the row of the sheet
    assert FOLDS[change] == told


def test_every_event_that_changes_what_the_public_reads_is_folded() -> None:
    assert model.FOLDS.keys() == model.CHANGING | {pairing.RulesetKept}


def test_events_that_change_scores_find_the_lines_of_the_sheet_in_memory() -> None:
    assert event_types.types_that_change(options.CHANGE_SCORE).isdisjoint(scoresheet.WITHOUT_LINES)


def test_standings_are_made_anew_after_every_result_and_every_pairing() -> None:
    of_pairings = {pairing.RoundPaired, pairing.RoundUnpaired, pairing.RoundUnpublished, pairing.ByeAwarded}
    assert event_types.types_that_change(options.CHANGE_RESULT) | of_pairings == rounds.RANKED


def test_scores_change_on_the_sheet_alone_and_a_result_with_its_round() -> None:
    assert event_types.types_that_change(options.CHANGE_SCORE) <= event_types.types_that_change(options.CHANGE_SHEET)
    of_round = event_types.types_that_change(options.CHANGE_RESULT, options.CHANGE_SCHEDULE)
    assert of_round <= event_types.types_that_change(options.CHANGE_ROUND)
    of_players = event_types.types_that_change(options.CHANGE_ENTRIES, options.CHANGE_TEAMS)
    assert of_players <= event_types.types_that_change(options.CHANGE_PLAYERS)


def test_an_event_that_changes_no_read_model_passes_and_one_that_can_be_none_of_theirs_does_not() -> None:
    elsewhere = event_types.events_of(access, lexicon, people, registration, fees, rating_lists, register, season, hall)
    nothing = {kind for kind in event_types.RECORD_EVENT_TYPES if not event_types.meaning(kind).changes} - {*elsewhere}
    assert {game.SheetSigned, pairing.ByeGranted} <= nothing
    for kind in nothing - {pairing.RulesetKept}:
        folded = Folded()
        folded.take(kind())
        assert folded.state == State()
    for kind in (game.Pin, lexicon.CaseOpened, access.SignedIn, people.PersonErased, registration.EntryAsked):
        with pytest.raises(Unknown):
            Folded().take(kind())
