"""What a blank stands for when the sheets differ, and false blanks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Refusal
from faristol.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class BlankRuling:
    """What a blank stands for, by which article."""

    face: str | None
    """None where an arbiter must decide."""
    warning: tuple[str, ...]
    """Players who wrote nothing and may be warned (FISE 10.4)."""
    article: str


def check_blank_face(face: str, ruleset: Ruleset) -> None:
    """Refuse a face that is not in the set: no blank can stand for it."""
    if face not in ruleset.tile_set.index:
        raise Refusal(
            "BLANK_FACE_UNKNOWN",
            ruleset.law.blank_face,
            N_("A blank cannot stand for {face}: there is no such tile. It stands for one of {faces}."),
            {"face": face, "faces": " ".join(ruleset.tile_set.faces)},
        )


def check_blank_kept(said: Iterable[str], counted: Iterable[str], played: Iterable[str], ruleset: Ruleset) -> None:
    """Refuse a play in which a blank stands for another letter than was said before in the turn.

    ``said`` are the letters of the blanks that were laid or played in it before, ``counted`` of those in a play that
    was counted, ``played`` those of the play now. Under UF 5.1 and FM 5 a letter that was said stays; under FISC I.6
    and FISE 22 until the play is counted, under PES Δ.β until the clock is stopped, after which no tile of a play is
    taken back. A blank that is back on the rack when the turn is over is free.
    """
    match ruleset.blank.fixed_on:
        case "declared":
            bound = Counter(said)
        case "counting":
            bound = Counter(counted)
        case "clock-stopped":
            return
    now = Counter(played)
    kept_not, new = bound - now, now - bound
    if kept_not and new:
        raise Refusal(
            "BLANK_FIXED",
            ruleset.article("blank.fixed_on"),
            N_("A blank was said to be {said} in this turn, and stays that: it cannot be {face}."),
            {"said": " ".join(sorted(kept_not.elements())), "face": " ".join(sorted(new.elements()))},
        )


def resolve_blank(
    written: Mapping[str, str | None], placer: str, stated: str | None, ruleset: Ruleset, keeper: str = ""
) -> BlankRuling:
    """What a blank stands for, from what each player has ``written`` (None for nothing) and the placer ``stated``.

    Who should have written it and did not may be warned: both, the one who laid it, or the ``keeper`` of the sheet.

    All agree: that. Otherwise, under FISE 10.4 and by custom in FM: what the placer wrote; else what another wrote;
    else what the placer says. Elsewhere an arbiter decides. Raises ``ValueError`` when the placer is not among the
    players, and ``Refusal`` when a face is none of the set.
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
    said = {face for face in written.values() if face is not None}
    if len(said) == 1:
        return BlankRuling(said.pop(), warned, article)
    if ruleset.blank.claims == "arbiter":
        return BlankRuling(None, warned, article)
    return BlankRuling(written[placer] or stated, warned, article)


def fake_blank_loses_turn(score_written: bool, ruleset: Ruleset) -> bool:  # noqa: FBT001 # what is asked
    """Whether a letter laid face down as a blank, and shown to be one, costs the turn (PES Δ.β).

    Raises ``Refusal`` once the score is written: the tile stays as it is. Where the book is silent it is a tile that
    does not show what was played, and an arbiter's matter: False.
    """
    if ruleset.blank.fake == "none":
        return False
    if score_written:
        raise Refusal(
            "FAKE_BLANK_LATE",
            ruleset.article("blank.fake"),
            N_("The score is written: a tile that was played as a blank stays one."),
        )
    return True
