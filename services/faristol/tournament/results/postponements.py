"""Postponed games, which are played later than their round. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import moment_of, to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules.clockwork import postponement_in_time
from faristol.tournament.conditions import (
    build_not_started_refusal,
    build_result_known_refusal,
    check_arbiter,
    found_game,
)
from faristol.tournament.situation import PairingCommand, Situation, Undo, of_game, since
from faristol.tournament.state import Pairing, Phase, RoundState


def postpone(situation: Situation, request: pb.PostponeGameRequest) -> list[Message]:
    """Postpone a game, if all its players and the arbiter agree in time (PES Γ.β: two hours before it).

    Raises ``Invalid`` without an arbiter, and if times are missing or not in order. Raises ``Refusal`` if the book has
    no postponement, or if a player does not agree. Raises ``Refusal`` if the round is started, or if it is too late.
    """
    ruleset, game = situation.ruleset, request.game_id
    played, pairing = found_game(situation.state, game)
    check_arbiter(request.arbiter_id, pairing.player_ids)
    article = ruleset.article("lateness.postponement_hours")
    scheduled_at, postponed_to = _times(request)
    hours = ruleset.lateness.postponement_hours
    if hours is None:
        raise Refusal("NO_POSTPONEMENT", N_("Under these rules games cannot be postponed."), article=article)
    if played.phase is not Phase.PAIRED:
        raise Refusal(
            "ROUND_STARTED",
            N_("{game} cannot be postponed: its round has been started."),
            {"game": game},
            article=article,
        )
    if game in played.postponed:
        raise Refusal("POSTPONED_ALREADY", N_("{game} is already postponed."), {"game": game}, article=article)
    missing = [player_id for player_id in pairing.player_ids if player_id not in request.player_ids]
    if missing:
        raise Refusal(
            "POSTPONEMENT_NOT_AGREED",
            N_("A game can be postponed only if all its players agree; {missing} did not."),
            {"missing": ", ".join(missing)},
            article=article,
        )
    before_ms = round((scheduled_at - situation.moment).total_seconds() * 1000)
    if not postponement_in_time(before_ms, ruleset):
        raise Refusal(
            "POSTPONEMENT_TOO_LATE",
            N_("A game can be postponed up to {hours} hours before it starts; after that, an absent player loses it."),
            {"hours": hours},
            article=article,
        )
    return [
        situation.event(
            events.GamePostponed,
            round=played.number,
            game_id=game,
            player_ids=pairing.player_ids,
            scheduled_at=to_timestamp(scheduled_at),
            postponed_to=to_timestamp(postponed_to),
            arbiter_id=request.arbiter_id,
        )
    ]


def _times(request: pb.PostponeGameRequest) -> tuple[datetime, datetime]:
    """Return the scheduled time of the game and the postponed one. Raises ``Invalid``."""
    if request.HasField("scheduled_at") and request.HasField("postponed_to"):
        scheduled_at = moment_of("scheduled_at", request.scheduled_at)
        postponed_to = moment_of("postponed_to", request.postponed_to)
        if scheduled_at < postponed_to:
            return scheduled_at, postponed_to
    raise Invalid("postponed_to", N_("expected when the game was due, and the later time at which it will be played"))


def cancel_postponement(situation: Situation, request: pb.CancelPostponementRequest) -> list[Message]:
    """Cancel a postponement before its round is started. After that, the game can only be started."""
    played, pairing = _find_postponed_game(situation, request.game_id)
    if played.phase is not Phase.PAIRED:
        raise Refusal(
            "ROUND_STARTED",
            N_("Round {round} has been started without {game}: start the game when it is played."),
            {"round": played.number, "game": pairing.game_id},
            subject=f"games/{pairing.game_id}",
        )
    return [
        situation.event(events.PostponementCancelled, round=played.number, game_id=pairing.game_id, note=request.note)
    ]


def start_postponed(situation: Situation, request: pb.StartPostponedGameRequest) -> list[Message]:
    """Start a postponed game after the start of its round. Raises ``Refusal`` if a player has withdrawn."""
    played, pairing = _find_postponed_game(situation, request.game_id)
    if played.phase is not Phase.STARTED:
        raise build_not_started_refusal(played.number)
    gone = [
        player.player_id
        for player in situation.state.players
        if player.player_id in pairing.player_ids and player.withdrawn is not None
    ]
    if gone:
        raise Refusal(
            "WITHDRAWN",
            N_("{game} cannot be started: {players} withdrew."),
            {"game": pairing.game_id, "players": ", ".join(gone)},
        )
    return [situation.event(events.PostponedGameStarted, round=played.number, game_id=pairing.game_id)]


def _find_postponed_game(situation: Situation, game: str) -> tuple[RoundState, Pairing]:
    """Return the round and the table of a postponed game without a result. Raises ``Refusal``."""
    played, pairing = found_game(situation.state, game)
    if game in played.results:
        raise build_result_known_refusal(game, situation.ruleset.law.result_final)
    if game not in played.postponed:
        raise Refusal("NOT_POSTPONED", N_("{game} is not postponed."), {"game": game})
    return played, pairing


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.PostponeGameRequest: PairingCommand(postpone, of_tables=True, concerned=of_game),
    pb.CancelPostponementRequest: PairingCommand(cancel_postponement, of_tables=True),
    pb.StartPostponedGameRequest: PairingCommand(start_postponed, of_tables=True),
}

_POSTPONEMENT = ("postponement", "game_id")

UNDO: Mapping[type[Message], Undo] = {
    events.GamePostponed: Undo(pb.CancelPostponementRequest, thing=_POSTPONEMENT, rests=since(events.RoundStarted)),
    events.PostponementCancelled: Undo(thing=_POSTPONEMENT),
    events.PostponedGameStarted: Undo(thing=_POSTPONEMENT),
}
