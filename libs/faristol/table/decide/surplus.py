"""Too many tiles, too few, and tiles that were found: claims, choices and decisions. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset, without
from faristol.rules.draws.surplus import (
    Notice,
    Stage,
    check_returned,
    found_tiles_go_in,
    overdraw,
    underdraw,
)
from faristol.table import Table
from faristol.table.decide.checks import check_arbiter, check_player, check_running, check_undisturbed
from faristol.table.decide.draws import bag_of, check_possible, drawn_from, rack_for
from faristol.table.game.state import UNENTERED_TILE, Game, Phase

_STAGES = {stage: events.DrawStage.Value(f"DRAW_STAGE_{stage.name}") for stage in Stage}


def claim_overdraw(table: Table, request: game_pb2.ClaimOverdrawRequest, at: Instant) -> list[Message]:
    """Claim as ``player_id`` that ``drawer_id`` holds too many tiles (UF 4, FISC I.7.3, FISE 28, PES Δ.στ).

    ``racked``: the new tiles are among the others; ``seen``: the drawer looked at them. A claim of the opponent after
    the turn has passed is late. Randomly chosen surplus goes back at once; otherwise a choice is awaited. At a recorded
    table more tiles may have been drawn than were entered: then the claim states how many.
    """
    game, ruleset = table.game, table.ruleset
    drawer_id = request.drawer_id
    check_player(table, request.player_id)
    _check_drawer(game, drawer_id)
    check_undisturbed(table)
    held, new = rack_parts(game, ruleset, drawer_id)
    new_events: list[Message] = []
    if not game.hosted and len(held) + len(new) <= ruleset.game.rack_size:
        new_events.extend(_list_unentered_draws(game, ruleset, request))
        new = (*new, *(face for event in new_events if isinstance(event, events.TilesDrawn) for face in event.faces))
    surplus = len(held) + len(new) - ruleset.game.rack_size
    next_draw = game.next_draw + len(new_events)
    if surplus < 1:
        raise Refusal(
            "NO_SURPLUS",
            N_("{player} has {held} {held:tile|tiles}, and a full rack has {rack}: there is no surplus to return."),
            {"player": drawer_id, "held": len(held) + len(new), "rack": ruleset.game.rack_size},
            article=ruleset.law.overdraw_claim,
        )
    if request.HasField("surplus") and request.surplus != surplus:
        raise _other_surplus(request.surplus, surplus, surplus)
    notice = _notice(game, request)
    found = overdraw(held, new, notice, seed=game.seed, counter=next_draw, ruleset=ruleset)
    event = like(
        events.OverdrawFound,
        found,
        turn=game.turn,
        player_id=drawer_id,
        claimed_by=request.player_id,
        stage=_STAGES[notice.stage],
        draw=next_draw,
    )
    new_events.append(event)
    if found.choose or found.arbiter:
        return new_events
    bag_left = game.bag_left - sum(len(each.faces) for each in new_events if isinstance(each, events.TilesDrawn))
    return [*new_events, *_return_tiles(game, ruleset, event, found.shown, "", bag_left)]


def choose_surplus(table: Table, request: game_pb2.ChooseSurplusRequest, at: Instant) -> list[Message]:
    """Choose, as the opponent, which of the tiles shown go back into the bag (FISC I.7.3, FISE 28.2, PES Δ.στ).

    At a recorded table, the tiles shown were not entered: any that the rack can hold are accepted.
    """
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    check_player(table, player_id)
    found = game.interruption
    if not isinstance(found, events.OverdrawFound) or not found.choose:
        raise Refusal("NO_CHOICE", N_("No choice of surplus tiles is due."), article=ruleset.law.overdraw_claim)
    if player_id == found.player_id:
        raise Refusal(
            "OWN_SURPLUS",
            N_("{player} drew too many tiles: the opponent chooses the tiles that go back."),
            {"player": player_id},
            article=found.article,
        )
    shown = tuple(found.shown) if game.hosted else rack_for(game, ruleset, found.player_id, request.faces)
    check_returned(request.faces, shown, found.choose, found.article)
    return _return_tiles(game, ruleset, found, request.faces, player_id)


def resolve_overdraw(table: Table, request: game_pb2.ResolveOverdrawRequest, at: Instant) -> list[Message]:
    """Decide as an arbiter which tiles go back, if the book leaves it to one (FISC I.7.3)."""
    game, ruleset = table.game, table.ruleset
    check_arbiter(table, request.arbiter_id)
    check_running(table)
    found = game.interruption
    if not isinstance(found, events.OverdrawFound) or not found.arbiter:
        raise Refusal(
            "NOT_FOR_ARBITER", N_("No surplus is waiting for an arbiter."), article=ruleset.law.overdraw_claim
        )
    check_returned(request.faces, game.racks[found.player_id], found.surplus, found.article)
    return _return_tiles(game, ruleset, found, request.faces, request.arbiter_id)


def claim_underdraw(table: Table, request: game_pb2.ClaimUnderdrawRequest, at: Instant) -> list[Message]:
    """Claim as ``player_id`` that ``drawer_id`` drew too few tiles (FISE 29, FISC I.7.3)."""
    game, ruleset = table.game, table.ruleset
    drawer_id = request.drawer_id
    check_player(table, request.player_id)
    _check_drawer(game, drawer_id)
    check_undisturbed(table)
    rack, bag = game.racks[drawer_id], bag_of(game, ruleset)
    drawing = game.phase not in (Phase.TURN, Phase.DRAWN) and drawer_id == game.mover
    if drawing or drawer_id in game.undrawn or not bag or len(rack) >= ruleset.game.rack_size:
        raise Refusal(
            "NOTHING_MISSING",
            N_("{player} has {held} {held:tile|tiles} and the bag {bag}: no tile is missing."),
            {"player": drawer_id, "held": len(rack), "bag": len(bag)},
            article=ruleset.article("underdraw.racked") or ruleset.law.refill,
        )
    notice = _notice(game, request)
    found = underdraw(rack, bag, notice, ruleset)
    event = events.UnderdrawFound(
        turn=game.turn,
        player_id=drawer_id,
        missing=found.missing,
        stage=_STAGES[Stage.RACKED if request.racked else Stage.UNRACKED],
        arbiter=found.arbiter,
        article=found.article,
    )
    if found.arbiter:
        return [event]
    return [event, *_complete_underdraw(game, bag, event, shown=found.shown)]


def resolve_underdraw(table: Table, request: game_pb2.ResolveUnderdrawRequest, at: Instant) -> list[Message]:
    """Have the missing tiles drawn, as an arbiter, shown to the opponent or not."""
    game, ruleset = table.game, table.ruleset
    check_arbiter(table, request.arbiter_id)
    check_running(table)
    found = game.interruption
    if not isinstance(found, events.UnderdrawFound):
        raise Refusal(
            "NOT_FOR_ARBITER",
            N_("No missing tile is waiting for an arbiter."),
            article=ruleset.article("underdraw.racked"),
        )
    return _complete_underdraw(game, bag_of(game, ruleset), found, shown=request.show, arbiter_id=request.arbiter_id)


def report_tiles_found(table: Table, request: game_pb2.ReportTilesFoundRequest, at: Instant) -> list[Message]:
    """Report tiles of the bag found beside the board: they go in, or stay out (PES Δ.ζ).

    The bag is counted without them. Raises ``Refusal`` if the system holds the bag: a report would take tiles out of
    the game, or reveal tiles that the opponent cannot hold. Raises ``Invalid`` if the bag cannot lack them.
    """
    game, ruleset = table.game, table.ruleset
    faces = request.faces
    check_player(table, request.player_id)
    if not faces:
        raise Invalid("faces", N_("expected the faces of the tiles that were found"))
    bag = bag_of(game, ruleset)
    into_bag = found_tiles_go_in(len(faces), max(len(bag) - len(faces), 0), ruleset)
    if game.hosted:
        raise Refusal(
            "BAG_IS_WHOLE",
            N_("The system holds the bag of this table: its tiles cannot be found elsewhere."),
            article=ruleset.article("found_tiles.rule"),
        )
    check_possible(game, ruleset, "faces", faces)
    left = len(bag) if into_bag else len(bag) - len(faces)
    return [
        events.TilesFound(turn=game.turn, player_id=request.player_id, faces=faces, into_bag=into_bag, bag_left=left)
    ]


def rack_parts(game: Game, ruleset: Ruleset, drawer_id: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the rack into the tiles held before the last draw and those drawn.

    All count as new if they cannot be told apart, or if fewer were drawn than the surplus.
    """
    rack, new = game.racks[drawer_id], game.drawn[drawer_id].faces
    if Counter(new) - Counter(rack) or len(rack) - ruleset.game.rack_size > len(new):
        return (), rack
    return without(rack, new), new


def _notice(game: Game, request: game_pb2.ClaimOverdrawRequest | game_pb2.ClaimUnderdrawRequest) -> Notice:
    """Return when and by which player the error in the drawer's rack was noticed."""
    drawn = game.drawn[request.drawer_id].turn if request.drawer_id in game.drawn else 0
    return Notice(
        racked=request.racked,
        seen=request.seen,
        by_drawer=request.player_id == request.drawer_id,
        turn_passed=game.turn > drawn,
        own_turn=drawn > 0 and game.turn - drawn >= len(game.player_ids),
    )


def _list_unentered_draws(
    game: Game, ruleset: Ruleset, request: game_pb2.ClaimOverdrawRequest
) -> Iterator[events.TilesDrawn]:
    """Yield the draw of tiles not entered that fills the rack as claimed, if it is possible.

    Raises ``Invalid`` for fewer than one over a full rack, and for more than the bag held.
    """
    missing = ruleset.game.rack_size - len(game.racks[request.drawer_id])
    most = game.bag_left - missing
    if most < 1:
        return
    over = request.surplus if request.HasField("surplus") else 1
    if not 1 <= over <= most:
        raise _other_surplus(over, 1, most)
    yield events.TilesDrawn(
        player_id=request.drawer_id,
        faces=[UNENTERED_TILE] * (missing + over),
        draw=game.next_draw,
        bag_left=most - over,
    )


def _other_surplus(given: int, least: int, most: int) -> Invalid:
    return Invalid(
        "surplus", N_("is {given}; expected {least} to {most}"), {"given": given, "least": least, "most": most}
    )


def _return_tiles(
    game: Game,
    ruleset: Ruleset,
    found: events.OverdrawFound,
    faces: Collection[str],
    chosen_by: str,
    bag_left: int | None = None,
) -> list[Message]:
    """Return the events by which ``faces`` go back into a bag of ``bag_left``, by default that of the table."""
    before = game.bag_left if bag_left is None else bag_left
    new_events: list[Message] = [
        events.OverdrawResolved(
            turn=game.turn,
            player_id=found.player_id,
            faces=faces,
            bag_left=before + len(faces),
            chosen_by=chosen_by,
        )
    ]
    if found.turn_lost:
        new_events.append(
            events.NextTurnForfeited(
                player_id=found.player_id,
                reason=events.TURN_LOST_REASON_OVERDRAW,
                article=ruleset.article("overdraw.late"),
            )
        )
    return new_events


def _complete_underdraw(
    game: Game,
    bag: tuple[str, ...],
    found: events.UnderdrawFound,
    *,
    shown: bool,
    arbiter_id: str = "",
) -> list[Message]:
    drawn = drawn_from(game, bag, found.player_id, min(found.missing, len(bag)))
    return [
        drawn,
        events.UnderdrawResolved(
            turn=game.turn, player_id=found.player_id, shown=drawn.faces if shown else (), arbiter_id=arbiter_id
        ),
    ]


def _check_drawer(game: Game, drawer_id: str) -> None:
    if drawer_id not in game.player_ids:
        raise Invalid("drawer_id", N_("{player} does not play at this table"), {"player": repr(drawer_id)})
