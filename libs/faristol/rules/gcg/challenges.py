"""Points of a failed challenge in a file."""

from __future__ import annotations

from faristol.rules.gcg.game import Challenge
from faristol.rules.gcg.problem import Wrong
from faristol.rules.ruleset.ruleset import Ruleset

CHALLENGE_STEP_POINTS, MAX_POINTS_PER_WORD = 5, 10
"""If the file decides: a multiple of five points, up to ten for each word of the play in the harshest variant."""


def check_challenge(event: Challenge, mover: str, words: int, ruleset: Ruleset, *, stands: bool) -> None:
    """Raise ``Wrong`` if the line has wrong points for a failed challenge of a play with that number of ``words``.

    Either the ``mover`` gains points or the challenger loses them. The rules determine which, and how many. If they
    leave it open and no option is chosen, the file decides, as files do not name the variant. A challenge of a play
    that did not stand costs points only if each valid word among those challenged does (PES Δ.ε).
    """
    rules = ruleset.challenge
    gained = event.nick == mover
    points = event.score if gained else -event.score
    if not stands:
        words -= 1
        if not words or _open(ruleset) or rules.penalty_unit != "word":
            raise Wrong("NO_PLAY", f"{mover}'s play did not stand", "no points for a successful challenge")
    if _open(ruleset):
        if not 0 < points <= MAX_POINTS_PER_WORD * words or points % CHALLENGE_STEP_POINTS:
            raise _wrong(
                event,
                mover,
                f"{CHALLENGE_STEP_POINTS} to {MAX_POINTS_PER_WORD * words} points in steps of "
                f"{CHALLENGE_STEP_POINTS}, gained or lost",
            )
        return
    if not rules.penalty:
        raise _wrong(event, mover, f"no such line: it costs 0 points under {ruleset.name}")
    if gained is not (rules.penalty_goes == "to-mover"):
        who = f"{mover} to gain" if rules.penalty_goes == "to-mover" else "the challenger to lose"
        raise _wrong(event, mover, f"{who} the points")
    most = rules.penalty * (words if rules.penalty_unit == "word" else 1)
    if not 0 < points <= most or points % rules.penalty:
        raise _wrong(event, mover, f"{rules.penalty} points" + (f" for each of {words} words" if most > points else ""))


def _open(ruleset: Ruleset) -> bool:
    return any("challenge.penalty" in option.keys and option.name not in ruleset.chosen for option in ruleset.options)


def _wrong(event: Challenge, mover: str, expected: str) -> Wrong:
    return Wrong(
        "CHALLENGE_POINTS", f"a failed challenge of {mover}'s play gives {event.nick} {event.score:+}", expected
    )
