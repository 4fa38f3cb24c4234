from __future__ import annotations

from functools import reduce

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from faristol.lexicon.decide import adjudicate
from faristol.lexicon.model import Case, GameView, Ruling, Word, evolve, view
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events

GAME = GameView("cup-r1-t1", "cup", "catalan", "ab" * 32)
RAISED_AT = Timestamp(seconds=1_700_000_000)
PLAYABLE = {("S", "O", "L"), ("A", "NY")}
WORDS = st.sampled_from([("S", "O", "L"), ("A", "NY"), ("A", "N", "Y"), ("X",)])


def challenge(*words: Word) -> game_events.ChallengeRaised:
    return game_events.ChallengeRaised(
        turn=4,
        challenge=2,
        player_id="biel",
        words=[game_events.Word(faces=word) for word in words],
        occurred_at=RAISED_AT,
    )


def adjudicated(case: Case, *words: Word) -> list[Message]:
    return adjudicate(case, challenge(*words), GAME, PLAYABLE.__contains__)


def test_a_challenge_becomes_a_case_that_the_pinned_lexicon_rules_on_in_no_time() -> None:
    opened, ruled = adjudicated(Case(), ("S", "O", "L"), ("A", "NY"))
    assert opened == events.CaseOpened(
        case_id="cup-r1-t1-2",
        game_id="cup-r1-t1",
        tournament_id="cup",
        turn=4,
        challenge=2,
        words=[game_events.Word(faces=["S", "O", "L"]), game_events.Word(faces=["A", "NY"])],
        lexicon=game_events.Pin(name="catalan", digest="ab" * 32),
        mode=events.MODE_AUTOMATIC,
        occurred_at=RAISED_AT,
    )
    assert isinstance(ruled, events.CaseRuled)
    assert (ruled.case_id, ruled.game_id, ruled.turn, ruled.challenge) == ("cup-r1-t1-2", "cup-r1-t1", 4, 2)
    assert ruled.valid
    assert ruled.occurred_at == RAISED_AT


def test_digraphs_are_ruled_on_as_tiles_and_not_as_letters() -> None:
    _, ruled = adjudicated(Case(), ("S", "O", "L"), ("A", "N", "Y"))
    assert isinstance(ruled, events.CaseRuled)
    assert not ruled.valid
    assert [(tuple(word.word.faces), word.valid) for word in ruled.words] == [
        (("S", "O", "L"), True),
        (("A", "N", "Y"), False),
    ]


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_play_stands_exactly_when_every_word_challenged_is_a_word(words: list[Word]) -> None:
    facts = adjudicated(Case(), *words)
    case = reduce(evolve, facts, Case())
    assert case.ruled
    assert case.valid == all(word in PLAYABLE for word in words)
    assert case.rulings == tuple(Ruling(word, word in PLAYABLE) for word in words)


def test_a_case_is_ruled_on_once_however_often_the_challenge_is_told() -> None:
    opened, ruled = adjudicated(Case(), ("S", "O", "L"))
    open_case = evolve(Case(), opened)
    assert adjudicated(open_case, ("S", "O", "L")) == [ruled]
    assert adjudicated(evolve(open_case, ruled), ("S", "O", "L")) == []


def test_a_game_is_known_from_the_fact_that_opened_it() -> None:
    opened = game_events.GameOpened(
        game_id=GAME.game_id,
        tournament_id="cup",
        lexicon=game_events.Pin(name="catalan", digest="ab" * 32),
    )
    facts: list[Message] = [opened, game_events.GameStarted(first_player_id="anna"), challenge(("X",))]
    assert reduce(view, facts, GameView()) == GAME


def test_a_fact_of_another_context_is_no_fact_of_a_case() -> None:
    with pytest.raises(TypeError, match=r"faristol\.game\.v1\.GameStarted is not a fact of a case"):
        evolve(Case(), game_events.GameStarted())
