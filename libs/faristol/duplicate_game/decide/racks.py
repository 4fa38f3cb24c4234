"""Calling the rack of a turn: drawn from the seed or by hand; without a rack the game ends (FISC II.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from faristol.duplicate_game.decide.ends import end_and_reveal
from faristol.duplicate_game.draws import DrawState, draw_next_rack, end_of
from faristol.duplicate_game.game import Turn, rejected_rack, return_rack
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Situation, StreamEvent, reason_given
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules import without
from faristol.rules.duplicate_game.finish import DuplicateEndReason
from faristol.rules.duplicate_game.racks import DrawnAttempt, enter_rack, in_call_order, is_valid
from faristol.rules.tiles import BLANK, TileSet


def call_rack(situation: Situation, request: pb.CallRackRequest) -> list[StreamEvent]:
    """Call the rack of the next turn, or end the game.

    While a sealed game is valid, its rack is called. A rack drawn by hand then needs a reason; a reason without tiles
    draws a rack from the seed. Either voids the sealed turns from there on.
    """
    situation.running()
    game, ruleset = situation.game, situation.ruleset
    current = game.current
    if current is not None and not current.completed and not _goes_back(situation, current):
        raise Refusal(
            "TURN_NOT_SCORED",
            N_("Round {turn} is not scored: its master play is required before the next rack."),
            {"turn": current.number},
            article=ruleset.article("game.rack_size"),
        )
    back: list[events.RejectedRack] = []
    if current is not None and not current.completed:
        going = current.called_rack._replace(by_hand=current.by_hand)
        back = [*map(rejected_rack, current.went_back), rejected_rack(going)]
        before = return_rack(game)
        # The leftover goes back with the rest of the rack (FISC II.3).
        game = replace(before, drawn=without(before.drawn, before.leftover), leftover=())
        situation = replace(situation, game=game)
    number = len(game.turns) + 1
    voided: list[StreamEvent] = []
    if game.seal_holds(number):
        if not request.faces and not request.reason.strip():
            return _take_sealed_rack(situation, number, request.arbiter_id)
        cause = events.SEAL_VOID_BY_HAND if request.faces else events.SEAL_VOID_DRAWN
        reason = reason_given(request.reason)
        event = events.SealVoided(from_turn=number, cause=cause, reason=reason, arbiter_id=request.arbiter_id)
        voided.append((GAME_STREAM_NUMBER, event))
    bag = game.bag(ruleset.game.tile_set)
    table = DrawState(number, game.board, game.leftover, bag, situation.seed, game.counter)
    if request.faces and end_of(table, ruleset, situation.words) is None:
        return [*voided, (GAME_STREAM_NUMBER, _by_hand(situation, request, number, bag, back))]
    found = draw_next_rack(table, ruleset, situation.words)
    if isinstance(found, DuplicateEndReason):
        return [*voided, *end_and_reveal(situation, found)]
    *rejected, last = found.attempts
    called = events.RackCalled(
        turn=number,
        faces=last.rack,
        leftover=len(last.leftover),
        draw=last.counter,
        rejected=[*back, *map(_to_rejected_rack, rejected)],
        bag_left=len(found.bag),
        arbiter_id=request.arbiter_id,
    )
    return [*voided, (GAME_STREAM_NUMBER, called)]


def _goes_back(situation: Situation, turn: Turn) -> bool:
    """Check whether a called rack goes back: its time has not begun and it has no play."""
    return turn.timer is None and not situation.words.tops(turn.board, turn.rack)


def _take_sealed_rack(situation: Situation, number: int, arbiter_id: str) -> list[StreamEvent]:
    """Return the sealed rack, or the end of the sealed game. Raises ``Refusal`` if the envelope cannot be opened."""
    turn = situation.sealed_turn(number)
    assert situation.sealed is not None
    if turn is None:
        return end_and_reveal(situation, situation.sealed.game.end)
    bag = without((*situation.game.leftover, *situation.game.bag(situation.ruleset.game.tile_set)), turn.rack.faces)
    called = events.RackCalled(
        turn=number,
        faces=turn.rack.faces,
        leftover=turn.rack.leftover,
        draw=turn.rack.draw,
        rejected=map(rejected_rack, turn.went_back),
        by_hand=turn.by_hand,
        bag_left=len(bag),
        arbiter_id=arbiter_id,
        sealed=True,
    )
    return [(GAME_STREAM_NUMBER, called)]


def _by_hand(
    situation: Situation,
    request: pb.CallRackRequest,
    number: int,
    bag: Sequence[str],
    back: Sequence[events.RejectedRack],
) -> events.RackCalled:
    """Call the rack that the judge took out of the bag; ``back`` are earlier racks of the turn that went back.

    Raises ``Refusal`` for a rack that went back by hand although it is valid and has a play.
    """
    game, ruleset = situation.game, situation.ruleset
    left = (*game.leftover, *bag)
    faces = _faces(request.faces, situation)
    for rejected in request.rejected:
        tiles = _faces(rejected.faces, situation)
        if is_valid(tiles, number, left, ruleset) and situation.words.tops(game.board, tiles):
            raise Refusal(
                "RACK_VALID",
                N_("The rack {tiles} is valid and has a play: it cannot be returned."),
                {"tiles": " ".join(tiles)},
                article=ruleset.article("racks.vowels_min"),
            )
    written = [
        events.RejectedRack(faces=_faces(rejected.faces, situation), by_hand=True) for rejected in request.rejected
    ]
    said_back = [*back, *written]
    after = enter_rack(number, faces, game.leftover, bag, ruleset, redrawn=bool(said_back))
    redrawn = bool(back) or (bool(said_back) and ruleset.racks.invalid == "return-all")
    kept = () if redrawn else game.leftover
    return events.RackCalled(
        turn=number,
        faces=in_call_order(faces, kept),
        leftover=len(kept),
        rejected=said_back,
        by_hand=True,
        bag_left=len(after),
        arbiter_id=request.arbiter_id,
    )


def _faces(given: Sequence[str], situation: Situation) -> tuple[str, ...]:
    """Parse typed tiles. Raises ``Invalid`` for an unknown one."""
    tile_set = situation.ruleset.tile_set
    found = []
    for text in _separate(given, tile_set):
        face = BLANK if text.strip() == BLANK else tile_set.face(text)
        if face is None:
            known = " ".join(tile_set.faces)
            raise Invalid(
                "faces", N_("there is no tile {tile}; there are: {known}"), {"tile": repr(text), "known": known}
            )
        found.append(face)
    return tuple(found)


def _separate(given: Sequence[str], tile_set: TileSet) -> Sequence[str]:
    """Separate tiles that were typed as one word, unless a tile of several letters can be among them."""
    word = given[0].strip().upper() if len(given) == 1 else ""
    is_ambiguous = any(len(face) > 1 and face in word for face in tile_set.faces)
    return given if not word or is_ambiguous else list(word)


def _to_rejected_rack(attempt: DrawnAttempt) -> events.RejectedRack:
    return events.RejectedRack(faces=attempt.rack, draw=attempt.counter, leftover=len(attempt.leftover))
