"""Decisions on cases: claims, releases, opinions and rulings of judges, and expiry. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.adjudication.cases.challenges import build_case_ruled, to_word_rulings
from faristol.adjudication.cases.model import (
    DIRECTOR_SEAT_NUMBER,
    Case,
    Claim,
    Opinion,
    Ruling,
    Word,
    evolve,
)
from faristol.adjudication.policy import Adjudication, Judge
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.lexicon.v1 import events_pb2 as events


def claim(
    case: Case, adjudication: Adjudication, judge_id: str, silent: Collection[str], now: datetime
) -> list[Message]:
    """Claim a seat on an open case for ``judge_id``; return no event if the judge has one already.

    ``silent`` judges hold the case with an expired lease: their seats become free. Raises ``Refusal`` if the case needs
    no ruling, if the judge may not rule on it, or if other judges hold every seat.
    """
    judge = check_judge(case, adjudication, judge_id)
    _check_waiting(case)
    if case.claim_of(judge_id):
        return []
    new_events: list[Message] = list(_returns(case, adjudication, silent, now))
    for event in new_events:
        case = evolve(case, event)
    check_may_claim(case, judge)
    seat = case.free_seats[0] if case.free_seats and not _rules_alone(case, judge) else DIRECTOR_SEAT_NUMBER
    return [
        *new_events,
        events.CaseClaimed(case_id=case.case_id, judge_id=judge_id, seat=seat, occurred_at=_after(case, now)),
    ]


def check_may_claim(case: Case, judge: Judge) -> None:
    """Raise ``Refusal`` if a waiting case has no seat for ``judge``."""
    alone = _rules_alone(case, judge)
    if judge.judge_id in case.barred:
        raise Refusal(
            "RULED_FIRST",
            N_("{judge} made the first ruling: an appeal requires a different judge."),
            {"judge": judge.judge_id},
            article=case.article,
        )
    if case.language not in judge.languages and not alone:
        raise Refusal(
            "OTHER_LANGUAGE",
            N_("{judge} is appointed for {languages}; the words of this case are in {language}."),
            {"judge": judge.judge_id, "languages": ", ".join(sorted(judge.languages)), "language": case.language},
        )
    if any(opinion.judge_id == judge.judge_id for opinion in case.opinions) and not alone:
        raise Refusal(
            "OPINION_GIVEN",
            N_("{judge} has already ruled on this case; it is waiting for the other judges."),
            {"judge": judge.judge_id},
        )
    holders = [claim.judge_id for claim in case.claims if (claim.seat == DIRECTOR_SEAT_NUMBER) == alone]
    if (alone and holders) or not (alone or case.free_seats):
        raise Refusal(
            "CASE_TAKEN",
            N_("Case {case} is assigned to {judges}."),
            {"case": case.case_id, "judges": ", ".join(holders or [opinion.judge_id for opinion in case.opinions])},
        )


def release(case: Case, judge_id: str, now: datetime) -> list[Message]:
    """Release the claim of ``judge_id``. Raises ``Refusal`` if the judge does not hold the case."""
    return [_build_case_returned(case, check_holds(case, judge_id), events.RETURN_REASON_RELEASED, now)]


def give_opinion(
    case: Case,
    adjudication: Adjudication,
    judge_id: str,
    rulings: Sequence[Ruling],
    listed: Mapping[Word, str | None],
    now: datetime,
) -> list[Message]:
    """Give the opinion of ``judge_id`` on every word of a case; the last opinion of the panel makes the ruling.

    ``listed`` maps each word to its source in the lexicon, or to None for a word that is not in it. An opinion that
    differs from the lexicon needs a reason and a source: PES accepts an unlisted word that a grammar has. The majority
    decides each word; the play stands if every word is valid (FISC I.10). On an escalated case the opinion of a
    director is the ruling. Raises ``Refusal`` if the judge does not hold the case, or if the words are not those of the
    case.
    """
    judge = check_judge(case, adjudication, judge_id)
    held = check_holds(case, judge_id)
    ordered = tuple(_add_lexicon_source(ruling, listed[ruling.word], case) for ruling in _in_order(case, rulings))
    at = _after(case, now)
    given = events.OpinionGiven(
        case_id=case.case_id, judge_id=judge_id, seat=held.seat, words=to_word_rulings(ordered), occurred_at=at
    )
    if _rules_alone(case, judge):
        return [given, build_case_ruled(case, ordered, (judge_id,), at, director=True)]
    opinions = evolve(case, given).opinions
    if len(opinions) < case.panel:
        return [given]
    return [
        given,
        build_case_ruled(case, _majority(case, opinions), tuple(opinion.judge_id for opinion in opinions), at),
    ]


def list_due_events(case: Case, adjudication: Adjudication, silent: Collection[str], now: datetime) -> list[Message]:
    """Return the due events of a case: seats of ``silent`` or dismissed judges become free; it is escalated once."""
    if not case.waiting or not case.panel:
        return []
    new_events: list[Message] = list(_returns(case, adjudication, silent, now))
    if case.escalates(now):
        new_events.append(events.CaseEscalated(case_id=case.case_id, occurred_at=_after(case, now)))
    return new_events


def withdraw(case: Case, reason: events.WithdrawnReason.ValueType, at: Timestamp) -> list[Message]:
    """Withdraw a waiting case; return no event for any other."""
    if not case.waiting:
        return []
    return [events.CaseWithdrawn(case_id=case.case_id, reason=reason, occurred_at=_after(case, to_datetime(at)))]


def check_holds(case: Case, judge_id: str) -> Claim:
    """Return the claim of ``judge_id``. Raises ``Refusal`` if the judge does not hold the case, or no longer does."""
    _check_waiting(case)
    held = case.claim_of(judge_id)
    if held is None:
        raise Refusal(
            "CLAIM_LOST",
            N_(
                "Case {case} is not assigned to {judge}: it is in the queue, or another judge claimed it. Claim it "
                "first."
            ),
            {"judge": judge_id, "case": case.case_id},
        )
    return held


def check_judge(case: Case, adjudication: Adjudication, judge_id: str) -> Judge:
    """Return the judge with that id. Raises ``Refusal`` if the case's tournament has no such judge."""
    judge = adjudication.judges.get(judge_id)
    if judge is None:
        raise Refusal(
            "NOT_A_JUDGE",
            N_("{judge} is not a judge of the tournament {tournament}."),
            {"judge": judge_id, "tournament": case.tournament_id},
        )
    return judge


def _check_waiting(case: Case) -> None:
    if case.ruled:
        raise Refusal(
            "CASE_RULED",
            N_("Case {case} was already ruled on by {judges}."),
            {"case": case.case_id, "judges": ", ".join(case.ruled_by) or case.lexicon.name},
            article=case.article,
        )
    if case.withdrawn:
        raise Refusal(
            "CASE_WITHDRAWN", N_("Case {case} no longer needs a ruling: it was withdrawn."), {"case": case.case_id}
        )


def _rules_alone(case: Case, judge: Judge) -> bool:
    return case.escalated and judge.director


def _in_order(case: Case, rulings: Sequence[Ruling]) -> list[Ruling]:
    """Return the rulings in the order of the case's words. Raises ``Refusal`` unless each word has exactly one."""
    by_word = {ruling.word: ruling for ruling in rulings}
    if len(by_word) != len(rulings) or set(by_word) != set(case.words):
        raise Refusal(
            "WORDS_NOT_THOSE_OF_CASE",
            N_("A ruling is made on every word of the case exactly once: expected {expected}, got {given}."),
            {"expected": _format_words(case.words), "given": _format_words([ruling.word for ruling in rulings])},
        )
    return [by_word[word] for word in case.words]


def _format_words(words: Collection[Word]) -> str:
    return ", ".join(" ".join(word) for word in words) or "–"


def _add_lexicon_source(ruling: Ruling, listed: str | None, case: Case) -> Ruling:
    """Return the ruling, with the lexicon's source if the judge agrees with the lexicon and names no source.

    Raises ``Refusal`` if the judge disagrees with the lexicon without a reason and a source.
    """
    if ruling.valid == (listed is not None):
        return Ruling(ruling.word, ruling.valid, ruling.reason, ruling.source or listed or "")
    if not ruling.reason.strip() or not ruling.source.strip():
        text = (
            N_("{word} is not in the lexicon {lexicon}: to accept it, give a reason and a source, such as a grammar.")
            if ruling.valid
            else N_("{word} is in the lexicon {lexicon}: to reject it, give a reason and a source.")
        )
        raise Refusal("UNSUPPORTED_RULING", text, {"word": "".join(ruling.word), "lexicon": case.lexicon.name})
    return ruling


def _majority(case: Case, opinions: Sequence[Opinion]) -> tuple[Ruling, ...]:
    """Return the majority ruling on each word, with the reason and source of the first judge in the majority."""
    rulings = []
    for place, word in enumerate(case.words):
        found = [opinion.rulings[place] for opinion in opinions]
        valid = 2 * sum(ruling.valid for ruling in found) > len(found)
        first = next(ruling for ruling in found if ruling.valid == valid)
        rulings.append(Ruling(word, valid, first.reason, first.source))
    return tuple(rulings)


def _returns(
    case: Case, adjudication: Adjudication, silent: Collection[str], now: datetime
) -> list[events.CaseReturned]:
    new_events = []
    for held in case.claims:
        if held.judge_id not in adjudication.judges:
            new_events.append(_build_case_returned(case, held, events.RETURN_REASON_DISMISSED, now))
        elif held.judge_id in silent:
            new_events.append(_build_case_returned(case, held, events.RETURN_REASON_SILENT, now))
    return new_events


def _build_case_returned(
    case: Case, held: Claim, reason: events.ReturnReason.ValueType, now: datetime
) -> events.CaseReturned:
    return events.CaseReturned(
        case_id=case.case_id, judge_id=held.judge_id, seat=held.seat, reason=reason, occurred_at=_after(case, now)
    )


def _after(case: Case, now: datetime) -> Timestamp:
    """Return ``now``, but not before the last event of the case: clocks of two machines may differ."""
    at = to_timestamp(now)
    return at if case.last_at is None or now >= to_datetime(case.last_at) else case.last_at
