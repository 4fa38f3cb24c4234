"""Lookup of players, teams, games and tournaments by a name, its beginning, or an id.

Case, accents and signs are ignored. The order is: an id, a whole name, the beginning of a name, the beginning of a
later word of it, such as the family name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc

from faristol.client.places import ranges
from faristol.host import Addresses, StartError
from faristol.kernel.names import ACTOR_ID
from faristol.kernel.pairings import seats_of
from faristol.kernel.quotation import likely
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.names import Named, Roster, candidates, fold_name
from faristol.table_terminal.shared.common import localize
from faristol.table_terminal.shared.services import stub_at
from faristol.text.terminal import language_of_terminal

COULD_BE = N_("{given} could be {known}: use the id or the whole name")
DID_YOU_MEAN = N_("there is no {given}; did you mean {known}?")
THERE_IS_NO = N_("there is no {given} in {tournament}")
NO_TOURNAMENT = N_("there is no tournament {given}")
NO_TABLE = N_("round {round} has no table {table}; it has {known}")
NO_ROUND = N_("no round of {tournament} is paired")
NOT_PAIRED = N_("round {round} of {tournament} is not paired")
NO_GAME = N_("there is no game {given}: use its id, or the number of its table with --table and --round")

MAX_CANDIDATES = 8
"""Candidates in an error message."""


class Unclear(StartError):
    """The text matches no candidate or several; the message lists them."""


def find_named(given: str, known: Sequence[Named], missing: str = THERE_IS_NO, **params: str) -> Named:
    """Return the candidate that a name means. Raises ``Unclear`` with the candidates.

    ``missing`` is the message, with ``params``, if no candidate is similar.
    """
    found = candidates(given, known)
    if len(found) == 1:
        return found[0]
    if found:
        more = " …" if len(found) > MAX_CANDIDATES else ""
        raise Unclear(localize(COULD_BE, given=repr(given), known="; ".join(map(str, found[:MAX_CANDIDATES])) + more))
    if near := _near(given, known):
        raise Unclear(localize(DID_YOU_MEAN, given=repr(given), known="; ".join(map(str, near))))
    raise Unclear(localize(missing, given=repr(given), **params))


def _near(given: str, known: Sequence[Named]) -> list[Named]:
    """Return the candidates with a similar name or id."""
    by: dict[str, Named] = {}
    for named in known:
        for text in (fold_name(named.name), named.id, *fold_name(named.name).split()):
            by.setdefault(text, named)
    return list(dict.fromkeys(by[text] for text in likely(fold_name(given), by, 3)))


class TournamentNames(Roster):
    """The players, teams and games of a tournament, by name."""

    def __init__(self, tournament: pairing.GetTournamentResponse) -> None:
        super().__init__(tournament, language_of_terminal())

    def player(self, given: str) -> str:
        """Return the id of a player. Raises ``Unclear``."""
        return find_named(given, self.players, tournament=self.tournament.name).id

    def team(self, given: str) -> str:
        """Return the id of a team. Raises ``Unclear``."""
        return find_named(given, self.teams, tournament=self.tournament.name).id

    def person(self, given: str) -> str:
        """Return the id of a player given by name, or else the text: not all actors are players.

        A text that may be an id has to be the whole name. Raises ``Unclear`` if several players match.
        """
        same = [who for who in self.players if who.id == given or fold_name(who.name) == fold_name(given)]
        if len(same) == 1:
            return same[0].id
        if ACTOR_ID.fullmatch(given) or not candidates(given, self.players):
            return given
        return self.player(given)

    def round(self, number: int = 0) -> pairing.Round:
        """Return a paired round, the last one for 0. Raises ``Unclear``."""
        found: pairing.Round = played_round(self.tournament, number)
        return found

    def game(self, given: str = "", *, table: int = 0, number: int = 0) -> str:
        """Return the id of a game: by id, or by its table in round ``number``, 0 for the last one paired.

        A bare number is that of a table. Raises ``Unclear``.
        """
        if given.isdecimal():
            given, table = "", int(given)
        if given:
            if any(given == seat.game_id for played in self.tournament.played for seat in played.pairings):
                return given
            raise Unclear(localize(NO_GAME, given=repr(given)))
        return self.seat(table, number).game_id

    def players_of_game(self, game_id: str) -> list[Named]:
        """Return the players of a game in the order of the pairing; none for a game of another tournament."""
        seats = (seat for played in self.tournament.played for seat in played.pairings if seat.game_id == game_id)
        found = next(seats, None)
        return [named for each in (seats_of(found) if found else ()) for named in self.players if named.id == each]

    def seat(self, table: int, number: int = 0) -> events.Pairing:
        """Return the pairing of a table in round ``number``, 0 for the last one paired. Raises ``Unclear``."""
        played = self.round(number)
        found = next((seat for seat in played.pairings if seat.table == table), None)
        if found is None:
            known = ranges(seat.table for seat in played.pairings if seat.table)
            raise Unclear(localize(NO_TABLE, round=played.round, table=table, known=known))
        return found


def played_round(tournament: pairing.GetTournamentResponse | results.Tournament, number: int = 0) -> Any:
    """Return a paired round of a tournament, the last one for 0. Raises ``Unclear`` if it is not paired."""
    if not tournament.played:
        raise Unclear(localize(NO_ROUND, tournament=tournament.name))
    played = tournament.played if number else tournament.played[-1:]
    for found in played:
        if number in (0, found.round):
            return found
    raise Unclear(localize(NOT_PAIRED, round=number, tournament=tournament.name))


async def load_names(given: str, address: str | None = None) -> TournamentNames:
    """Load the tournament with this id or beginning of its name, with the names of all its players and teams.

    Raises ``Unclear``, and ``StartError`` as ``service_at`` does.
    """
    try:
        return await _load_names(given, address)
    except StartError as error:
        if not _unknown(error):
            raise
        found = await tournament_meant(given, address)
        if found == given:
            raise
    return await _load_names(found, address)


async def game_meant(given: str, table: int = 0, number: int = 0, address: str | None = None) -> str:
    """Return the id of a game: ``given``, or that of tournament ``given`` at ``table`` in round ``number``.

    Round 0 is the last one paired. Raises ``Unclear``, and ``StartError`` as ``service_at`` does.
    """
    return (await load_names(given, address)).game(table=table, number=number) if table else given


async def _load_names(tournament_id: str, address: str | None) -> TournamentNames:
    async with stub_at("pairing", address) as stub:
        return TournamentNames(await stub.GetTournament(pairing.GetTournamentRequest(tournament_id=tournament_id)))


async def tournament_meant(given: str, address: str | None = None) -> str:
    """Return the id of the tournament with this id or beginning of its name.

    Without a reachable results service it is ``given``. Raises ``Unclear``.
    """
    if not (address or Addresses().of("results")):
        return given
    async with stub_at("results", address) as stub:
        try:
            found = await stub.GetTournament(results.GetTournamentRequest(tournament_id=given))
            return str(found.tournament.tournament_id)
        except grpc.aio.AioRpcError as error:
            if error.code() in _UNAVAILABLE_CODES:
                return given
            if error.code() not in _MISSING:
                raise
    return find_named(given, await tournaments_at(address), NO_TOURNAMENT).id


async def tournaments_at(address: str | None = None) -> list[Named]:
    """List the tournaments of a cell. Raises ``StartError`` as ``service_at`` does."""
    async with stub_at("results", address) as stub:
        listed = await stub.ListTournaments(results.ListTournamentsRequest())
    return [Named(entry.tournament_id, entry.name, entry.division) for entry in listed.tournaments]


_UNAVAILABLE_CODES = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNIMPLEMENTED)
"""The service is unavailable; the next call reports it."""

_MISSING = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)


def _unknown(problem: StartError) -> bool:
    cause = problem.__cause__
    return isinstance(cause, grpc.aio.AioRpcError) and cause.code() in _MISSING
