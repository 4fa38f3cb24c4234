"""Which of the waiting cases a judge at a table rules on."""

from __future__ import annotations

import pytest

from faristol.cli.table.judging import Words, cases_of
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb


def case(case_id: str, *words: str, tournament_id: str = "copa") -> pb.QueuedCase:
    return pb.QueuedCase(
        case_id=case_id, tournament_id=tournament_id, words=[events.Word(faces=word) for word in words]
    )


WAITING = [
    case("part", "SA"),
    case("whole", "CASA", "SA"),
    case("other", "MAR"),
    case("away", "SA", tournament_id="lliga"),
]


@pytest.mark.parametrize(
    ("questioned", "found"),
    [
        (frozenset({tuple("SA")}), ["part"]),
        (frozenset({tuple("SA"), tuple("CASA")}), ["whole"]),
        (frozenset({tuple("CASA")}), []),
        (None, ["part", "whole"]),
    ],
)
def test_a_case_is_of_this_table_only_with_just_the_words_that_were_challenged_there(
    questioned: Words | None, found: list[str]
) -> None:
    words = [events.ScoredWord(word=events.Word(faces=word)) for word in ("CASA", "SA")]
    table = game_pb2.GetGameResponse(tournament_id="copa", pending=events.PlayPlaced(words=words))
    assert cases_of(table, questioned, WAITING) == found
