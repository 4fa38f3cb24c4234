"""Effects of turns and challenges on a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from faristol.kernel.likeness import read_shared_fields
from faristol.kernel.pins import Pin
from faristol.kernel.times import instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import TurnKind, without
from faristol.table.game.state import (
    CompletedTurn,
    Course,
    Game,
    LastRuling,
    OwedTurnLoss,
    Phase,
    blanks_of,
    taken_out,
    tiles_of,
)

EMPTY_COURSE: Course = Course()

BEFORE_IT_CAME = frozenset(
    {
        events.TURN_LOST_REASON_OVERDRAW,
        events.TURN_LOST_REASON_CHALLENGE,
        events.TURN_LOST_REASON_SANCTION,
        events.TURN_LOST_REASON_ABANDONED,
    }
)
"""Reasons for the loss of a turn before its player could act."""


def with_rack(racks: Mapping[str, tuple[str, ...]], player_id: str, rack: tuple[str, ...]) -> Mapping[str, Any]:
    """Return ``racks`` with another rack for a player."""
    return MappingProxyType({**racks, player_id: rack})


def with_score(game: Game, player_id: str, score: int) -> Mapping[str, int]:
    """Return the running totals with another one for a player."""
    return MappingProxyType({**game.scores, player_id: score})


def _apply_interruption(game: Game, event: events.UnderdrawFound | events.CountDisputed) -> Game:
    return replace(game, interruption=event)


def _apply_game_opened(_: Game, event: events.GameOpened) -> Game:
    opened = Game(
        **read_shared_fields(event, Game),
        ruleset=Pin.of(event.ruleset),
        lexicon=Pin.of(event.lexicon),
        racks=MappingProxyType(dict.fromkeys(event.player_ids, ())),
        scores=MappingProxyType(dict.fromkeys(event.player_ids, 0)),
        drawn_at=instant(event.drawn_at) if event.HasField("drawn_at") else None,
        opened_at=instant(event.occurred_at),
    )
    return opened if event.keeping else replace(opened, keeping=events.KEEPING_HOSTED)


def _apply_seed(game: Game, _: events.DrawsCommitted | events.SeedRevealed) -> Game:
    return game  # the game has the seed already, which determines all draws


def _apply_start_tile_drawn(game: Game, event: events.StartTileDrawn) -> Game:
    return replace(game, next_draw=event.draw + 1)


def _apply_start_decided(game: Game, event: events.StartDecided) -> Game:
    return replace(game, starter=event.player_id)


def _apply_game_started(game: Game, event: events.GameStarted) -> Game:
    first, at = event.first_player_id, instant(event.occurred_at)
    return _next_begun(game, game.but(phase=Phase.TURN, turn=1, mover=first, starter=first, started_at=at))


def _apply_tiles_laid(game: Game, event: events.TilesLaid) -> Game:
    return replace(game, open_play=None, course=replace(game.course, laid=(*game.course.laid, *tiles_of(event))))


def _apply_tiles_taken_back(game: Game, _: events.TilesTakenBack) -> Game:
    if game.pending is None:
        return replace(game, course=replace(game.course, laid=(), blanks_said=game.course.said))
    laid = tiles_of(game.pending)
    counted = blanks_of(laid)
    stated = replace(game.course, laid=laid).said
    rack = (*game.racks[game.mover], *(tile.in_rack for _, tile in laid))
    return replace(
        game,
        phase=Phase.TURN,
        course=Course(blanks_said=stated, blanks_counted=counted),
        board=game.board.remove(square for square, _ in laid),
        racks=with_rack(game.racks, game.mover, rack),
    )


def _apply_play_placed(game: Game, event: events.PlayPlaced) -> Game:
    laid = tiles_of(event)
    rack = taken_out(game.racks[event.player_id], [tile.in_rack for _, tile in laid])
    placers, noted = game.placers, game.noted
    if blanks := {square: event.player_id for square, tile in laid if tile.blank}:
        placers = MappingProxyType({**placers, **blanks})
        noted = MappingProxyType({square: notes for square, notes in noted.items() if square not in blanks})
    return game.but(
        phase=Phase.OFF_CENTRE if event.off_centre else Phase.PLACED,
        course=Course(taken=TurnKind.PLAY, pending=event, blanks_said=game.course.said),
        open_play=None,
        board=game.board.place(laid),
        racks=with_rack(game.racks, event.player_id, rack),
        placers=placers,
        noted=noted,
    )


def _apply_off_centre_decided(game: Game, event: events.OffCentreDecided) -> Game:
    return replace(game, phase=Phase.PLACED) if event.accepted else game


def _apply_play_accepted(game: Game, _: events.PlayAccepted) -> Game:
    return replace(game, open_play=None)


def _apply_challenge_raised(game: Game, event: events.ChallengeRaised) -> Game:
    course = replace(
        game.course,
        challenger=event.player_id,
        resume=game.phase,
        ruled=None,
        rulings=0,
        appealed=False,
        questioned=game.course.questioned | {tuple(word.faces) for word in event.words},
    )
    return replace(game, phase=Phase.CHALLENGED, challenges=event.challenge, course=course)


def _apply_challenge_ruled(game: Game, event: events.ChallengeRuled) -> Game:
    course = replace(game.course, ruled=event.valid, rulings=1)
    unfounded = game.unfounded
    if event.unfounded:
        unfounded = MappingProxyType({**unfounded, course.challenger: event.unfounded})
    phase = course.resume if event.valid else Phase.CHALLENGED
    return replace(game, phase=phase, course=course, unfounded=unfounded, last_ruling=_last_ruling(game, event))


def _apply_appeal_raised(game: Game, _: events.AppealRaised) -> Game:
    resume = game.course.resume if game.phase is Phase.CHALLENGED else game.phase
    return replace(game, phase=Phase.CHALLENGED, course=replace(game.course, ruled=None, appealed=True, resume=resume))


def _apply_appeal_ruled(game: Game, event: events.AppealRuled) -> Game:
    course = replace(game.course, ruled=event.valid, rulings=game.course.rulings + 1)
    phase = course.resume if event.valid else Phase.CHALLENGED
    return replace(game, phase=phase, course=course, last_ruling=_last_ruling(game, event))


def _last_ruling(game: Game, event: events.ChallengeRuled | events.AppealRuled) -> LastRuling:
    play = game.in_question
    assert play is not None, "a play that was placed is ruled on"
    return LastRuling(play, event)


def _apply_challenge_penalty(game: Game, event: events.ChallengePenalty) -> Game:
    return replace(game, scores=with_score(game, event.player_id, game.scores[event.player_id] + event.points))


def _apply_play_withdrawn(game: Game, event: events.PlayWithdrawn) -> Game:
    play = game.in_question
    assert play is not None, "a play that was placed is withdrawn"
    laid = tiles_of(play)
    held = without(game.racks[event.player_id], event.returned)
    cleared = replace(
        game,
        board=game.board.remove(square for square, _ in laid),
        racks=with_rack(game.racks, event.player_id, (*held, *(tile.in_rack for _, tile in laid))),
        bag_left=event.bag_left if event.returned else game.bag_left,
    )
    kind = TurnKind.LOST if event.reason == events.WITHDRAWAL_REASON_FAKE_BLANK else TurnKind.WITHDRAWN
    if event.turn == game.turn:
        return _next_turn(cleared, CompletedTurn(game.mover, kind))
    over = list(game.turns_taken)
    before, over[event.turn - 1] = over[event.turn - 1], CompletedTurn(event.player_id, kind)
    return replace(
        cleared,
        phase=Phase.TURN,
        course=EMPTY_COURSE,
        open_play=None,
        undrawn=tuple(player for player in game.undrawn if player != event.player_id),
        turns_taken=tuple(over),
        scores=with_score(game, event.player_id, game.scores[event.player_id] - before.points),
    )


def _apply_exchange_announced(game: Game, event: events.ExchangeAnnounced) -> Game:
    return replace(game, open_play=None, course=replace(game.course, announced=event.count))


def _apply_exchanged(game: Game, event: events.Exchanged) -> Game:
    rack = taken_out(game.racks[event.player_id], event.faces)
    return replace(
        game,
        phase=Phase.DRAWN,
        open_play=None,
        course=Course(taken=TurnKind.EXCHANGE),
        racks=with_rack(game.racks, event.player_id, rack),
    )


def _apply_turn_without_play(game: Game, event: events.Passed | events.CannotPlay) -> Game:
    kind = TurnKind.PASS if isinstance(event, events.Passed) else TurnKind.CANNOT_PLAY
    return replace(game, phase=Phase.DRAWN, open_play=None, course=Course(taken=kind))


def _apply_turn_lost(game: Game, event: events.TurnLost) -> Game:
    owed = [each for each in game.forfeited if each.player_id == event.player_id and each.reason == event.reason]
    rest = [each for each in game.forfeited if each is not next(iter(owed), None)]
    # A player who left permanently begins no turn: the next player can still challenge the previous play (FM 4).
    gone = event.reason == events.TURN_LOST_REASON_ABANDONED
    lost = replace(game, forfeited=tuple(rest))
    return _next_turn(
        lost, CompletedTurn(event.player_id, _kind_of_loss(event.reason)), game.open_play if gone else None
    )


def _kind_of_loss(reason: events.TurnLostReason.ValueType) -> TurnKind:
    if reason == events.TURN_LOST_REASON_TIME:
        return TurnKind.TIMED_OUT
    return TurnKind.FORFEITED if reason in BEFORE_IT_CAME else TurnKind.LOST


def _apply_next_turn_forfeited(game: Game, event: events.NextTurnForfeited) -> Game:
    since = game.turn + 1 if game.mover == event.player_id and game.begun_with else game.turn
    owed = OwedTurnLoss(event.player_id, event.reason, event.article, since)
    begun = game.begun
    if event.reason == events.TURN_LOST_REASON_SANCTION:  # not an entry: it is still owed after entries are taken back
        begun = tuple(
            earlier.but(forfeited=(*earlier.forfeited, replace(owed, since=earlier.turn))) for earlier in begun
        )
    return replace(game, forfeited=(*game.forfeited, owed), begun=begun)


def _next_begun(game: Game, after: Game) -> Game:
    """Return ``after``, which begins a turn; at a recorded table it stores its own start."""
    return after if game.hosted else after.but(begun=(*game.begun, after.but(begun=())))


def _apply_entries_taken_back(game: Game, event: events.EntriesTakenBack) -> Game:
    """Restore the table to the start of the turn, with all state that is not an entry.

    That is the number of draws, which are never reused, and of challenges, which identify their cases; and notes of
    arbiters. Totals, turns and letters that they set are already in ``begun``.
    """
    begun = game.begun[event.turn - 1]
    # An arbiter called before the turn may have come and left during it.
    over = event.turn < game.turn
    called = game.arbiter_called if begun.arbiter_called or over else ""
    again = event.turn if over else game.again
    return begun.but(
        begun=game.begun[: event.turn],
        arbiter_called=called,
        again=again,
        next_draw=game.next_draw,
        challenges=game.challenges,
        arbiter=game.arbiter,
        gone=game.gone,
        asked=game.asked,
        overholding=game.overholding,
        adjusted=game.adjusted,
        signals=game.signals,
        last_at=game.last_at,
        owner_key=game.owner_key,
        owner_hall=game.owner_hall,
        epoch=game.epoch,
        handed_at=game.handed_at,
        is_taken_back=game.is_taken_back,
    )


def _apply_play_completed(game: Game, event: events.PlayCompleted) -> Game:
    course = game.course
    assert course.taken is not None, "a turn that was taken is completed"
    drawn = course.taken is not TurnKind.PLAY or game.phase is not Phase.PLACED or game.bag_left == 0
    owes = not drawn and event.player_id not in game.gone
    completed = game.but(
        phase=Phase.TURN,
        turn=game.turn + 1,
        mover=game.next_player(game.mover),
        course=EMPTY_COURSE,
        open_play=course.pending,
        scores=with_score(game, event.player_id, event.total),
        turns_taken=(*game.turns_taken, CompletedTurn(event.player_id, course.taken, event.score)),
        undrawn=(*game.undrawn, event.player_id) if owes else game.undrawn,
    )
    return _next_begun(game, completed)


def _next_turn(game: Game, taken: CompletedTurn, open_play: events.PlayPlaced | None = None) -> Game:
    lost = game.but(
        phase=Phase.TURN,
        turn=game.turn + 1,
        mover=game.next_player(game.mover),
        course=EMPTY_COURSE,
        open_play=open_play,
        turns_taken=(*game.turns_taken, taken),
    )
    return _next_begun(game, lost)
