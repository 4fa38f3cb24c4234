from __future__ import annotations

import pytest
from tests.unit.lexicon.cases import JUDGES, RAISED_AT, automatic, judged

from faristol.lexicon.adjudication import Adjudication, evolve
from faristol.lexicon.appointing import appoint, choose_layers, dismiss, set_adjudication
from faristol.lexicon.views import Pin, Tournament
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules import load_ruleset
from faristol.rules.refusal import Refusal

STAFFED = Adjudication(judges=JUDGES)


def set_to(state: Adjudication, mode: events.Mode.ValueType, panel: int = 0, language: str = "ca") -> Adjudication:
    for fact in set_adjudication(state, mode, panel, 30, 120, language, RAISED_AT):
        state = evolve(state, fact)
    return state


def test_challenges_are_ruled_on_by_the_lexicon_until_a_director_says_otherwise() -> None:
    assert automatic().mode == events.MODE_AUTOMATIC
    assert set_to(STAFFED, events.MODE_JUDGE).panel == 1
    assert set_to(STAFFED, events.MODE_PANEL, 3).panel == 3
    assert set_to(set_to(STAFFED, events.MODE_PANEL, 3), events.MODE_AUTOMATIC).panel == 0
    assert set_adjudication(STAFFED, events.MODE_AUTOMATIC, 0, 30, 120, "ca", RAISED_AT) == []


@pytest.mark.parametrize(
    ("mode", "panel", "language", "reason"),
    [
        (events.MODE_PANEL, 5, "ca", "TOO_FEW_JUDGES"),
        (events.MODE_JUDGE, 0, "fr", "TOO_FEW_JUDGES"),
    ],
)
def test_no_mode_is_set_that_the_judges_cannot_serve(
    mode: events.Mode.ValueType, panel: int, language: str, reason: str
) -> None:
    with pytest.raises(Refusal) as caught:
        set_to(STAFFED, mode, panel, language)
    assert caught.value.reason == reason


def test_judges_rule_only_where_a_director_stands_behind_them() -> None:
    without = Adjudication(judges={name: judge for name, judge in JUDGES.items() if not judge.director})
    with pytest.raises(Refusal, match="goes to a director"):
        set_to(without, events.MODE_JUDGE)
    with pytest.raises(Refusal, match="goes to a director"):
        dismiss(judged(), "head", "ca", RAISED_AT)
    with pytest.raises(Refusal, match="goes to a director"):
        appoint(judged(), "head", ["en"], director=False, language="ca", at=RAISED_AT)


def test_a_judge_is_appointed_and_dismissed_once() -> None:
    (fact,) = appoint(STAFFED, "eva", ["es", "ca", "es"], director=False, language="ca", at=RAISED_AT)
    assert isinstance(fact, events.JudgeAppointed)
    assert fact.languages == ["ca", "es"]
    state = evolve(STAFFED, fact)
    assert appoint(state, "eva", ["ca", "es"], director=False, language="ca", at=RAISED_AT) == []
    for one in dismiss(state, "eva", "ca", RAISED_AT):
        state = evolve(state, one)
    assert state == STAFFED
    with pytest.raises(Refusal, match="eva is not appointed"):
        dismiss(state, "eva", "ca", RAISED_AT)


@pytest.mark.parametrize("name", ["fisc-2023", "uf-2007", "fise"])
def test_where_layers_are_chosen_with_the_tournament_they_stay(name: str) -> None:
    with pytest.raises(Refusal) as caught:
        choose_layers(automatic(), Tournament("cup"), load_ruleset(name), ["balearic"], ["balearic"], RAISED_AT)
    assert caught.value.reason == "LAYERS_FROZEN"


def test_pes_lets_dictionaries_be_chosen_until_the_first_game() -> None:
    pes = load_ruleset("pes-2024")
    tournament = Tournament("cup", lexicon=Pin("greek", "ab"))
    (fact,) = choose_layers(automatic(), tournament, pes, ["lkn", "babiniotis"], ["babiniotis", "lkn"], RAISED_AT)
    assert evolve(automatic(), fact).layers == ("babiniotis", "lkn")
    started = Tournament("cup", lexicon=Pin("greek", "ab"), started=True)
    with pytest.raises(Refusal) as caught:
        choose_layers(automatic(), started, pes, ["lkn"], ["lkn"], RAISED_AT)
    assert (caught.value.reason, caught.value.article) == ("LAYERS_FROZEN", "PES Α")
    with pytest.raises(Refusal, match="has no layer slang; it has: lkn"):
        choose_layers(automatic(), tournament, pes, ["slang"], ["lkn"], RAISED_AT)


def test_a_fact_of_another_context_is_no_fact_of_adjudication() -> None:
    with pytest.raises(TypeError, match="is not a fact of adjudication"):
        evolve(automatic(), game_events.GameStarted())
