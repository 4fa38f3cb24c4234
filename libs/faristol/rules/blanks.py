"""What a blank stands for when the sheets differ, and blanks that are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from faristol.rules.refusal import N_, Refusal
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
    """Refuse what no blank can stand for: a face that is none of the set."""
    if face not in ruleset.tile_set.index:
        raise Refusal(
            "BLANK_FACE_UNKNOWN",
            ruleset.law.blank_face,
            N_("A blank cannot stand for {face}: there is no such tile. It stands for one of {faces}."),
            {"face": face, "faces": " ".join(ruleset.tile_set.faces)},
        )


def resolve_blank(written: Mapping[str, str | None], placer: str, stated: str | None, ruleset: Ruleset) -> BlankRuling:
    """What a blank stands for, from what each player has ``written`` (None for nothing) and the placer ``stated``.

    All agree: that. Otherwise, under FISE 10.4 and by custom in FM: what the placer wrote; else what another wrote;
    else what the placer says. Elsewhere an arbiter decides. Raises ``ValueError`` when the placer is not among the
    players, and ``Refusal`` when a face is none of the set.
    """
    if placer not in written:
        raise ValueError(f"{placer!r} is not among {list(written)}")
    for face in (*written.values(), stated):
        if face is not None:
            check_blank_face(face, ruleset)
    article = ruleset.article("blank.claims")
    warned: tuple[str, ...] = ()
    if ruleset.blank.claims == "placer-prevails" and article:
        warned = tuple(player for player, face in written.items() if face is None)
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
