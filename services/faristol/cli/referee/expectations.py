"""What a step expects, compared with what came of it, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.cli.referee.articles import separated
from faristol.cli.referee.document import Value
from faristol.cli.referee.forms import clocked, fill, kebab, shown
from faristol.host import Invalid
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.rules import Board, Notation, Refusal

if TYPE_CHECKING:
    from faristol.cli.referee.case import Step
    from faristol.cli.referee.world import Done, World

M = TypeVar("M", bound=Message)
Differences = AsyncIterator[str]
NOBODY = "nobody"

FACTS: Mapping[str, Any] = {
    name: descriptor
    for module in (events, clock_events, lexicon_events)
    for name, descriptor in module.DESCRIPTOR.message_types_by_name.items()
}
"""The facts that a case can name."""


def last(facts: Sequence[Message], kind: type[M]) -> M | None:
    """The last fact of a kind."""
    return next((fact for fact in reversed(facts) if isinstance(fact, kind)), None)


async def differences(world: World, done: Done, step: Step) -> AsyncIterator[str]:
    """Everything in which what came of a step differs from what it expects, each with its file and line."""
    if done.problem and not {"refused", "reason", "invalid"} & set(step.expected):
        yield str(step.place.wrong(f"this was refused: {_told(done.problem)}"))
    for key, value in step.expected.items():
        async for difference in EXPECTATIONS[key](world, done, value):
            yield str(value.wrong(difference))


async def _refused(_: World, done: Done, value: Value) -> Differences:
    if not isinstance(done.problem, Refusal):
        yield f"expected a refusal by {value.text()}, {_told(done.problem)}"
    elif value.text() not in (done.problem.article, *separated(done.problem.article)):
        yield f"expected a refusal by {value.text()}, got one by {_told(done.problem)}"


async def _reason(_: World, done: Done, value: Value) -> Differences:
    if not isinstance(done.problem, Refusal) or done.problem.reason != value.text():
        yield f"expected a refusal for {value.text()}, {_told(done.problem)}"


async def _invalid(_: World, done: Done, value: Value) -> Differences:
    if not isinstance(done.problem, Invalid) or done.problem.field != value.text():
        yield f"expected the field {value.text()} to be found wrong, {_told(done.problem)}"


def _told(problem: object) -> str:
    match problem:
        case None:
            return "and it was done"
        case Refusal():
            return f"{problem.article or 'no article'}, {problem.reason}: {problem}"
    return str(problem)


async def _score(_: World, done: Done, value: Value) -> Differences:
    play = last(done.facts, events.PlayPlaced)
    if play is None:
        yield "expected the score of a play, and none was laid"
    elif play.score != value.number():
        formed = ", ".join(f"{' '.join(word.word.faces)} {word.score}" for word in play.words)
        yield f"expected a score of {value.number()}, got {play.score} ({formed})"


async def _words(_: World, done: Done, value: Value) -> Differences:
    play = last(done.facts, events.PlayPlaced)
    found = [(" ".join(word.word.faces), word.score) for word in play.words] if play else []
    wanted = [(name, score.number()) for name, score in value.keys().items()]
    if found != wanted:
        yield f"expected the words {_pairs(wanted)}, got {_pairs(found)}"


def _pairs(pairs: Sequence[tuple[str, object]]) -> str:
    return ", ".join(f"{name} {number}" for name, number in pairs) or "none"


async def _bingo(_: World, done: Done, value: Value) -> Differences:
    play = last(done.facts, events.PlayPlaced)
    if play is None or play.bingo != value.truth():
        yield f"expected a bingo: {value.text()}, and it is not so"


async def _ruling(_: World, done: Done, value: Value) -> Differences:
    ruled = last(done.facts, events.ChallengeRuled)
    found = "none" if ruled is None else "valid" if ruled.valid else "invalid"
    if found != value.text():
        yield f"expected the ruling {value.text()}, got {found}"


async def _scores(world: World, _: Done, value: Value) -> Differences:
    found = {side.player_id: side.score for side in (await world.services.table()).sides}
    for difference in _by_player("points", found, {name: one.number() for name, one in value.keys().items()}):
        yield difference


async def _rack_sizes(world: World, _: Done, value: Value) -> Differences:
    found = {side.player_id: side.rack_size for side in (await world.services.table()).sides}
    for difference in _by_player("tiles", found, {name: one.number() for name, one in value.keys().items()}):
        yield difference


def _by_player(what: str, found: Mapping[str, object], wanted: Mapping[str, object]) -> Iterator[str]:
    for player, one in wanted.items():
        if found.get(player) != one:
            yield f"expected {one} {what} for {player}, got {found.get(player)}"


async def _racks(world: World, _: Done, value: Value) -> Differences:
    for player, rack in value.keys(world.case.players).items():
        found = (await world.services.table(player)).rack
        if Counter(found) != Counter(rack.text().split()):
            yield f"expected the rack of {player} to be {rack.text() or 'empty'}, got {' '.join(found) or 'none'}"


async def _bag(world: World, _: Done, value: Value) -> Differences:
    found = (await world.services.table()).bag_left
    if found != value.number():
        yield f"expected {value.number()} tiles in the bag, got {found}"


async def _board(world: World, _: Done, value: Value) -> Differences:
    board = await world.services.board()
    for name, tile in value.keys().items():
        found = str(board.get(Notation.FISC.read(name).square, "empty"))
        if found != tile.text():
            yield f"expected {tile.text()} on {name}, got {found}"


async def _used(world: World, _: Done, value: Value) -> Differences:
    found = {player: clocked(used) for player, used in (await world.used_ms()).items()}
    wanted = {player: clocked(one.milliseconds()) for player, one in value.keys().items()}
    for difference in _by_player("on the clock", found, wanted):
        yield difference


async def _runs(world: World, _: Done, value: Value) -> Differences:
    found = (await world.services.clock()).running_player_id or NOBODY
    if found != value.text():
        yield f"expected the clock of {value.text()} to run, got {found}"


async def _on_turn(world: World, _: Done, value: Value) -> Differences:
    found = (await world.services.table()).turn_player_id or NOBODY
    if found != value.text():
        yield f"expected {value.text()} to be on turn, got {found}"


async def _phase(world: World, _: Done, value: Value) -> Differences:
    found = kebab(game_pb2.Phase.Name((await world.services.table()).phase).removeprefix("PHASE_"))
    if found != value.text():
        yield f"expected the phase {value.text()}, got {found}"


async def _ends(world: World, _: Done, value: Value) -> Differences:
    condition = (await world.services.table()).end_condition
    found = kebab(events.EndCondition.Name(condition).removeprefix("END_CONDITION_")) if condition else "no"
    if found != value.text():
        yield f"expected the game to end: {value.text()}, got {found}"


async def _winner(world: World, _: Done, value: Value) -> Differences:
    final = last(world.services.facts(), events.ResultFinal)
    found = "no result" if final is None else final.winner_id or NOBODY
    if found != value.text():
        yield f"expected {value.text()} to win, got {found}"


async def _facts(_: World, done: Done, value: Value) -> Differences:
    for item in value.items():
        fields: Mapping[str, Value] = {}
        name = item
        if item.is_mapping:
            ((key, inner),) = item.keys().items() if len(item.keys()) == 1 else [("", item)]
            name, fields = item.saying(key), inner.keys() if inner.is_mapping else {}
        wanted: Any = GetMessageClass(_fact(name))()
        fill(wanted, fields, Board())
        of_kind: list[Any] = [fact for fact in done.facts if fact.DESCRIPTOR is wanted.DESCRIPTOR]
        named = [key.replace("-", "_") for key in fields]
        if not any(all(getattr(fact, key) == getattr(wanted, key) for key in named) for fact in of_kind):
            found = (
                "; ".join(map(shown, of_kind)) or ", ".join(fact.DESCRIPTOR.name for fact in done.facts) or "nothing"
            )
            yield f"expected the fact {name.text()} ({shown(wanted)}), got {found}"


async def _no_facts(_: World, done: Done, value: Value) -> Differences:
    names = {fact.DESCRIPTOR.name for fact in done.facts}
    for item in value.items():
        if _fact(item).name in names:
            yield f"expected no fact {item.text()}, and there is one"


def _names(facts: Sequence[Message]) -> str:
    return ", ".join(fact.DESCRIPTOR.name for fact in facts) or "nothing"


def _fact(name: Value) -> Any:
    if name.text() not in FACTS:
        raise name.wrong(f"there is no fact {name.text()!r}; there are: {', '.join(sorted(FACTS))}")
    return FACTS[name.text()]


async def _clock(world: World, _: Done, value: Value) -> Differences:
    for difference in _fields("clock", await world.services.clock(), value):
        yield difference


async def _table(world: World, _: Done, value: Value) -> Differences:
    for difference in _fields("table", await world.services.table(), value):
        yield difference


async def _answer(_: World, done: Done, value: Value) -> Differences:
    if not done.answers:
        yield "expected an answer, and nothing was asked or done"
        return
    for difference in _fields("answer", done.answers[-1], value):
        yield difference


def _fields(what: str, found: Any, value: Value) -> Iterator[str]:
    wanted = type(found)()
    fields = value.keys()
    fill(wanted, fields, Board())
    for field in (key.replace("-", "_") for key in fields):
        if getattr(found, field) != getattr(wanted, field):
            yield f"expected of the {what} {shown(wanted)}, got {shown(found)}"
            return


EXPECTATIONS: Mapping[str, Callable[[World, Done, Value], Differences]] = {
    "refused": _refused,
    "reason": _reason,
    "invalid": _invalid,
    "score": _score,
    "words": _words,
    "bingo": _bingo,
    "ruling": _ruling,
    "scores": _scores,
    "racks": _racks,
    "rack-sizes": _rack_sizes,
    "bag": _bag,
    "board": _board,
    "used": _used,
    "runs": _runs,
    "on-turn": _on_turn,
    "phase": _phase,
    "ends": _ends,
    "winner": _winner,
    "facts": _facts,
    "no-facts": _no_facts,
    "clock": _clock,
    "table": _table,
    "answer": _answer,
}
"""Every expectation by its key."""
