"""What a person at a table is shown: how it stands, and what can be done next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faristol.cli.table.offers import Offer
from faristol.gateway import labels
from faristol.gateway.table import minutes
from faristol.host.text import translations
from faristol.host.times import Instant, instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import N_

MS_NS = 1_000_000

RUNS = "▶"
"""Behind the time of whose clock runs."""

NEXT = N_("Next: %(steps)s")
NOT_STARTED = N_("The game has not started.")
"""What is told of a table before the first turn."""


def standing(
    table: game_pb2.GetGameResponse,
    clock: clock_pb2.GetClockResponse,
    names: Mapping[str, str],
    now: Instant,
    language: str,
) -> Iterator[str]:
    """How a table stands at a moment: turn, bag, and each player's points, time left and number of tiles."""
    read = translations(language)
    turn = read.gettext("Turn %(number)s") % {"number": table.turn}
    bag = read.ngettext("%(num)s tile in the bag", "%(num)s tiles in the bag", table.bag_left)
    yield f"{turn} · {bag % {'num': table.bag_left}}" if table.turn else read.gettext(NOT_STARTED)
    used = {side.player_id: side.used_ms for side in clock.times}
    if clock.running_player_id:
        used[clock.running_player_id] += max(0, now - instant(clock.running_since)) // MS_NS
    for side in table.sides:
        allowance = clock.turn_ms or clock.allowance_ms
        left = allowance - (clock.turn_used_ms if clock.turn_ms else used.get(side.player_id, 0))
        time = f"{'−' if left < 0 else ''}{minutes(abs(left))}"
        runs = f" {RUNS}" if clock.running_player_id == side.player_id else ""
        yield f"  {names[side.player_id]}: {side.score}  ({time}{runs})  {'▢' * side.rack_size}"
    if table.end_condition:
        yield read.gettext(labels.ENDS[table.end_condition])
    if clock.reason:
        yield read.gettext(labels.NEUTRALISED[clock.reason])


def told(steps: Sequence[Offer], names: Mapping[str, str], language: str) -> str:
    """What can be done next, in a line; empty when nothing is left to do."""
    if not steps:
        return ""
    said = "; ".join(f"{names.get(who, who)}: {', '.join(verbs)}" for who, verbs in steps)
    return translations(language).gettext(NEXT) % {"steps": said}
