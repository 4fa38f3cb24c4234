from __future__ import annotations

import pytest

from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.tournament.kept.execution import _check_unchanged
from faristol.tournament.state.tournament import TournamentState


def test_a_correction_in_a_hall_of_a_result_that_the_championship_lacks_says_so() -> None:
    before = [game_events.FinalScore(player_id=player, score=score) for player, score in (("anna", 444), ("biel", 333))]
    kept = events.HallCommandKept(game_id="open-r1-t1", hall="Sala Gran", scores_before=before)
    with pytest.raises(Refusal, match="The hall Sala Gran changed 444–333"):
        _check_unchanged(TournamentState(), kept)
