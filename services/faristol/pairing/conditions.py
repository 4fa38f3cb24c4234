"""What several decisions on a tournament check, and the refusals that they share. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.identity import checked_id
from faristol.pairing.model import Pairing, Player, Round, Tournament
from faristol.rules import Ruleset
from faristol.rules.officials import check_not_concerned


def check_not_removed(state: Tournament) -> None:
    """Refuse a tournament that was removed."""
    if state.removed:
        raise Refusal(
            "TOURNAMENT_REMOVED",
            "",
            N_("{name} was removed. To go on with it, restore it first: `tournament restore`."),
            {"name": state.name},
        )


def check_open(state: Tournament) -> None:
    """Refuse a tournament that was removed, and one of which the final standings are published."""
    check_not_removed(state)
    if state.over:
        raise Refusal(
            "TOURNAMENT_OVER",
            "",
            N_(
                "{tournament} is over: its final standings are published. "
                "To change anything, reopen them first: `standings reopen`."
            ),
            {"tournament": state.tournament_id},
        )


def check_given(number: int) -> None:
    """Raise ``Invalid`` where a command names no round."""
    if not number:
        raise Invalid("round", N_("is missing; expected the number of the round, from 1"))


def check_meets_at_tables(ruleset: Ruleset) -> None:
    """Refuse in a tournament of duplicate games what is about tables."""
    if ruleset.game.mode == "duplicate":
        raise Refusal(
            "NO_TABLES",
            "",
            N_("This is a tournament of duplicate games: nobody meets anybody at a table, and slips are scored."),
        )


def check_arbiter(arbiter_id: str, concerned: Collection[str]) -> None:
    """Refuse an act that needs an arbiter and names none, or names a player whom it concerns.

    Nobody is judge of their own game. Raises ``Invalid`` for what is missing and what is no id.
    """
    if not arbiter_id:
        raise Invalid("arbiter_id", N_("expected the id of the arbiter"))
    checked_id("arbiter_id", arbiter_id)
    check_not_concerned("arbiter_id", [arbiter_id], concerned)


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


def registered(state: Tournament, player_id: str) -> Player:
    """A player of a tournament that is not over. Refuses anybody else."""
    check_open(state)
    player = state.player(player_id)
    if player is None:
        raise not_registered(state, player_id)
    return player


def taking_part(state: Tournament, player_id: str) -> Player:
    """A player who has not withdrawn. Refuses anybody else."""
    player = registered(state, player_id)
    if player.withdrawn is not None:
        raise Refusal("WITHDRAWN", "", N_("{player} has withdrawn."), {"player": player_id})
    return player


def not_registered(state: Tournament, player_id: str) -> Refusal:
    """The refusal for somebody who is no player of the tournament."""
    return Refusal(
        "NOT_REGISTERED",
        "",
        N_("{player} is not registered in {tournament}."),
        {"player": player_id, "tournament": state.tournament_id},
    )


def expelled(player: Player) -> Refusal:
    """The refusal for somebody who was expelled."""
    return Refusal(
        "EXPELLED",
        player.expelled_under,
        N_("{player} has been expelled: only an expulsion that is lifted lets them come back."),
        {"player": player.player_id},
        subject=f"players/{player.player_id}",
    )


def paired_round(state: Tournament, number: int) -> Round:
    """A round that has been paired, of a tournament that is not over. Refuses any other."""
    check_open(state)
    return found_round(state, number)


def found_round(state: Tournament, number: int) -> Round:
    """A round that has been paired. Refuses any other; raises ``Invalid`` for none."""
    check_given(number)
    if 1 <= number <= len(state.played):
        return state.played[number - 1]
    raise Refusal(
        "ROUND_NOT_PAIRED",
        "",
        N_("Round {round} has not been paired; {paired} of {rounds} rounds have."),
        {"round": number, "paired": len(state.played), "rounds": state.rounds},
    )


def not_started(number: int) -> Refusal:
    """The refusal for what has to wait until a round is started."""
    return Refusal(
        "ROUND_NOT_STARTED",
        "",
        N_("Round {round} has not been started."),
        {"round": number},
        subject=f"rounds/{number}",
    )


def found_game(state: Tournament, game: str) -> tuple[Round, Pairing]:
    """The round and the table of a game of a tournament that is not over. Refuses any other."""
    check_open(state)
    found = state.find_game(game)
    if found is None:
        raise Refusal(
            "GAME_NOT_PAIRED",
            "",
            N_("{game} is not a game of {tournament}."),
            {"game": game, "tournament": state.tournament_id},
        )
    return found


def result_known(game: str, article: str) -> Refusal:
    """The refusal for a game that has a result: only a correction gives it another."""
    return Refusal(
        "RESULT_KNOWN",
        article,
        N_("{game} has a result already: correct it where the rules allow that."),
        {"game": game},
        subject=f"games/{game}",
    )


def check_unchanged(later: Iterable[Message], rests_on: tuple[type[Message], ...], name: str) -> None:
    """Refuse what was decided in view of a tournament that something changed since, by the facts ``later``."""
    if found := next((fact for fact in later if isinstance(fact, rests_on)), None):
        raise Refusal(
            "CHANGED_MEANWHILE",
            "",
            N_("{name} has changed since this was begun: look at what has changed, and do it again if it still holds."),
            {"name": name, "fact": found.DESCRIPTOR.name},
        )


def moment(state: Tournament, at: datetime | None, now: datetime) -> datetime:
    """When an act happened: ``at``, or else ``now``; never before the latest fact.

    Raises ``Invalid`` when ``at`` is.
    """
    if at is not None and at < state.latest:
        raise too_early(at, state.latest)
    return at or max(now, state.latest)


def too_early(at: datetime, latest: datetime) -> Invalid:
    """The error for an act said to have happened before what it follows."""
    return Invalid(
        "occurred_at",
        N_("is {at}, before what has happened already at {latest}"),
        {"at": at.isoformat(), "latest": latest.isoformat()},
    )
