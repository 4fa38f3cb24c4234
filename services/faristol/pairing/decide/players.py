"""Players: they come in, sit rounds out, and leave. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, systems
from faristol.pairing.decide.divisions import check_in_no_other
from faristol.pairing.model import BYES, Phase, Player, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import Ruleset
from faristol.rules.championship import late_entry_points

UNRATED = 1000
"""Where RaScCat lets a player without a rating start."""

MOST_PLAYERS = 1_000
"""Players of a tournament: all tables of a round open in one transaction."""


def register(
    state: Tournament,
    ruleset: Ruleset,
    *,
    player_id: str,
    rating: int | None,
    at: datetime | None,
    now: datetime,
    number: int = 0,
    divisions: Sequence[Tournament] = (),
    category: str = "",
    note: str = "",
) -> list[Message]:
    """A player takes part. ``rating`` is the last published one, None for a player without.

    ``number`` is the first round to be paired in, 0 for the one that starts next: until that begins a player can enter
    (FISC I.4), and where it is paired already it has to be paired again. ``divisions`` are the others of the
    championship: nobody takes part in two.
    """
    if state.over:
        raise conditions.over(state)
    if state.player(player_id) is not None:
        raise AlreadyExists("player", player_id)
    check_in_no_other(player_id, divisions)
    if len(state.players) >= MOST_PLAYERS:
        raise Refusal(
            "TOO_MANY_PLAYERS",
            "",
            N_("A tournament takes {most} players; {player} would be one more."),
            {"most": MOST_PLAYERS, "player": player_id},
        )
    if rating is not None and not 0 <= rating <= 9999:
        raise Invalid(
            "rating", N_("is {rating}; expected 0 to 9999, or none for an unrated player"), {"rating": rating}
        )
    # Desks register side by side, so only what comes before the tournament itself is out of order.
    if at is not None and at < state.created_at:
        raise conditions.too_early(at, state.created_at)
    number = number or state.next_to_start
    if number < state.next_to_start:
        raise Refusal(
            "ROUND_STARTED",
            ruleset.article("championship.late_entry"),
            N_("{player} cannot enter in round {round}, which has been started; the next is round {next}."),
            {"player": player_id, "round": number, "next": state.next_to_start},
        )
    fictitious = _late(state, ruleset, player_id, number) if number > 1 else 0
    occurred_at = to_timestamp(at or max(now, state.created_at))
    given = UNRATED if rating is None else rating
    if number == 1:
        return [
            events.PlayerRegistered(
                player_id=player_id,
                rating=given,
                unrated=rating is None,
                category=category,
                note=note,
                occurred_at=occurred_at,
            )
        ]
    return [
        events.LateEntryAdmitted(
            player_id=player_id,
            rating=given,
            unrated=rating is None,
            round=number,
            fictitious_half_points=fictitious,
            category=category,
            note=note,
            occurred_at=occurred_at,
        )
    ]


def _late(state: Tournament, ruleset: Ruleset, player_id: str, number: int) -> int:
    """The fictitious points, times two, of a player who comes in before round ``number`` (FISC I.4)."""
    if ruleset.championship.system in systems.CYCLES:
        raise Refusal(
            "REGISTRATION_CLOSED",
            ruleset.article("championship.system"),
            N_("{player} cannot come in: each meets each, and the rounds are drawn for those who began."),
            {"player": player_id},
        )
    return round(2 * late_entry_points(number, state.rounds, ruleset))


def check_in(state: Tournament, *, player_id: str, at: datetime | None, now: datetime) -> list[Message]:
    """Note that a player is there. Once one is, the first round is paired when all are in or have withdrawn."""
    player = _playing(state, player_id)
    _before_first(state)
    if player.checked_in:
        raise Refusal("CHECKED_IN", "", N_("{player} is checked in already."), {"player": player_id})
    return [events.PlayerCheckedIn(player_id=player_id, occurred_at=_when(state, at, now))]


def check_out(state: Tournament, *, player_id: str, at: datetime | None, now: datetime) -> list[Message]:
    """Take a check-in back."""
    player = _playing(state, player_id)
    _before_first(state)
    if not player.checked_in:
        raise Refusal("NOT_CHECKED_IN", "", N_("{player} is not checked in."), {"player": player_id})
    return [events.PlayerCheckedOut(player_id=player_id, occurred_at=_when(state, at, now))]


def withdraw(
    state: Tournament,
    *,
    player_id: str,
    note: str,
    at: datetime | None,
    now: datetime,
    running_game: pairing.RunningGame.ValueType = pairing.RUNNING_GAME_UNSPECIFIED,
    since: int | None = None,
) -> list[Message]:
    """A player leaves. A round that is paired and not started has to be paired again, or starts without the player.

    ``running_game`` says what becomes of a game that the player is playing. Given up, it is named in the fact: its
    table ends it as the book says of who leaves (FISC I.8.E). ``since`` is the first round not to be paired in where
    the player has missed rounds already. Raises ``Refusal`` where that is not said.
    """
    player = conditions.registered(state, player_id)
    if player.withdrawn is not None:
        raise Refusal(
            "WITHDRAWN",
            "",
            N_("{player} had withdrawn already, from round {round} on."),
            {"player": player_id, "round": player.withdrawn},
        )
    current = state.open_round
    number, game = len(state.played) + 1, ""
    if current is not None and player.takes_part(current.number):
        if current.phase is Phase.PAIRED:
            number = current.number
        else:
            game = current.running_game(player_id)
    if game and running_game == pairing.RUNNING_GAME_UNSPECIFIED:
        raise Refusal(
            "GAME_RUNNING",
            "",
            N_("{player} is playing {game}: say with running_game whether the game is given up or played to its end."),
            {"player": player_id, "game": game},
            subject=f"games/{game}",
        )
    if running_game != pairing.RUNNING_GAME_GIVEN_UP:
        game = ""
    return [
        events.PlayerWithdrawn(
            player_id=player_id,
            round=number if since is None else min(since, number),
            game_id=game,
            note=note,
            occurred_at=_when(state, at, now),
        )
    ]


def reinstate(
    state: Tournament,
    *,
    player_id: str,
    at: datetime | None,
    now: datetime,
    lifted: bool = False,
    divisions: Sequence[Tournament] = (),
) -> list[Message]:
    """Pair a player again who had withdrawn: rounds paired in between stay missed.

    Who was expelled comes back when that is ``lifted``, and not otherwise; who takes part in another of the
    ``divisions`` of the championship does not.
    """
    player = conditions.registered(state, player_id)
    if player.expelled and not lifted:
        raise conditions.expelled(player)
    if player.withdrawn is None:
        raise Refusal("NOT_WITHDRAWN", "", N_("{player} has not withdrawn."), {"player": player_id})
    check_in_no_other(player_id, divisions)
    current = state.open_round
    paired = current is not None and player_id in current.player_ids
    number = current.number if current is not None and paired else len(state.played) + 1
    return [
        events.PlayerReinstated(
            player_id=player_id, round=max(number, player.withdrawn), occurred_at=_when(state, at, now)
        )
    ]


def grant_bye(
    state: Tournament,
    ruleset: Ruleset,
    *,
    player_id: str,
    number: int,
    kind: events.ByeKind.ValueType,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Let a player sit out a round to come. Raises ``Invalid`` for a bye of no kind.

    Where each meets each it is worth nothing: the opponent of that round wins without a game.
    """
    player = _playing(state, player_id)
    if kind not in BYES:
        raise Invalid("kind", N_("expected a half-point, a full-point or a zero-point bye"))
    if ruleset.championship.system in systems.CYCLES and kind != events.BYE_KIND_ZERO_POINT:
        raise Refusal(
            "BYE_WITH_POINTS",
            ruleset.article("championship.system"),
            N_(
                "Each meets each here: the opponent of {player} in round {round} wins without a game, and a bye with "
                "points would give them out twice; grant a zero-point bye."
            ),
            {"player": player_id, "round": number},
        )
    check_to_come(state, number)
    if number in player.byes:
        raise Refusal(
            "BYE_GRANTED",
            "",
            N_("{player} sits out round {round} already: revoke that bye first."),
            {"player": player_id, "round": number},
        )
    return [events.ByeGranted(round=number, player_id=player_id, kind=kind, occurred_at=_when(state, at, now))]


def revoke_bye(state: Tournament, *, player_id: str, number: int, at: datetime | None, now: datetime) -> list[Message]:
    """Take a bye back before its round is paired."""
    player = _playing(state, player_id)
    check_to_come(state, number)
    if number not in player.byes:
        raise Refusal(
            "NO_BYE",
            "",
            N_("{player} has asked for no bye in round {round}."),
            {"player": player_id, "round": number},
        )
    return [events.ByeRevoked(round=number, player_id=player_id, occurred_at=_when(state, at, now))]


def _playing(state: Tournament, player_id: str) -> Player:
    player = conditions.registered(state, player_id)
    if player.withdrawn is not None:
        raise Refusal("WITHDRAWN", "", N_("{player} has withdrawn."), {"player": player_id})
    return player


def _before_first(state: Tournament) -> None:
    if state.played:
        raise Refusal("CHECK_IN_CLOSED", "", N_("Round 1 has been paired: players are checked in before that."))


def check_to_come(state: Tournament, number: int) -> None:
    """Refuse a round that is paired already, or that there will not be."""
    paired = len(state.played)
    if not paired < number <= state.rounds:
        raise Refusal(
            "ROUND_NOT_TO_COME",
            "",
            N_("Round {round} is not a round to come: {paired} of {rounds} {paired:has|have} been paired."),
            {"round": number, "paired": paired, "rounds": state.rounds},
        )


def _when(state: Tournament, at: datetime | None, now: datetime) -> Timestamp:
    return to_timestamp(conditions.moment(state, at, now))
