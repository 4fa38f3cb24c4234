"""Filling the rack. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset, TurnKind, draw, full_bag, without
from faristol.table import Table
from faristol.table.decide.checks import (
    check_no_challenge,
    check_player,
    check_undisturbed,
    has_missed_play,
)
from faristol.table.game.state import UNENTERED_TILE, Game, Phase


def draw_tiles(table: Table, request: game_pb2.DrawTilesRequest, at: Instant) -> list[Message]:
    """Fill the rack after a play (FISC I.7), which closes the time for challenges under FISC I.10.

    ``count`` is the number of tiles drawn, by default as many as the rack lacks: more is an over-draw and fewer an
    under-draw, for which the rules have remedies. A player who was away accepts the play of that time by drawing (FISE
    37). A player who completed a play without drawing draws later (FISE 37). At a recorded table, ``faces`` may name
    the tiles; otherwise they are random.
    """
    game, ruleset = table.game, table.ruleset
    count = request.count if request.HasField("count") else None
    player_id = request.player_id
    check_player(table, player_id)
    _check_nobody_away(table, player_id)
    if player_id not in game.undrawn or (player_id == game.mover and game.phase is not Phase.TURN):
        _check_play_drawn_for(table, player_id)
    check_undisturbed(table)
    if game.bag_left == 0:
        raise Refusal("BAG_EMPTY", N_("The bag is empty: press the clock without drawing."), article=ruleset.law.refill)
    bag = bag_of(game, ruleset)
    wanted = min(max(ruleset.game.rack_size - len(game.racks[player_id]), 0), len(bag))
    if count is not None:
        if not 1 <= count <= len(bag):
            raise Invalid(
                "count",
                N_("is {count}; expected 1 to {most}, the number in the bag"),
                {"count": count, "most": len(bag)},
            )
        wanted = count
    new_events: list[Message] = []
    if game.open_play is not None and player_id == game.mover and has_missed_play(game, table.clock, ruleset):
        new_events.append(events.PlayAccepted(turn=game.open_play.turn, player_id=player_id))
    if request.faces:
        return [*new_events, _build_entered_draw(game, ruleset, player_id, request.faces, count or len(request.faces))]
    return [*new_events, drawn_from(game, bag, player_id, wanted)]


def drawn_from(game: Game, bag: tuple[str, ...], player_id: str, count: int) -> events.TilesDrawn:
    """Return the event of the next draw: ``count`` tiles of ``bag`` into a rack."""
    return events.TilesDrawn(
        player_id=player_id,
        faces=draw(bag, count, game.seed, game.next_draw),
        draw=game.next_draw,
        bag_left=len(bag) - count,
    )


def bag_of(game: Game, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the tiles in the bag: neither on the board, nor on a rack, nor out of the game.

    At a recorded table only their number is known.
    """
    return unseen(game, ruleset) if game.hosted else (UNENTERED_TILE,) * game.bag_left


def unseen(game: Game, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the tiles whose place is unknown: not on the board, not on a rack, not out of the game."""
    outside = [tile.in_rack for tile in game.board.values()]
    outside.extend(game.out)
    for rack in game.racks.values():
        outside.extend(face for face in rack if face != UNENTERED_TILE)
    return without(full_bag(ruleset.tile_set), outside)


def rack_for(game: Game, ruleset: Ruleset, player_id: str, faces: Iterable[str]) -> tuple[str, ...]:
    """Return the rack of ``player_id``, with unknown tiles assumed to be ``faces`` as far as needed.

    At a recorded table, a tile not entered can be any that is not seen elsewhere.
    """
    rack = game.racks[player_id]
    if UNENTERED_TILE not in rack:
        return rack
    known = [face for face in rack if face != UNENTERED_TILE]
    hidden = len(rack) - len(known)
    wanted = list((Counter(faces) - Counter(known)).elements())
    possible = Counter(wanted) & Counter([*unseen(game, ruleset), *[UNENTERED_TILE] * hidden])
    taken = list(possible.elements())[:hidden]
    return (*known, *taken, *[UNENTERED_TILE] * (hidden - len(taken)))


def _build_entered_draw(
    game: Game, ruleset: Ruleset, player_id: str, faces: Sequence[str], count: int
) -> events.TilesDrawn:
    """Return the draw that a scorer saw. Raises ``Invalid`` if it is impossible."""
    if game.hosted:
        raise Invalid("faces", N_("are given, but the system draws at this table: expected none"))
    check_possible(game, ruleset, "faces", faces)
    if len(faces) != count or len(faces) > game.bag_left:
        raise Invalid(
            "faces",
            N_("are {count}; expected the number drawn, {most} at most"),
            {"count": len(faces), "most": game.bag_left},
        )
    return events.TilesDrawn(player_id=player_id, faces=faces, draw=game.next_draw, bag_left=game.bag_left - len(faces))


def check_possible(game: Game, ruleset: Ruleset, field: str, faces: Iterable[str]) -> None:
    """Check that ``faces`` can be among the tiles not seen elsewhere. Raises ``Invalid`` with the impossible ones."""
    missing = Counter(faces) - Counter(unseen(game, ruleset))
    if missing:
        raise Invalid(
            field,
            N_("{faces} are not possible: all of them are seen elsewhere"),
            {"faces": " ".join(sorted(missing.elements()))},
        )


def _check_play_drawn_for(table: Table, player_id: str) -> None:
    """Check that the mover has placed a play that is written and not in doubt."""
    game, ruleset = table.game, table.ruleset
    if player_id != game.mover or game.phase is Phase.TURN:
        raise Refusal(
            "NOTHING_PLAYED",
            N_("{player} has not placed a play and cannot draw tiles; {mover} is on turn."),
            {"player": player_id, "mover": game.mover},
            article=ruleset.law.refill,
        )
    if not (game.phase is Phase.CHALLENGED and ruleset.challenge.mover_may_draw):
        check_no_challenge(table)
    drawn = game.phase is Phase.DRAWN or (game.phase is Phase.CHALLENGED and game.course.resume is Phase.DRAWN)
    if drawn or game.taken is not TurnKind.PLAY:
        raise Refusal(
            "ALREADY_DRAWN",
            N_("The turn has been taken and the rack is full: press the clock."),
            article=ruleset.law.refill,
        )
    missing = [player for player in game.player_ids if player not in game.course.written]
    if ruleset.turn.complete_on == "both-written" and missing:
        raise Refusal(
            "SCORE_NOT_WRITTEN",
            N_("Tiles are drawn when both players have written the score; {missing} has not."),
            {"missing": ", ".join(missing)},
            article=ruleset.article("turn.steps"),
        )


def _check_nobody_away(table: Table, player_id: str) -> None:
    """Check that drawing does not have to wait for a player who left the table (FISE 37)."""
    game, clock, ruleset = table.game, table.clock, table.ruleset
    if clock.away and not ruleset.absence.opponent_may_draw:
        raise Refusal(
            "OPPONENT_AWAY",
            N_("{away} has left the table: no player draws before the return."),
            {"away": ", ".join(sorted(clock.away))},
            article=ruleset.article("absence.opponent_may_draw"),
        )
    first = game.undrawn[0] if game.undrawn else player_id
    if player_id != first and not ruleset.absence.opponent_may_draw:
        raise Refusal(
            "DRAW_IN_ORDER",
            N_("{first} completed a play earlier and draws first."),
            {"first": first},
            article=ruleset.article("absence.opponent_may_draw"),
        )
