"""What a judge's form says of each word. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events

MOST_WORDS = 20
"""Words of a case: a play of seven tiles forms eight at most."""

VERDICTS: Mapping[str, bool] = {"valid": True, "invalid": False}


@dataclass(frozen=True, slots=True)
class Written:
    """What is written in the form about a word."""

    faces: str
    """Its tiles with a space between."""
    verdict: str = ""
    """``valid``, ``invalid``, or empty while nothing is chosen."""
    reason: str = ""
    source: str = ""


def read(given: Mapping[str, str]) -> list[Written]:
    """What a form says, word by word."""
    return [
        Written(
            given[f"word-{number}"],
            verdict if (verdict := given.get(f"verdict-{number}", "")) in VERDICTS else "",
            given.get(f"reason-{number}", ""),
            given.get(f"source-{number}", ""),
        )
        for number in range(MOST_WORDS)
        if f"word-{number}" in given
    ]


def merged(file: pb.GetCaseFileResponse, written: Sequence[Written]) -> list[Written]:
    """The form of a case with what was written about its words before."""
    known = {each.faces: each for each in written}
    words = [" ".join(each.word.faces) for each in file.words]
    return [known.get(faces, Written(faces)) for faces in words]


def rulings(written: Sequence[Written]) -> list[events.WordRuling]:
    """The rulings that a complete form makes. Raises ``ValueError`` where a word has no verdict."""
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
