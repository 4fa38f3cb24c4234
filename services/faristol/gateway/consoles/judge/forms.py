"""Form of a judge, word by word. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events

MAX_CASE_WORDS = 20
"""Limit of the words of a case: a play of seven tiles forms eight at most."""

VERDICTS: Mapping[str, bool] = {"valid": True, "invalid": False}


@dataclass(frozen=True, slots=True)
class WordInput:
    """Input about a word."""

    faces: str
    """Its tiles, separated by spaces."""
    verdict: str = ""
    """``valid``, ``invalid``, or empty if undecided."""
    reason: str = ""
    source: str = ""


def read(given: Mapping[str, str]) -> list[WordInput]:
    """Parse a form, word by word."""
    return [
        WordInput(
            given[f"word-{number}"],
            verdict if (verdict := given.get(f"verdict-{number}", "")) in VERDICTS else "",
            given.get(f"reason-{number}", ""),
            given.get(f"source-{number}", ""),
        )
        for number in range(MAX_CASE_WORDS)
        if f"word-{number}" in given
    ]


def merge_input(file: pb.GetCaseFileResponse, written: Sequence[WordInput]) -> list[WordInput]:
    """Return the form of a case, filled with earlier input."""
    known = {each.faces: each for each in written}
    words = [" ".join(each.word.faces) for each in file.words]
    return [known.get(faces, WordInput(faces)) for faces in words]


def rulings(written: Sequence[WordInput]) -> list[events.WordRuling]:
    """Return the rulings of a complete form. Raises ``ValueError`` if a word has no verdict."""
    if not all(each.verdict for each in written):
        raise ValueError("a word has no verdict")
    return [
        events.WordRuling(
            word=game.Word(faces=each.faces.split()),
            valid=VERDICTS[each.verdict],
            reason=each.reason.strip(),
            source=each.source.strip(),
        )
        for each in written
    ]
