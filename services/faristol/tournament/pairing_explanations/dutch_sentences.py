"""The sentences that explain why two players do not meet (FIDE C.04.3 2)."""

from __future__ import annotations

from faristol.kernel.refusal import N_

MEET = "meet"
"""The two meet."""
BY_HAND = "by-hand"
"""The two meet as a pair made by the arbiter."""
PAIRED_ELSEWHERE = "kept"
"""The arbiter paired one of them by hand with another player."""
FORBIDDEN = "forbidden"
"""The two are a forbidden pair."""
BYE = "bye"
"""The first of the two has the allocated bye."""
NOT_TO_BE_PAIRED = "absent"
"""One of the two is not to be paired."""
NO_BYE = "no-bye"
"""The number of players is even."""
FIRST_CANDIDATE = "first"
"""The very first candidate, S1 against S2 in order (3.3)."""
ORDER = "order"
"""As good as the pairing, but later in the sequence of candidates (3.8, 4)."""

MESSAGES = {
    MEET: N_("{one} and {other} meet in this round."),
    BY_HAND: N_("The arbiter paired {one} and {other} by hand."),
    PAIRED_ELSEWHERE: N_("The arbiter made a pair by hand, so {one} and {other} do not meet."),
    FORBIDDEN: N_("The organiser keeps {one} and {other} apart."),
    NOT_TO_BE_PAIRED: N_("{one} or {other} is not available for pairing in this round."),
    BYE: N_("{one} has the bye: no player with fewer points may have it."),
    FIRST_CANDIDATE: N_(
        "{one} and {other} are a pair of the first candidate: the upper half against the lower half in order."
    ),
    ORDER: N_(
        "If {one} met {other}, the round would be equally good, but that pairing comes later in the "
        "order of candidates."
    ),
    NO_BYE: N_("This round has no bye."),
    "C1": N_("{one} and {other} have met already."),
    "C2": N_("{one} has already had a bye or a win without playing."),
    "C3": N_("{one} and {other} must both have the same colour."),
    "C4": N_("If {one} met {other}, the remaining players could not all be paired."),
    "C5": N_("If {one} met {other}, the bye would go to a player with more points."),
    "C6": N_("If {one} met {other}, fewer players would be paired within their bracket."),
    "C7": N_("If {one} met {other}, a player with more points would drop to a lower bracket."),
    "C8": N_("If {one} met {other}, the pairing of the next bracket would be worse."),
    "C9": N_("If {one} met {other}, the bye would go to a player with more unplayed games."),
    "C10": N_("If {one} met {other}, a player in a topscorer's game would have a colour difference greater than two."),
    "C11": N_("If {one} met {other}, a player in a topscorer's game would have the same colour three times in a row."),
    "C12": N_("If {one} met {other}, more players would not get the colour that they prefer."),
    "C13": N_("If {one} met {other}, more players would not get the colour that they strongly prefer."),
    "C14": N_("If {one} met {other}, more players would again drop to a lower bracket, as in the previous round."),
    "C15": N_(
        "If {one} met {other}, more players would again face a higher-scoring opponent, as in the previous round."
    ),
    "C16": N_("If {one} met {other}, more players would again drop to a lower bracket, as two rounds earlier."),
    "C17": N_("If {one} met {other}, more players would again face a higher-scoring opponent, as two rounds earlier."),
    "C18": N_(
        "If {one} met {other}, a player who dropped to a lower bracket in the previous round would drop further."
    ),
    "C19": N_(
        "If {one} met {other}, a player who faced a higher-scoring opponent in the previous round would face an even "
        "higher-scoring one."
    ),
    "C20": N_("If {one} met {other}, a player who dropped to a lower bracket two rounds earlier would drop further."),
    "C21": N_(
        "If {one} met {other}, a player who faced a higher-scoring opponent two rounds earlier would face an even "
        "higher-scoring one."
    ),
}
"""The sentence of each reason; ``one`` and ``other`` are players."""

BYE_MESSAGES = {
    NO_BYE: MESSAGES[NO_BYE],
    BYE: MESSAGES[BYE],
    "C2": MESSAGES["C2"],
    "C4": N_("If {one} had the bye, the remaining players could not all be paired."),
    "C5": N_("{one} has more points than others who may have the bye."),
    ORDER: N_(
        "If {one} had the bye, the round would be equally good, but that pairing comes later in the order "
        "of candidates."
    ),
}
"""The sentence of each reason if the bye takes the place of an opponent."""

BYE_OTHERWISE = N_("If {one} had the bye, criterion {criterion} would be met less well.")
"""The sentence of every other criterion against the bye."""

ARTICLES = {
    FORBIDDEN: "FIDE C.04.1",
    BYE: "FIDE C.04.3 C5",
    FIRST_CANDIDATE: "FIDE C.04.3 3.3",
    ORDER: "FIDE C.04.3 3.8",
    **{f"C{number}": f"FIDE C.04.3 C{number}" for number in range(1, 22)},
}
"""The article of each reason; other reasons have none."""
