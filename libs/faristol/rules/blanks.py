"""The letter of a blank: declarations, differing sheets, and fake blanks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class BlankRuling:
    """The letter of a blank and the article of the ruling."""

    face: str | None
    """None if an arbiter must decide."""
    warning: tuple[str, ...]
    """Players without a note of the letter, who may be warned (FISE 10.4)."""
    article: str


def check_blank_face(face: str, ruleset: Ruleset) -> None:
    """Raise ``Refusal`` for a face that is not in the set: no blank can stand for it."""
    if face not in ruleset.tile_set.index:
        raise Refusal(
            "BLANK_FACE_UNKNOWN",
            N_("A blank cannot stand for {face}: the set has no such tile. It can stand for one of {faces}."),
            {"face": face, "faces": " ".join(ruleset.tile_set.faces)},
            article=ruleset.law.blank_face,
        )


def check_blank_kept(stated: Iterable[str], counted: Iterable[str], played: Iterable[str], ruleset: Ruleset) -> None:
    """Raise ``Refusal`` if a blank stands for a letter other than declared before in the turn.

    ``stated`` are the letters of the blanks laid or played before in the turn. ``counted`` are those of a play that was
    counted, ``played`` those of the present play. Under UF 5.1 and FM 5 a declared letter is binding at once. Under
    FISC I.6 and FISE 22 it is binding from the count of the play on. Under PES Δ.β it is from the stop of the clock on,
    after which no tile of a play is taken back. A blank that is back on the rack at the end of the turn is free.
    """
    match ruleset.blank.fixed_on:
        case "declared":
            bound = Counter(stated)
        case "counting":
            bound = Counter(counted)
        case "clock-stopped":
            return
    now = Counter(played)
    kept_not, new = bound - now, now - bound
    if kept_not and new:
        raise Refusal(
            "BLANK_FIXED",
            N_("The blank was declared as {said} in this turn and cannot change to {face}."),
            {"said": " ".join(sorted(kept_not.elements())), "face": " ".join(sorted(new.elements()))},
            article=ruleset.article("blank.fixed_on"),
        )


def resolve_blank(
    written: Mapping[str, str | None], placer: str, stated: str | None, ruleset: Ruleset, keeper: str = ""
) -> BlankRuling:
    """Determine the letter of a blank from each player's note in ``written`` (or None) and the placer's ``stated`` one.

    A player without a required note may be warned: both, the placer, or the ``keeper`` of the sheet.

    If all notes agree, their letter is taken. Otherwise, under FISE 10.4 and by custom in FM, it is the placer's note;
    else another player's note; else the letter that the placer states. In other books an arbiter decides. Raises
    ``ValueError`` if the placer is not among the players, and ``Refusal`` for an unknown face.
    """
    if placer not in written:
        raise ValueError(f"{placer!r} is not among {', '.join(written)}")
    for face in (*written.values(), stated):
        if face is not None:
            check_blank_face(face, ruleset)
    article = ruleset.article("blank.claims")
    warned: tuple[str, ...] = ()
    if ruleset.blank.claims == "placer-prevails" and article:
        due = {"both": set(written), "mover": {placer}, "keeper": {keeper}}[ruleset.blank.written_by]
        warned = tuple(player for player, face in written.items() if face is None and player in due)
    faces = {face for face in written.values() if face is not None}
    if len(faces) == 1:
        return BlankRuling(faces.pop(), warned, article)
    if ruleset.blank.claims == "arbiter":
        return BlankRuling(None, warned, article)
    return BlankRuling(written[placer] or stated, warned, article)


def fake_blank_loses_turn(score_written: bool, ruleset: Ruleset) -> bool:  # noqa: FBT001 # the question of the function
    """Check whether a letter laid face down as a blank, and detected, costs the turn (PES Δ.β).

    Raises ``Refusal`` once the score is written: the tile stays a blank. False if the book is silent: the tile then
    does not show the letter played, and an arbiter decides.
    """
    if ruleset.blank.fake == "none":
        return False
    if score_written:
        raise Refusal(
            "FAKE_BLANK_LATE",
            N_("The score is written: a tile that was played as a blank remains a blank."),
            article=ruleset.article("blank.fake"),
        )
    return True
