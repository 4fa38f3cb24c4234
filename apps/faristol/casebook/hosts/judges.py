"""The judges of a case: their questions, and their rulings. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import reduce

from google.protobuf.message import Message

from faristol.casebook.case import Step, Word
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.lexicon.adjudication.cases import decide
from faristol.lexicon.adjudication.cases.challenges import Law, Question, adjudicate
from faristol.lexicon.adjudication.cases.model import Case, Ruling, evolve
from faristol.lexicon.adjudication.policy import Adjudication, Judge
from faristol.lexicon.adjudication.views import AdjudicatedGame
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.rules import Ruleset

JUDGES = ("ada", "berta")
"""The judges: the first rules on a challenge, the other on an appeal against that."""

DIRECTOR = "head"

REASON, SOURCE = "as the case says", "a rulebook case"
"""The basis of a ruling that contradicts the lexicon."""


def finding(step: Step, words: Collection[Word]) -> Callable[[Word], bool]:
    """Return which words a judge accepts: ``words``, or all or none if the step says so. Raises ``CaseError``."""
    said = step.argument.text() if step.argument else ""
    if said not in ("", "valid", "invalid"):
        raise step.place.wrong(f"expected `rule`, `rule valid` or `rule invalid`, got {said!r}")
    return (lambda _: said == "valid") if said else words.__contains__


def in_question(facts: Sequence[Message]) -> events.ChallengeRaised | events.AppealRaised:
    """Return the last challenge or appeal. Raises ``Refusal`` without one."""
    for fact in reversed(facts):
        if isinstance(fact, events.ChallengeRaised | events.AppealRaised):
            return fact
    raise Refusal("NOTHING_TO_RULE", "", "No play was challenged.")


def ruling(
    case: Case, question: Question, game: AdjudicatedGame, book: Ruleset, good: Callable[[Word], bool], now: datetime
) -> list[Message]:
    """Return all events of a ruling on ``question``: its case is opened, claimed, and ruled on.

    Raises ``Refusal`` if the ruling was already made, or no judge is left that may make it.
    """
    language = book.tile_set.language
    judges = {judge_id: Judge(judge_id, frozenset({language})) for judge_id in JUDGES}
    adjudication = Adjudication(mode=lexicon_events.MODE_JUDGE, panel=1, judges=judges)
    law = Law(
        is_word=good,
        language=language,
        layers=book.lexicon.layers,
        article=book.article("challenge.ruling"),
        appeal_article=book.article("challenge.appeal_by"),
        by_word=book.challenge.ruling == "word",
    )
    facts = adjudicate(case, question, game, adjudication, law, to_timestamp(now))
    case = reduce(evolve, facts, case)
    judge_id = next(judge for judge in JUDGES if judge not in case.barred)
    claimed = decide.claim(case, adjudication, judge_id, (), now)
    case = reduce(evolve, claimed, case)
    rulings = [Ruling(word, good(word)) for word in case.words]
    listed = {word: SOURCE if good(word) else None for word in case.words}
    return [*facts, *claimed, *decide.give_opinion(case, adjudication, judge_id, rulings, listed, now)]
