from __future__ import annotations

from typing import Any, get_args

import pytest

from faristol.gateway import operation, pairings, prizes, rulings, sheet_words, standings, tournaments
from faristol.gateway.answers import words_of
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results


@pytest.mark.parametrize(
    ("enumeration", "words"),
    [
        (results.ConsumerKind, operation.Kind),
        (results.ConsumerState, operation.State),
        (results.EntryKind, sheet_words.EntryKind),
        (results.IncidentKind, sheet_words.IncidentKind),
        (results.LeftOut, standings.LeftOut),
        (results.Outcome, standings.Outcome),
        (results.RoundPhase, tournaments.Phase),
        (results.TermBasis, standings.TermBasis),
        (game.EndCondition, sheet_words.EndCondition),
        (game.TurnLostReason, sheet_words.TurnLostReason),
        (game.WithdrawalReason, sheet_words.WithdrawalReason),
        (clock.NeutralisationReason, sheet_words.NeutralisationReason),
        (pairing.ByeKind, pairings.ByeKind),
        (pairing.PrizeKind, prizes.PrizeKind),
        (lexicon.Mode, rulings.Mode),
    ],
)
def test_the_json_has_a_word_for_whatever_the_contract_enumerates(enumeration: Any, words: Any) -> None:
    assert set(words_of(enumeration.DESCRIPTOR).values()) == {None, *get_args(words)}
