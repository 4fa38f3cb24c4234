"""Challenges: the words that may be named, the time limit, the result of a ruling, and the cost if unfounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.ruleset import Ruleset

Faces = tuple[str, ...]
"""A word as in the lexicon."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an unfounded challenge."""

    unfounded: int
    """Unfounded challenges, or words, of the challenger in this game, including this one."""
    from_challenger: int
    """Points that the challenger loses at once."""
    to_mover: int
    """Points that the mover gains."""
    turn_lost: bool
    """Whether the challenger loses the next turn."""


def check_words(challenged: Sequence[Faces], formed: Sequence[Faces], ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a challenge without words, with a word not formed, or with too many words (FISC I.10)."""
    if not challenged:
        raise Refusal(
            "NO_WORDS", N_("A challenge names the words that it questions, at least one."), article=_form(ruleset)
        )
    for word in challenged:
        if word not in formed:
            raise _not_formed(word, formed, ruleset)
    most = ruleset.challenge.words_max
    if most is not None and len(set(challenged)) > most:
        raise Refusal(
            "TOO_MANY_WORDS",
            N_("A challenge names {most} {most:word|words} at most, not {words}."),
            {"most": most, "words": len(set(challenged))},
            article=ruleset.article("challenge.words_max"),
        )


def _form(ruleset: Ruleset) -> str:
    """Return the article that requires a challenge to name its words (FISE 42.1)."""
    return ruleset.law.challenge_form or ruleset.law.challenge_words


def _not_formed(word: Faces, formed: Sequence[Faces], ruleset: Ruleset) -> Refusal:
    """Return the refusal for a word that was not formed; it shows tiles if a word with the same letters was formed."""
    text, between = N_("The play did not form {word}. It formed {formed}."), ""
    if "".join(word) in {"".join(known) for known in formed}:
        text, between = N_("The play did not form {word} with these tiles. It formed {formed}, tile by tile."), " "
    params = {"word": between.join(word), "formed": ", ".join(between.join(known) for known in formed)}
    return Refusal("WORD_NOT_FORMED", text, params, article=_form(ruleset))


def check_in_time(elapsed_ms: int, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a challenge too long after its window opened (PES Δ.ε: over 15 seconds)."""
    most = ruleset.challenge.seconds_max
    if most is not None and elapsed_ms > most * 1000:
        raise Refusal(
            "CHALLENGE_TOO_LATE",
            N_("A challenge must be made within {most} seconds; {passed} have passed."),
            {"most": most, "passed": f"{-(-elapsed_ms // 100) / 10:.1f}"},
            article=ruleset.article("challenge.seconds_max"),
        )


def play_stands(good: Sequence[bool]) -> bool:
    """Check whether a play stands; ``good`` has the ruling on each challenged word. Other words are not judged."""
    return all(good)


def count_unfounded(good: Sequence[bool], ruleset: Ruleset) -> int:
    """Return the number that a ruling adds to the challenger's unfounded challenges.

    Each challenged word found valid counts, even beside an invalid one (PES Δ.ε); or the challenge counts, if the play
    stands.
    """
    if ruleset.challenge.penalty_unit == "word":
        return sum(good)
    return int(play_stands(good))


def cost(good: Sequence[bool], before: int, ruleset: Ruleset) -> Cost:
    """Return the cost of a ruling after ``before`` unfounded challenges in this game (PES Δ.ε).

    ``good`` has the ruling on each challenged word. Each unfounded one after the first ``free_invalid`` costs points.
    """
    law = ruleset.challenge
    count = count_unfounded(good, ruleset)
    paid = 0
    if law.free_invalid is not None:
        paid = max(0, before + count - law.free_invalid) - max(0, before - law.free_invalid)
    points = paid * law.penalty
    return Cost(
        unfounded=before + count,
        from_challenger=points if law.penalty_goes == "from-challenger" else 0,
        to_mover=points if law.penalty_goes == "to-mover" else 0,
        turn_lost=law.unfounded_loses_turn and play_stands(good),
    )


def spread_correction(points: int, *, wrongly_refused: bool, same_day: bool, ruleset: Ruleset) -> int:
    """Return the correction of the mover's spread in the tournament for a ruling found wrong after the game (PES Δ.ε).

    ``points`` are those of the play. Thirty more (``corrected_later_points``) are added to them. The sum is positive
    for a valid play that was refused, negative for an invalid one that stood; the result of the game stays. Raises
    ``Refusal`` if the rules allow no later correction, or none on a later day.
    """
    law, article = ruleset.challenge, ruleset.article("challenge.corrected_later")
    if law.corrected_later == "none":
        raise Refusal("RULING_FINAL", N_("A ruling is final: it is not corrected after the game."), article=article)
    if not same_day:
        raise Refusal(
            "CORRECTION_TOO_LATE", N_("A wrong ruling can be corrected only on the day of the game."), article=article
        )
    return (points + law.corrected_later_points) * (1 if wrongly_refused else -1)
