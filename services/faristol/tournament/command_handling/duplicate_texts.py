"""Texts of refusals about rounds, and their equivalents in a tournament of duplicate games. Pure.

A round there is a turn of a game. A tournament has games, whose seats are assigned instead of paired.
"""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import Ruleset

SAID_OF_DUPLICATE_GAMES: Mapping[str, str] = {
    "is missing; expected the number of the round, from 1": N_("is missing; expected the number of the game, from 1"),
    "A championship needs {least} {least:round|rounds} or more, not {rounds}.": N_(
        "A championship needs {least} {least:game|games} or more, not {rounds}."
    ),
    "A player can enter only before round {last} starts; the next round is {next}.": N_(
        "A player can enter only before game {last} opens; the next game is {next}."
    ),
    "Round {round} is not an upcoming round: {paired} of {rounds} {paired:has|have} been paired.": N_(
        "Game {round} is not an upcoming game: the seats of {paired} of {rounds} games are assigned."
    ),
    "Round {round} has not been paired; {paired} of {rounds} rounds have.": N_(
        "The seats of game {round} are not assigned yet; those of {paired} of {rounds} games are."
    ),
    "Round {round} has not been started.": N_("Game {round} is not open yet."),
    "The championship pairs, starts and closes the rounds: ask the director. This hall shows the new round.": N_(
        "The championship assigns the seats, and opens and closes the games: ask the director. This hall shows the new "
        "game."
    ),
    "Round {round} has already been started.": N_("Game {round} is already open."),
    "Round {round} has already been closed.": N_("Game {round} is already closed."),
    "Round {round} cannot be closed: it has not been started.": N_(
        "Game {round} cannot be closed: it is not open yet."
    ),
    "Round {round} has been started: its pairing cannot change.": N_("Game {round} is open: its seats cannot change."),
    "Round {round} has already been paired.": N_("The seats of game {round} are already assigned."),
    "There is no round {round}: all {rounds} rounds of the championship have been paired.": N_(
        "There is no game {round}: the seats of all {rounds} games of the championship are assigned."
    ),
    "Round {round} cannot be paired: {paired} of {rounds} rounds are paired, so the next is round {next}.": N_(
        "The seats of game {round} cannot be assigned: those of {paired} of {rounds} games are, so the next is game "
        "{next}."
    ),
    "Round {round} cannot be paired: round {open} is not closed, so the standings are not known.": N_(
        "The seats of game {round} cannot be assigned: game {open} is not closed."
    ),
    "Round {round} would be paired differently from before: pair it without expecting a particular pairing.": N_(
        "The seats of game {round} would differ from before: assign them without expecting particular ones."
    ),
    "{player} is not checked in: check them in, have them sit out the round, or withdraw them.": N_(
        "{player} is not checked in: check them in, have them sit out the game, or withdraw them."
    ),
    "{count} players are not checked in: {players}. Check them in, have them sit out the round, or withdraw them.": N_(
        "{count} players are not checked in: {players}. Check them in, have them sit out the game, or withdraw them."
    ),
    "The check-in for round {round} is open.": N_("The check-in for game {round} is open."),
    "Round {round} was the last: no round is left.": N_("Game {round} was the last: no game is left."),
    "Round {round} has been paired: players must be checked in before that.": N_(
        "The seats of game {round} are assigned: players must be checked in before that."
    ),
    "{player} cannot enter in round {round}, which has been started; the next is round {next}.": N_(
        "{player} cannot enter in game {round}, which is open; the next is game {next}."
    ),
    "{player} has already withdrawn, from round {round} on.": N_(
        "{player} has already withdrawn, from game {round} on."
    ),
    "{player} already sits out round {round}: revoke that bye first.": N_(
        "{player} already sits out game {round}: revoke that bye first."
    ),
    "{player} has no requested bye in round {round}.": N_("{player} has no requested bye in game {round}."),
    "{player} cannot be moved: round 1 of division {division} has been paired.": N_(
        "{player} cannot be moved: the seats of game 1 of division {division} are assigned."
    ),
    "{player} left division {division} before any round: impose the sanction in the present division.": N_(
        "{player} left division {division} before any game: impose the sanction in the present division."
    ),
    "Round {round} has been paired with the rating of {player}: the rating can no longer change.": N_(
        "The seats of game {round} are assigned with the rating of {player}: the rating can no longer change."
    ),
    "expected rounds for an exclusion from rounds, and none for another kind": N_(
        "expected games for an exclusion from games, and none for another kind"
    ),
    "expected a game for a sanction in points or the loss of a game, and none for rounds": N_(
        "expected a game for a sanction in points or the loss of a game, and none for an exclusion from games"
    ),
    "No round with an exclusion of {player} is left to play.": N_(
        "No game with an exclusion of {player} is left to play."
    ),
    "there is no round {round}; expected 1 to {most}": N_("there is no game {round}; expected 1 to {most}"),
    "round {round} has no starting time": N_("game {round} has no starting time"),
    "round {round} is listed twice": N_("game {round} is listed twice"),
    "round {round} would not begin later than round {before}": N_(
        "game {round} would not begin later than game {before}"
    ),
    "expected no time: only a break and the start of a round have one": N_(
        "expected no time: only a break and the start of a game have one"
    ),
    "expected no round: only the start of a round has one": N_("expected no game: only the start of a game has one"),
    "{player} does not sit in {hall} in this round.": N_("{player} does not sit in {hall} in this game."),
    "{name} cannot be removed, because a round of it was started. It can be archived: `tournament archive`.": N_(
        "{name} cannot be removed, because a game of it was opened. It can be archived: `tournament archive`."
    ),
    "Final standings require all rounds to be closed: {closed} of {rounds} rounds are closed, round {next} is not.": N_(
        "Final standings require all games to be closed: {closed} of {rounds} games are closed, game {next} is not."
    ),
    "Round {round} has been paired under the present rules: they can no longer change.": N_(
        "The seats of game {round} are assigned under the present rules: they can no longer change."
    ),
    "The championship already has {rounds} {rounds:round|rounds}.": N_(
        "The championship already has {rounds} {rounds:game|games}."
    ),
    "Round {round} has been paired: the championship cannot have {rounds} {rounds:round|rounds}.": N_(
        "The seats of game {round} are assigned: the championship cannot have {rounds} {rounds:game|games}."
    ),
}
"""The text about games, by the text about rounds. Other texts apply to both."""


def refuse_of_games(refusal: Refusal, ruleset: Ruleset) -> Refusal:
    """Return a refusal with the texts of a tournament of duplicate games, if it is one."""
    return _replace_texts(refusal) if ruleset.game.mode == "duplicate" else refusal


def to_problem_of_games(problem: Refusal | Invalid, ruleset: Ruleset) -> Refusal | Invalid:
    """Return a refusal or an invalid field with the texts of a tournament of duplicate games, if it is one."""
    if isinstance(problem, Refusal):
        return refuse_of_games(problem, ruleset)
    text = SAID_OF_DUPLICATE_GAMES.get(problem.problem, problem.problem)
    is_of_games = ruleset.game.mode == "duplicate"
    return Invalid(problem.field, text, problem.params, where=problem.where) if is_of_games else problem


def has_text_of_games(problem: Refusal | Invalid) -> bool:
    """Check whether a problem has another text in a tournament of duplicate games."""
    if isinstance(problem, Invalid):
        return problem.problem in SAID_OF_DUPLICATE_GAMES
    return any(each.message in SAID_OF_DUPLICATE_GAMES for each in (problem, *problem.others))


def _replace_texts(refusal: Refusal) -> Refusal:
    message = SAID_OF_DUPLICATE_GAMES.get(refusal.message, refusal.message)
    return refusal.replace(message=message, others=[_replace_texts(other) for other in refusal.others])
