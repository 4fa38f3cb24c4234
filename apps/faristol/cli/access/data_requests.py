"""The requests of players for correction or erasure of their data, as text."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.presentation.labels import DATA_REQUEST_STATES, DATA_REQUESTS
from faristol.text import say, translations

NO_REQUESTS = N_("There are no requests.")


def data_requests(
    _request: object, answer: pb.ListDataRequestsResponse, _known: object, language: str
) -> Iterator[str]:
    """Yield the lines of `data-request list`, the oldest request first, with the answers."""
    read = translations(language).gettext
    if not answer.requests:
        yield say(NO_REQUESTS, {}, language)
    for each in answer.requests:
        day = to_datetime(each.lodged_at).date()
        who = f"{each.name} ({each.player_id})" if each.name else each.player_id
        kind, state = read(DATA_REQUESTS[each.kind]), read(DATA_REQUEST_STATES[each.state])
        yield f"{each.tournament_id} {each.request}  {day}  {who}  {kind}: {state}"
        yield from (f"    {words}" for words in (each.note, each.answer) if words)
