"""Checks and refusals that several decisions on a tournament share. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_id, tidy
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Ruleset
from faristol.rules.officials import check_not_concerned
from faristol.tournament.state import (
    DataRequest,
    Pairing,
    PlayerRequest,
    PlayerState,
    RoundState,
    TournamentState,
)

AnyRequest = TypeVar("AnyRequest", DataRequest, PlayerRequest)


def build_round_refusal(reason: str, article: str, message: str, number: int) -> Refusal:
    """Return a refusal about a round, whose number fills ``{round}`` of the message."""
    return Refusal(reason, message, {"round": number}, article=article, subject=f"rounds/{number}")


def build_game_refusal(reason: str, article: str, message: str, game: str) -> Refusal:
    """Return a refusal about a game, whose id fills ``{game}`` of the message."""
    return Refusal(reason, message, {"game": game}, article=article, subject=f"games/{game}")


def build_player_refusal(reason: str, article: str, message: str, player_id: str) -> Refusal:
    """Return a refusal about a player, whose id fills ``{player}`` of the message."""
    return Refusal(reason, message, {"player": player_id}, article=article, subject=f"players/{player_id}")


def check_not_removed(state: TournamentState) -> None:
    """Raise ``Refusal`` if the tournament is removed."""
    if state.removed:
        raise Refusal(
            "TOURNAMENT_REMOVED",
            N_("{name} was removed. Restore it first: `tournament restore`."),
            {"name": state.name},
        )


def check_open(state: TournamentState) -> None:
    """Raise ``Refusal`` if the tournament is removed or its final standings are published."""
    check_not_removed(state)
    if state.over:
        raise Refusal(
            "TOURNAMENT_OVER",
            N_(
                "{tournament} is over: its final standings are published. "
                "To change anything, reopen them first: `standings reopen`."
            ),
            {"tournament": state.tournament_id},
        )


def check_given(number: int) -> None:
    """Raise ``Invalid`` if a command has no round."""
    if not number:
        raise Invalid("round", N_("is missing; expected the number of the round, from 1"))


def check_meets_at_tables(ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a command about tables in a tournament of duplicate games."""
    if ruleset.game.mode == "duplicate":
        raise Refusal(
            "NO_TABLES",
            N_("This is a tournament of duplicate games: players do not meet at tables, and slips are scored."),
        )


def check_hall(state: TournamentState, name: str) -> None:
    """Raise ``Refusal`` if the tournament has no such hall; an empty name is accepted."""
    if name and tidy(name) not in {hall.name for hall in state.halls}:
        known = ", ".join(hall.name for hall in state.halls) or "–"
        text = N_("There is no hall {hall}; there are: {halls}.")
        raise Refusal("NO_SUCH_HALL", text, {"hall": tidy(name)[:100], "halls": known})


def check_arbiter(arbiter_id: str, concerned: Collection[str]) -> None:
    """Raise ``Refusal`` if the arbiter of a command is a player whom it concerns.

    Raises ``Invalid`` if the id is missing or malformed.
    """
    if not arbiter_id:
        raise Invalid("arbiter_id", N_("expected the arbiter"))
    check_id("arbiter_id", arbiter_id)
    check_not_concerned("arbiter_id", [arbiter_id], concerned)


def check_to_come(state: TournamentState, number: int) -> None:
    """Raise ``Refusal`` if a round is already paired, or is not a round of the tournament."""
    paired = len(state.played)
    if not paired < number <= state.rounds:
        raise Refusal(
            "ROUND_NOT_TO_COME",
            N_("Round {round} is not an upcoming round: {paired} of {rounds} {paired:has|have} been paired."),
            {"round": number, "paired": paired, "rounds": state.rounds},
        )


def find_registered_player(state: TournamentState, player_id: str) -> PlayerState:
    """Return a registered player of an open tournament. Raises ``Refusal``."""
    check_open(state)
    player = state.player(player_id)
    if player is None:
        raise build_not_registered_refusal(state, player_id)
    return player


def taking_part(state: TournamentState, player_id: str) -> PlayerState:
    """Return a registered player who has not withdrawn. Raises ``Refusal``."""
    player = find_registered_player(state, player_id)
    if player.withdrawn is not None:
        raise Refusal("WITHDRAWN", N_("{player} has withdrawn."), {"player": player_id})
    return player


def check_registered(state: TournamentState, *player_ids: str) -> None:
    """Raise ``Refusal`` if a person is not a player of the tournament."""
    for player_id in player_ids:
        if state.player(player_id) is None:
            raise build_not_registered_refusal(state, player_id)


def build_not_registered_refusal(state: TournamentState, player_id: str) -> Refusal:
    """Return the refusal for a person who is not a player of the tournament."""
    return Refusal(
        "NOT_REGISTERED",
        N_("{player} is not registered in {tournament}."),
        {"player": player_id, "tournament": state.tournament_id},
    )


def build_expelled_refusal(player: PlayerState) -> Refusal:
    """Return the refusal for an expelled player."""
    text = N_("{player} has been expelled: they can return only if the expulsion is lifted.")
    return build_player_refusal("EXPELLED", player.expelled_under, text, player.player_id)


def paired_round(state: TournamentState, number: int) -> RoundState:
    """Return a paired round of an open tournament. Raises ``Refusal``."""
    check_open(state)
    return found_round(state, number)


def found_round(state: TournamentState, number: int) -> RoundState:
    """Return a paired round. Raises ``Refusal`` if it is not paired, ``Invalid`` if the number is missing."""
    check_given(number)
    if 1 <= number <= len(state.played):
        return state.played[number - 1]
    raise Refusal(
        "ROUND_NOT_PAIRED",
        N_("Round {round} has not been paired; {paired} of {rounds} rounds have."),
        {"round": number, "paired": len(state.played), "rounds": state.rounds},
    )


def build_not_started_refusal(number: int) -> Refusal:
    """Return the refusal for a command on a round that is not started."""
    return build_round_refusal("ROUND_NOT_STARTED", "", N_("Round {round} has not been started."), number)


def found_game(state: TournamentState, game: str) -> tuple[RoundState, Pairing]:
    """Return the round and the table of a game of an open tournament. Raises ``Refusal``."""
    check_open(state)
    return paired_game(state, game)


def paired_game(state: TournamentState, game: str) -> tuple[RoundState, Pairing]:
    """Return the round and the table of a game. Raises ``Refusal``."""
    found = state.find_game(game)
    if found is None:
        raise Refusal(
            "GAME_NOT_PAIRED",
            N_("{game} is not a game of {tournament}."),
            {"game": game, "tournament": state.tournament_id},
        )
    return found


def find_waiting(requests: Sequence[AnyRequest], number: int) -> AnyRequest:
    """Return the unanswered request with a number. Raises ``Refusal``."""
    if not 1 <= number <= len(requests):
        raise build_no_request_refusal(number)
    found = requests[number - 1]
    if not found.waits:
        raise Refusal("REQUEST_ANSWERED", N_("Request {request} is already answered."), {"request": number})
    return found


def build_no_request_refusal(number: int) -> Refusal:
    """Return the refusal for a request that does not exist."""
    return Refusal("NO_REQUEST", N_("There is no request {request}."), {"request": number})


def build_not_in_game_error(field: str, found: str, game: str) -> Invalid:
    """Return the error for a person who does not play a game."""
    return Invalid(field, N_("{found} does not play in {game}"), {"found": found[:200] or "–", "game": game})


def build_result_known_refusal(game: str, article: str) -> Refusal:
    """Return the refusal for a game with a result, which only a correction can change."""
    text = N_("{game} already has a result: correct it, if the rules allow that.")
    return build_game_refusal("RESULT_KNOWN", article, text, game)


def check_unchanged(later: Iterable[Message], rests_on: tuple[type[Message], ...], name: str) -> None:
    """Raise ``Refusal`` if one of the ``later`` events is of a type that the command rests on."""
    if found := next((event for event in later if isinstance(event, rests_on)), None):
        raise Refusal(
            "CHANGED_MEANWHILE",
            N_(
                "{name} has changed since you started: review the changes, then repeat the command if it still applies."
            ),
            {"name": name, "event": found.DESCRIPTOR.name},
        )


def compute_command_time(state: TournamentState, at: datetime | None, now: datetime) -> datetime:
    """Return the time of a command: ``at``, or else ``now``, but never before the latest event.

    Raises ``Invalid`` if ``at`` is before the latest event.
    """
    if at is not None and at < state.latest:
        raise build_too_early_error(at, state.latest)
    return at or max(now, state.latest)


def build_too_early_error(at: datetime, latest: datetime) -> Invalid:
    """Return the error for a command with a time before that of an event it follows."""
    return Invalid(
        "occurred_at",
        N_("is {at}, before the latest event, at {latest}"),
        {"at": at.isoformat(), "latest": latest.isoformat()},
    )
