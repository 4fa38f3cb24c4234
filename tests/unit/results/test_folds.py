"""Every event is handled by each fold of the read models, or by what the contract says none of its business."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from google.protobuf.message import Message

from faristol.kernel import facts
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results import history, model
from faristol.results.broken import Unknown
from faristol.results.clocks import tick
from faristol.results.incidents import note_incident
from faristol.results.model import View, apply
from faristol.results.players import change_players
from faristol.results.rounds import change_round
from faristol.results.scoresheet import play
from faristol.results.tournament import change_tournament

FOLDS: Mapping[options.Change.ValueType, Callable[[Message], object]] = {
    options.CHANGE_TOURNAMENT: lambda fact: change_tournament(results.Tournament(), fact),
    options.CHANGE_PLAYERS: lambda fact: change_players(None, fact),
    options.CHANGE_ROUND: lambda fact: change_round(results.GetPairingsResponse(), fact),
    options.CHANGE_SHEET: lambda fact: play(results.GetGameResponse(), fact),
    options.CHANGE_INCIDENTS: lambda fact: note_incident(results.GetGameResponse(), fact),
    options.CHANGE_CLOCKS: lambda fact: tick(results.GetGameResponse(), fact),
}


def knows(fold: Callable[[Message], object], kind: facts.Kind) -> bool:
    """Whether a fold knows what to do with an event, though an empty one may not make sense to it."""
    try:
        fold(kind())
    except Unknown:
        return False
    except Exception:  # noqa: BLE001 # it was taken up
        return True
    return True


@pytest.mark.parametrize("change", FOLDS, ids=options.Change.Name)
def test_a_fold_handles_the_events_that_change_what_it_folds_and_no_others(change: options.Change.ValueType) -> None:
    assert {kind for kind in facts.EVENTS if knows(FOLDS[change], kind)} == facts.that_change(change)


def test_scores_change_on_the_sheet_alone_and_a_result_with_its_round() -> None:
    assert facts.that_change(options.CHANGE_SCORE) <= facts.that_change(options.CHANGE_SHEET)
    of_round = facts.that_change(options.CHANGE_RESULT, options.CHANGE_SCHEDULE)
    assert of_round <= facts.that_change(options.CHANGE_ROUND)
    of_players = facts.that_change(options.CHANGE_ENTRIES, options.CHANGE_TEAMS)
    assert of_players <= facts.that_change(options.CHANGE_PLAYERS)


def test_an_event_that_changes_no_read_model_passes_and_one_that_can_be_none_of_theirs_does_not() -> None:
    nothing = {kind for kind in facts.EVENTS if not facts.meaning(kind).changes} - {*facts.events_of(lexicon)}
    assert {game.SheetSigned, pairing.ByeGranted, pairing.RulesetKept} <= nothing
    for kind in nothing:
        assert apply(View(), kind()) == View()
    for kind in (game.Pin, lexicon.CaseOpened):
        with pytest.raises(Unknown):
            apply(View(), kind())


def test_the_list_of_tournaments_as_it_was_rests_on_all_that_tournaments_write_into_it() -> None:
    written = {kind for kind, part in model._OF.items() if part != "game"}
    assert facts.types_of(written) == history._OF_LIST
