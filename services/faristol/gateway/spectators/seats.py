"""Where everybody plays in a round, by name: for who looks for a table, for lists on paper and on screens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from faristol.gateway.pairings import absent
from faristol.kernel.names import begins, name_order, words_of
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb


@dataclass(frozen=True, slots=True)
class Place:
    """Where a player is in a round."""

    player_id: str
    name: str
    table: pb.Table | None = None
    """None for who sits the round out."""
    is_bye: bool = False
    worth: pairing.ByeKind.ValueType = pairing.BYE_KIND_UNSPECIFIED
    """Of a bye that was granted."""
    duplicate_id: str = ""
    """The duplicate game that the round is; empty for a round of tables."""
    hall: str = ""
    """Of a duplicate game."""
    number: int = 0
    """On the slips of a duplicate game; 0 for a player without a seat in it."""

    @property
    def opponents(self) -> list[pb.Seat]:
        """Who else sits at the table."""
        return [seat for seat in self.table.seats if seat.player_id != self.player_id] if self.table else []

    @property
    def starts(self) -> bool | None:
        """Whether the player starts; None where that is not known."""
        first = self.table.first_player_id if self.table else ""
        return first == self.player_id if first else None


def places(
    answer: pb.GetPairingsResponse, players: Iterable[pb.Player], hall: str = "", language: str = ""
) -> list[Place]:
    """Everybody in a round, by name in the order of a ``language``; with a ``hall``, those who sit there alone."""
    found = list(_seated(answer, hall))
    if not hall:
        found += _resting(answer)
        found += [Place(player.player_id, player.shown_name) for player in absent(answer, players)]
    return in_order(found, language)


def in_order(found: Iterable[Place], language: str) -> list[Place]:
    """Return places in the order of names in a language."""
    return sorted(found, key=lambda place: (name_order(place.name, language), place.player_id))


def _seated(answer: pb.GetPairingsResponse, hall: str) -> Iterator[Place]:
    for table in answer.tables:
        if hall in {"", table.hall}:
            for seat in table.seats:
                yield Place(seat.player_id, seat.name, table)


def _resting(answer: pb.GetPairingsResponse) -> Iterator[Place]:
    if answer.bye.player_id:
        yield Place(answer.bye.player_id, answer.bye.name, is_bye=True)
    for bye in answer.requested_byes:
        yield Place(bye.seat.player_id, bye.seat.name, is_bye=True, worth=bye.kind)


def named(found: Sequence[Place], words: str) -> list[Place]:
    """Those in whose name every one of some words begins a word; all where there are none."""
    wanted = words_of(words)
    return [place for place in found if begins(wanted, words_of(place.name))]


def latest(tournament: pb.Tournament) -> pb.Round | None:
    """The round that people look for: the last that is paired; None before the first."""
    return tournament.played[-1] if tournament.played else None


def coming(tournament: pb.Tournament) -> pb.AnnouncedRound | None:
    """The announced round that begins next; None where no time was announced for it, and while a round is played."""
    last = latest(tournament)
    if tournament.over or (last and last.phase == pb.ROUND_PHASE_STARTED):
        return None
    number = last.round if last and last.phase == pb.ROUND_PHASE_PAIRED else len(tournament.played) + 1
    return next((each for each in tournament.announced if each.round == number <= tournament.rounds), None)
