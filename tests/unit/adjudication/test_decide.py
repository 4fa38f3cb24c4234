from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.unit.adjudication.cases import (
    JUDGES,
    PLAYABLE,
    after,
    as_lexicon,
    at,
    build_adjudication,
    list_sources,
    open_case,
)

from faristol.adjudication.cases.decide import claim, give_opinion, list_due_events, release, withdraw
from faristol.adjudication.cases.model import Case, Ruling
from faristol.adjudication.policy import Adjudication
from faristol.kernel.refusal import Refusal
from faristol.pb.lexicon.v1 import events_pb2 as events

SOL, XX = ("S", "O", "L"), ("X", "X")
NOBODY: frozenset[str] = frozenset()


def read_refusal(action: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as caught:
        action()
    return caught.value.reason


def claim_case(case: Case, *judges: str, settings_: Adjudication | None = None, seconds: float = 1) -> Case:
    for judge in judges:
        case = after(case, claim(case, settings_ or build_adjudication(case.panel), judge, NOBODY, at(seconds)))
    return case


def rules(case: Case, judge: str, *valid: bool, seconds: float = 2) -> Case:
    rulings = [Ruling(word, good, "as said", "a grammar") for word, good in zip(case.words, valid, strict=True)]
    return after(
        case, give_opinion(case, build_adjudication(case.panel), judge, rulings, list_sources(case), at(seconds))
    )


def test_one_judge_holds_a_case_and_the_other_is_told_who() -> None:
    case = claim_case(open_case(build_adjudication(), SOL), "ada")
    with pytest.raises(Refusal, match="assigned to ada") as caught:
        claim(case, build_adjudication(), "berta", NOBODY, at(2))
    assert caught.value.reason == "CASE_TAKEN"


def test_who_holds_a_case_and_claims_it_again_keeps_it() -> None:
    case = claim_case(open_case(build_adjudication(), SOL), "ada")
    assert claim(case, build_adjudication(), "ada", NOBODY, at(2)) == []


def test_a_judge_who_fell_silent_is_followed_by_the_next_one() -> None:
    case = claim_case(open_case(build_adjudication(), SOL), "ada")
    returned, taken = claim(case, build_adjudication(), "berta", frozenset({"ada"}), at(40))
    assert isinstance(returned, events.CaseReturned)
    assert (returned.judge_id, returned.reason) == ("ada", events.RETURN_REASON_SILENT)
    assert isinstance(taken, events.CaseClaimed)
    case = after(case, [returned, taken])
    assert case.held_by == ("berta",)
    assert (
        read_refusal(
            lambda: give_opinion(case, build_adjudication(), "ada", as_lexicon(case), list_sources(case), at(41))
        )
        == "CLAIM_LOST"
    )


def test_a_ruling_says_which_words_are_valid_why_and_by_what() -> None:
    case = claim_case(open_case(build_adjudication(), SOL, XX), "ada")
    case = rules(case, "ada", True, False)
    assert case.ruled
    assert not case.valid
    assert case.ruled_by == ("ada",)
    assert [(ruling.word, ruling.valid) for ruling in case.rulings] == [(SOL, True), (XX, False)]


def test_who_follows_the_lexicon_need_not_name_it() -> None:
    case = claim_case(open_case(build_adjudication(), SOL), "ada")
    case = after(case, give_opinion(case, build_adjudication(), "ada", [Ruling(SOL, True)], list_sources(case), at(2)))
    assert case.rulings == (Ruling(SOL, True, "", "DIEC"),)


@pytest.mark.parametrize(("word", "valid"), [(XX, True), (SOL, False)])
@pytest.mark.parametrize(("reason", "source"), [("", ""), ("a plural", ""), ("", "a grammar"), (" ", "a grammar")])
def test_a_ruling_against_the_lexicon_needs_reason_and_source(
    word: tuple[str, ...], valid: bool, reason: str, source: str
) -> None:
    case = claim_case(open_case(build_adjudication(), word), "ada")
    ruling = [Ruling(word, valid, reason, source)]
    assert (
        read_refusal(lambda: give_opinion(case, build_adjudication(), "ada", ruling, list_sources(case), at(2)))
        == "UNSUPPORTED_RULING"
    )
    supported = [Ruling(word, valid, "a plural", "a grammar")]
    assert (
        after(case, give_opinion(case, build_adjudication(), "ada", supported, list_sources(case), at(2))).valid
        == valid
    )


@pytest.mark.parametrize("words", [[], [SOL], [SOL, SOL], [SOL, XX, ("A", "NY")]])
def test_every_word_of_the_case_is_ruled_on_once(words: list[tuple[str, ...]]) -> None:
    case = claim_case(open_case(build_adjudication(), SOL, XX), "ada")
    rulings = [Ruling(word, word in PLAYABLE) for word in words]
    why = read_refusal(lambda: give_opinion(case, build_adjudication(), "ada", rulings, list_sources(case), at(2)))
    assert why == "WORDS_NOT_THOSE_OF_CASE"


def test_a_panel_rules_when_the_last_has_and_by_the_majority_of_each_word() -> None:
    case = claim_case(open_case(build_adjudication(3), SOL, XX), "ada", "berta", "carles")
    case = rules(case, "berta", True, True)
    case = rules(case, "ada", False, True)
    assert not case.ruled
    case = rules(case, "carles", True, False)
    assert case.ruled_by == ("ada", "berta", "carles")
    assert [ruling.valid for ruling in case.rulings] == [True, True]
    assert case.valid


def test_a_judge_has_one_voice_in_a_panel() -> None:
    case = rules(claim_case(open_case(build_adjudication(3), SOL), "ada"), "ada", True)
    assert read_refusal(lambda: claim(case, build_adjudication(3), "ada", NOBODY, at(3))) == "OPINION_GIVEN"


def test_a_case_is_for_judges_of_its_language_who_are_appointed_and_did_not_rule_first() -> None:
    case = open_case(build_adjudication(), SOL, barred=["ada"])
    assert read_refusal(lambda: claim(case, build_adjudication(), "duna", NOBODY, at(1))) == "OTHER_LANGUAGE"
    assert read_refusal(lambda: claim(case, build_adjudication(), "nobody", NOBODY, at(1))) == "NOT_A_JUDGE"
    assert read_refusal(lambda: claim(case, build_adjudication(), "ada", NOBODY, at(1))) == "RULED_FIRST"
    assert claim_case(case, "berta").held_by == ("berta",)


def test_a_case_that_waits_for_too_long_is_escalated_once_and_then_the_director_rules_alone() -> None:
    case = claim_case(open_case(build_adjudication(3), SOL), "ada")
    assert read_refusal(lambda: claim(case, build_adjudication(3), "head", NOBODY, at(1))) == "OTHER_LANGUAGE"
    assert list_due_events(case, build_adjudication(3), NOBODY, at(119.9)) == []
    (event,) = list_due_events(case, build_adjudication(3), NOBODY, at(120))
    assert isinstance(event, events.CaseEscalated)
    escalated = after(case, [event])
    assert list_due_events(escalated, build_adjudication(3), NOBODY, at(500)) == []
    ruled = rules(claim_case(escalated, "head", seconds=121), "head", True, seconds=122)
    assert ruled.ruled_by == ("head",)
    assert ruled.by_director


def test_an_escalated_case_stays_with_its_judges_too() -> None:
    case = open_case(build_adjudication(), SOL)
    case = after(case, list_due_events(case, build_adjudication(), NOBODY, at(120)))
    case = rules(claim_case(case, "head", "ada"), "ada", True)
    assert case.ruled_by == ("ada",)
    assert read_refusal(lambda: rules(case, "head", False)) == "CASE_RULED"


def test_a_case_goes_back_when_its_judge_is_silent_dismissed_or_gives_it_back() -> None:
    case = claim_case(open_case(build_adjudication(), SOL), "ada")
    (silent,) = list_due_events(case, build_adjudication(), frozenset({"ada"}), at(40))
    without = replace(build_adjudication(), judges={"berta": JUDGES["berta"]})
    (dismissed,) = list_due_events(case, without, NOBODY, at(2))
    (released,) = release(case, "ada", at(2))
    reasons = []
    for event in (silent, dismissed, released):
        assert isinstance(event, events.CaseReturned)
        reasons.append(event.reason)
        assert after(case, [event]).free_seats == (1,)
    assert reasons == [
        events.RETURN_REASON_SILENT,
        events.RETURN_REASON_DISMISSED,
        events.RETURN_REASON_RELEASED,
    ]


def test_a_case_that_is_withdrawn_is_not_ruled_on() -> None:
    case = claim_case(open_case(build_adjudication(), SOL), "ada")
    case = after(case, withdraw(case, events.WITHDRAWN_REASON_GAME_ENDED, case.last_at))  # type: ignore[arg-type]
    assert not case.waiting
    assert read_refusal(lambda: rules(case, "ada", True)) == "CASE_WITHDRAWN"
    assert withdraw(case, events.WITHDRAWN_REASON_GAME_ENDED, case.last_at) == []  # type: ignore[arg-type]


def test_an_event_is_not_before_the_one_that_it_follows_though_clocks_differ() -> None:
    case = claim_case(open_case(build_adjudication(), SOL, queued=at(0)), "ada", seconds=5)
    (event,) = release(case, "ada", at(3))
    assert isinstance(event, events.CaseReturned)
    assert event.occurred_at == case.last_at


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["claim", "silent", "release", "rule", "wait", "dismiss", "appoint"]),
        st.sampled_from(sorted(JUDGES)),
        st.booleans(),
    ),
    max_size=40,
)


def step(case: Case, court: Adjudication, kind: str, judge: str, good: bool, now: float) -> list[Message]:
    match kind:
        case "claim":
            return claim(case, court, judge, NOBODY, at(now))
        case "silent":
            return list_due_events(case, court, frozenset({judge}), at(now))
        case "release":
            return release(case, judge, at(now))
        case "rule":
            rulings = [Ruling(word, good, "as said", "a grammar") for word in case.words]
            return give_opinion(case, court, judge, rulings, list_sources(case), at(now))
        case _:
            return list_due_events(case, court, NOBODY, at(now))


@settings(max_examples=scale_examples(300))
@given(STEPS, st.sampled_from([1, 3]))
def test_whatever_judges_do_in_whatever_order_a_case_is_ruled_on_exactly_once(
    steps: list[tuple[str, str, bool]], panel: int
) -> None:
    court = build_adjudication(panel)
    case = open_case(court, SOL, XX)
    new_events: list[Message] = []

    def take(found: list[Message]) -> None:
        nonlocal case
        for event in found:
            assert case.waiting, f"{event} follows the ruling"
            case = after(case, [event])
            new_events.append(event)
            assert len({held.seat for held in case.claims}) == len(case.claims)
            assert len(set(case.held_by)) == len(case.held_by)

    now = 0.0
    for kind, judge, good in steps:
        now += 30 if kind == "wait" else 1
        if kind in {"dismiss", "appoint"}:
            others = {name: each for name, each in court.judges.items() if name != judge}
            court = replace(court, judges=others | ({judge: JUDGES[judge]} if kind == "appoint" else {}))
            continue
        try:
            take(step(case, court, kind, judge, good, now))
        except Refusal:
            continue
    court = build_adjudication(panel)
    now += 1_000
    take(list_due_events(case, court, frozenset(case.held_by), at(now)))
    for judge in ("ada", "berta", "carles"):
        if case.waiting:
            try:
                take(claim(case, court, judge, NOBODY, at(now)))
                take(give_opinion(case, court, judge, as_lexicon(case), list_sources(case), at(now)))
            except Refusal:
                continue
    assert sum(isinstance(event, events.CaseRuled) for event in new_events) == 1
    assert case.ruled
    assert sum(isinstance(event, events.CaseEscalated) for event in new_events) <= 1
    if not case.by_director:
        assert len(set(case.ruled_by)) == panel
