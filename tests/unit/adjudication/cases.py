"""Games, challenges and judges, as tests of adjudication need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.adjudication.cases.challenges import Law, Question, adjudicate
from faristol.adjudication.cases.model import Case, Ruling, Word, evolve
from faristol.adjudication.policy import Adjudication, Judge
from faristol.adjudication.views import AdjudicatedGame
from faristol.kernel.pins import Pin
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events

START = datetime(2026, 3, 7, 10, 0, tzinfo=UTC)
RAISED_AT = to_timestamp(START)
PLAYABLE = {("S", "O", "L"), ("A", "NY")}
GAME = AdjudicatedGame("cup-r1-t1", "cup", lexicon=Pin("catalan", "ab" * 32))
LAW = Law(PLAYABLE.__contains__, "ca", (), "FISC I.10", "FISC I.10", by_word=False)

JUDGES = {
    judge.judge_id: judge
    for judge in (
        Judge("ada", frozenset({"ca"})),
        Judge("berta", frozenset({"ca", "es"})),
        Judge("carles", frozenset({"ca"})),
        Judge("duna", frozenset({"el"})),
        Judge("head", frozenset({"en"}), director=True),
    )
}


def at(seconds: float) -> datetime:
    """Return the time, this number of seconds after the challenge."""
    return START + timedelta(seconds=seconds)


def challenge(*words: Word, occurred_at: Timestamp = RAISED_AT) -> game_events.ChallengeRaised:
    return game_events.ChallengeRaised(
        turn=4,
        challenge=2,
        player_id="biel",
        words=[game_events.Word(faces=word) for word in words],
        occurred_at=occurred_at,
    )


def automatic() -> Adjudication:
    return Adjudication()


def build_adjudication(panel: int = 1) -> Adjudication:
    """Return a tournament whose challenges go to judges."""
    mode = events.MODE_JUDGE if panel == 1 else events.MODE_PANEL
    return Adjudication(mode, panel, lease_seconds=30, escalate_after_seconds=120, judges=JUDGES)


def open_case(settings: Adjudication, *words: Word, queued: datetime = START, barred: Sequence[str] = ()) -> Case:
    """Return a case that was just opened."""
    raised = challenge(*words)
    question = Question(raised, raised.occurred_at, appeal=bool(barred), barred=tuple(barred))
    return after(Case(), adjudicate(Case(), question, GAME, settings, LAW, to_timestamp(queued)))


def after(case: Case, past_events: Iterable[Message]) -> Case:
    return reduce(evolve, past_events, case)


def as_lexicon(case: Case) -> list[Ruling]:
    """Return rulings that agree with the lexicon."""
    return [Ruling(word, word in PLAYABLE) for word in case.words]


def list_sources(case: Case) -> dict[Word, str | None]:
    return {word: "DIEC" if word in PLAYABLE else None for word in case.words}
