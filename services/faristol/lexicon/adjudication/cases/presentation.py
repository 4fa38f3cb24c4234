"""Views of cases for officials, judges, the public, and the committee that maintains the lexicon."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from faristol.adjudication.cases.challenges import to_word_rulings
from faristol.adjudication.cases.model import Case, Word
from faristol.kernel.likeness import like
from faristol.kernel.times import milliseconds_between, to_datetime, to_timestamp
from faristol.lexicon.adjudication.cases.queries import CaseWithRound
from faristol.lexicon.lexicons.library import Lexicons
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon
from faristol.words import InstalledLexicon, WordGraph

RULING_COLUMNS = (
    "tournament",
    "round",
    "case",
    "turn",
    "word",
    "tiles",
    "valid",
    "reason",
    "source",
    "mode",
    "judges",
    "appeal",
    "lexicon",
    "edition",
    "digest",
    "layers",
    "article",
    "queued_at",
    "ruled_at",
    "seconds",
)
"""Columns of the export, one line for each word."""


def installed_lexicon(installed: InstalledLexicon) -> lexicon.Lexicon:
    """Describe an installed lexicon."""
    return lexicon.Lexicon(
        pin=game_events.Pin(name=installed.name, digest=installed.digest),
        tile_set=installed.header.tile_set,
        words=installed.header.words,
        source=installed.about.source,
        licence=installed.about.licence,
        edition=installed.about.edition,
        layers=installed.header.layers,
    )


def word(faces: Word) -> game_events.Word:
    """Convert a word to the contract's message."""
    return game_events.Word(faces=faces)


def listings(graph: WordGraph, faces: Word) -> list[lexicon.Listing]:
    """Return the listings of a word in a lexicon, in every layer."""
    return [
        lexicon.Listing(
            layer=listing.layer, source=listing.source, on=not listing.layer or listing.layer in graph.layers
        )
        for listing in graph.listings(faces)
    ]


def official(case: Case) -> lexicon.GetCaseResponse:
    """Return a case for officials. Opinions are hidden until the ruling: judges must not see each other's."""
    opinions = [
        lexicon.Opinion(judge_id=opinion.judge_id, words=to_word_rulings(opinion.rulings), given_at=opinion.given_at)
        for opinion in case.opinions
    ]
    return like(
        lexicon.GetCaseResponse,
        case,
        words=[word(each) for each in case.words],
        lexicon=case.lexicon.message(),
        ruled=case.ruled,
        rulings=to_word_rulings(case.rulings),
        held_by=case.held_by,
        opinions=opinions if case.ruled else [],
    )


def to_queued_case(case: Case, judge_id: str) -> pb.QueuedCase:
    """Return a case in the queue of a judge."""
    return like(
        pb.QueuedCase,
        case,
        words=[word(each) for each in case.words],
        free_seats=len(case.free_seats),
        held=case.claim_of(judge_id) is not None,
    )


def file_of(
    case: Case, arguments: str, graph: WordGraph, earlier: Mapping[Word, Sequence[Case]]
) -> pb.GetCaseFileResponse:
    """Return the file of a case for a judge: its words and the data on them, without a player's name, id or score."""
    escalates_at = case.escalates_at()
    return like(
        pb.GetCaseFileResponse,
        case,
        words=[
            pb.WordFile(
                word=word(faces),
                valid=graph.contains(faces),
                listings=listings(graph, faces),
                earlier=[_earlier(ruled, faces) for ruled in earlier[faces]],
            )
            for faces in case.words
        ],
        lexicon=case.lexicon.message(),
        edition=graph.about.edition,
        arguments=arguments,
        escalates_at=to_timestamp(escalates_at) if escalates_at else None,
    )


def _earlier(case: Case, faces: Word) -> pb.EarlierRuling:
    ruling = next(ruling for ruling in case.rulings if ruling.word == faces)
    return like(
        pb.EarlierRuling,
        case,
        valid=ruling.valid,
        reason=ruling.reason,
        source=ruling.source,
        lexicon=case.lexicon.message(),
    )


def public(listed: CaseWithRound, lexicons: Lexicons) -> pb.PublicRuling:
    """Return a ruling for the public: on the play (FISC I.10), or by word if the rules say so (PES Δ.ε)."""
    case = listed.case
    words = [game_events.RuledWord(word=word(ruling.word), valid=ruling.valid) for ruling in case.rulings]
    return like(
        pb.PublicRuling,
        case,
        round=listed.round,
        words=[word(each) for each in case.words],
        ruled_words=words if case.by_word else [],
        lexicon=case.lexicon.message(),
        edition=lexicons.edition(case.lexicon.digest),
    )


def format_export(listed: Iterable[CaseWithRound], lexicons: Lexicons, *, header: bool) -> str:
    """Return lines of the export, after the names of the columns if ``header``."""
    text = io.StringIO()
    rows = csv.writer(text)
    if header:
        rows.writerow(RULING_COLUMNS)
    for each in listed:
        rows.writerows(_rows(each, lexicons))
    return text.getvalue()


def _plain(text: str) -> str:
    """Return a judge's text, with an apostrophe before a prefix that a spreadsheet reads as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _rows(listed: CaseWithRound, lexicons: Lexicons) -> Iterable[list[object]]:
    case = listed.case
    assert case.queued_at
    assert case.ruled_at
    for ruling in case.rulings:
        yield [
            case.tournament_id,
            listed.round,
            case.case_id,
            case.turn,
            "".join(ruling.word),
            " ".join(ruling.word),
            "yes" if ruling.valid else "no",
            _plain(ruling.reason),
            _plain(ruling.source),
            events.Mode.Name(case.mode).removeprefix("MODE_").lower(),
            " ".join(case.ruled_by),
            "yes" if case.appeal else "no",
            case.lexicon.name,
            lexicons.edition(case.lexicon.digest),
            case.lexicon.digest,
            " ".join(case.layers),
            case.article,
            to_datetime(case.queued_at).isoformat(timespec="milliseconds"),
            to_datetime(case.ruled_at).isoformat(timespec="milliseconds"),
            f"{waited_ms(case) / 1000:.3f}",
        ]


def waited_ms(case: Case) -> int:
    """Return the milliseconds from the queue to the ruling."""
    assert case.queued_at
    assert case.ruled_at
    return milliseconds_between(case.queued_at, case.ruled_at)


def times(cases: Collection[Case]) -> list[pb.RulingTimes]:
    """Return the waiting times of the ruled cases, by mode."""
    answer = []
    for mode in sorted({case.mode for case in cases if case.ruled}):
        of_mode = [case for case in cases if case.ruled and case.mode == mode]
        waited = sorted(waited_ms(case) for case in of_mode)
        answer.append(
            pb.RulingTimes(
                mode=mode,
                rulings=len(waited),
                median_ms=percentile(waited, 50),
                p95_ms=percentile(waited, 95),
                longest_ms=waited[-1],
                escalated=sum(case.escalated for case in of_mode),
                returned=sum(case.returned for case in of_mode),
            )
        )
    return answer


def percentile(ordered: Sequence[int], percent: int) -> int:
    """Return the percentile of ``ordered`` by the nearest rank; ``ordered`` is ascending and not empty."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
