"""What a person at a table is shown: how it stands, and what can be done next."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from faristol.cli.referee.case import ARBITER, JUDGE
from faristol.cli.referee.verbs import GIVEN, Verb
from faristol.gateway import labels
from faristol.gateway.table import minutes
from faristol.host.text import translations
from faristol.host.times import Instant, instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import N_, Ruleset

_Choice = tuple[str, Sequence[str]]
"""Who, and the verbs for what that one can do."""

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


def next_steps(
    table: game_pb2.GetGameResponse, ruleset: Ruleset, names: Mapping[str, str], unstated: Container[str]
) -> list[_Choice]:
    """Who may do something now, and the verbs for it. An arbiter may always do more.

    ``unstated`` are the players of whose racks it is not known what they hold.
    """
    players = [side.player_id for side in table.sides]
    named = [names[player] for player in players]
    if table.HasField("interruption"):
        return _interrupted(table, names)
    mover = names.get(table.turn_player_id, "")
    match table.phase:
        case game_pb2.PHASE_TURN:
            late = ruleset.challenge.closes_on == "next-turn" and table.HasField("open_play")
            return [(mover, _of_turn(ruleset)), *((other, ["challenge"]) for other in named if late)]
        case game_pb2.PHASE_PLACED:
            return _of_play(table, ruleset, names)
        case game_pb2.PHASE_CHALLENGED:
            return [(JUDGE, ["rule"]), (ARBITER, ["rule-appeal"])]
        case game_pb2.PHASE_REFUSED:
            return [(mover, ["accept-ruling", *(["appeal"] if ruleset.challenge.appeal_by == "mover" else [])])]
        case game_pb2.PHASE_DRAWN:
            return [(mover, ["press"])]
        case game_pb2.PHASE_OFF_CENTRE:
            return [(other, ["decide-off-centre"]) for other in named if other != mover]
        case game_pb2.PHASE_ENDED:
            if stating := [name for player, name in names.items() if player in unstated]:
                return [(name, ["state-rack"]) for name in stating]
            return [(names[side.player_id], ["sign-sheet"]) for side in table.sides if not side.signed]
        case game_pb2.PHASE_FINAL:
            return []
    waiting = [(ARBITER, ["assign-arbiter"])] if ruleset.arbiter.required and not table.arbiter_id else []
    return [*waiting, *((name, ["start-game"]) for name in named)]


def _of_turn(ruleset: Ruleset) -> list[str]:
    allowed = {
        "announce-exchange": not ruleset.exchange.number_fixed,
        "free-exchange": ruleset.free_exchange.allowed,
        "declare-cannot-play": ruleset.passing.cannot_play,
    }
    return ["turn", "place-play", "exchange", "pass", *(verb for verb, there in allowed.items() if there)]


def _of_play(table: game_pb2.GetGameResponse, ruleset: Ruleset, names: Mapping[str, str]) -> list[_Choice]:
    steps, by = ruleset.turn.steps, ruleset.turn.written_by
    written = {one.player_id for one in table.written}
    keeper = table.sides[0].player_id
    said: list[_Choice] = []
    for player in names:
        mover = player == table.turn_player_id
        writes = by == "both" or player == (table.turn_player_id if by == "mover" else keeper)
        wrote = player in written
        verbs = {
            "challenge": not mover
            and not table.pending_ruled_valid
            and not (wrote and ruleset.challenge.closes_on == "challenger-writes"),
            "accept-play": not mover and ruleset.challenge.closes_on == "next-turn",
            "stop": mover and "stop" in steps,
            "write-score": "write" in steps and writes and not wrote,
            "draw-tiles": mover and bool(table.bag_left),
            "press": mover and "press" in steps and not table.bag_left,
        }
        said.append((names[player], [verb for verb, there in verbs.items() if there]))
    return [(who, verbs) for who, verbs in said if verbs]


def _interrupted(table: game_pb2.GetGameResponse, names: Mapping[str, str]) -> list[_Choice]:
    found = table.interruption
    match found.WhichOneof("found"):
        case "overdraw":
            if found.overdraw.choose:
                other = [name for player, name in names.items() if player != found.overdraw.player_id]
                return [(name, ["choose-surplus"]) for name in other]
            return [(ARBITER, ["resolve-overdraw"])]
        case "underdraw":
            return [(ARBITER, ["resolve-underdraw"])]
        case "illegal_exchange":
            other = [name for player, name in names.items() if player != found.illegal_exchange.player_id]
            return [(name, ["keep-after-exchange"]) for name in other]
    return [(ARBITER, ["settle-count"])]


def told(steps: Sequence[_Choice], language: str) -> str:
    """What can be done next, in a line; empty when nothing is left to do."""
    if not steps:
        return ""
    said = "; ".join(f"{who}: {', '.join(verbs)}" for who, verbs in steps)
    return translations(language).gettext(NEXT) % {"steps": said}


def described(verb: Verb) -> str:
    """A verb with what may be said behind it: ``claim-overdraw DRAWER-ID, with: racked, seen``."""
    fields = [field.name for field in verb.request.DESCRIPTOR.fields if field.name not in GIVEN]
    first, rest = fields[:1], [name.replace("_", "-") for name in fields[1:]]
    said = " ".join([verb.name, *(name.replace("_", "-").upper() for name in first)])
    return f"{said}, with: {', '.join(rest)}" if rest else said
