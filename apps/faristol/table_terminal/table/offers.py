"""The next possible steps at a table, as its services show it: actors and their verbs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from faristol.casebook.case import ARBITER, JUDGE
from faristol.casebook.commands import TURN_STEPS, writers
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset
from faristol.rules.turns import check_cannot_play, check_pass, exchange_limit

Offer = tuple[str, Sequence[str]]
"""An actor and the verbs possible for it. An arbiter may always do more."""

OF_ARBITERS = (clock_events.NEUTRALISATION_REASON_FORCE_MAJEURE, clock_events.NEUTRALISATION_REASON_CORRECTION)
"""Reasons for which a clock is stopped until an arbiter resumes it."""


LASTING = (game_pb2.PHASE_CHALLENGED, game_pb2.PHASE_REFUSED)
"""Phases of an unfinished challenge."""

GIVEN_UP = (game_events.END_CONDITION_ABANDONED, game_events.END_CONDITION_ALL_ABANDONED)
"""Ends after which racks are not counted, and so need not be stated."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table and its clock as their services show them, and the rules in use."""

    table: game_pb2.GetGameResponse
    clock: clock_pb2.GetClockResponse
    ruleset: Ruleset
    unstated: Collection[str] = ()
    """Players whose racks are unknown."""

    held_ms: int = 0
    """Milliseconds since the player on turn stopped the clock, as far as known here."""

    judged: bool = False
    """Whether judges rule on the pending appeal instead of the arbiter at the table."""

    @property
    def players(self) -> Sequence[str]:
        """In the order of turns."""
        return [side.player_id for side in self.table.sides]

    @property
    def written(self) -> set[str]:
        """The players that have written the score of the play in question."""
        return {entry.player_id for entry in self.table.written}

    @property
    def entered_again(self) -> bool:
        """Whether a turn with a pressed clock is being re-entered: the clock is at the next turn."""
        return self.clock.turn > self.table.turn > 0

    def others(self, player_id: str) -> Sequence[str]:
        """Return all players but one."""
        return [player for player in self.players if player != player_id]


def offers(shown: ShownTable) -> list[Offer]:
    """Return the actors that can act now, by id, and their verbs in the order of the book."""
    found: dict[str, list[str]] = {}
    for who, verbs in _offers(shown):
        known = found.setdefault(who, [])
        known.extend(verb for verb in verbs if verb not in known)
    return [(who, verbs) for who, verbs in found.items() if verbs]


def _offers(shown: ShownTable) -> Iterator[Offer]:
    table, clock = shown.table, shown.clock
    if table.phase == game_pb2.PHASE_FINAL:
        return
    if table.phase == game_pb2.PHASE_ENDED:
        yield from _of_end(shown)
        return
    if table.phase == game_pb2.PHASE_UNSPECIFIED:
        waits = shown.ruleset.arbiter.required and not table.arbiter_id
        begin = shown.players[:1] if shown.ruleset.start.by_pairing else shown.players
        yield from [(ARBITER, ["assign-arbiter"])] if waits else [(player, ["start-game"]) for player in begin]
        return
    yield from ((player, ["record-arrival"]) for player in clock.absent_player_ids)
    yield from ((player, ["return-to-table"]) for player in clock.away_player_ids)
    if _waits_for_arbiter(shown):
        yield ARBITER, ["resume"]
    if table.arbiter_called_by:
        yield ARBITER, ["dismiss-arbiter"]
    if table.HasField("interruption"):
        yield from _of_interruption(shown)
    elif table.phase == game_pb2.PHASE_CHALLENGED:
        yield from _of_challenge(shown)
    elif table.phase == game_pb2.PHASE_REFUSED:
        yield _author(shown), ["accept-ruling", "appeal"]
    elif not table.arbiter_called_by and not clock.absent_player_ids:
        yield from _of_turn(shown)


def _waits_for_arbiter(shown: ShownTable) -> bool:
    """Check whether only an arbiter can resume the clock: the reason for its stop is over."""
    table, clock = shown.table, shown.clock
    if not clock.neutralised or clock.reason in OF_ARBITERS:
        return clock.neutralised
    written = (
        clock.reason == clock_events.NEUTRALISATION_REASON_CHALLENGE and shown.ruleset.clock.resumed_on == "written"
    )
    lasts = table.HasField("interruption") or table.arbiter_called_by or table.phase in LASTING
    return not (lasts or written)


def _of_turn(shown: ShownTable) -> Iterator[Offer]:
    table, ruleset = shown.table, shown.ruleset
    mover = table.turn_player_id
    if table.phase == game_pb2.PHASE_OFF_CENTRE:
        yield from ((player, ["decide-off-centre"]) for player in shown.others(mover))
    elif table.phase != game_pb2.PHASE_TURN:
        yield from ((player, list(_of_play(shown, player))) for player in shown.players)
    else:
        late = table.open_play.player_id
        out = any(not side.rack_size for side in table.sides) and not table.bag_left
        if not (late and out) and mover not in shown.clock.away_player_ids:
            yield mover, list(_to_play(shown))
        if late:
            closed = ["accept-play"] if table.pending_ruled_valid else ["challenge", "accept-play"]
            away = set(shown.clock.away_player_ids)
            until_next = ruleset.challenge.closes_on == "next-turn"
            yield from ((player, closed) for player in shown.others(late) if player not in away)
            writers = _writers(shown) if until_next else shown.others(late)
            yield from ((player, ["write-score"]) for player in writers if player not in shown.written | away)


def _to_play(shown: ShownTable) -> Iterator[str]:
    """Yield the verbs of the player on turn before any action."""
    table, ruleset = shown.table, shown.ruleset
    announced = table.HasField("announced")
    if announced and not ruleset.exchange.announced_can_be_dropped:
        yield "exchange"
        return
    if table.laid:
        yield from ("place-play", "take-back-tiles")
        if ruleset.touch.rule == "strict":
            return
    yield from ("turn", "place-play")
    if exchange_limit(table.bag_left, ruleset) > 0:
        yield from ("exchange", *(() if ruleset.exchange.number_fixed else ("announce-exchange",)))
    if ruleset.free_exchange.allowed:
        yield "free-exchange"
    for verb, check in (("pass", check_pass), ("declare-cannot-play", check_cannot_play)):
        try:
            check(table.bag_left, ruleset)
        except Refusal:
            continue
        yield verb


def _of_play(shown: ShownTable, player: str) -> Iterator[str]:
    """Yield the verbs of a player after the turn has been taken, in the order of the book."""
    table, clock, ruleset = shown.table, shown.clock, shown.ruleset
    mover = player == table.turn_player_id
    if table.HasField("pending") and not mover and _open(shown, player):
        if not table.pending_ruled_valid:
            yield "challenge"
        elif ruleset.challenge.appeal_by == "challenger" and not table.appealed:
            yield "appeal"
    both = ruleset.turn.complete_on == "both-written" and table.phase == game_pb2.PHASE_PLACED
    all_wrote = not both or shown.written >= set(shown.players) - set(clock.away_player_ids)
    later = player in clock.away_player_ids or (clock.away_player_ids and not ruleset.absence.opponent_may_draw)
    owed = not ruleset.absence.opponent_may_draw and not mover and _is_draw_owed(shown, player)
    drawn = table.phase == game_pb2.PHASE_DRAWN or not table.bag_left or bool(later)
    others = shown.others(table.turn_player_id)
    for step in ruleset.turn.steps:
        match step:
            case "stop" | "press" if shown.entered_again:
                continue
            case "stop" if mover and not clock.held and not clock.neutralised:
                yield TURN_STEPS[step]
            case "write" if player in _writers(shown) and player not in shown.written and table.HasField("pending"):
                if clock.held or shown.entered_again or not _comes_before("stop", "write", ruleset):
                    yield TURN_STEPS[step]
            case "draw" if owed and not clock.away_player_ids:
                yield TURN_STEPS[step]
            case "draw" if (
                mover and not drawn and all_wrote and not any(_is_draw_owed(shown, other) for other in others)
            ):
                yield TURN_STEPS[step]
            case "press" if mover and drawn and all_wrote and _can_be_pressed(shown):
                yield TURN_STEPS[step]


def _is_draw_owed(shown: ShownTable, player: str) -> bool:
    """Check whether ``player`` completed a play without drawing, and so draws before the others (FISE 37)."""
    held = next(side.rack_size for side in shown.table.sides if side.player_id == player)
    return held < shown.ruleset.game.rack_size and shown.table.bag_left > 0


def _open(shown: ShownTable, player: str) -> bool:
    """Check whether the book's time for a challenge by ``player`` is open."""
    law, table = shown.ruleset.challenge, shown.table
    if shown.entered_again:
        return False
    late = law.seconds_max is not None and shown.held_ms > law.seconds_max * 1000
    if law.by == "nobody" or (law.opens_on == "clock-stopped" and (late or not shown.clock.held)):
        return False
    match law.closes_on:
        case "refill":
            return table.phase == game_pb2.PHASE_PLACED
        case "challenger-writes":
            return player not in shown.written
        case "both-write":
            return not shown.written >= set(shown.players)
        case "next-turn":
            return False  # it begins after the turn
    return True


def _can_be_pressed(shown: ShownTable) -> bool:
    """Check whether the mover's clock can be pressed: it runs, is stopped until the press, or waits for the score."""
    clock, ruleset = shown.clock, shown.ruleset
    if shown.table.exchanged and ruleset.exchange.stops_clock and not clock.held:
        return False
    waits = clock.reason == clock_events.NEUTRALISATION_REASON_CHALLENGE and ruleset.clock.resumed_on == "written"
    return not clock.neutralised or waits


def _comes_before(first: str, second: str, ruleset: Ruleset) -> bool:
    steps: Sequence[str] = ruleset.turn.steps
    return first in steps and steps.index(first) < steps.index(second)


def _writers(shown: ShownTable) -> Sequence[str]:
    """Return the players that write the score of the play in question, the mover first."""
    return writers(shown.ruleset, shown.players, _author(shown)) if "write" in shown.ruleset.turn.steps else ()


def _author(shown: ShownTable) -> str:
    """Return the player of the play in question."""
    table = shown.table
    return (table.pending if table.HasField("pending") else table.open_play).player_id or table.turn_player_id


def _of_challenge(shown: ShownTable) -> Iterator[Offer]:
    yield JUDGE, ["rule"]
    if shown.table.appealed and not shown.judged:
        yield ARBITER, ["rule-appeal"]


def _of_interruption(shown: ShownTable) -> Iterable[Offer]:
    found = shown.table.interruption
    match found.WhichOneof("found"):
        case "overdraw" if found.overdraw.choose:
            return [(player, ["choose-surplus"]) for player in shown.others(found.overdraw.player_id)]
        case "overdraw":
            return [(ARBITER, ["resolve-overdraw"])]
        case "underdraw":
            return [(ARBITER, ["resolve-underdraw"])]
        case "illegal_exchange":
            return [(player, ["keep-after-exchange"]) for player in shown.others(found.illegal_exchange.player_id)]
    return [(ARBITER, ["settle-count"])]


def _of_end(shown: ShownTable) -> Iterable[Offer]:
    if shown.unstated and shown.table.end_condition not in GIVEN_UP:
        return [(player, ["state-rack"]) for player in shown.players if player in shown.unstated]
    both = shown.ruleset.scoresheet.signers == "both"  # a present player that left the game signs as well (FISC I.8)
    unsigned = {side.player_id for side in shown.table.sides if not side.signed}
    wanted = unsigned if both else {*shown.table.awaited_signer_ids}
    return [(player, ["sign-sheet"]) for player in shown.players if player in wanted]
