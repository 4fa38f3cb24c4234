"""The judges of a case."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.adjudication import appointments, policy
from faristol.adjudication.appointments import Situation
from faristol.adjudication.policy import Adjudication
from faristol.adjudication.views import AdjudicatedTournament, watch_tournament
from faristol.casebook.case import TOURNAMENT_ID, TOURNAMENT_STREAM, Case, Step, Word
from faristol.casebook.hosts.services import Services
from faristol.event_store import load
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events

JUDGES = ("ada", "berta")
"""The judges: the first rules on a challenge, the other on an appeal against that."""
DIRECTOR = "head"

REASON, SOURCE = "as the case says", "a rulebook case"
"""The basis of a ruling that contradicts the lexicon."""

CASE_LEASE_SECONDS = 60
ESCALATE_AFTER_SECONDS = 3_600


def appoint_judges(language: str) -> Mapping[str, Sequence[Message]]:
    """Return the events, by stream, that appoint the ``JUDGES`` and a director, and let judges rule."""
    appointed: list[Message] = [
        lexicon_events.JudgeAppointed(judge_id=judge_id, languages=[language], director=judge_id == DIRECTOR)
        for judge_id in (*JUDGES, DIRECTOR)
    ]
    chosen = lexicon_events.AdjudicationSet(
        mode=lexicon_events.MODE_JUDGE,
        panel=1,
        lease_seconds=CASE_LEASE_SECONDS,
        escalate_after_seconds=ESCALATE_AFTER_SECONDS,
    )
    return {policy.stream(TOURNAMENT_ID): [*appointed, chosen]}


def finding(step: Step, words: Collection[Word]) -> Callable[[Word], bool]:
    """Return which words a judge accepts: ``words``, or all or none if the step says so. Raises ``CaseError``."""
    text = step.argument.text() if step.argument else ""
    if text not in ("", "valid", "invalid"):
        raise step.place.wrong(f"expected `rule`, `rule valid` or `rule invalid`, got {text!r}")
    return (lambda _: text == "valid") if text else words.__contains__


async def rule(services: Services, past_events: Sequence[Message], good: Callable[[Word], bool]) -> None:
    """Claim the case of the last challenge or appeal of a table, and rule on it word by word.

    ``past_events`` are the events of the table. Another judge rules on an appeal. Raises ``Refusal`` if no word was
    challenged, or the ruling was already made.
    """
    raised = next(
        (event for event in reversed(past_events) if isinstance(event, events.ChallengeRaised | events.AppealRaised)),
        None,
    )
    if raised is None:
        raise Refusal("NOTHING_TO_RULE", "No play was challenged.")
    asked = (raised.challenge, isinstance(raised, events.AppealRaised))
    cases = (event for event in past_events if isinstance(event, lexicon_events.CaseOpened))
    opened = next(case for case in cases if (case.challenge, case.appeal) == asked)
    judge_id = next(judge for judge in JUDGES if judge not in opened.barred_judge_ids)
    named = {"case_id": opened.case_id, "judge_id": judge_id}
    await services.call(pb.ClaimCaseRequest(command_id=str(uuid.uuid4()), **named))
    rulings = [
        # The reason and the source matter if the ruling contradicts the lexicon.
        lexicon_events.WordRuling(word=word, valid=good(tuple(word.faces)), reason=REASON, source=SOURCE)
        for word in opened.words
    ]
    await services.call(pb.RuleCaseRequest(command_id=str(uuid.uuid4()), words=rulings, **named))


async def choose_layers(services: Services, case: Case, layers: Sequence[str], now: datetime) -> None:
    """Enable ``layers`` of the lexicon of a case, as the director. Raises ``Refusal`` if the rules forbid it."""
    record, language = services.record, case.ruleset.tile_set.language
    tournament = (await load(record, TOURNAMENT_STREAM, AdjudicatedTournament(), watch_tournament)).state
    name = policy.stream(TOURNAMENT_ID)
    state = (await load(record, name, Adjudication(), policy.evolve)).state
    situation = Situation(state, tournament, case.ruleset, to_timestamp(now), language, case.layers)
    await services.write({name: appointments.choose_layers(situation, pb.ChooseLayersRequest(layers=layers))})
