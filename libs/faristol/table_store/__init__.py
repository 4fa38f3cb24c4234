"""Tables as the record keeps them: loaded from their two streams and settled, and written to both in one append.

The services of games and of clocks share this room: whichever of them decides, game and clock are written at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from google.protobuf.message import Message

from faristol.host.ruleset_store import rules_of
from faristol.kernel.cases import case_ids_of
from faristol.kernel.times import Instant, instant, occurred_at
from faristol.record import Decision, Guard, Loaded, Record, Write
from faristol.record.databases import FAILURES
from faristol.rules import Ruleset
from faristol.table import Table, evolve, of_clock
from faristol.table.clock import Clock
from faristol.table.game.state import Game, Phase
from faristol.table.settlement import settle
from faristol.table.views import Ruling, watch_case

TOGETHER = 64
"""Tables that are read in one statement."""

GAME, CLOCK = "game-", "clock-"
"""What the names of the streams of a table begin with; the id of the game follows."""


def game_stream(game_id: str) -> str:
    """The stream of a game."""
    return f"{GAME}{game_id}"


def clock_stream(game_id: str) -> str:
    """The stream of its clock."""
    return f"{CLOCK}{game_id}"


def game_of(stream: str) -> str:
    """The id of the game whose stream, or whose clock's, this is."""
    return stream.partition("-")[2]


@dataclass(frozen=True, slots=True)
class Halves:
    """The game and the clock of a table, with the versions of their streams."""

    game: Game = field(default_factory=Game)
    clock: Clock = field(default_factory=Clock)
    versions: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """A table with all that follows at it by itself, be it on the record or not."""

    table: Table
    """With the facts that are missing."""
    missing: Sequence[Message]
    """The facts that follow and that the record does not have yet."""
    versions: Mapping[str, int]
    """Of the streams of the game and of the clock, without the missing facts."""
    guards: Sequence[Guard] = ()
    """What else the table was settled by: streams of the case of a challenge."""

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    def moment(self, request: Any, now: Callable[[], datetime]) -> Instant:
        """When a command happened: as its request says, or else now, which is never before the last fact."""
        at = instant(occurred_at(request, now))
        return at if request.HasField("occurred_at") else max(at, self.table.last_at)

    def with_consequences(self, facts: Sequence[Message]) -> list[Message]:
        """``facts``, and what follows from them at the table."""
        return [*facts, *settle(self.table.after(facts))]

    def decision(self, facts: Sequence[Message] = ()) -> Decision:
        """Write the missing facts and ``facts``, in this order, to the streams that they are of; nothing for none."""
        events = [*self.missing, *facts]
        if not events:
            return Decision()
        game = self.game
        writes = [
            Write(
                stream,
                self.versions[stream],
                list(part),
                game.tournament_id,
                concerned=game.player_ids if stream.startswith(GAME) else (),
            )
            for stream, part in _parts(game.game_id, events)
        ]
        written = {write.stream for write in writes}
        read = [Guard(stream, version) for stream, version in self.versions.items() if stream not in written]
        return Decision(writes, [*read, *self.guards])


def opened(ruleset: Ruleset, facts: Sequence[Message]) -> Sequence[Write]:
    """What writes a table that is opened by ``facts``, with what follows from them."""
    table = Table(ruleset).after(facts)
    game_id = table.game.game_id
    versions = {game_stream(game_id): 0, clock_stream(game_id): 0}
    return Settled(table, [*facts, *settle(table)], versions).decision().writes


async def load_table(record: Record, game_id: str, *, rulings: bool = True) -> Settled | None:
    """The table, settled; None when there is no such game.

    Without ``rulings`` a pending challenge stays pending, though its case may have been ruled on: players see a ruling
    once it stands on the table's own stream.

    Raises ``Refusal`` when the ruleset that it pins is nowhere.
    """
    return await _settled(record, game_id, await _halves(record, game_id), rulings=rulings)


async def load_tables(record: Record, game_ids: Collection[str]) -> Mapping[str, Settled | Exception | None]:
    """Many tables at once, each as ``load_table`` gives it, or in its place what ``load_table`` would raise.

    Raises what the database raises.
    """
    asked = sorted(game_ids)
    found: dict[str, Settled | Exception | None] = {}
    for start in range(0, len(asked), TOGETHER):
        some = asked[start : start + TOGETHER]
        try:
            halves = await _many_halves(record, some)
        except FAILURES:
            raise
        except Exception:  # noqa: BLE001 # there is something in one of them that cannot be read: each by itself
            halves = {}
        for game_id in some:
            try:
                found[game_id] = await (
                    _settled(record, game_id, halves[game_id]) if game_id in halves else load_table(record, game_id)
                )
            except FAILURES:
                raise
            except Exception as problem:  # noqa: BLE001 # it is that table's, and given for it
                found[game_id] = problem
    return found


async def _settled(record: Record, game_id: str, halves: Halves, *, rulings: bool = True) -> Settled | None:
    if not halves.versions[game_stream(game_id)]:
        return None
    table = Table(await rules_of(record, halves.game.ruleset), halves.game, halves.clock)
    ruling: Ruling | None = None
    guards: Sequence[Guard] = ()
    if rulings and table.game.phase is Phase.CHALLENGED:
        ruling, guards = await _ruling(record, table.game)
    missing = settle(table, ruling)
    return Settled(table.after(missing), missing, halves.versions, guards)


async def load_other_games(record: Record, game_ids: Sequence[str]) -> Mapping[str, Loaded[Game]]:
    """Games as they stand, of which something is asked while another is decided."""
    found = {game_id: await _halves(record, game_id) for game_id in game_ids}
    return {game_id: Loaded(each.game, each.versions[game_stream(game_id)]) for game_id, each in found.items()}


async def _halves(record: Record, game_id: str) -> Halves:
    """Game and clock as the record has them: what was folded before, and what was appended since."""
    halves = _known(record, game_id)
    return _folded(record, game_id, halves, await record.facts_after(halves.versions))


async def _many_halves(record: Record, game_ids: Sequence[str]) -> dict[str, Halves]:
    """The same of many tables, read at once."""
    known = {game_id: _known(record, game_id) for game_id in game_ids}
    versions = {stream: version for halves in known.values() for stream, version in halves.versions.items()}
    facts: dict[str, list[tuple[str, Message]]] = {}
    for stream, fact in await record.facts_after(versions):
        facts.setdefault(game_of(stream), []).append((stream, fact))
    return {game_id: _folded(record, game_id, halves, facts.get(game_id, ())) for game_id, halves in known.items()}


def _known(record: Record, game_id: str) -> Halves:
    """What was folded before."""
    game, clock = game_stream(game_id), clock_stream(game_id)
    known = record.folds.last(_halves, game)
    return known.state if known else Halves(versions={game: 0, clock: 0})


def _folded(record: Record, game_id: str, halves: Halves, facts: Sequence[tuple[str, Message]]) -> Halves:
    """What was folded before with what was appended since, which is kept."""
    if not facts:
        return halves
    state, versions = (halves.game, halves.clock), dict(halves.versions)
    for stream, fact in facts:
        state = evolve(state, fact)
        versions[stream] += 1
    halves = Halves(*state, versions)
    record.folds.keep(_halves, game_stream(game_id), Loaded(halves, sum(versions.values())))
    return halves


async def _ruling(record: Record, game: Game) -> tuple[Ruling | None, Sequence[Guard]]:
    """What the case of the last challenge says, or that of the appeal in it, and the streams on which it may be."""
    known = case_ids_of(game.game_id, game.seed, game.challenges, appeal=game.course.appealed)
    streams = [f"case-{case_id}" for case_id in known]
    rulings: dict[str, Ruling | None] = dict.fromkeys(streams)
    versions = dict.fromkeys(streams, 0)
    for stream, fact in await record.facts_after(versions):
        rulings[stream] = watch_case(rulings[stream], fact)
        versions[stream] += 1
    ruling = next(filter(None, rulings.values()), None)
    return ruling, [Guard(stream, version) for stream, version in versions.items()]


def _parts(game_id: str, facts: Sequence[Message]) -> Iterator[tuple[str, Iterator[Message]]]:
    """The facts of a table in order, in parts of one stream each."""
    for is_clock, part in groupby(facts, of_clock):
        yield clock_stream(game_id) if is_clock else game_stream(game_id), part
