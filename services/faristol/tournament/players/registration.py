"""The registration of players. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.mentions import players_of
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.rules.championship import check_late_entry, late_entry_points
from faristol.tournament.administration.divisions import check_in_no_other, check_not_moved
from faristol.tournament.conditions import build_too_early_error, check_open
from faristol.tournament.players.licences import check_licence
from faristol.tournament.players.withdrawal import withdrawal_of
from faristol.tournament.rounds.systems import CYCLES
from faristol.tournament.situation import Situation, Undo
from faristol.tournament.state import TournamentState

UNRATED_START_POINTS = 1000
"""The start rating of RaScCat for a player without a rating."""

MOST_PLAYERS = 10_000
"""Limit of players in a tournament: all tables of a round open in one transaction."""


def most_players(ruleset: Ruleset) -> int:
    """Return the limit of players. Duplicate games have their own, as they need no tables."""
    return ruleset.game.players_max if ruleset.game.mode == "duplicate" else MOST_PLAYERS


def register(situation: Situation, request: pb.RegisterPlayerRequest) -> list[Message]:
    """Register a player. ``rating`` is the last published one; a player without it is unrated.

    ``round`` is the first round to be paired in; 0 means the next to start. A player can enter until that round starts
    (FISC I.4). If it is already paired, it must be paired again. Raises ``Refusal`` if the player takes part in another
    division, or lacks the licence that the tournament requires; an exception with a reason is an event of its own.
    """
    state, player_id = situation.state, request.player_id
    check_open(state)
    if state.player(player_id) is not None:
        raise AlreadyExists("player", player_id)
    check_in_no_other(player_id, situation.divisions)
    most = most_players(situation.ruleset)
    if len(state.players) >= most:
        raise Refusal(
            "TOO_MANY_PLAYERS",
            N_("A tournament accepts at most {most} players; {player} would exceed this."),
            {"most": most, "player": player_id},
        )
    unrated = not request.HasField("rating")
    check_rating(request.rating)
    # Registrations run concurrently, so only a time before the creation of the tournament is out of order.
    at = situation.at
    if at is not None and at < state.created_at:
        raise build_too_early_error(at, state.created_at)
    number = request.round or state.next_to_start
    if number < state.next_to_start:
        raise Refusal(
            "ROUND_STARTED",
            N_("{player} cannot enter in round {round}, which has been started; the next is round {next}."),
            {"player": player_id, "round": number, "next": state.next_to_start},
            article=_article_of_late_entry(situation.ruleset),
        )
    if situation.ruleset.game.mode == "duplicate":
        check_game_left(state, situation.ruleset, number, player_id)
    rating = UNRATED_START_POINTS if unrated else request.rating
    entry: Mapping[str, Any] = {
        "player_id": player_id,
        "rating": rating,
        "unrated": unrated,
        "category": request.category,
        "note": request.note,
        "occurred_at": to_timestamp(at or max(situation.now, state.created_at)),
    }
    excused: list[Message] = []
    if check_licence(situation, player_id, request.licence_exception):
        excused.append(
            events.LicenceExceptionGranted(
                player_id=player_id, note=request.licence_exception, occurred_at=entry["occurred_at"]
            )
        )
    if number == 1:
        return [events.PlayerRegistered(**entry), *excused]
    fictitious = _fictitious(state, situation.ruleset, player_id, number)
    return [events.LateEntryAdmitted(**entry, round=number, fictitious_half_points=fictitious), *excused]


def check_game_left(state: TournamentState, ruleset: Ruleset, number: int, entry: str) -> None:
    """Raise ``Refusal`` for a player who would play from a duplicate game on that does not exist."""
    if number > state.rounds:
        raise Refusal(
            "GAME_BEGUN",
            N_("{player} cannot enter: the last game of the tournament has begun."),
            {"player": entry},
            article=_article_of_late_entry(ruleset),
        )


def check_entry_possible(state: TournamentState, ruleset: Ruleset, entry: str) -> None:
    """Raise ``Refusal`` if the rules accept no further player because of the rounds that were started (FISC I.4)."""
    number = state.next_to_start
    if ruleset.game.mode == "duplicate":
        check_game_left(state, ruleset, number, entry)
    elif number > 1:
        check_registration_open(ruleset, entry)
        check_late_entry(number, state.rounds, ruleset)


def check_rating(rating: int) -> None:
    """Raise ``Invalid`` for an invalid rating."""
    if not 0 <= rating <= 9999:
        raise Invalid(
            "rating", N_("is {rating}; expected 0 to 9999, or no rating for an unrated player"), {"rating": rating}
        )


def _article_of_late_entry(ruleset: Ruleset) -> str:
    of_game = ruleset.game.mode == "duplicate"
    return ruleset.article("turns.late_entry" if of_game else "championship.late_entry")


def _fictitious(state: TournamentState, ruleset: Ruleset, player_id: str, number: int) -> int:
    """Return the fictitious half points of a player who enters before round ``number`` (FISC I.4).

    Duplicate games have none: a game that has not begun is open to all (FISC II.1), and is not paired by points.
    """
    if ruleset.game.mode == "duplicate":
        return 0
    check_registration_open(ruleset, player_id)
    return round(2 * late_entry_points(number, state.rounds, ruleset))


def check_registration_open(ruleset: Ruleset, entry: str) -> None:
    """Raise ``Refusal`` for a late player or team in a round robin."""
    if ruleset.championship.system in CYCLES:
        raise Refusal(
            "REGISTRATION_CLOSED",
            N_("{player} cannot enter: all players meet each other, and the rounds are already drawn."),
            {"player": entry},
            article=ruleset.article("championship.system"),
        )


def _rests(act: events.PlayerRegistered | events.LateEntryAdmitted, later: Message) -> bool:
    return act.player_id in players_of(later)


UNDO: Mapping[type[Message], Undo] = {
    events.PlayerRegistered: Undo(withdrawal_of, rests=_rests, check=check_not_moved),
    events.LateEntryAdmitted: Undo(withdrawal_of, rests=_rests),
}
