"""Content of notifications: the changed lines of games, pairings and standings, for the stream.

Problem. A notification names an event. Its client must then load an answer of the JSON API again. After a play,
thousands of clients would load the same game, of which only some lines are new.

Idea. A change leads from one answer of the JSON API to a later one, and states the positions of both. Fields are
replaced as a whole, as by JSON Merge Patch (RFC 7396). Of the ``LISTS``, the changed lines are sent by their index, and
the new length. Lines are compared as messages of the contract, and only changed ones are converted to JSON.

Invariants:

- A change applies to an answer of a position from ``from_position`` to ``to_position``. The first is that of the
  earlier answer. The second is the last one before a notification about the subject.
- An answer of ``position`` or later includes the change. Lines are complete, so a change can be applied twice.
- A client with any other answer, such as one from another gateway, must load a new one.
- A topic gets the changes of a subject only if it includes every notification about it (``is_covered``).

Cost. For each subject of a batch of notifications: one call of a service and one encoding, for all viewers
(``content_reader``). Time is linear in the answer. The earlier answer is stored in the format of protobuf: a game of 40
turns has some 5 kB, a standing of 300 players 36 kB.

Alternatives that are not used:

- JSON Merge Patch for lists. It replaces an array as a whole, so each play would repeat the scoresheet.
- JSON Patch (RFC 6902). An insertion that is applied twice gives a wrong document, and resumed streams repeat changes.
- Changes without positions. A client that resumes at another gateway could not determine whether they fit its answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field

from faristol.gateway.api.contract_json import members_of, to_json, write_json
from faristol.gateway.cache.resources import OF_SCORES, OF_TOURNAMENT
from faristol.gateway.rpc.results import Moment, Results
from faristol.kernel import event_types
from faristol.kernel.topics import Topic
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.results.v1 import results_pb2 as pb


class ContentKind(Enum):
    """Kind of an answer."""

    GAME = auto()
    PAIRINGS = auto()
    STANDINGS = auto()


LISTS: Mapping[ContentKind, tuple[str, ...]] = {
    ContentKind.GAME: ("board", "entries"),
    ContentKind.PAIRINGS: ("tables",),
    ContentKind.STANDINGS: ("standings",),
}
"""Lists whose lines are sent one by one."""

OF_ALL_ROUNDS = frozenset(
    kind.DESCRIPTOR.name
    for kind in event_types.types_that_change(options.CHANGE_PLAYERS, options.CHANGE_TEAMS, options.CHANGE_TOURNAMENT)
)
"""Events that may change the pairings of any round."""


class Subject(NamedTuple):
    """Answer of the JSON API."""

    kind: ContentKind
    id: str
    """Id of the game or of the tournament."""
    round: int = 0
    """Round of pairings."""


class Lines(BaseModel):
    """Changed lines of a list."""

    length: int = Field(description="Length of the list; later lines are removed.")
    lines: dict[str, Any] = Field(description="Complete lines by their index in the list, from 0.")


class Change(BaseModel):
    """Change of an answer of the JSON API.

    An answer of this `position` or a later one already includes it. Apply it to an answer of a position from
    `from_position` to `to_position`. For any other answer, load a new one.
    """

    kind: Literal["game", "pairings", "standings"] = Field(
        description="Type of the answer: `Game`, `Pairings`, `Standings`."
    )
    id: str = Field(description="Id of the game; for pairings and standings, of the tournament.")
    round: int = Field(description="Round of the pairings; 0 for other types.")
    position: int = Field(description="Position up to which the answer is valid after the change is applied.")
    from_position: int = Field(description="Lowest position of an answer to which the change applies.")
    to_position: int = Field(description="Highest position of an answer to which the change applies.")
    whole: bool = Field(description="The change is the complete answer and replaces any other.")
    fields: dict[str, Any] = Field(description="Changed fields with their new values.")
    lists: dict[str, Lines] = Field(
        description="Changed lines of `board` and `entries` of a game, of `tables` of pairings, and of `standings`."
    )


def is_covered(subject: Subject, topic: Topic) -> bool:
    """Check whether a topic includes every notification about a subject, so that its changes are complete."""
    if subject.kind is ContentKind.GAME:
        return True
    if topic.games or topic.tables:
        return False
    return not topic.rounds or (subject.kind is ContentKind.PAIRINGS and subject.round in topic.rounds)


def is_of_all_rounds(news: pb.FollowResponse) -> bool:
    """Check whether a notification may concern the pairings of every round."""
    return news.type in OF_TOURNAMENT and (news.type in OF_ALL_ROUNDS or not news.round)


def subjects_of(news: pb.FollowResponse, rounds: Iterable[int]) -> list[Subject]:
    """Return the answers that a notification may change, in a tournament with these rounds."""
    found = []
    if news.game_id:
        found.append(Subject(ContentKind.GAME, news.game_id))
    if news.type in OF_TOURNAMENT or news.type in OF_SCORES:
        of = rounds if is_of_all_rounds(news) else (news.round,)
        found += [Subject(ContentKind.PAIRINGS, news.tournament_id, number) for number in of]
    if news.type in OF_TOURNAMENT:
        found.append(Subject(ContentKind.STANDINGS, news.tournament_id))
    return found


Answer = pb.GetGameResponse | pb.GetPairingsResponse | pb.GetStandingsResponse


async def ask(results: Results, subject: Subject, position: int) -> Answer:
    """Return the answer about a subject at a position or later. Raises the errors of ``Results``."""
    when = Moment(position)
    match subject.kind:
        case ContentKind.GAME:
            return await results.game(subject.id, when)
        case ContentKind.PAIRINGS:
            return await results.pairings(subject.id, subject.round, when)
        case ContentKind.STANDINGS:
            return await results.standings(subject.id, 0, when)


def compute_change(subject: Subject, answer: Answer, base: bytes | None, first: int) -> bytes:
    """Return the change from an earlier answer, or the whole one, as JSON; empty if they are equal.

    ``base`` is the earlier answer in the format of protobuf. ``first`` is the position of the first notification since.
    """
    before = None if base is None else type(answer).FromString(base)
    fields, lists = dict[str, Any](), dict[str, Any]()
    for member in members_of(answer.DESCRIPTOR):
        name = member.name
        if name in LISTS[subject.kind]:
            lines = getattr(answer, name)
            lines_before = getattr(before, name) if before else ()
            kept = len(lines_before)
            changed = {at: line for at, line in enumerate(lines) if at >= kept or line != lines_before[at]}
            if changed or before is None or kept != len(lines):
                shown = {str(at): to_json(line) for at, line in changed.items()}
                lists[name] = {"length": len(lines), "lines": shown}
        elif name != "position":
            value = member.read(answer)
            if before is None or value != member.read(before):
                fields[name] = value
    if not fields and not lists:
        return b""  # equal to the last change sent
    since = before.position if before else 0
    change = {
        "kind": subject.kind.name.lower(),
        "id": subject.id,
        "round": subject.round,
        "position": answer.position,
        "from_position": since,
        "to_position": max(since, first - 1) if before else answer.position,
        "whole": before is None,
        "fields": fields,
        "lists": lists,
    }
    return write_json(change).encode()
