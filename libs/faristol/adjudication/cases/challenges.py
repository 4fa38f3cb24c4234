"""Opening of a case for a challenge, and the ruling of the lexicon. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.adjudication.cases.model import Case, Ruling, Word, evolve
from faristol.adjudication.policy import Adjudication
from faristol.adjudication.views import AdjudicatedGame
from faristol.kernel.cases import case_id_of
from faristol.kernel.likeness import like
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events


@dataclass(frozen=True, slots=True)
class Law:
    """The rules of the game and the pinned lexicon, as far as a ruling depends on them."""

    is_word: Callable[[Word], bool]
    """Whether a word is in the lexicon, in the active layers."""
    language: str
    """Language of the words, ISO 639-1."""
    layers: tuple[str, ...]
    article: str
    """The article on rulings."""
    appeal_article: str
    """The article on appeals against rulings."""
    by_word: bool
    """Whether players are notified of each word (PES Δ.ε) or of the play as a whole (FISC I.10)."""


@dataclass(frozen=True, slots=True)
class Question:
    """The subject of a ruling: a challenge, or an appeal against the ruling on it."""

    challenge: game_events.ChallengeRaised
    raised_at: Timestamp
    appeal: bool = False
    barred: tuple[str, ...] = ()
    """Judges of the first ruling: an appeal goes to another judge."""


def adjudicate(
    case: Case, question: Question, game: AdjudicatedGame, adjudication: Adjudication, law: Law, now: Timestamp
) -> list[Message]:
    """Return the events that are missing for ``question`` to be a case and, in automatic mode, to be ruled on.

    The play stands if every challenged word is valid (FISC I.10). The lexicon rules at the time of the challenge, as no
    judge spends time on it. A case for judges waits in the queue from ``now`` on. No case is opened for an appeal in
    automatic mode, or if only judges of the first ruling could rule on it: the arbiter at the table does. If there are
    too few judges for the panel and there is a director, the case is escalated at once.
    """
    new_events: list[Message] = []
    if not case.open:
        if question.appeal and not _another_judge(question, adjudication, law.language):
            return []
        opened = _build_case_opened(question, game, adjudication, law, now)
        new_events.append(opened)
        case = evolve(case, opened)
        if case.panel and len(adjudication.able(law.language) - frozenset(question.barred)) < case.panel:
            # A director may rule without a panel: no judge could take the case from the queue.
            new_events.append(events.CaseEscalated(case_id=case.case_id, occurred_at=now))
    if case.waiting and not case.panel:
        rulings = tuple(Ruling(word, law.is_word(word)) for word in case.words)
        new_events.append(build_case_ruled(case, rulings, (), case.opened_at))
    return new_events


def _another_judge(question: Question, adjudication: Adjudication, language: str) -> bool:
    """Check whether enough judges, or a director, did not take part in the first ruling; False in automatic mode."""
    if adjudication.mode == events.MODE_AUTOMATIC:
        return False
    barred = frozenset(question.barred)
    return len(adjudication.able(language) - barred) >= adjudication.panel or bool(adjudication.directors - barred)


def _build_case_opened(
    question: Question, game: AdjudicatedGame, adjudication: Adjudication, law: Law, now: Timestamp
) -> events.CaseOpened:
    challenge = question.challenge
    opened = events.CaseOpened(
        case_id=case_id_of(game.game_id, game.seed, challenge.challenge, appeal=question.appeal),
        game_id=game.game_id,
        tournament_id=game.tournament_id,
        turn=challenge.turn,
        challenge=challenge.challenge,
        words=challenge.words,
        lexicon=game.lexicon.message(),
        mode=adjudication.mode,
        occurred_at=question.raised_at,
        language=law.language,
        layers=law.layers,
        article=law.appeal_article if question.appeal else law.article,
        by_word=law.by_word,
        appeal=question.appeal,
        barred_judge_ids=question.barred,
    )
    if adjudication.mode != events.MODE_AUTOMATIC:
        opened.panel = adjudication.panel
        opened.lease_seconds = adjudication.lease_seconds
        opened.escalate_after_seconds = adjudication.escalate_after_seconds
        opened.queued_at.CopyFrom(now)
    return opened


def build_case_ruled(
    case: Case,
    rulings: tuple[Ruling, ...],
    judge_ids: tuple[str, ...],
    at: Timestamp | None,
    *,
    director: bool = False,
) -> events.CaseRuled:
    """Return the ruling on a case: the play stands if every challenged word is valid."""
    return like(
        events.CaseRuled,
        case,
        valid=all(ruling.valid for ruling in rulings),
        words=to_word_rulings(rulings),
        occurred_at=at,
        judge_ids=judge_ids,
        director=director,
    )


def to_word_rulings(rulings: tuple[Ruling, ...]) -> list[events.WordRuling]:
    """Convert rulings on words to the contract's messages."""
    return [
        events.WordRuling(
            word=game_events.Word(faces=ruling.word), valid=ruling.valid, reason=ruling.reason, source=ruling.source
        )
        for ruling in rulings
    ]
