"""Challenges: what may be named, how long there is, what a ruling comes to, and what an unfounded challenge costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset

Faces = tuple[str, ...]
"""A word as the lexicon knows it."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an unfounded challenge costs."""

    unfounded: int
    """Unfounded challenges, or words, of the challenger in this game, this one among them."""
    from_challenger: int
    """Points that the challenger loses at once."""
    to_mover: int
    """Points that the mover gains."""
    turn_lost: bool
    """The challenger loses the next turn."""


def check_words(challenged: Sequence[Faces], formed: Sequence[Faces], ruleset: Ruleset) -> None:
    """Refuse a challenge that names no word, one that the play did not form, one twice, or too many (FISC I.10)."""
    if not challenged:
        raise Refusal("NO_WORDS", _form(ruleset), N_("A challenge names the words that it questions, at least one."))
    for word in challenged:
        if word not in formed:
            raise _not_formed(word, formed, ruleset)
    most = ruleset.challenge.words_max
    if most is not None and len(set(challenged)) > most:
        raise Refusal(
            "TOO_MANY_WORDS",
            ruleset.article("challenge.words_max"),
            N_("A challenge names {most} {most:word|words} at most, not {words}."),
            {"most": most, "words": len(set(challenged))},
        )


def _form(ruleset: Ruleset) -> str:
    """The article that has a challenge name its words (FISE 42.1)."""
    return ruleset.law.challenge_form or ruleset.law.challenge_words


def _not_formed(word: Faces, formed: Sequence[Faces], ruleset: Ruleset) -> Refusal:
    """What is told of a word that was not formed: its tiles where the letters are those of a word that was."""
    text, between = N_("The play did not form {word}. It formed {formed}."), ""
    if "".join(word) in {"".join(known) for known in formed}:
        text, between = N_("The play did not form {word} with these tiles. It formed {formed}, tile by tile."), " "
    params = {"word": between.join(word), "formed": ", ".join(between.join(known) for known in formed)}
    return Refusal("WORD_NOT_FORMED", _form(ruleset), text, params)


def check_in_time(elapsed_ms: int, ruleset: Ruleset) -> None:
    """Refuse a challenge ``elapsed_ms`` after its window opened when that is too long (PES Δ.ε: over 15 seconds)."""
    most = ruleset.challenge.seconds_max
    if most is not None and elapsed_ms > most * 1000:
        raise Refusal(
            "CHALLENGE_TOO_LATE",
            ruleset.article("challenge.seconds_max"),
            N_("A challenge is made within {most} seconds; {passed} have passed."),
            {"most": most, "passed": f"{-(-elapsed_ms // 100) / 10:.1f}"},
        )


def play_stands(good: Sequence[bool]) -> bool:
    """Whether a play stands whose challenged words were found ``good`` or not: words not challenged are not judged."""
    return all(good)


def unfounded(good: Sequence[bool], ruleset: Ruleset) -> int:
    """What a ruling adds to the challenger's count.

    Each challenged word found good counts, even beside a bad one (PES Δ.ε); or the challenge, when the play stands.
    """
    if ruleset.challenge.penalty_unit == "word":
        return sum(good)
    return int(play_stands(good))


def cost(good: Sequence[bool], before: int, ruleset: Ruleset) -> Cost:
    """What a ruling costs a challenger who has made ``before`` unfounded challenges in this game (PES Δ.ε).

    ``good`` tells of each challenged word. Points come off from the one after ``free_invalid`` on, for each.
    """
    law = ruleset.challenge
    count = unfounded(good, ruleset)
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
    """What a ruling found wrong after the game adds to the mover's spread in the tournament (PES Δ.ε).

    ``points`` are those of the play. They come with thirty more, on for a good play that was refused, off for a bad
    one that stood; the result of the game stays. Raises ``Refusal`` where nothing is corrected later, or not so late.
    """
    law, article = ruleset.challenge, ruleset.article("challenge.corrected_later")
    if law.corrected_later == "none":
        raise Refusal("RULING_FINAL", article, N_("A ruling is final: nothing is corrected after the game."))
    if not same_day:
        raise Refusal(
            "CORRECTION_TOO_LATE", article, N_("A wrong ruling is put right on the day of the game, and not later.")
        )
    return (points + law.corrected_later_points) * (1 if wrongly_refused else -1)
