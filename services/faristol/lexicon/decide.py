"""What judges do with cases: claim, give back, rule; and what time does to them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.lexicon.adjudication import Adjudication, Judge
from faristol.lexicon.challenges import ruled, written
from faristol.lexicon.model import DIRECTOR, Case, Claim, Opinion, Ruling, Word, evolve
from faristol.pb.lexicon.v1 import events_pb2 as events


def claim(
    case: Case, adjudication: Adjudication, judge_id: str, silent: Collection[str], now: datetime
) -> list[Message]:
    """``judge_id`` takes a seat on an open case; nothing is to be written when he holds one already.

    ``silent`` are judges who hold the case and are not heard of any more: their seats are free again. Raises
    ``Refusal`` when the case needs no judge, when this one may not rule on it, or when others hold every seat.
    """
    judge = check_judge(case, adjudication, judge_id)
    _check_waiting(case)
    if case.claim_of(judge_id):
        return []
    facts: list[Message] = list(_returns(case, adjudication, silent, now))
    for fact in facts:
        case = evolve(case, fact)
    check_may_claim(case, judge)
    seat = case.free_seats[0] if case.free_seats and not _rules_alone(case, judge) else DIRECTOR
    return [
        *facts,
        events.CaseClaimed(case_id=case.case_id, judge_id=judge_id, seat=seat, occurred_at=_after(case, now)),
    ]


def check_may_claim(case: Case, judge: Judge) -> None:
    """Refuse a judge for whom there is no seat on a case that waits."""
    alone = _rules_alone(case, judge)
    if judge.judge_id in case.barred:
        raise Refusal(
            "RULED_FIRST",
            case.article,
            N_("{judge} made the first ruling: an appeal goes to another judge."),
            {"judge": judge.judge_id},
        )
    if case.language not in judge.languages and not alone:
        raise Refusal(
            "OTHER_LANGUAGE",
            "",
            N_("{judge} is appointed for {languages}; the words of this case are in {language}."),
            {"judge": judge.judge_id, "languages": ", ".join(sorted(judge.languages)), "language": case.language},
        )
    if any(opinion.judge_id == judge.judge_id for opinion in case.opinions) and not alone:
        raise Refusal(
            "OPINION_GIVEN",
            "",
            N_("{judge} has ruled on this case; it waits for the other judges."),
            {"judge": judge.judge_id},
        )
    holders = [claim.judge_id for claim in case.claims if (claim.seat == DIRECTOR) == alone]
    if (alone and holders) or not (alone or case.free_seats):
        raise Refusal(
            "CASE_TAKEN",
            "",
            N_("Case {case} is in the hands of {judges}."),
            {"case": case.case_id, "judges": ", ".join(holders or [opinion.judge_id for opinion in case.opinions])},
        )


def release(case: Case, judge_id: str, now: datetime) -> list[Message]:
    """``judge_id`` gives a case back. Raises ``Refusal`` when he does not hold it."""
    return [_returned(case, check_holds(case, judge_id), events.RETURN_REASON_RELEASED, now)]


def give_opinion(
    case: Case,
    adjudication: Adjudication,
    judge_id: str,
    rulings: Sequence[Ruling],
    listed: Mapping[Word, str | None],
    now: datetime,
) -> list[Message]:
    """``judge_id`` rules on every word of a case that he holds; with the last opinion the case is ruled on.

    ``listed`` gives for each word the source by which the lexicon has it, None where it has not. A ruling that is
    not the lexicon's needs a reason and a source: PES accepts a word of no list that a grammar has. Each word goes by
    the majority; the play stands when every word does (FISC I.10). A director rules alone on a case that was
    escalated. Raises ``Refusal`` when the judge does not hold the case, or the words are not those of the case.
    """
    judge = check_judge(case, adjudication, judge_id)
    held = check_holds(case, judge_id)
    ordered = tuple(_supported(ruling, listed[ruling.word], case) for ruling in _in_order(case, rulings))
    at = _after(case, now)
    given = events.OpinionGiven(
        case_id=case.case_id, judge_id=judge_id, seat=held.seat, words=written(ordered), occurred_at=at
    )
    if _rules_alone(case, judge):
        return [given, ruled(case, ordered, (judge_id,), at, director=True)]
    opinions = evolve(case, given).opinions
    if len(opinions) < case.panel:
        return [given]
    return [given, ruled(case, _majority(case, opinions), tuple(opinion.judge_id for opinion in opinions), at)]


def overdue(case: Case, adjudication: Adjudication, silent: Collection[str], now: datetime) -> list[Message]:
    """What time brings to a case: seats of judges who are ``silent`` or dismissed are free, it is escalated once."""
    if not case.waiting or not case.panel:
        return []
    facts: list[Message] = list(_returns(case, adjudication, silent, now))
    if case.escalates(now):
        facts.append(events.CaseEscalated(case_id=case.case_id, occurred_at=_after(case, now)))
    return facts


def withdraw(case: Case, reason: events.WithdrawnReason.ValueType, at: Timestamp) -> list[Message]:
    """A case that waits needs no ruling any more."""
    if not case.waiting:
        return []
    return [events.CaseWithdrawn(case_id=case.case_id, reason=reason, occurred_at=_after(case, to_datetime(at)))]


def check_holds(case: Case, judge_id: str) -> Claim:
    """The claim of ``judge_id``. Raises ``Refusal`` when he does not hold the case, or no longer."""
    _check_waiting(case)
    held = case.claim_of(judge_id)
    if held is None:
        raise Refusal(
            "CLAIM_LOST",
            "",
            N_("{judge} does not hold case {case}: it is in the queue, or another judge took it. Claim it first."),
            {"judge": judge_id, "case": case.case_id},
        )
    return held


def check_judge(case: Case, adjudication: Adjudication, judge_id: str) -> Judge:
    """The judge of that id. Raises ``Refusal`` when there is none in the tournament of the case."""
    judge = adjudication.judges.get(judge_id)
    if judge is None:
        raise Refusal(
            "NOT_A_JUDGE",
            "",
            N_("{judge} is not a judge of the tournament {tournament}."),
            {"judge": judge_id, "tournament": case.tournament_id},
        )
    return judge


def _check_waiting(case: Case) -> None:
    if case.ruled:
        raise Refusal(
            "CASE_RULED",
            case.article,
            N_("Case {case} was ruled on by {judges}: a ruling is made once."),
            {"case": case.case_id, "judges": ", ".join(case.ruled_by) or case.lexicon.name},
        )
    if case.withdrawn:
        raise Refusal(
            "CASE_WITHDRAWN", "", N_("Case {case} needs no ruling any more: it was withdrawn."), {"case": case.case_id}
        )


def _rules_alone(case: Case, judge: Judge) -> bool:
    return case.escalated and judge.director


def _in_order(case: Case, rulings: Sequence[Ruling]) -> list[Ruling]:
    """The rulings in the order of the case's words. Raises ``Refusal`` when they are not of these words, each once."""
    by_word = {ruling.word: ruling for ruling in rulings}
    if len(by_word) != len(rulings) or set(by_word) != set(case.words):
        raise Refusal(
            "WORDS_NOT_THOSE_OF_CASE",
            "",
            N_("A ruling is made on every word of the case, once: expected {expected}, got {given}."),
            {"expected": _told(case.words), "given": _told([ruling.word for ruling in rulings])},
        )
    return [by_word[word] for word in case.words]


def _told(words: Collection[Word]) -> str:
    return ", ".join(" ".join(word) for word in words) or "–"


def _supported(ruling: Ruling, listed: str | None, case: Case) -> Ruling:
    """The ruling with the lexicon's source where the judge follows the lexicon and names none."""
    if ruling.valid == (listed is not None):
        return Ruling(ruling.word, ruling.valid, ruling.reason, ruling.source or listed or "")
    if not ruling.reason.strip() or not ruling.source.strip():
        text = (
            N_(
                "{word} is not in the lexicon {lexicon}: a judge who accepts it gives a reason and a source, "
                "such as a grammar."
            )
            if ruling.valid
            else N_("{word} is in the lexicon {lexicon}: a judge who refuses it gives a reason and a source.")
        )
        raise Refusal("UNSUPPORTED_RULING", "", text, {"word": "".join(ruling.word), "lexicon": case.lexicon.name})
    return ruling


def _majority(case: Case, opinions: Sequence[Opinion]) -> tuple[Ruling, ...]:
    """Each word as most judges found it, in the words of the first of them."""
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
    facts = []
    for held in case.claims:
        if held.judge_id not in adjudication.judges:
            facts.append(_returned(case, held, events.RETURN_REASON_DISMISSED, now))
        elif held.judge_id in silent:
            facts.append(_returned(case, held, events.RETURN_REASON_SILENT, now))
    return facts


def _returned(case: Case, held: Claim, reason: events.ReturnReason.ValueType, now: datetime) -> events.CaseReturned:
    return events.CaseReturned(
        case_id=case.case_id, judge_id=held.judge_id, seat=held.seat, reason=reason, occurred_at=_after(case, now)
    )


def _after(case: Case, now: datetime) -> Timestamp:
    """``now``, but not before the last fact of the case: clocks of two machines may differ."""
    at = to_timestamp(now)
    return at if case.last_at is None or now >= to_datetime(case.last_at) else case.last_at
