"""The expectations of a step, compared with its results and with the state after it, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.casebook.articles import split_articles
from faristol.casebook.case import Step
from faristol.casebook.comparisons import check_known
from faristol.casebook.document import Errors, Value
from faristol.casebook.forms import by_name, by_square, fill, format_message
from faristol.casebook.table.expectations import TABLE_STATE, fields
from faristol.casebook.world import Differences, StepResult, World
from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.clock.v1 import turn_events_pb2 as turn_events
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Board

M = TypeVar("M", bound=Message)

EVENT_TYPES_BY_NAME: Mapping[str, Any] = {
    name: descriptor
    for module in (events, duplicate_events, clock_events, turn_events, lexicon_events, pairing_events)
    for name, descriptor in module.DESCRIPTOR.message_types_by_name.items()
}
"""The events that a case can name."""


def last(past_events: Sequence[Message], kind: type[M]) -> M | None:
    """Return the last event of a kind."""
    return next((event for event in reversed(past_events) if isinstance(event, kind)), None)


async def differences(world: World, done: StepResult, step: Step, unread: Errors) -> list[str]:
    """Return all differences from the expectations of a step, each with file and line.

    ``unread`` collects expectations that cannot be read.
    """
    found = []
    if done.problem and not REFUSALS & set(step.expected):
        found.append(str(step.place.wrong(f"this was refused: {_describe_problem(done)}")))
    for key, value in step.expected.items():
        with unread.gather():
            found += [str(value.wrong(difference)) async for difference in _compare(world, done, key, value)]
    return found


def _compare(world: World, done: StepResult, key: str, value: Value) -> Differences:
    kind = world.kind
    if kind.table_verbs and key in OF_TABLE and world.table is None:
        raise value.wrong(f"{key} is expected of a table: no step was at a table")
    return kind.state[key](world, value) if key in kind.state else kind.results[key](done, world.by_id(value))


async def _check_refusal(done: StepResult, value: Value) -> Differences:
    if not isinstance(done.problem, Refusal):
        yield f"expected a refusal by {value.text()}, {_describe_problem(done)}"
    elif value.text() not in (done.problem.article, *split_articles(done.problem.article)):
        yield f"expected a refusal by {value.text()}, got one by {_describe_problem(done)}"


async def _reason(done: StepResult, value: Value) -> Differences:
    if not isinstance(done.problem, Refusal) or done.problem.reason != value.text():
        yield f"expected a refusal for {value.text()}, {_describe_problem(done)}"


async def _invalid(done: StepResult, value: Value) -> Differences:
    if not isinstance(done.problem, Invalid) or done.problem.field != value.text():
        yield f"expected the field {value.text()} to be found wrong, {_describe_problem(done)}"


async def _exists(done: StepResult, value: Value) -> Differences:
    if not isinstance(done.problem, AlreadyExists) or done.problem.kind != value.text():
        yield f"expected that there is such a {value.text()} already, {_describe_problem(done)}"


def _describe_problem(done: StepResult) -> str:
    """Return the reason that a step was not done, with the names of the case."""
    match done.problem:
        case None:
            return "and it was done"
        case Refusal() as refusal:
            return f"{refusal.article or 'no article'}, {refusal.reason}: {by_name(refusal, done.called)}"
    return by_name(done.problem, done.called)


async def _score(done: StepResult, value: Value) -> Differences:
    play = last(done.new_events, events.PlayPlaced)
    if play is None:
        yield "expected the score of a play, and none was laid"
    elif play.score != value.number():
        formed = ", ".join(f"{' '.join(word.word.faces)} {word.score}" for word in play.words)
        yield f"expected a score of {value.number()}, got {play.score} ({formed})"


async def _words(done: StepResult, value: Value) -> Differences:
    play = last(done.new_events, events.PlayPlaced)
    found = [(" ".join(word.word.faces), word.score) for word in play.words] if play else []
    wanted = [(name, score.number()) for name, score in value.keys().items()]
    if found != wanted:
        yield f"expected the words {_pairs(wanted)}, got {_pairs(found)}"


def _pairs(pairs: Sequence[tuple[str, object]]) -> str:
    return ", ".join(f"{name} {number}" for name, number in pairs) or "none"


async def _bingo(done: StepResult, value: Value) -> Differences:
    play = last(done.new_events, events.PlayPlaced)
    if play is None or play.bingo != value.truth():
        yield f"expected a bingo: {value.text()}, and it is not so"


async def _ruling(done: StepResult, value: Value) -> Differences:
    check_known(value, "ruling", ("valid", "invalid", "none"))
    ruled = last(done.new_events, events.AppealRuled) or last(done.new_events, events.ChallengeRuled)
    found = "none" if ruled is None else "valid" if ruled.valid else "invalid"
    if found != value.text():
        yield f"expected the ruling {value.text()}, got {found}"


async def _expect_events(done: StepResult, value: Value) -> Differences:
    for item in value.items():
        fields: Mapping[str, Value] = {}
        name = item
        if item.is_mapping:
            ((key, inner),) = item.keys().items() if len(item.keys()) == 1 else [("", item)]
            name, fields = item.saying(key), inner.keys() if inner.is_mapping else {}
        wanted: Any = GetMessageClass(_event_type(name))()
        fields = by_square(wanted, fields)
        fill(wanted, fields, Board())
        of_kind: list[Any] = [event for event in done.new_events if event.DESCRIPTOR is wanted.DESCRIPTOR]
        named = [key.replace("-", "_") for key in fields]
        if not any(all(getattr(event, key) == getattr(wanted, key) for key in named) for event in of_kind):
            names = ", ".join(event.DESCRIPTOR.name for event in done.new_events)
            found = "; ".join(format_message(event, done.called) for event in of_kind) or names or "nothing"
            yield f"expected the event {name.text()} ({format_message(wanted, done.called, named)}), got {found}"


async def _expect_no_events(done: StepResult, value: Value) -> Differences:
    names = {event.DESCRIPTOR.name for event in done.new_events}
    for item in value.items():
        if _event_type(item).name in names:
            yield f"expected no event {item.text()}, and there is one"


def _event_type(name: Value) -> Any:
    if name.text() not in EVENT_TYPES_BY_NAME:
        raise name.no_such("event", name.text(), EVENT_TYPES_BY_NAME)
    return EVENT_TYPES_BY_NAME[name.text()]


async def _answer(done: StepResult, value: Value) -> Differences:
    if not done.answers:
        yield "expected an answer, but no step asked for one"
        return
    for difference in fields("answer", done.answers[-1], value, done.called):
        yield difference


REFUSALS = frozenset({"refused", "reason", "invalid", "exists"})
"""The keys that expect a command to fail."""

STEP: Mapping[str, Callable[[StepResult, Value], Differences]] = {
    "refused": _check_refusal,
    "reason": _reason,
    "invalid": _invalid,
    "exists": _exists,
    "score": _score,
    "words": _words,
    "bingo": _bingo,
    "ruling": _ruling,
    "facts": _expect_events,
    "no-facts": _expect_no_events,
    "answer": _answer,
}
"""The expectations of the result of a step, by key."""

OF_TABLE = frozenset({"score", "words", "bingo", "ruling", *TABLE_STATE})
"""The keys of expectations of the table of the last step."""
