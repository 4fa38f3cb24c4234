"""Tournament as a feed (Atom, RFC 4287) and as a calendar (iCalendar, RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from xml.sax.saxutils import escape, quoteattr

from faristol.duplicate_game.preparation import duplicate_id
from faristol.kernel.divisions import format_title
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.messages import describe_message, describe_readers
from faristol.presentation.page_addresses import duplicate_path, round_path, tournament_path
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.text import translations

ROUND_TITLE = N_("Round %(number)s")

ATOM = "application/atom+xml; charset=utf-8"
CALENDAR = "text/calendar; charset=utf-8"

_RFC_3339 = "%Y-%m-%dT%H:%M:%SZ"
_UTC = "%Y%m%dT%H%M%SZ"

CALENDAR_LINE_BYTES = 75
"""Limit of a calendar line in bytes."""

USUAL = timedelta(hours=1)
"""Length of a round in a calendar if its end is unknown."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """Entry of the feed."""

    key: str
    title: str
    at: datetime
    path: str


def news_of(tournament: pb.Tournament, language: str, messages: Iterable[pb.Message] = ()) -> list[FeedEntry]:
    """Return the feed entries of a tournament's rounds and of its public ``messages``, the latest first."""
    read = translations(language).gettext

    def list_news() -> Iterator[FeedEntry]:
        for message in messages:
            said = describe_message(message, tournament, language, of_games=is_of_duplicate_games(tournament))
            title = ": ".join(filter(None, [describe_readers(message, language), said]))
            path = tournament_path(tournament.tournament_id)
            yield FeedEntry(f"message-{message.number}", title, to_datetime(message.sent_at), path)
        for round_ in tournament.played:
            pairings = round_path(tournament.tournament_id, round_.round)
            standings = f"{tournament_path(tournament.tournament_id)}?round={round_.round}"
            moments = (
                ("paired_at", N_("Round %(number)s is paired"), pairings),
                ("started_at", N_("Round %(number)s has started"), pairings),
                ("closed_at", N_("Round %(number)s is closed: standings"), standings),
            )
            if is_of_duplicate_games(tournament):
                game = duplicate_path(duplicate_id(tournament.tournament_id, round_.round))
                moments = (
                    ("paired_at", N_("Game %(number)s is about to start"), pairings),
                    ("started_at", N_("Game %(number)s has started"), game),
                    ("closed_at", N_("Game %(number)s is closed: standings"), game),
                )
            for field, wording, path in moments:
                if round_.HasField(field):  # type: ignore[arg-type] # names of its fields
                    at = to_datetime(getattr(round_, field))
                    yield FeedEntry(f"{round_.round}-{field}", read(wording) % {"number": round_.round}, at, path)

    return sorted(list_news(), key=lambda each: (each.at, each.key), reverse=True)


def atom(tournament: pb.Tournament, language: str, address: str, messages: Iterable[pb.Message] = ()) -> str:
    """Return the Atom feed of a tournament and its public ``messages``; ``address`` is that of the pages."""
    entries = news_of(tournament, language, messages)
    updated = entries[0].at if entries else to_datetime(tournament.created_at)
    base = address + tournament_path(tournament.tournament_id)
    own = address + tournament_path(tournament.tournament_id, "feed.atom")
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang={quoteattr(language)}>',
        f"<id>{escape(base)}</id>",
        f"<title>{escape(format_title(tournament))}</title>",
        f"<updated>{updated:{_RFC_3339}}</updated>",
        "<author><name>Faristol</name></author>",
        f'<link rel="self" type="application/atom+xml" href={quoteattr(own)}/>',
        f'<link rel="alternate" type="text/html" href={quoteattr(base)}/>',
    ]
    for each in entries:
        link = quoteattr(address + each.path)
        lines.append(
            f"<entry><id>{escape(base)}#{each.key}</id><title>{escape(each.title)}</title>"
            f'<updated>{each.at:{_RFC_3339}}</updated><link rel="alternate" type="text/html" href={link}/></entry>'
        )
    return "\n".join([*lines, "</feed>", ""])


@dataclass(frozen=True, slots=True)
class Event:
    """Round in a calendar."""

    round: int
    start: datetime
    end: datetime
    said_at: datetime
    """Time of the last change."""


def events_of(tournament: pb.Tournament) -> list[Event]:
    """Return the rounds that have started or have an announced time.

    A round ends when it was closed; until then at the end of its time, or after an hour if the rules fix no length.
    """
    found: dict[int, Event] = {}
    for each in tournament.announced:
        if each.round <= tournament.rounds:
            start = to_datetime(each.starts_at)
            end = to_datetime(each.ends_at) if each.HasField("ends_at") else start + USUAL
            found[each.round] = Event(each.round, start, end, to_datetime(each.announced_at))
    for round_ in tournament.played:
        if round_.HasField("started_at"):
            start = to_datetime(round_.started_at)
            end = start + USUAL
            if round_.HasField("closed_at"):
                end = to_datetime(round_.closed_at)
            elif round_.HasField("ends_at"):
                end = to_datetime(round_.ends_at)
            found[round_.round] = Event(round_.round, start, max(start, end), start)
    return [found[number] for number in sorted(found)]


def calendar(tournament: pb.Tournament, language: str, address: str) -> str:
    """Return the rounds with a time as a calendar."""
    read = translations(language).gettext
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Faristol//Faristol//EN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_text(format_title(tournament))}",
        f"X-WR-TIMEZONE:{_text(tournament.time_zone or 'UTC')}",
    ]
    halls = ", ".join(hall.name for hall in tournament.halls)
    paired = len(tournament.played)
    for each in events_of(tournament):
        wording = N_("Game %(number)s") if is_of_duplicate_games(tournament) else ROUND_TITLE
        title = f"{format_title(tournament)}: {read(wording) % {'number': each.round}}"
        segments = ("round", each.round) if each.round <= paired else ()
        lines += [
            "BEGIN:VEVENT",
            f"UID:{tournament.tournament_id}-r{each.round}@faristol",
            f"DTSTAMP:{each.said_at:{_UTC}}",
            f"DTSTART:{each.start:{_UTC}}",
            f"DTEND:{each.end:{_UTC}}",
            f"SUMMARY:{_text(title)}",
            f"URL:{address}{tournament_path(tournament.tournament_id, *segments)}",
            *([f"LOCATION:{_text(halls)}"] if halls else []),
            "END:VEVENT",
        ]
    return "".join(f"{_fold_line(line)}\r\n" for line in [*lines, "END:VCALENDAR"])


def _text(given: str) -> str:
    """Escape a text for a calendar (RFC 5545 3.3.11)."""
    return given.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _fold_line(line: str) -> str:
    """Fold a line to the allowed length (RFC 5545 3.1)."""
    pieces: list[str] = []
    piece, size = "", 0
    for letter in line:
        width = len(letter.encode())
        if size + width > CALENDAR_LINE_BYTES - bool(pieces):
            pieces.append(piece)
            piece, size = "", 0
        piece += letter
        size += width
    return "\r\n ".join([*pieces, piece])
