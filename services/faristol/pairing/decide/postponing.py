"""Games that are played later than their round. Pure."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.decide.corrections import check_arbiter, found_game
from faristol.pairing.model import Pairing, Phase, Round, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.clockwork import postponement_in_time


def postpone(
    state: Tournament,
    ruleset: Ruleset,
    *,
    game: str,
    player_ids: Collection[str],
    scheduled_at: datetime | None,
    postponed_to: datetime | None,
    arbiter_id: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Put a game off, when all its players and the arbiter agree in time (PES Γ.β: two hours before it).

    Raises ``Invalid`` without an arbiter, and for times that are missing or in the wrong order; ``Refusal`` where the
    book knows no postponement, after the round was started, too late, and while somebody does not agree.
    """
    one, pairing = found_game(state, game)
    check_arbiter(arbiter_id, pairing.player_ids)
    article = ruleset.article("lateness.postponement_hours")
    if scheduled_at is None or postponed_to is None or postponed_to <= scheduled_at:
        raise Invalid(
            "postponed_to", N_("expected when the game was due, and the later time at which it will be played")
        )
    hours = ruleset.lateness.postponement_hours
    if hours is None:
        raise Refusal("NO_POSTPONEMENT", article, N_("Under these rules no game is postponed."))
    if one.phase is not Phase.PAIRED:
        raise Refusal(
            "ROUND_STARTED",
            article,
            N_("{game} cannot be postponed: its round has been started."),
            {"game": game},
        )
    if game in one.postponed:
        raise Refusal("POSTPONED_ALREADY", article, N_("{game} has been postponed already."), {"game": game})
    missing = [player_id for player_id in pairing.player_ids if player_id not in player_ids]
    if missing:
        raise Refusal(
            "POSTPONEMENT_NOT_AGREED",
            article,
            N_("A game is postponed only when all its players agree; {missing} did not."),
            {"missing": ", ".join(missing)},
        )
    when = conditions.moment(state, at, now)
    before_ms = round((scheduled_at - when).total_seconds() * 1000)
    if not postponement_in_time(before_ms, ruleset):
        raise Refusal(
            "POSTPONEMENT_TOO_LATE",
            article,
            N_(
                "A game can be postponed up to {hours} hours before it; after that, "
                "a player who does not come loses it."
            ),
            {"hours": hours},
        )
    return [
        events.GamePostponed(
            round=one.number,
            game_id=game,
            player_ids=pairing.player_ids,
            scheduled_at=to_timestamp(scheduled_at),
            postponed_to=to_timestamp(postponed_to),
            arbiter_id=arbiter_id,
            occurred_at=to_timestamp(when),
        )
    ]


def cancel_postponement(
    state: Tournament, ruleset: Ruleset, *, game: str, note: str, at: datetime | None, now: datetime
) -> list[Message]:
    """Play a postponed game with its round after all, before that is started; once it is, the game is just started."""
    one, _ = _postponed(state, ruleset, game)
    if one.phase is not Phase.PAIRED:
        raise Refusal(
            "ROUND_STARTED",
            "",
            N_("Round {round} has been started without {game}: start the game when it is played."),
            {"round": one.number, "game": game},
            subject=f"games/{game}",
        )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.PostponementCancelled(round=one.number, game_id=game, note=note, occurred_at=occurred_at)]


def start_postponed(
    state: Tournament, ruleset: Ruleset, *, game: str, at: datetime | None, now: datetime
) -> list[Message]:
    """Start a postponed game, once its round has been started, unless one of its players has withdrawn."""
    one, pairing = _postponed(state, ruleset, game)
    if one.phase is not Phase.STARTED:
        raise Refusal(
            "ROUND_NOT_STARTED",
            "",
            N_("Round {round} has not been started."),
            {"round": one.number},
            subject=f"rounds/{one.number}",
        )
    gone = [
        player.player_id
        for player in state.players
        if player.player_id in pairing.player_ids and player.withdrawn is not None
    ]
    if gone:
        raise Refusal(
            "WITHDRAWN",
            "",
            N_("{game} cannot be started: {players} withdrew."),
            {"game": game, "players": ", ".join(gone)},
        )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.PostponedGameStarted(round=one.number, game_id=game, occurred_at=occurred_at)]


def _postponed(state: Tournament, ruleset: Ruleset, game: str) -> tuple[Round, Pairing]:
    """The round and the table of a postponed game. Refuses any other, also one of which the result was entered."""
    one, pairing = found_game(state, game)
    if game in one.results:
        raise conditions.result_known(game, ruleset.law.result_final)
    if game not in one.postponed:
        raise Refusal("NOT_POSTPONED", "", N_("{game} is not postponed."), {"game": game})
    return one, pairing
