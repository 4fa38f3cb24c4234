"""Places of players in a round by name: for the search of a table, for lists on paper and for screens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from faristol.kernel.names import begins, name_order
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.names import search_words


@dataclass(frozen=True, slots=True)
class PlayerPlace:
    """Place of a player in a round."""

    player_id: str
    name: str
    table: pb.Table | None = None
    """Table; None for a bye or an absence."""
    is_bye: bool = False
    worth: pairing.ByeKind.ValueType = pairing.BYE_KIND_UNSPECIFIED
    """Kind of a granted bye."""
    duplicate_id: str = ""
    """Duplicate game of the round; empty for a round of tables."""
    hall: str = ""
    """Hall of a duplicate game."""
    number: int = 0
    """Number on the slips of a duplicate game; 0 for a player without a seat."""

    @property
    def opponents(self) -> list[pb.Seat]:
        """Other players at the table."""
        return [seat for seat in self.table.seats if seat.player_id != self.player_id] if self.table else []

    @property
    def starts(self) -> bool | None:
        """True if the player starts; None if unknown."""
        first = self.table.first_player_id if self.table else ""
        return first == self.player_id if first else None


def places(
    answer: pb.GetPairingsResponse, players: Iterable[pb.Player], hall: str = "", language: str = ""
) -> list[PlayerPlace]:
    """Return the players of a round, sorted by name for a ``language``; with a ``hall``, only those seated there."""
    found = list(_list_places(answer, hall))
    if not hall:
        found += _resting(answer)
        found += [PlayerPlace(player.player_id, player.shown_name) for player in list_absent(answer, players)]
    return in_order(found, language)


def list_absent(answer: pb.GetPairingsResponse, players: Iterable[pb.Player]) -> Iterator[pb.Player]:
    """Yield the players without a table or a bye in a round, such as suspended ones.

    Players who had not entered by then, or had withdrawn, are left out.
    """
    there = {seat.player_id for table in answer.tables for seat in table.seats}
    there |= {answer.bye.player_id, *(bye.seat.player_id for bye in answer.requested_byes)}
    for player in players:
        taking_part = player.entered_round <= answer.round and not 0 < player.withdrawn_round <= answer.round
        if taking_part and player.player_id not in there:
            yield player


def in_order(found: Iterable[PlayerPlace], language: str) -> list[PlayerPlace]:
    """Return places sorted by name for a language."""
    return sorted(found, key=lambda place: (name_order(place.name, language), place.player_id))


def _list_places(answer: pb.GetPairingsResponse, hall: str) -> Iterator[PlayerPlace]:
    for table in answer.tables:
        if hall in {"", table.hall}:
            for seat in table.seats:
                yield PlayerPlace(seat.player_id, seat.name, table)


def _resting(answer: pb.GetPairingsResponse) -> Iterator[PlayerPlace]:
    if answer.bye.player_id:
        yield PlayerPlace(answer.bye.player_id, answer.bye.name, is_bye=True)
    for bye in answer.requested_byes:
        yield PlayerPlace(bye.seat.player_id, bye.seat.name, is_bye=True, worth=bye.kind)


def find_places(found: Sequence[PlayerPlace], words: str) -> list[PlayerPlace]:
    """Return the places whose name matches every word by prefix; all for no words."""
    wanted = search_words(words)
    return [place for place in found if begins(wanted, search_words(place.name))]


def latest(tournament: pb.Tournament) -> pb.Round | None:
    """Return the last paired round; None before the first."""
    return tournament.played[-1] if tournament.played else None


def has_no_result(tournament: pb.Tournament) -> bool:
    """Return whether no table of any round has a final result: standings would be only zeros."""
    return not any(round_.finished for round_ in tournament.played)


def outcome_for(table: pb.Table, player_id: str) -> pb.Outcome.ValueType:
    """Return the outcome of a final result for a player of the table."""
    if table.lost_by_all or player_id in table.loser_ids:
        return pb.OUTCOME_LOSS
    if table.winner_id:
        return pb.OUTCOME_WIN if table.winner_id == player_id else pb.OUTCOME_LOSS
    best = max(seat.score for seat in table.seats)
    leading = [seat.player_id for seat in table.seats if seat.score == best]
    if player_id not in leading:
        return pb.OUTCOME_LOSS
    return pb.OUTCOME_WIN if len(leading) == 1 else pb.OUTCOME_DRAW


def coming(tournament: pb.Tournament) -> pb.AnnouncedRound | None:
    """Return the next announced round; None without an announced time, and during a round."""
    last = latest(tournament)
    if tournament.over or (last and last.phase == pb.ROUND_PHASE_STARTED):
        return None
    number = last.round if last and last.phase == pb.ROUND_PHASE_PAIRED else len(tournament.played) + 1
    return next((each for each in tournament.announced if each.round == number <= tournament.rounds), None)
