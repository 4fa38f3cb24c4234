from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.adjudication.cases import (
    GAME,
    JUDGES,
    LAW,
    PLAYABLE,
    RAISED_AT,
    after,
    at,
    automatic,
    build_adjudication,
    challenge,
)

from faristol.adjudication.cases.challenges import Question, adjudicate
from faristol.adjudication.cases.model import Case, Ruling, Word, evolve
from faristol.adjudication.policy import Adjudication, Judge
from faristol.adjudication.views import AdjudicatedGame, watch_game
from faristol.kernel.cases import case_id_of
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events

WORDS = st.sampled_from([("S", "O", "L"), ("A", "NY"), ("A", "N", "Y"), ("X",)])
LATER = to_timestamp(at(7))
CASE = case_id_of(GAME.game_id, GAME.seed, 2)


def adjudicate_words(case: Case, settings: Adjudication, *words: Word) -> list[Message]:
    return adjudicate(case, Question(challenge(*words), RAISED_AT), GAME, settings, LAW, LATER)


def test_a_challenge_becomes_a_case_that_the_pinned_lexicon_rules_on_in_no_time() -> None:
    opened, ruled = adjudicate_words(Case(), automatic(), ("S", "O", "L"), ("A", "NY"))
    assert opened == events.CaseOpened(
        case_id=CASE,
        game_id="cup-r1-t1",
        tournament_id="cup",
        turn=4,
        challenge=2,
        words=[game_events.Word(faces=["S", "O", "L"]), game_events.Word(faces=["A", "NY"])],
        lexicon=game_events.Pin(name="catalan", digest="ab" * 32),
        mode=events.MODE_AUTOMATIC,
        occurred_at=RAISED_AT,
        language="ca",
        article="FISC I.10",
    )
    assert isinstance(ruled, events.CaseRuled)
    assert (ruled.case_id, ruled.game_id, ruled.turn, ruled.challenge) == (CASE, "cup-r1-t1", 4, 2)
    assert ruled.valid
    assert ruled.occurred_at == RAISED_AT


def test_digraphs_are_ruled_on_as_tiles_and_not_as_letters() -> None:
    _, ruled = adjudicate_words(Case(), automatic(), ("S", "O", "L"), ("A", "N", "Y"))
    assert isinstance(ruled, events.CaseRuled)
    assert not ruled.valid
    assert [(tuple(word.word.faces), word.valid) for word in ruled.words] == [
        (("S", "O", "L"), True),
        (("A", "N", "Y"), False),
    ]


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_play_stands_exactly_when_every_word_challenged_is_a_word(words: list[Word]) -> None:
    case = after(Case(), adjudicate_words(Case(), automatic(), *words))
    assert case.ruled
    assert case.valid == all(word in PLAYABLE for word in words)
    assert case.rulings == tuple(Ruling(word, word in PLAYABLE) for word in words)


@pytest.mark.parametrize("panel", [0, 1, 3])
def test_a_case_is_opened_and_ruled_on_once_however_often_the_challenge_is_told(panel: int) -> None:
    settings = build_adjudication(panel) if panel else automatic()
    new_events = adjudicate_words(Case(), settings, ("S", "O", "L"))
    for done in range(len(new_events)):
        assert (
            adjudicate_words(after(Case(), new_events[: done + 1]), settings, ("S", "O", "L")) == new_events[done + 1 :]
        )


def test_an_appeal_that_a_director_alone_may_rule_on_is_with_the_director_at_once() -> None:
    head, ada = Judge("head", frozenset(), director=True), Judge("ada", frozenset({"ca"}), director=False)
    settings = Adjudication(mode=events.MODE_JUDGE, panel=1, judges={"head": head, "ada": ada})

    def open_appeal(barred: str) -> Case:
        question = Question(challenge(("S", "O", "L")), RAISED_AT, appeal=True, barred=(barred,))
        return after(Case(), adjudicate(Case(), question, GAME, settings, LAW, LATER))

    assert open_appeal("ada").escalated
    assert not open_appeal("nil").escalated


@pytest.mark.parametrize("panel", [1, 3])
def test_where_judges_rule_the_case_waits_from_when_it_is_known_and_keeps_its_mode(panel: int) -> None:
    (opened,) = adjudicate_words(Case(), build_adjudication(panel), ("S", "O", "L"))
    case = evolve(Case(), opened)
    assert case.waiting
    assert case.queued_at == LATER
    assert case.opened_at == RAISED_AT
    assert case.free_seats == tuple(range(1, panel + 1))
    assert case.escalates_at() == at(7 + 120)
    assert adjudicate_words(case, automatic(), ("S", "O", "L")) == []


def test_an_appeal_is_a_case_of_its_own_that_bars_who_ruled_first() -> None:
    question = Question(challenge(("X",)), LATER, appeal=True, barred=("ada",))
    (opened,) = adjudicate(Case(), question, GAME, build_adjudication(), LAW, LATER)
    assert isinstance(opened, events.CaseOpened)
    assert opened.case_id == case_id_of(GAME.game_id, GAME.seed, 2, appeal=True)
    assert opened.appeal
    assert opened.barred_judge_ids == ["ada"]


def test_an_appeal_that_no_other_judge_can_take_is_left_to_the_arbiter_at_the_table() -> None:
    question = Question(challenge(("X",)), LATER, appeal=True, barred=("ada",))
    assert adjudicate(Case(), question, GAME, automatic(), LAW, LATER) == []
    alone = replace(build_adjudication(), judges={"ada": Judge("ada", frozenset({"ca"}), director=True)})
    assert adjudicate(Case(), question, GAME, alone, LAW, LATER) == []
    another = replace(build_adjudication(), judges={**alone.judges, "head": JUDGES["head"]})
    opened, escalated = adjudicate(Case(), question, GAME, another, LAW, LATER)
    assert isinstance(opened, events.CaseOpened)
    assert isinstance(escalated, events.CaseEscalated)


def test_a_game_is_known_from_the_events_that_its_cases_depend_on() -> None:
    opened = game_events.GameOpened(
        game_id=GAME.game_id,
        tournament_id="cup",
        lexicon=game_events.Pin(name="catalan", digest="ab" * 32),
        seed=b"secret",
    )
    raised = challenge(("X",))
    game = reduce(watch_game, [opened, game_events.GameStarted(first_player_id="anna"), raised], AdjudicatedGame())
    assert game == AdjudicatedGame(GAME.game_id, "cup", GAME.ruleset, GAME.lexicon, b"secret", {2: raised}, unruled=2)


def test_an_event_of_another_context_is_no_event_of_a_case() -> None:
    with pytest.raises(TypeError, match=r"faristol\.game\.v1\.GameStarted is not an event of a case"):
        evolve(Case(), game_events.GameStarted())
