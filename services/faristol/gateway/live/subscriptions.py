"""Filters of a stream and their parameters."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode

from fastapi import Depends, Header, Query
from fastapi.exceptions import RequestValidationError
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError
from starlette.types import Scope

from faristol.fanout import MAX_POSITIONS_AHEAD, parse_id
from faristol.gateway.api.event_types import EVENT_TYPES
from faristol.gateway.http.errors import NUMBERS
from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_
from faristol.kernel.topics import Topic, place_of, place_of_duplicate
from faristol.pb.results.v1.results_pb2 import Tournament

CONTENT = "content"
"""Value of ``include``."""


NAMES_PATTERN = r"^([^,]+(,[^,]+)*)?$"
TYPE_NAMES = r"^([A-Za-z]+(,[A-Za-z]+)*)?$"
MAX_LIST_CHARACTERS = 2_000
"""Limit of a list in characters, so that it has fewer items than the results service accepts."""

BEYOND = N_("{given} is after the last position of the record, {last}")
NO_ROUND = N_("there is no round {given}: the tournament has {rounds}")
NO_GAME = N_("there is no game {given} in these tournaments")

NOT_WITH_TYPES = N_("cannot be combined with types: the content would be incomplete")

PUBLIC = frozenset(EVENT_TYPES)
"""Types of notifications."""


def known_type(types: str, known: Collection[str] = PUBLIC) -> str:
    """Raise an error for an unknown type of notification."""
    for given in filter(None, types.split(",")):
        if given not in known:
            if like := nearest(given, sorted(known)):
                raise PydanticCustomError("unknown_type_like", "unknown type of news", {"type": given, "like": like})
            expected = ", ".join(sorted(known))
            raise PydanticCustomError("literal_error", "expected a type of news", {"expected": expected})
    return types


Tournaments = Annotated[
    str,
    Query(
        max_length=MAX_LIST_CHARACTERS,
        pattern=NAMES_PATTERN,
        description="Events of these tournaments, separated by commas; empty for all.",
        examples=["a,b"],
    ),
]


MAX_ID_CHARACTERS = 100
"""Limit of an id in characters."""

LastEventId = Annotated[
    str | None,
    Header(
        description="Resume after this event: the last received `id`, as `FINGERPRINT-POSITION`, or only a position. "
        "It takes precedence over `after`. If the record does not have the event, the stream sends an "
        "event `Reset` and then all events.",
        examples=["9f86d081884c7d65-4711"],
    ),
]

LastEventIdQuery = Annotated[
    str | None,
    Query(
        alias="last_event_id",
        max_length=MAX_ID_CHARACTERS,
        description="The same as the header, which takes precedence. For clients that cannot send the header, or are "
        "behind a proxy that removes it.",
    ),
]


@dataclass(frozen=True)
class Filters:
    """Filters of the notifications of a stream; empty filters match all, and every filter must match."""

    games: Annotated[
        str,
        Query(
            max_length=MAX_LIST_CHARACTERS,
            pattern=NAMES_PATTERN,
            description="Return only events of these games, separated by commas.",
        ),
    ] = ""
    rounds: Annotated[
        str,
        Query(
            max_length=MAX_LIST_CHARACTERS,
            pattern=NUMBERS,
            description="Return only events of these rounds, separated by commas.",
        ),
    ] = ""
    tables: Annotated[
        str,
        Query(
            max_length=MAX_LIST_CHARACTERS, pattern=NUMBERS, description="Return only events of games at these tables."
        ),
    ] = ""
    types: Annotated[
        str,
        Query(
            max_length=MAX_LIST_CHARACTERS,
            pattern=TYPE_NAMES,
            description="Return only events of these types, such as `PlayPlaced,ResultRecorded`: names of `EventType`, "
            "separated by commas.",
        ),
        AfterValidator(known_type),
    ] = ""
    include: Annotated[
        Literal["", "content"],
        Query(
            description="`content`: `data` is `NewsWithContent`, so that a client does not need to fetch it. Not "
            "allowed with `types`, which hides changes. With `games` or `tables`, the content has only games; with "
            "`rounds`, also pairings; without these filters, also standings. `rounds` then also passes events "
            "without a game."
        ),
    ] = ""
    named: Annotated[
        Literal["true", "false"],
        Query(
            description="`false`: frames have no `event`, so that a browser passes each one to `onmessage`; the type "
            "is also in `data`."
        ),
    ] = "true"

    def __post_init__(self) -> None:
        """Raise ``RequestValidationError`` for content with hidden changes."""
        if self.include and self.types:
            wrong = {"type": "value_error", "loc": ("query", "include"), "input": self.include}
            raise RequestValidationError([{**wrong, "ctx": {"error": NOT_WITH_TYPES}}])

    def topic(self, division_of: Mapping[str, str]) -> Topic:
        """Return the topic for these tournaments, each with the first division of its championship or empty."""
        return Topic.of(
            division_of,
            filter(None, self.games.split(",")),
            map(int, filter(None, self.rounds.split(","))),
            map(int, filter(None, self.tables.split(","))),
            filter(None, self.types.split(",")),
            with_content=self.include == CONTENT,
            is_named=self.named == "true",
        )


async def check_filters(
    filters: Filters,
    heads: Mapping[str, Tournament],
    find_games: Callable[[Collection[str]], Awaitable[Collection[str]]],
) -> None:
    """Refuse rounds and games that the tournaments ``heads`` do not have.

    Without tournaments the stream has all of them: then a game of any matches. ``find_games`` returns those of the ids
    that are games. Raises ``RequestValidationError``.
    """
    most = max((head.rounds for head in heads.values()), default=MAX_FILTER_ROUNDS)
    wrong = [
        _wrong("rounds", given, NO_ROUND, {"given": given, "rounds": str(most)})
        for given in filter(None, filters.rounds.split(","))
        if not 1 <= int(given) <= most
    ]
    named = dict.fromkeys(filter(None, filters.games.split(",")))
    to_come, may_be = set(), set()
    for given in named:
        of, number = place_of(given)[:2] if place_of(given)[0] else place_of_duplicate(given)
        head = heads.get(of)
        if head is not None and len(head.played) < number <= head.rounds:  # it may be paired so
            to_come.add(given)
        elif of and (head is not None or not heads):
            may_be.add(given)
    found = to_come.union(await find_games(may_be)) if may_be else to_come
    wrong += [_wrong("games", given, NO_GAME, {"given": given}) for given in named if given not in found]
    if wrong:
        raise RequestValidationError(wrong)


MAX_FILTER_ROUNDS = 10_000
"""Limit of the rounds of any tournament."""


def check_after(after: int, last: int) -> None:
    """Refuse a position far beyond the record, which ends at ``last``. Raises ``RequestValidationError``."""
    if after > last + MAX_POSITIONS_AHEAD:
        raise RequestValidationError([_wrong("after", str(after), BEYOND, {"given": str(after), "last": str(last)})])


def _wrong(field: str, given: str, problem: str, more: Mapping[str, str]) -> dict[str, Any]:
    """Return the error of a parameter in Pydantic's form."""
    return {"type": "filter", "loc": ("query", field), "input": given, "ctx": {"error": problem, **more}}


Filtered = Annotated[Filters, Depends()]
"""Route parameter."""

# --- the same without the framework, for frequent reconnections ------------------------------------------------------

_RESUMPTION = {"after": re.compile("[0-9]{1,18}"), "last_event_id": re.compile(f".{{0,{MAX_ID_CHARACTERS}}}")}

StreamKey = tuple[str, str]
"""Path and filters of a stream's request, on which its topic depends."""


def split_request(scope: Scope) -> tuple[StreamKey, list[tuple[str, str]]]:
    """Return the path and the filters of a request, and the parameters by which it resumes."""
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    filters = [pair for pair in pairs if pair[0] not in _RESUMPTION]
    return (scope["path"], urlencode(filters)), [pair for pair in pairs if pair[0] in _RESUMPTION]


def parse_position(scope: Scope, resumption: Sequence[tuple[str, str]], last: int) -> tuple[int, str] | None:
    """Parse the position and fingerprint of a request; None if the route must refuse it.

    ``last`` is the end of the record.
    """
    given = dict(resumption)
    headers = [value.decode("latin-1") for name, value in scope["headers"] if name == b"last-event-id"]
    if len(given) < len(resumption) or len(headers) > 1:
        return None
    if not all(_RESUMPTION[name].fullmatch(value) for name, value in resumption):
        return None
    if last_id := (headers and headers[0]) or given.get("last_event_id", ""):
        return parse_id(last_id)
    after = int(given.get("after", "0"))
    return (after, "") if after <= last + MAX_POSITIONS_AHEAD else None
