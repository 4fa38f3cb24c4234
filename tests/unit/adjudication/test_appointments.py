from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.adjudication.cases import JUDGES, RAISED_AT, automatic, build_adjudication

from faristol.adjudication import appointments
from faristol.adjudication.appointments import Situation
from faristol.adjudication.cases.model import Case
from faristol.adjudication.policy import Adjudication, Judge, evolve
from faristol.adjudication.views import AdjudicatedTournament
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules import Ruleset, load_ruleset

PES = load_ruleset("pes-2024")
Needs = tuple[Ruleset, str]
CATALAN: Needs = (PES, "ca")
FISC: Needs = (load_ruleset("fisc-2023"), "ca")
STAFFED = Adjudication(judges=JUDGES)


def situation_of(state: Adjudication, needs: Needs, waiting: Sequence[Case] = ()) -> Situation:
    return Situation(state, AdjudicatedTournament("cup"), needs[0], RAISED_AT, needs[1], waiting=waiting)


def set_adjudication(
    state: Adjudication, mode: events.Mode.ValueType, panel: int, needs: Needs = CATALAN
) -> list[Message]:
    request = pb.SetAdjudicationRequest(mode=mode, panel=panel, lease_seconds=30, escalate_after_seconds=120)
    return appointments.set_adjudication(situation_of(state, needs), request)


def dismiss(state: Adjudication, judge_id: str, waiting: Sequence[Case] = ()) -> list[Message]:
    request = pb.DismissJudgeRequest(judge_id=judge_id)
    return appointments.dismiss(situation_of(state, CATALAN, waiting), request)


def appoint(
    state: Adjudication, judge_id: str, languages: Sequence[str], waiting: Sequence[Case] = ()
) -> list[Message]:
    request = pb.AppointJudgeRequest(judge_id=judge_id, languages=languages)
    return appointments.appoint(situation_of(state, CATALAN, waiting), request)


def choose_layers(
    tournament: AdjudicatedTournament, ruleset: Ruleset, layers: Sequence[str], known: Sequence[str]
) -> list[Message]:
    situation = Situation(automatic(), tournament, ruleset, RAISED_AT, "el", known)
    return appointments.choose_layers(situation, pb.ChooseLayersRequest(layers=layers))


def set_to(state: Adjudication, mode: events.Mode.ValueType, panel: int = 0, language: str = "ca") -> Adjudication:
    for event in set_adjudication(state, mode, panel, (PES, language)):
        state = evolve(state, event)
    return state


def test_challenges_are_ruled_on_by_the_lexicon_until_a_director_says_otherwise() -> None:
    assert automatic().mode == events.MODE_AUTOMATIC
    assert set_to(STAFFED, events.MODE_JUDGE).panel == 1
    assert set_to(STAFFED, events.MODE_PANEL, 3).panel == 3
    assert set_to(set_to(STAFFED, events.MODE_PANEL, 3), events.MODE_AUTOMATIC).panel == 0
    assert set_adjudication(STAFFED, events.MODE_AUTOMATIC, 0) == []


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
    with pytest.raises(Refusal, match="is escalated to a director"):
        set_to(without, events.MODE_JUDGE)
    with pytest.raises(Refusal, match="is escalated to a director"):
        dismiss(build_adjudication(), "head")
    with pytest.raises(Refusal, match="is escalated to a director"):
        appoint(build_adjudication(), "head", ["en"])


def staff(judges: Iterable[str], directors: Iterable[str]) -> Adjudication:
    """Return judges for Catalan, and directors, some of whom may be both."""
    judges, directors = set(judges), set(directors)
    people = [
        Judge(judge, frozenset({"ca"} if judge in judges else {"en"}), judge in directors)
        for judge in judges | directors
    ]
    return Adjudication(judges={each.judge_id: each for each in people})


def is_ruled_on(state: Adjudication, panel: int, first: frozenset[str]) -> bool:
    """Return whether others than ``first`` can rule: a panel, or only a director."""
    return len(state.able("ca") - first) >= panel or bool(state.directors - first)


@given(st.sets(st.sampled_from("abcdefg")), st.sets(st.sampled_from("abcdefg"), max_size=3), st.sampled_from([1, 3]))
def test_judges_are_taken_on_exactly_where_an_appeal_finds_others_whoever_ruled_first(
    judges: set[str], directors: set[str], panel: int
) -> None:
    state = staff(judges, directors)
    mode = events.MODE_JUDGE if panel == 1 else events.MODE_PANEL
    firsts = [*combinations(sorted(judges), panel), *((director,) for director in directors)]
    enough = len(judges) >= panel and bool(directors)
    found = enough and all(is_ruled_on(state, panel, frozenset(first)) for first in firsts)
    needs = FISC
    if found:
        assert len(set_adjudication(state, mode, panel, needs)) == 1
        return
    with pytest.raises(Refusal) as caught:
        set_adjudication(state, mode, panel, needs)
    assert (caught.value.reason == "NO_JUDGE_FOR_APPEALS") == enough
    assert caught.value.article == ("FISC I.10" if enough else "")


def test_who_judges_and_directs_alone_is_enough_where_nobody_appeals() -> None:
    alone = staff(["ada"], ["ada"])
    for name, enough in (("pes-2024", True), ("uf-2007", True), ("fisc-2023", False), ("fise", False)):
        needs = (load_ruleset(name), "ca")
        if enough:
            assert set_adjudication(alone, events.MODE_JUDGE, 0, needs)
            continue
        with pytest.raises(Refusal, match="An appeal needs a different judge, and no judge would be left"):
            set_adjudication(alone, events.MODE_JUDGE, 0, needs)


def test_everything_that_is_missing_is_told_at_once() -> None:
    with pytest.raises(Refusal) as caught:
        set_adjudication(staff(["ada"], []), events.MODE_PANEL, 3, FISC)
    told = [each.reason for each in (caught.value, *caught.value.others)]
    assert told == ["TOO_FEW_JUDGES", "NO_DIRECTOR", "NO_JUDGE_FOR_APPEALS"]


@given(st.sampled_from([1, 3, 5]))
def test_the_judges_that_a_refusal_says_are_enough_are(panel: int) -> None:
    enough = staff([f"judge-{number}" for number in range(panel)], ["head"])
    mode = events.MODE_JUDGE if panel == 1 else events.MODE_PANEL
    assert set_adjudication(enough, mode, panel, FISC)


def test_nobody_is_dismissed_whom_a_case_waits_for_whatever_mode_was_set_since() -> None:
    state = staff(["ada"], ["head"])
    waiting = [Case(case_id="c", language="ca", panel=1)]
    assert dismiss(state, "ada")
    for judge_id in ("ada", "head"):
        with pytest.raises(Refusal):
            dismiss(state, judge_id, waiting)
    with pytest.raises(Refusal):
        appoint(state, "ada", ["es"], waiting)


def test_an_appeal_that_waits_keeps_the_judges_and_directors_who_did_not_rule_first() -> None:
    appeal = Case(case_id="c", language="ca", panel=1, appeal=True, barred=frozenset({"ada"}), article="FISC I.10")
    state = staff(["ada", "berta"], ["head"])
    assert dismiss(state, "ada", [appeal])
    for judge_id, reason in (("berta", "TOO_FEW_JUDGES"), ("head", "NO_DIRECTOR")):
        with pytest.raises(Refusal) as caught:
            dismiss(state, judge_id, [appeal])
        assert (caught.value.reason, caught.value.article) == (reason, "FISC I.10")
    with pytest.raises(Refusal):
        appoint(state, "berta", ["es"], [appeal])
    directed = staff(["ada"], ["ada", "head"])
    assert dismiss(directed, "ada", [appeal])
    with pytest.raises(Refusal, match="may require a director who did not rule first"):
        dismiss(directed, "head", [appeal])


def test_a_judge_is_appointed_and_dismissed_once() -> None:
    (event,) = appoint(STAFFED, "eva", ["es", "ca", "es"])
    assert isinstance(event, events.JudgeAppointed)
    assert event.languages == ["ca", "es"]
    state = evolve(STAFFED, event)
    assert appoint(state, "eva", ["ca", "es"]) == []
    for each in dismiss(state, "eva"):
        state = evolve(state, each)
    assert state == STAFFED
    with pytest.raises(Refusal, match="eva is not appointed"):
        dismiss(state, "eva")


@pytest.mark.parametrize("name", ["fisc-2023", "uf-2007", "fise"])
def test_where_layers_are_chosen_with_the_tournament_they_stay(name: str) -> None:
    with pytest.raises(Refusal) as caught:
        choose_layers(AdjudicatedTournament("cup"), load_ruleset(name), ["balearic"], ["balearic"])
    assert caught.value.reason == "LAYERS_FROZEN"


def test_pes_lets_dictionaries_be_chosen_until_the_first_game() -> None:
    pes = load_ruleset("pes-2024")
    tournament = AdjudicatedTournament("cup", lexicon=Pin("greek", "ab"))
    (event,) = choose_layers(tournament, pes, ["lkn", "babiniotis"], ["babiniotis", "lkn"])
    assert evolve(automatic(), event).layers == ("babiniotis", "lkn")
    started = AdjudicatedTournament("cup", lexicon=Pin("greek", "ab"), started=True)
    with pytest.raises(Refusal) as caught:
        choose_layers(started, pes, ["lkn"], ["lkn"])
    assert (caught.value.reason, caught.value.article) == ("LAYERS_FROZEN", "PES Α")
    with pytest.raises(Refusal, match="has no layer slang; it has: lkn"):
        choose_layers(tournament, pes, ["slang"], ["lkn"])


def test_an_event_of_another_context_is_no_event_of_adjudication() -> None:
    with pytest.raises(TypeError, match="is not an event of adjudication"):
        evolve(automatic(), game_events.GameStarted())
