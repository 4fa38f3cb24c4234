"""Calling the rack of a turn: drawn from the seed or taken out by hand; without one the game ends (FISC II.3)."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.duplicate.situation import END_NUMBERS, GAME, Commands, Fact, Situation
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate.finish import DuplicateEndReason, end_before
from faristol.rules.duplicate.racks import Attempt, RackDrawn, draw_rack, enter_rack, in_call_order, is_valid
from faristol.rules.tiles import BLANK

MOST_REDRAWN = 1_000
"""Valid racks of one turn that go back because nothing can be laid with them, before nothing can be laid at all."""


def call_rack(situation: Situation, request: pb.CallRackRequest) -> list[Fact]:
    """The rack of the next turn, or the end of the game."""
    situation.running()
    game, ruleset = situation.game, situation.ruleset
    current = game.current
    if current is not None and not current.completed:
        raise Refusal(
            "TURN_NOT_SCORED",
            ruleset.article("game.rack_size"),
            N_("Round {turn} is not scored: its master play comes before the next rack."),
            {"turn": current.number},
        )
    number = len(game.turns) + 1
    bag = game.bag(ruleset.game.tile_set)
    left = (*game.leftover, *bag)
    end = end_before(number, left, ruleset, lambda tiles: bool(situation.words.tops(game.board, tiles)))
    if end is None and request.faces:
        return [(GAME, _by_hand(situation, request, number, bag))]
    drawn = _drawn(situation, number, bag) if end is None else None
    if drawn is None:
        reason = end or DuplicateEndReason.NO_PLAY
        said = events.DuplicateEnded(
            end=events.DuplicateEnd.ValueType(END_NUMBERS[reason]),
            turns=len(game.turns),
            occurred_at=timestamp(situation.at),
        )
        return [(GAME, said)]
    *rejected, last = drawn.attempts
    called = events.RackCalled(
        turn=number,
        faces=last.rack,
        leftover=len(last.leftover),
        draw=last.counter,
        rejected=[_rejected(attempt) for attempt in rejected],
        bag_left=len(drawn.bag),
        arbiter_id=request.arbiter_id,
        occurred_at=timestamp(situation.at),
    )
    return [(GAME, called)]


def _drawn(situation: Situation, number: int, bag: Sequence[str]) -> RackDrawn | None:
    """The rack that the seed gives. One with which nothing can be laid goes back too; None where none is better."""
    game, ruleset = situation.game, situation.ruleset
    attempts: list[Attempt] = []
    leftover, counter = game.leftover, game.counter
    for _ in range(MOST_REDRAWN):
        drawn = draw_rack(number, leftover, bag, game.seed, counter, ruleset)
        if drawn is None:
            return None
        attempts += drawn.attempts
        if situation.words.tops(game.board, drawn.rack):
            return RackDrawn(tuple(attempts), drawn.bag)
        leftover, bag, counter = (), (*drawn.rack, *drawn.bag), drawn.next_counter
    return None


def _by_hand(situation: Situation, request: pb.CallRackRequest, number: int, bag: Sequence[str]) -> events.RackCalled:
    game, ruleset = situation.game, situation.ruleset
    left = (*game.leftover, *bag)
    faces = _faces(request.faces, situation)
    for rejected in request.rejected:
        tiles = _faces(rejected.faces, situation)
        if is_valid(tiles, number, left, ruleset):
            raise Refusal(
                "RACK_VALID",
                ruleset.article("racks.vowels_min"),
                N_("The rack {tiles} is valid, so it does not go back."),
                {"tiles": " ".join(tiles)},
            )
    after = enter_rack(number, faces, game.leftover, bag, ruleset, redrawn=bool(request.rejected))
    redrawn = bool(request.rejected) and ruleset.racks.invalid == "return-all"
    kept = () if redrawn else game.leftover
    return events.RackCalled(
        turn=number,
        faces=in_call_order(faces, kept),
        leftover=len(kept),
        rejected=[events.RejectedRack(faces=_faces(rejected.faces, situation)) for rejected in request.rejected],
        by_hand=True,
        bag_left=len(after),
        arbiter_id=request.arbiter_id,
        occurred_at=timestamp(situation.at),
    )


def _faces(said: Sequence[str], situation: Situation) -> tuple[str, ...]:
    """Tiles that somebody typed. Raises ``Invalid`` for one that there is not."""
    tile_set = situation.ruleset.tile_set
    found = []
    for text in said:
        face = BLANK if text.strip() == BLANK else tile_set.face(text)
        if face is None:
            known = " ".join(tile_set.faces)
            raise Invalid(
                "faces", N_("there is no tile {tile}; there are: {known}"), {"tile": repr(text), "known": known}
            )
        found.append(face)
    return tuple(found)


def _rejected(attempt: Attempt) -> events.RejectedRack:
    return events.RejectedRack(faces=attempt.rack, draw=attempt.counter, leftover=len(attempt.leftover))


COMMANDS: Commands = {pb.CallRackRequest: call_rack}
