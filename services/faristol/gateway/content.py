"""What news has changed, as the stream can carry it: lines of games, of pairings and of standings.

A change leads from one answer of the JSON API to a later one. It says from which positions: whoever holds an answer of
another one, as after the way over another gateway in the middle of a burst, asks anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field

from faristol.gateway.answers import Answer
from faristol.gateway.pairings import Pairings
from faristol.gateway.resources import OF_SCORES, OF_TOURNAMENT
from faristol.gateway.results import Moment, Results
from faristol.gateway.sheets import Game
from faristol.gateway.standings import Standings
from faristol.kernel import facts
from faristol.kernel.topics import Topic
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.results.v1 import results_pb2 as pb


class Kind(Enum):
    """What an answer is of."""

    GAME = auto()
    PAIRINGS = auto()
    STANDINGS = auto()


LISTS: Mapping[Kind, tuple[str, ...]] = {
    Kind.GAME: ("board", "entries"),
    Kind.PAIRINGS: ("tables",),
    Kind.STANDINGS: ("standings",),
}
"""Lists of which lines are told one by one."""

OF_ALL_ROUNDS = frozenset(
    kind.DESCRIPTOR.name
    for kind in facts.that_change(options.CHANGE_PLAYERS, options.CHANGE_TEAMS, options.CHANGE_TOURNAMENT)
)
"""Events after which the pairings of any round may be others."""


class Subject(NamedTuple):
    """One answer of the JSON API."""

    kind: Kind
    id: str
    """Of the game, or of the tournament."""
    round: int = 0
    """Of pairings."""


class Lines(BaseModel):
    """The lines of a list that are others."""

    length: int = Field(description="How many lines the list has; what is beyond is gone.")
    lines: dict[str, Any] = Field(description="Lines by their place in the list, from 0, whole.")


class Change(BaseModel):
    """What has changed in an answer of the JSON API.

    Whoever holds an answer of this `position` or a later one has it. It is taken up on one from `from_position` to
    `to_position`; whoever holds another one asks for a fresh one.
    """

    kind: Literal["game", "pairings", "standings"] = Field(
        description="Of which answer: `Game`, `Pairings`, `Standings`."
    )
    id: str = Field(description="The game; of pairings and standings the tournament.")
    round: int = Field(description="The round of pairings; 0 for others.")
    position: int = Field(description="Up to here the answer holds once this is taken up.")
    from_position: int = Field(description="It is taken up on an answer of this position at the earliest.")
    to_position: int = Field(description="And at the latest of this.")
    whole: bool = Field(description="It is the whole answer, which replaces any.")
    fields: dict[str, Any] = Field(description="Fields that are others, each with its value.")
    lists: dict[str, Lines] = Field(
        description="Lines that are others, of `board` and `entries` of a game, `tables` of pairings, and `standings`."
    )


def is_told(subject: Subject, topic: Topic) -> bool:
    """Whether a topic hears all news about a subject, so that what it is told of it is complete."""
    if subject.kind is Kind.GAME:
        return True
    if topic.games or topic.tables:
        return False
    return not topic.rounds or (subject.kind is Kind.PAIRINGS and subject.round in topic.rounds)


def is_of_all_rounds(news: pb.FollowResponse) -> bool:
    """Whether the pairings of any round may be others after a piece of news."""
    return news.type in OF_TOURNAMENT and (news.type in OF_ALL_ROUNDS or not news.round)


def subjects_of(news: pb.FollowResponse, rounds: Iterable[int]) -> list[Subject]:
    """What may be another after a piece of news, where its tournament has these rounds."""
    found = []
    if news.game_id:
        found.append(Subject(Kind.GAME, news.game_id))
    if news.type in OF_TOURNAMENT or news.type in OF_SCORES:
        of = rounds if is_of_all_rounds(news) else (news.round,)
        found += [Subject(Kind.PAIRINGS, news.tournament_id, number) for number in of]
    if news.type in OF_TOURNAMENT:
        found.append(Subject(Kind.STANDINGS, news.tournament_id))
    return found


async def ask(results: Results, subject: Subject, position: int) -> Answer:
    """The answer about a subject, up to a position or further. Raises as ``Results``."""
    when = Moment(position)
    match subject.kind:
        case Kind.GAME:
            return Game.of(await results.game(subject.id, when))
        case Kind.PAIRINGS:
            return Pairings.of(await results.pairings(subject.id, subject.round, when))
        case Kind.STANDINGS:
            return Standings.of(await results.standings(subject.id, 0, when))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An answer, as far as it tells what is another in a later one."""

    position: int
    fields: Mapping[str, int]
    """Hashes of values."""
    lists: Mapping[str, list[int]]


def changed(subject: Subject, answer: Answer, base: Snapshot | None, first: int) -> tuple[bytes, Snapshot]:
    """The change from an earlier answer, or the whole one, as JSON; empty where nothing is another. To remember it.

    ``first`` is the position of the first news since the earlier one.
    """
    shown = {
        name: _json(value) for name, value in answer.model_dump(mode="json").items() if name not in LISTS[subject.kind]
    }
    listed = {name: [line.model_dump_json() for line in getattr(answer, name)] for name in LISTS[subject.kind]}
    del shown["position"]
    hashes = {name: hash(value) for name, value in shown.items()}
    lines = {name: [hash(value) for value in values] for name, values in listed.items()}
    snapshot = Snapshot(answer.position, hashes, lines)
    fields = ",".join(
        f'"{name}":{value}' for name, value in shown.items() if base is None or base.fields.get(name) != hashes[name]
    )
    lists = []
    for name, values in listed.items():
        before = base.lists[name] if base else []
        others = [
            f'"{at}":{value}' for at, value in enumerate(values) if at >= len(before) or before[at] != lines[name][at]
        ]
        if others or len(before) != len(values) or base is None:
            lists.append(f'"{name}":{{"length":{len(values)},"lines":{{{",".join(others)}}}}}')
    if base is not None and not fields and not lists:
        return b"", base  # it is what was told last
    since = base.position if base else 0
    head = (
        f'"kind":"{subject.kind.name.lower()}","id":{_json(subject.id)},"round":{subject.round},'
        f'"position":{answer.position},"from_position":{since},'
        f'"to_position":{max(since, first - 1) if base else answer.position},"whole":{_json(base is None)}'
    )
    return f'{{{head},"fields":{{{fields}}},"lists":{{{",".join(lists)}}}}}'.encode(), snapshot


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
