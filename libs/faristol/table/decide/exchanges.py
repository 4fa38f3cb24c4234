"""Turns without tiles on the board: exchanges of every kind, passes. Pure."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import check_exchange, check_pass, draw, without
from faristol.rules import exchange as exchange_tiles
from faristol.rules.draws.bag import free_exchange as change_freely
from faristol.rules.draws.surplus import check_kept, taken_too_many
from faristol.rules.turns import FreeExchangeOutcome, check_cannot_play, exchange_limit
from faristol.rules.turns import free_exchange as judge_free_exchange
from faristol.table import Table
from faristol.table.decide.checks import check_nothing_begun, check_on_turn, check_player
from faristol.table.decide.draws import bag_of, rack_for
from faristol.table.game.state import UNENTERED_TILE, Game


def announce_exchange(table: Table, request: game_pb2.AnnounceExchangeRequest, at: Instant) -> list[Message]:
    """Announce the number of tiles to exchange; the turn can only be used for that now (UF 14.1, FISE 25).

    A second announcement changes the number if the rules let it vary (FISE 25).
    """
    game, ruleset = table.game, table.ruleset
    count = request.count
    player_id = request.player_id
    check_on_turn(table, player_id, at)
    limit = exchange_limit(game.bag_left, ruleset)
    if not 1 <= count <= len(game.racks[player_id]):
        raise Invalid(
            "count",
            N_("is {count}; expected 1 to {most}, the number on the rack"),
            {"count": count, "most": len(game.racks[player_id])},
        )
    if count > limit:
        raise Refusal(
            "EXCHANGE_TOO_LARGE",
            N_("{asked} {asked:tile|tiles} cannot be exchanged while the bag holds {bag}: the maximum is {limit}."),
            {"asked": count, "bag": game.bag_left, "limit": limit},
            article=ruleset.article("exchange.limit"),
        )
    if game.course.announced is None:
        check_nothing_begun(table)
    else:
        _check_number(table, count)
    return [events.ExchangeAnnounced(turn=game.turn, player_id=player_id, count=count)]


def exchange(table: Table, request: game_pb2.ExchangeRequest, at: Instant) -> list[Message]:
    """Set tiles aside, draw as many, and only then return them to the bag (FISC I.7.1).

    ``count`` is the number of tiles drawn, if it differs by mistake. That is settled as after a play (UF 4, FISC I.7.3,
    FISE 28, PES Δ.στ). ``done`` marks an exchange that happened at a hosted table, allowed or not. One of too many
    tiles then has the cost in the rules (PES Δ.β.iii), and is refused if they define no cost.
    """
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    faces = list(request.faces)
    check_on_turn(table, player_id, at)
    if game.course.announced is None:
        check_nothing_begun(table)
    elif faces:
        _check_number(table, len(faces))
    bag = bag_of(game, ruleset)
    too_many = taken_too_many(len(faces), len(bag), ruleset)
    rack = rack_for(game, ruleset, player_id, faces)
    illegal = bool(
        game.hosted and request.done and too_many and len(faces) <= len(bag) and ruleset.exchange.illegal != "none"
    )
    # An illegal exchange is allowed here as if the bag held one rack more; it is dealt with below.
    check_exchange(rack, faces, len(bag) + (ruleset.game.rack_size if illegal else 0), ruleset)
    if illegal and ruleset.exchange.illegal == "turn-lost":
        return [
            events.TurnLost(
                turn=game.turn,
                player_id=player_id,
                reason=events.TURN_LOST_REASON_ILLEGAL_EXCHANGE,
                article=ruleset.article("exchange.illegal"),
            )
        ]
    drawn, after = _drawn_for(game, bag, faces, request)
    new_events: list[Message] = [
        events.Exchanged(turn=game.turn, player_id=player_id, faces=faces),
        events.TilesDrawn(player_id=player_id, faces=drawn, draw=game.next_draw, bag_left=len(after)),
    ]
    if illegal:
        # As many tiles of the rack as were exchanged, not only as should have stayed, and the whole bag (PES Δ.β.iii).
        counter = game.next_draw + 1
        seen = draw((*without(rack, faces), *drawn), len(faces), game.seed, counter)
        new_events.append(
            events.IllegalExchangeFound(
                turn=game.turn,
                player_id=player_id,
                exchanged=len(faces),
                from_rack=seen,
                bag=after,
                keep=len(seen),
                draw=counter,
            )
        )
    return new_events


def keep_after_exchange(table: Table, request: game_pb2.KeepAfterExchangeRequest, at: Instant) -> list[Message]:
    """Choose, as the opponent, the tiles that a player keeps after an exchange of too many (PES Δ.β.iii)."""
    game = table.game
    player_id = request.player_id
    check_player(table, player_id)
    found = game.interruption
    article = table.ruleset.article("exchange.illegal")
    if not isinstance(found, events.IllegalExchangeFound):
        raise Refusal("NO_CHOICE", N_("No choice is due after an exchange."), article=article)
    if player_id == found.player_id:
        raise Refusal(
            "OWN_EXCHANGE",
            N_("{player} exchanged too many tiles: the opponent chooses the tiles to keep."),
            {"player": player_id},
            article=article,
        )
    check_kept(request.faces, (*found.from_rack, *found.bag), found.keep, article)
    return [
        events.IllegalExchangeResolved(
            turn=game.turn, player_id=found.player_id, kept=request.faces, chosen_by=player_id
        )
    ]


def free_exchange(table: Table, request: game_pb2.FreeExchangeRequest, at: Instant) -> list[Message]:
    """Show a rack of only vowels or only consonants and exchange it without losing the turn (UF 14.2, FM 6).

    The rack goes into the bag first. If a request without such a rack costs the turn, the turn is lost.
    """
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    faces = tuple(request.faces)
    check_on_turn(table, player_id, at)
    check_nothing_begun(table)
    rack = rack_for(game, ruleset, player_id, faces)
    if UNENTERED_TILE in rack:
        raise Invalid("faces", N_("expected all tiles of the rack that was shown"))
    bag = bag_of(game, ruleset)
    changed = faces or rack
    outcome = judge_free_exchange(rack, changed, len(bag), ruleset)
    if game.course.laid and ruleset.free_exchange.when == "before-acting":
        raise Refusal(
            "TURN_BEGUN",
            N_(
                "Tiles of this turn are on the board: an exchange without losing the turn is possible only before "
                "the first tile is laid."
            ),
            article=ruleset.article("free_exchange.when"),
        )
    shown = events.FreeExchangeShown(turn=game.turn, player_id=player_id, rack=rack)
    if outcome is FreeExchangeOutcome.TURN_LOST:
        lost = events.TurnLost(
            turn=game.turn,
            player_id=player_id,
            reason=events.TURN_LOST_REASON_FREE_EXCHANGE,
            article=ruleset.article("free_exchange.unfounded"),
        )
        return [shown, lost]
    drawn, after = change_freely(bag, changed, game.seed, game.next_draw)
    return [
        shown,
        events.FreeExchanged(turn=game.turn, player_id=player_id, faces=changed),
        events.TilesDrawn(player_id=player_id, faces=drawn, draw=game.next_draw, bag_left=len(after)),
    ]


def pass_turn(table: Table, request: game_pb2.PassRequest, at: Instant) -> list[Message]:
    """Pass (FISC I.7.4)."""
    game = table.game
    check_on_turn(table, request.player_id, at)
    check_nothing_begun(table)
    check_pass(game.bag_left, table.ruleset)
    return [events.Passed(turn=game.turn, player_id=request.player_id)]


def declare_cannot_play(table: Table, request: game_pb2.DeclareCannotPlayRequest, at: Instant) -> list[Message]:
    """Give up the turn because no play is possible, if it cannot be passed (FM 7, 9)."""
    game = table.game
    check_on_turn(table, request.player_id, at)
    check_nothing_begun(table)
    check_cannot_play(game.bag_left, table.ruleset)
    return [events.CannotPlay(turn=game.turn, player_id=request.player_id)]


def _drawn_for(
    game: Game, bag: tuple[str, ...], faces: list[str], request: game_pb2.ExchangeRequest
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tiles drawn for ``faces``, and the bag after these are in it. Raises ``Invalid`` for too many."""
    if not request.HasField("count") or request.count == len(faces):
        return exchange_tiles(bag, faces, game.seed, game.next_draw)
    if not 1 <= request.count <= len(bag):
        raise Invalid(
            "count",
            N_("is {count}; expected 1 to {most}, the number in the bag"),
            {"count": request.count, "most": len(bag)},
        )
    return exchange_tiles(bag, faces, game.seed, game.next_draw, count=request.count)


def _check_number(table: Table, count: int) -> None:
    game, ruleset = table.game, table.ruleset
    if ruleset.exchange.number_fixed and count != game.course.announced:
        raise Refusal(
            "EXCHANGE_NUMBER_FIXED",
            N_("An exchange of {announced} {announced:tile|tiles} was announced: {count} cannot be exchanged."),
            {"announced": game.course.announced or 0, "count": count},
            article=ruleset.article("exchange.number_fixed"),
        )
