"""The adjudication of challenges in a tournament, as text."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.presentation.labels import RULING_MODES
from faristol.text import number, say, translations

NO_LAYERS = N_("no layers")
CLAIMS = N_("{mode}; claims expire after {seconds} s without activity")
PANEL_CLAIMS = N_("{mode} ({count}); claims expire after {seconds} s without activity")
TO_DIRECTOR = N_("to the director after {seconds} s")
LAYERS = N_("layers: {layers}")
DIRECTOR = N_("director")
WAITING = N_("{count} pending")
TIMES = N_(
    "{mode}: {count} {count:ruling|rulings}, median {median} s, p95 {p95} s, longest {longest} s, "
    "{escalated} escalated, {returned} returned"
)


def format_adjudication(answer: pb.GetAdjudicationResponse, language: str) -> Iterator[str]:
    """Yield the lines of `judge show`: mode, escalation to the director, and the judges."""
    read = translations(language).gettext
    claims = PANEL_CLAIMS if answer.mode == events.MODE_PANEL else CLAIMS
    claimed: dict[str, str | int] = {"count": answer.panel, "seconds": answer.lease_seconds}
    yield say(claims, {"mode": read(RULING_MODES[answer.mode]), **claimed}, language)
    yield say(TO_DIRECTOR, {"seconds": answer.escalate_after_seconds}, language)
    if answer.layers:
        yield say(LAYERS, {"layers": ", ".join(answer.layers)}, language)
    for judge in answer.judges:
        rights = [" ".join(judge.languages), read(DIRECTOR) if judge.director else ""]
        yield "  ".join(["", judge.judge_id, *filter(None, rights)])


def format_ruling_times(answer: pb.GetRulingTimesResponse, language: str) -> Iterator[str]:
    """Yield the lines of `ruling stats`: waiting times of rulings, and the number of waiting cases."""
    for times in answer.times:
        in_ms = {"median": times.median_ms, "p95": times.p95_ms, "longest": times.longest_ms}
        params: dict[str, str | int] = {
            "mode": translations(language).gettext(RULING_MODES[times.mode]),
            "count": times.rulings,
            **{name: number(round(ms / 1000, 1), language) for name, ms in in_ms.items()},
            "escalated": times.escalated,
            "returned": times.returned,
        }
        yield say(TIMES, params, language)
    yield say(WAITING, {"count": answer.waiting}, language)
