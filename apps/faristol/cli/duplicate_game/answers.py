"""Answers about a duplicate game, as text."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.gateway.duplicate_game.plays import coordinates_of
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.text import say

WAITS_OPEN = N_("hall {hall} is open")
WAITS_SLIP = N_("{hall} {player} ({why}): {slips}")
WAITS_CLAIM = N_("{hall} {claim} of {player}: {words}")
NOTHING_WAITS = N_("no case is pending")


def format_play(play: events.DuplicatePlay) -> str:
    """Format a play as a judge says it: `H4 C A S E R N A`."""
    return f"{coordinates_of(play)} {' '.join(play.faces)}"


def tops(_request: object, answer: pb.ListTopsResponse, _known: object, _language: str) -> Iterator[str]:
    """Yield the lines of `duplicate tops`."""
    yield from (f"{format_play(play)} {play.score}" for play in answer.plays)


def waiting(_request: object, answer: pb.ListWaitingResponse, _known: object, language: str) -> Iterator[str]:
    """Yield the lines of `duplicate waiting`: open halls, slips to rule on, and claims of any round."""
    for hall in answer.open_halls:
        yield say(WAITS_OPEN, {"hall": _hall(hall)}, language)
    for slip in answer.slips:
        written = " / ".join(f"{each.coordinates} {each.word}".strip() or "–" for each in slip.slips)
        of = {"hall": _hall(slip.hall), "player": slip.slips[0].player_id, "why": slip.why, "slips": written}
        yield say(WAITS_SLIP, of, language)
    for each in answer.claims:
        of = {"hall": _hall(each.hall), "claim": each.claim_id, "player": each.slip.player_id, "words": each.words}
        yield say(WAITS_CLAIM, of, language)
    if not (answer.open_halls or answer.slips or answer.claims):
        yield say(NOTHING_WAITS, {}, language)


def _hall(hall: events.DuplicateHall) -> str:
    return hall.name or "–"
